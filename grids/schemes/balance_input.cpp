#include "grids/schemes/balance_input.hpp"

#include <numeric>
#include <optional>

#include "backends/memory/places.hpp"
#include "backends/spaces/gather_lists.hpp"

namespace poisson {

double BalanceInput::sum(const LineSums& lines) const {
  return sum_of_planes(context.processes(), lines.of_planes(flat()));
}

double BalanceInput::integral_over(int axis, int end) const {
  Region face{face_box(block(), axis, end), {true, true, true}};
  face.weighted[static_cast<std::size_t>(axis)] = false;
  return sum(face);
}

double BalanceInput::integral_with(const Datum& datum, const Box& box, int face_axis) const {
  std::optional<Field> wide;
  Field& weights =
      work.precision() == Precision::fp64 ? work : wide.emplace(context.backend, work.space(), Precision::fp64);
  context.sampler.fill_integrals(datum, box, {.face_axis = face_axis}, SampleStore::set, weights);
  return context.functionals.product(weights, u, box);
}

double BalanceInput::product(const Box& box, const std::vector<double>& values) const {
  const std::vector<double> there = context.functionals.values(u, box);
  LineSums lines(box);
  std::size_t number = 0;
  for_each_place(box, [&](int, int j, int k) {
    lines(j, k) += there[number] * values[number];
    ++number;
  });
  return sum(lines);
}

std::unique_ptr<Operator> unconstrained_operator(const Discretization& d, Precision precision) {
  const Assembly assembly = d.stored_assembly() == Assembly::full ? Assembly::partial : d.stored_assembly();
  return grid_kernels(d.backend())
      .make_operator(d.backend(), row_scheme(d.problem()).unconstrained(d.context(), d.scheme_rows()), precision,
                     assembly)
      .A;
}

namespace {

// Returns the weight of a face at the nodes where it meets others: the area of a node on the face divided by the node's
// volume.
double area_share(const Block& block, int axis, int end) {
  const Axis across = block.axes[axis].global();
  return 1 / across.mass(end == 0 ? 0 : across.size() - 1);
}

// Adds the residual at nodes that faces with several conditions constrain to the fluxes through these faces. If several
// faces constrain a node, they share its residual in proportion to their areas. The shares are subtracted from `left`,
// which is given by pieces of the boundary. Sums are formed by planes, as in BalanceInput::sum.
void take_constrained_fluxes(const BalanceInput& input, const Field& rows, PieceSums& left, Fluxes& fluxes) {
  const SchemeContext& context = input.context;
  if (context.mixed_bc.empty()) return;
  const double scale = input.A.scale();
  Field data(context.backend, rows.space(), rows.precision());
  row_scheme(context.problem).fill_rhs(context, scale, data, RhsRows::all);
  std::vector<std::pair<Box, double>> others;  // contains Dirichlet faces, which constrain all their nodes
  for_each_face(context.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      others.emplace_back(face_box(context.block, axis, end), area_share(context.block, axis, end));
  });
  std::vector<double> own;
  for (const MixedBcFace& face : context.mixed_bc) own.push_back(area_share(context.block, face.axis(), face.end()));
  struct Shares {
    Fluxes through{};
    PieceSums taken{};
  };
  const std::size_t marched = input.flat() ? 1 : 2;
  std::vector<Shares> planes(static_cast<std::size_t>(context.values().last[marched]));
  for (std::size_t f = 0; f < own.size(); ++f) {
    const MixedBcFace& face = context.mixed_bc[f];
    if (face.nodes().size() == 0) continue;
    const Layer Au(context.functionals, rows, face.nodes()), b(context.functionals, data, face.nodes());
    const std::size_t number = face_number(face.axis(), face.end());
    const auto parts = pieces(context.block, face.nodes());
    for (std::size_t p = 0; p < parts.size(); ++p)
      for_each_place(parts[p], [&](int i, int j, int k) {
        if (!face.holds(i, j, k)) return;
        const std::array at{i, j, k};
        double all = 0;
        for (const auto& [box, share] : others) all += contains(box, at) ? share : 0;
        for (std::size_t o = 0; o < own.size(); ++o) all += context.mixed_bc[o].holds(i, j, k) ? own[o] : 0;
        const double flux = (Au(i, j, k) - b(i, j, k)) / scale * (own[f] / all);
        Shares& plane = planes[static_cast<std::size_t>(at[marched])];
        plane.through[number] += flux;
        plane.taken[p] += flux;
      });
  }
  Shares sum;
  for (const Shares& plane : gather_lists(context.processes(), planes)) {
    for (std::size_t f = 0; f < fluxes.size(); ++f) sum.through[f] += plane.through[f];
    for (std::size_t p = 0; p < left.size(); ++p) sum.taken[p] += plane.taken[p];
  }
  for (std::size_t f = 0; f < fluxes.size(); ++f) fluxes[f] += sum.through[f];
  for (std::size_t p = 0; p < left.size(); ++p) left[p] -= sum.taken[p];
}

}  // namespace

Fluxes fluxes_at_nodes(const BalanceInput& input, const Fluxes& passed_back) {
  const auto& [context, scheme_rows, data, A, u, work] = input;
  A.apply_everywhere(u, work);
  const PieceSums rows = sums_by_pieces(context.functionals, context.block, work, context.values());
  Fluxes fluxes{};
  // The residual in Dirichlet nodes, and Σ 1/mass of their faces, which is proportional to their areas.
  PieceSums left{}, shares{};
  const auto each_piece = [&](int axis, int end, const auto& body) {
    const double share = area_share(context.block, axis, end);
    for (std::size_t p = 0; p < left.size(); ++p)
      if (on_face(p, static_cast<std::size_t>(axis), static_cast<std::size_t>(end))) body(p, share);
  };
  for (std::size_t p = 0; p < left.size(); ++p) {
    left[p] = rows[p] / A.scale() - data.source[p];
    for (const PieceSums& face : data.faces) left[p] -= face[p];
  }
  for_each_face(context.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      return each_piece(axis, end, [&](std::size_t p, double share) { shares[p] += share; });
    const std::size_t at = face_number(axis, end);
    fluxes[at] = std::accumulate(data.faces[at].begin(), data.faces[at].end(), 0.0) - passed_back[at];
  });
  take_constrained_fluxes(input, work, left, fluxes);
  for_each_face(context.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      each_piece(axis, end,
                 [&](std::size_t p, double share) { fluxes[face_number(axis, end)] += left[p] * (share / shares[p]); });
  });
  return fluxes;
}

}  // namespace poisson
