// What a discretization does its own way where the unknowns sit in cells.

#include <algorithm>
#include <cmath>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"
#include "grids/operators/faces.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

template <class F>
double sum(const Box& box, const F& f) {
  return cpu::sum_over_lines(box, [&](int j, int k) {
    double line = 0;
    for (int i = box.first[0]; i < box.last[0]; ++i) line += f(i, j, k);
    return line;
  });
}

// Of a point among those of a box, x fastest.
std::size_t index(const Box& box, const std::array<int, 3>& at) {
  std::size_t number = 0;
  for (std::size_t d = 3; d-- > 0;)
    number =
        number * static_cast<std::size_t>(box.last[d] - box.first[d]) + static_cast<std::size_t>(at[d] - box.first[d]);
  return number;
}

}  // namespace

void Discretization::sample_cell_coefficients() {
  RowData& rows = rows_;
  const Block& block = rows.block;
  const Box cells = block.layout().box();
  ErrorCollector check;
  bool held = false;  // u, by a Dirichlet face, by α or by σ
  for_each_face(problem_, [&](int, int, const Boundary& b) { held = held || b.kind == BoundaryKind::dirichlet; });

  // Of the last direction that has one of its own: on the device, else on the host.
  std::shared_ptr<Field> there;
  Field kappa;
  for (int d = 0; d < problem_.dimension; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    if (axis < coefficient_count(problem_)) {
      there = sample_cell_kappa_on_device(axis);
      if (!there) {
        if (!kappa.data()) kappa = Field(host(), block.layout(), Precision::fp64);
        const auto view = kappa.view<double>();
        check([&] {
          sample(problem_.coefficient[axis], coefficient_key(problem_, axis), Sign::positive, block, Location::cell,
                 cells, [&](int j, int k, const double* values) { std::copy_n(values, view.n[0], view.line(j, k)); });
        });
        rows.kappa[axis] =
            sum(cells, [&](int i, int j, int k) { return view(i, j, k); }) / static_cast<double>(cells.size());
        jumps_.join(jumps_between_cells(kappa));
      }
    } else {
      rows.kappa[axis] = rows.kappa[0];
    }

    std::shared_ptr<Field> ends;
    for (int end = 0; end < 2; ++end) {
      const Boundary& b = boundary(problem_, d, end);
      if (b.kind != BoundaryKind::robin) continue;
      if (!ends) ends = std::make_shared<Field>(host(), ends_layout(block, axis), Precision::fp64);
      const auto held_at = ends->view<double>();
      const Box face = face_box(block, d, end);
      Box behind = face;
      behind.first[axis] = end == 0 ? 0 : block.axes[axis].size() - 1;
      behind.last[axis] = behind.first[axis] + 1;
      const std::size_t c = problem_.isotropic ? 0 : axis;
      std::vector<double> inside;
      if (there)
        inside =
            sample(problem_.coefficient[c], coefficient_key(problem_, c), Sign::any, block, Location::cell, behind);
      check([&] {
        sample(b.alpha, face_key(d, end, true), Sign::nonnegative, block, Location::cell, face,
               [&](int j, int k, const double* alpha) {
                 for (int i = face.first[0]; i < face.last[0]; ++i) {
                   std::array at{i, j, k}, cell{i, j, k};
                   cell[axis] = behind.first[axis];
                   at[axis] = 2 * end;
                   held_at(at[0], at[1], at[2]) =
                       there ? inside[index(behind, cell)] : kappa.view<double>()(cell[0], cell[1], cell[2]);
                   ++at[axis];
                   held_at(at[0], at[1], at[2]) = alpha[i - face.first[0]];
                 }
               });
      });
      Box alphas = ends->layout().box();
      alphas.first[axis] = 2 * end + 1;
      alphas.last[axis] = 2 * end + 2;
      held = held || sum(alphas, [&](int i, int j, int k) { return held_at(i, j, k); }) > 0;
    }
    if (ends) rows.ends[axis] = on_backend(ends);
    auto faces = std::make_shared<Field>(there ? backend_ : host(), block.layout(), Precision::fp64);
    if (there) {
      sampler_->faces_from_cells(axis, *there, rows.ends[axis].get(), *faces);
      rows.cells[axis] = std::move(faces);
    } else {
      faces_from_cells(block, axis, kappa, ends.get(), *faces);
      rows.cells[axis] = on_backend(std::move(faces));
    }
  }
  if (problem_.dimension == 2) {
    rows.cells[2] = rows.cells[0];  // counts nothing: z is degenerate
    rows.kappa[2] = rows.kappa[0];
  }

  if (const double* sigma = problem_.reaction.constant()) {
    check([&] {
      sample(problem_.reaction, "reaction", Sign::nonnegative, block, Location::cell, {{0, 0, 0}, {1, 1, 1}});
    });
    rows.sigma = *sigma;
    held = held || *sigma > 0;
  } else if (double reaction_sum = 0; sample_reaction_on_device(reaction_sum)) {
    held = held || reaction_sum > 0;
  } else {
    auto reaction = std::make_shared<Field>(host(), block.layout(), Precision::fp64);
    const auto view = reaction->view<double>();
    check([&] {
      sample(problem_.reaction, "reaction", Sign::nonnegative, block, Location::cell, cells,
             [&](int j, int k, const double* values) {
               for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = values[i] * block.mass(i, j, k);
             });
    });
    held = held || sum(cells, [&](int i, int j, int k) { return view(i, j, k); }) > 0;
    rows.reaction = on_backend(std::move(reaction));
  }
  check.finish();
  rows.singular = !held;
}

