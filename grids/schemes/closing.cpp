#include "grids/schemes/closing.hpp"

#include <numeric>
#include <optional>

#include "backends/gather_lists.hpp"
#include "backends/places.hpp"

namespace poisson {

double Closing::sum(const LineSums& lines) const {
  return sum_of_planes(setting.processes(), lines.of_planes(flat()));
}

double Closing::integral_over(int axis, int end) const {
  Region face{face_box(block(), axis, end), {true, true, true}};
  face.weighted[static_cast<std::size_t>(axis)] = false;
  return sum(face);
}

double Closing::integral_with(const Datum& datum, const Box& box, int face_axis) const {
  std::optional<Field> wide;
  Field& weights =
      work.precision() == Precision::fp64 ? work : wide.emplace(setting.backend, work.space(), Precision::fp64);
  setting.sampler.fill_integrals(datum, box, {.face_axis = face_axis}, SampleStore::set, weights);
  return setting.functionals.product(weights, u, box);
}

double Closing::product(const Box& box, const std::vector<double>& values) const {
  const std::vector<double> there = setting.functionals.values(u, box);
  LineSums lines(box);
  std::size_t number = 0;
  for_each_place(box, [&](int, int j, int k) {
    lines(j, k) += there[number] * values[number];
    ++number;
  });
  return sum(lines);
}

std::unique_ptr<Operator> unheld_operator(const Discretization& d, Precision precision) {
  const Assembly assembly = d.held() == Assembly::full ? Assembly::partial : d.held();
  return grid_kernels(d.backend())
      .make_operator(d.backend(), row_scheme(d.problem()).unheld(d.setting(), d.scheme_rows()), precision, assembly)
      .A;
}

namespace {

// Returns the weight of a face at the nodes where it meets others: the area of a node on the face divided by the node's
// volume.
double area_share(const Block& block, int axis, int end) {
  const Axis across = block.axes[static_cast<std::size_t>(axis)].in_whole();
  return 1 / across.mass(end == 0 ? 0 : across.size() - 1);
}

// Adds the residual at nodes that faces with several conditions constrain to the fluxes through these faces. If several
// faces constrain a node, they share its residual in proportion to their areas. The shares are subtracted from `left`,
// which is given by pieces of the boundary. Sums are formed by planes, as in Closing::sum.
void take_held_fluxes(const Closing& closing, const Field& rows, PieceSums& left, Fluxes& fluxes) {
  const Setting& setting = closing.setting;
  if (setting.parted.empty()) return;
  const double scale = closing.A.scale();
  Field data(setting.backend, rows.space(), rows.precision());
  row_scheme(setting.problem).fill_rhs(setting, scale, data, RhsRows::all);
  std::vector<std::pair<Box, double>> others;  // contains Dirichlet faces, which constrain all their nodes
  for_each_face(setting.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      others.emplace_back(face_box(setting.block, axis, end), area_share(setting.block, axis, end));
  });
  std::vector<double> own;
  for (const PartedFace& face : setting.parted) own.push_back(area_share(setting.block, face.axis(), face.end()));
  struct Shares {
    Fluxes through{};
    PieceSums taken{};
  };
  const std::size_t marched = closing.flat() ? 1 : 2;
  std::vector<Shares> planes(static_cast<std::size_t>(setting.values().last[marched]));
  for (std::size_t f = 0; f < own.size(); ++f) {
    const PartedFace& face = setting.parted[f];
    if (face.nodes().size() == 0) continue;
    const Layer Au(setting.functionals, rows, face.nodes()), b(setting.functionals, data, face.nodes());
    const std::size_t number = face_number(face.axis(), face.end());
    const auto parts = pieces(setting.block, face.nodes());
    for (std::size_t p = 0; p < parts.size(); ++p)
      for_each_place(parts[p], [&](int i, int j, int k) {
        if (!face.holds(i, j, k)) return;
        const std::array at{i, j, k};
        double all = 0;
        for (const auto& [box, share] : others) all += contains(box, at) ? share : 0;
        for (std::size_t o = 0; o < own.size(); ++o) all += setting.parted[o].holds(i, j, k) ? own[o] : 0;
        const double flux = (Au(i, j, k) - b(i, j, k)) / scale * (own[f] / all);
        Shares& plane = planes[static_cast<std::size_t>(at[marched])];
        plane.through[number] += flux;
        plane.taken[p] += flux;
      });
  }
  Shares sum;
  for (const Shares& plane : gather_lists(setting.processes(), planes)) {
    for (std::size_t f = 0; f < fluxes.size(); ++f) sum.through[f] += plane.through[f];
    for (std::size_t p = 0; p < left.size(); ++p) sum.taken[p] += plane.taken[p];
  }
  for (std::size_t f = 0; f < fluxes.size(); ++f) fluxes[f] += sum.through[f];
  for (std::size_t p = 0; p < left.size(); ++p) left[p] -= sum.taken[p];
}

}  // namespace

Fluxes fluxes_at_nodes(const Closing& closing, const Fluxes& passed_back) {
  const auto& [setting, scheme_rows, data, A, u, work] = closing;
  A.apply_everywhere(u, work);
  const PieceSums rows = sums_by_pieces(setting.functionals, setting.block, work, setting.values());
  Fluxes fluxes{};
  // The residual in Dirichlet nodes, and Σ 1/mass of their faces, which is proportional to their areas.
  PieceSums left{}, shares{};
  const auto each_piece = [&](int axis, int end, const auto& body) {
    const double share = area_share(setting.block, axis, end);
    for (std::size_t p = 0; p < left.size(); ++p)
      if (on_face(p, static_cast<std::size_t>(axis), static_cast<std::size_t>(end))) body(p, share);
  };
  for (std::size_t p = 0; p < left.size(); ++p) {
    left[p] = rows[p] / A.scale() - data.source[p];
    for (const PieceSums& face : data.faces) left[p] -= face[p];
  }
  for_each_face(setting.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      return each_piece(axis, end, [&](std::size_t p, double share) { shares[p] += share; });
    const std::size_t at = face_number(axis, end);
    fluxes[at] = std::accumulate(data.faces[at].begin(), data.faces[at].end(), 0.0) - passed_back[at];
  });
  take_held_fluxes(closing, work, left, fluxes);
  for_each_face(setting.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      each_piece(axis, end,
                 [&](std::size_t p, double share) { fluxes[face_number(axis, end)] += left[p] * (share / shares[p]); });
  });
  return fluxes;
}

}  // namespace poisson
