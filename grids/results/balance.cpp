#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "grids/results/integrals.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {
namespace {

double sum_over(const Functionals& functionals, const Field& x, const Box& box) {
  return functionals.sums(x, std::array{Region{box, {}}}).front();
}

// Values of a solution on a layer, read once.
class Layer {
 public:
  Layer(const Functionals& functionals, const Field& u, const Box& box)
      : box_(box), values_(functionals.values(u, box)) {}

  double operator()(int i, int j, int k) const {
    const std::int64_t nx = box_.last[0] - box_.first[0], ny = box_.last[1] - box_.first[1];
    return values_[static_cast<std::size_t>(((k - box_.first[2]) * ny + j - box_.first[1]) * nx + i - box_.first[0])];
  }

 private:
  Box box_;
  std::vector<double> values_;
};

// ∫ of a datum times u over the volumes of the nodes of a layer, across `face_axis` over their areas.
double integral_with(const Block& block, const Functionals& functionals, const Field& u, const Datum& datum,
                     const Box& box, int face_axis) {
  const Layer value(functionals, u, box);
  LineSums lines(box);
  integrate(datum.quantity, datum.name, datum.sign, block, box, face_axis, [&](int j, int k, const double* x) {
    double line = 0;
    for (int i = box.first[0]; i < box.last[0]; ++i) line += x[i - box.first[0]] * value(i, j, k);
    lines(j, k) = line;
  });
  return lines.total();
}

// ∫σu.
double reaction(const Discretization& d, const Field& u) {
  const Problem& problem = d.problem();
  const Block& block = d.block();
  const Functionals& functionals = d.functionals();
  Box box = block.layout().box();
  if (const double* sigma = problem.reaction.constant())
    return *sigma == 0 ? 0 : *sigma * functionals.sums(u, std::array{Region{box, {true, true, true}}}).front();
  if (const auto* rows = std::get_if<ElementRows>(&d.scheme_rows()))
    return functionals.cell_product(*rows->sigma_cells, u);
  const auto* nodes = std::get_if<NodeRows>(&d.scheme_rows());
  const auto& held = nodes ? nodes->reaction : std::get<FaceRows>(d.scheme_rows()).reaction;
  // At nodes what the rows hold has α in it on Robin faces: those layers are integrated one by one.
  double sum = 0;
  if (nodes)
    for_each_face(problem, [&](int axis, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::robin) return;
      const auto at = static_cast<std::size_t>(axis);
      Box layer = box;
      (end == 0 ? layer.last[at] : layer.first[at]) = end == 0 ? ++box.first[at] : --box.last[at];
      sum += integral_with(block, functionals, u, {problem.reaction, "reaction"}, layer, -1);
    });
  return sum + functionals.product(*held, u, box) / d.rows().scale;
}

// Through a face of cells.
double flux_into_cells(const Discretization& d, const Field& u, int axis, int end, const Boundary& face) {
  const Problem& problem = d.problem();
  const Block& block = d.block();
  const auto at = static_cast<std::size_t>(axis);
  Region behind{block.layout().box(), {true, true, true}};
  behind.box.first[at] = end == 0 ? 0 : behind.box.last[at] - 1;
  behind.box.last[at] = behind.box.first[at] + 1;
  behind.weighted[at] = false;
  const double* kappa = problem.coefficient[problem.isotropic ? 0 : at].constant();
  if (kappa && face.value.constant() && face.alpha.constant()) {
    const Axis& across = block.axes[at];
    const auto v = CellFace::values(face.kind, *face.value.constant(), *kappa, *face.alpha.constant(),
                                    across.width(behind.box.first[at]), across.nodes().back() - across.nodes().front());
    double area = 1;
    for (std::size_t e = 0; e < 3; ++e) {
      double length = 0;
      for (int i = 0; i < block.axes[e].size(); ++i) length += block.axes[e].mass(i);
      if (e != at) area *= length;
    }
    return v.given * area - (v.conductance == 0 ? 0 : v.conductance * d.functionals().sums(u, {&behind, 1}).front());
  }
  const Layer value(d.functionals(), u, behind.box);
  double flux = 0;
  CellFace(problem, block, axis, end).visit([&](int i, int j, int k, const CellFace::Values& v) {
    flux += block.face_area(axis, i, j, k) * (v.given - v.conductance * value(i, j, k));
  });
  return flux;
}