void Discretization::fill_cell_rhs(Field& b) const {
  const Block& block = this->block();
  const double scale = rows_.scale;
  dispatch(b.precision(), [&]<class T>(T) {
    const auto view = b.view<T>();
    std::vector<double> mass_x(static_cast<std::size_t>(view.n[0]));
    for (int i = 0; i < view.n[0]; ++i) mass_x[static_cast<std::size_t>(i)] = block.axes[0].mass(i);
    RhsSums found;
    LineSums sums(block.layout().box());
    ErrorCollector check;
    check([&] {
      sample(problem_.source, "source", Sign::any, block, Location::cell, block.layout().box(),
             [&](int j, int k, const double* f) {
               const double area = block.axes[1].mass(j) * block.axes[2].mass(k);
               double line = 0;
               for (int i = 0; i < view.n[0]; ++i) {
                 const double integral = area * mass_x[static_cast<std::size_t>(i)] * f[i];
                 line += integral;
                 view(i, j, k) = static_cast<T>(scale * integral);
               }
               sums(j, k) = line;
             });
    });
    for_each_face(problem_, [&](int d, int end, const Boundary& face) {
      if (face.kind == BoundaryKind::dirichlet) return;
      check([&] {
        CellFace(problem_, block, d, end).visit([&](int i, int j, int k, const CellFace::Values& v) {
          if (!v.in_halo) view(i, j, k) += static_cast<T>(scale * block.face_area(d, i, j, k) * v.given);
        });
      });
    });
    check.finish();
    found.source[middle_piece] = sums.total();
    rhs_sums_ = found;
  });
}

void Discretization::fill_cell_solution(Field& u) const {
  const Block& block = this->block();
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    host().fill(u, 0);
    ErrorCollector check;
    if (problem_.initial)
      check([&] {
        sample(*problem_.initial, "initial", Sign::any, block, Location::cell, block.layout().box(),
               [&](int j, int k, const double* values) {
                 for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = static_cast<T>(values[i]);
               });
      });
    for_each_face(problem_, [&](int d, int end, const Boundary& b) {
      if (b.kind != BoundaryKind::robin) return;
      check([&] {
        CellFace(problem_, block, d, end).visit([&](int i, int j, int k, const CellFace::Values& v) {
          std::array at{i, j, k};
          at[static_cast<std::size_t>(d)] += end == 0 ? -1 : 1;
          view(at[0], at[1], at[2]) = static_cast<T>(v.halo());
        });
      });
    });
    const auto faces_at = [&](int i, int j, int k) {
      const std::array at{i, j, k};
      int faces = 0;
      for (std::size_t d = 0; d < 3; ++d) faces += at[d] < 0 || at[d] >= view.n[d] ? 1 : 0;
      return faces;
    };
    for (const bool first : {true, false})
      for_each_face(problem_, [&](int d, int end, const Boundary& b) {
        if (b.kind != BoundaryKind::dirichlet) return;
        const Box box = dirichlet_cells(problem_, block, d, end);
        check([&] {
          sample(b.value, face_key(d, end), Sign::any, block, Location::cell, box, [&](int j, int k, const double* g) {
            for (int i = box.first[0]; i < box.last[0]; ++i)
              view(i, j, k) = static_cast<T>(
                  first ? 0 : static_cast<double>(view(i, j, k)) + g[i - box.first[0]] / faces_at(i, j, k));
          });
        });
      });
    check.finish();
  });
}

}  // namespace poisson
