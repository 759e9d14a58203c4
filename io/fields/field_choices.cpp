#include "io/fields/field_choices.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "grids/results/face_flows.hpp"
#include "grids/results/region_field.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/constrained_nodes.hpp"

namespace poisson {
namespace {

int tensor_components(const Problem& problem) {
  const int d = problem.dimension;
  return problem.isotropic ? 1 : problem.full_tensor ? d * (d + 1) / 2 : d;
}

Pieces residual(const Discretization& d, Solver& solver) {
  solver.A().residual(solver.solution(), solver.rhs(), solver.spare());
  ConstrainedNodes(d.context()).clear(solver.spare());
  return gather_density(d.block(), solver.spare(), 1 / solver.A().scale());
}

// Returns the values, each multiplied by f(its index among the points).
template <class F>
Pieces multiplied(Pieces values, const F& f) {
  values.fill = [fill = values.fill, plane = values.plane(), f](int first, int last, std::span<double> piece) {
    fill(first, last, piece);
    const std::size_t begin = plane * static_cast<std::size_t>(first);
    for (std::size_t n = 0; n < piece.size(); ++n) piece[n] *= f(begin + n);
  };
  return values;
}

Pieces matrix_solution(const Block& block, Solver& solver, const MatrixValues& of) {
  Pieces values = gather_values(block, solver.solution());
  if (of.factors.empty()) return values;
  return multiplied(std::move(values), [&of](std::size_t n) { return of.factors[n]; });
}

Pieces matrix_residual(const Block& block, Solver& solver, const MatrixValues& of) {
  solver.A().residual(solver.solution(), solver.rhs(), solver.spare());
  const double scale = solver.A().scale();
  return multiplied(gather_values(block, solver.spare()),
                    [&of, scale](std::size_t n) { return 1 / (of.factors.empty() ? scale : scale * of.factors[n]); });
}

Pieces matrix_source(const Block& block, Solver& solver, const MatrixValues& of) {
  Pieces values = gather_values(block, solver.solution());
  values.fill = [&of, plane = values.plane()](int first, int, std::span<double> piece) {
    std::copy_n(&of.b[plane * static_cast<std::size_t>(first)], piece.size(), piece.begin());
  };
  return values;
}

template <int axis>
Pieces face_flux(const Discretization& d, Solver& s) {
  return gather_face_flux(d, s.solution(), axis);
}

const std::array table{
    FieldChoice{.name = "u",
                .doc = "The solution.",
                .of_grid = [](const Discretization& d, Solver& s) { return gather_solution(d, s.solution()); },
                .of_matrix = matrix_solution},
    FieldChoice{.name = "gradient",
                .doc = "The gradient of the solution.",
                .components = [](const Problem& problem) { return problem.dimension; },
                .of_grid = [](const Discretization& d, Solver& s) { return gather_gradient(d, s.solution()); }},
    FieldChoice{.name = "flux",
                .doc = "The flux −κ∇u in cells: the means of the fluxes through their faces.",
                .on_cells = true,
                .cells_only = true,
                .components = [](const Problem& problem) { return problem.dimension; },
                .of_grid = [](const Discretization& d, Solver& s) { return gather_flux(d, s.solution()); }},
    FieldChoice{.name = "face_flux_x",
                .doc =
                    "The flux −κ ∂u/∂x through each face of a cell across x, [nz][ny][nx] with one more along x. Only "
                    "HDF5 files contain it.",
                .on_cells = true,
                .cells_only = true,
                .face_axis = 0,
                .of_grid = face_flux<0>},
    FieldChoice{.name = "face_flux_y",
                .doc =
                    "The flux −κ ∂u/∂y through each face of a cell across y, [nz][ny][nx] with one more along y. Only "
                    "HDF5 files contain it.",
                .on_cells = true,
                .cells_only = true,
                .face_axis = 1,
                .of_grid = face_flux<1>},
    FieldChoice{.name = "face_flux_z",
                .doc =
                    "The flux −κ ∂u/∂z through each face of a cell across z, [nz][ny][nx] with one more along z. Only "
                    "HDF5 files contain it.",
                .on_cells = true,
                .cells_only = true,
                .face_axis = 2,
                .of_grid = face_flux<2>},
    FieldChoice{.name = "material",
                .doc = "The number of the region in each cell, in the order of `bodies` in summary.json.",
                .on_cells = true,
                .needs_media = true,
                .of_grid = [](const Discretization& d, Solver&) { return gather_regions(d); }},
    FieldChoice{.name = "residual", .doc = "The residual.", .of_grid = residual, .of_matrix = matrix_residual},
    FieldChoice{.name = "error",
                .doc = "The error against equation.exact.",
                .needs_exact = true,
                .of_grid = [](const Discretization& d, Solver& s) { return gather_error(d, s.solution()); }},
    FieldChoice{.name = "coefficient",
                .doc = "The coefficient, on cells.",
                .on_cells = true,
                .components = tensor_components,
                .of_grid =
                    [](const Discretization& d, Solver&) {
                      return gather_quantities(d, kappa_components(d.problem()), "coefficient", Location::cell);
                    }},
    FieldChoice{
        .name = "source",
        .doc = "The right-hand side.",
        .of_grid = [](const Discretization& d,
                      Solver&) { return gather_quantities(d, {d.problem().source}, "source", d.block().location()); },
        .of_matrix = matrix_source}};

}  // namespace

Location FieldChoice::location(Centering centering) const {
  return on_cells || centering == Centering::cell ? Location::cell : Location::node;
}

std::span<const FieldChoice> field_choices() {
  return table;
}

const FieldChoice& field_choice(std::string_view name) {
  const auto row = std::ranges::find(table, name, &FieldChoice::name);
  if (row == table.end()) throw std::out_of_range("no field is called '" + std::string(name) + "'");
  return *row;
}

}  // namespace poisson