// ∫αu over a Robin face of nodes.
double passed_back(const Discretization& d, const Field& u, int axis, int end, const Boundary& face) {
  const Block& block = d.block();
  const auto across = static_cast<std::size_t>(axis);
  const Box box = face_box(block, axis, end);
  if (const double* alpha = face.alpha.constant()) {
    Region whole{box, {true, true, true}};
    whole.weighted[across] = false;
    return *alpha * d.functionals().sums(u, {&whole, 1}).front();
  }
  const std::string key = face_key(axis, end, true);
  const Datum datum{face.alpha, key};
  if (!on_elements(d.problem().scheme)) return integral_with(block, d.functionals(), u, datum, box, axis);
  // Elements take α on the cells' faces, and of u there the mean of the corners.
  const Layer value(d.functionals(), u, box);
  const Box ghosts = ghost_box(block, axis, end);
  LineSums lines(ghosts);
  sample(datum.quantity, key, Sign::any, d.sample_grid(), Location::cell, ghosts, [&](int j, int k, const double* alpha) {
    double line = 0;
    for (int i = ghosts.first[0]; i < ghosts.last[0]; ++i) {
      std::array<std::array<int, 2>, 3> at{{{i, i + 1}, {j, j + 1}, {k, k + 1}}};
      double area = 1, corners = 0;
      for (std::size_t e = 0; e < 3; ++e) {
        if (e != across) area *= block.axes[e].width(at[e][0]);
        for (int& node : at[e]) node = e == across ? box.first[e] : node % block.axes[e].size();
      }
      for (const int c : at[2])
        for (const int b : at[1])
          for (const int a : at[0]) corners += value(a, b, c);
      line += alpha[i - ghosts.first[0]] * area * corners / 8;
    }
    lines(j, k) = line;
  });
  return lines.total();
}

// Through the faces of nodes: what Neumann and Robin faces bring, and what is left over in the rows of Dirichlet nodes.
// On each piece of the boundary the same faces meet, and what is left is shared as their areas are.
void add_fluxes_at_nodes(const Discretization& d, const Operator& A, const Field& u, Field& work, Balance& result) {
  const Problem& problem = d.problem();
  const Block& block = d.block();
  const RhsSums& data = d.rhs_sums();
  A.apply_everywhere(u, work);
  const PieceSums rows = sums_by_pieces(d.functionals(), block, work, block.layout().box());
  const auto flux = [&](int axis, int end) -> double& { return result.flux[static_cast<std::size_t>(2 * axis + end)]; };
  PieceSums left{}, shares{};  // in Dirichlet nodes; Σ 1/mass of their faces, as areas have it
  const auto each_piece = [&](int axis, int end, const auto& body) {
    const auto at = static_cast<std::size_t>(axis);
    const Axis& across = block.axes[at];
    const double share = 1 / across.mass(end == 0 ? 0 : across.size() - 1);
    for (std::size_t p = 0; p < left.size(); ++p)
      if (on_face(p, at, static_cast<std::size_t>(end))) body(p, share);
  };
  for (std::size_t p = 0; p < left.size(); ++p) {
    left[p] = rows[p] / A.scale() - data.source[p];
    for (const PieceSums& face : data.faces) left[p] -= face[p];
  }
  for_each_face(problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      return each_piece(axis, end, [&](std::size_t p, double share) { shares[p] += share; });
    const PieceSums& brought = data.faces[static_cast<std::size_t>(2 * axis + end)];
    flux(axis, end) = std::accumulate(brought.begin(), brought.end(), 0.0);
    if (face.kind == BoundaryKind::robin) flux(axis, end) -= passed_back(d, u, axis, end, face);
  });
  for_each_face(problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      each_piece(axis, end, [&](std::size_t p, double share) { flux(axis, end) += left[p] * (share / shares[p]); });
  });
}

}  // namespace

double throughput(const Balance& balance) {
  double in = 0, out = 0;
  const auto add = [&](double flow) { (flow > 0 ? in : out) += std::abs(flow); };
  for (const double flux : balance.flux) add(flux);
  add(balance.source);
  add(-balance.reaction);
  return std::max(in, out);
}

Balance balance(const Discretization& discretization, const Operator& A, const Field& u, const Field& b, Field& work) {
  Balance result;
  A.residual(u, b, work);
  result.residual = -sum_over(discretization.functionals(), work, A.unknowns()) / A.scale();
  result.source = discretization.rhs_sums().total_source();
  result.reaction = reaction(discretization, u);
  if (discretization.block().centering() == Centering::node)
    add_fluxes_at_nodes(discretization, A, u, work, result);
  else
    for_each_face(discretization.problem(), [&](int axis, int end, const Boundary& face) {
      result.flux[static_cast<std::size_t>(2 * axis + end)] = flux_into_cells(discretization, u, axis, end, face);
    });
  return result;
}

}  // namespace poisson
