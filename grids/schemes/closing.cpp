#include "grids/schemes/closing.hpp"

#include <numeric>
#include <optional>

#include "backends/gather_lists.hpp"

namespace poisson {

double Closing::sum(const LineSums& lines) const {
  return sum_of_planes(setting.processes(), lines.of_planes(block().space().all()[2] == 1));
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

Fluxes fluxes_at_nodes(const Closing& closing, const Fluxes& passed_back) {
  const auto& [setting, scheme_rows, data, A, u, work] = closing;
  A.apply_everywhere(u, work);
  const PieceSums rows = sums_by_pieces(setting.functionals, setting.block, work, setting.values());
  Fluxes fluxes{};
  PieceSums left{}, shares{};  // in Dirichlet nodes; Σ 1/mass of their faces, as areas have it
  const auto each_piece = [&](int axis, int end, const auto& body) {
    const auto at = static_cast<std::size_t>(axis);
    const Axis across = setting.block.axes[at].in_whole();
    const double share = 1 / across.mass(end == 0 ? 0 : across.size() - 1);
    for (std::size_t p = 0; p < left.size(); ++p)
      if (on_face(p, at, static_cast<std::size_t>(end))) body(p, share);
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
  for_each_face(setting.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      each_piece(axis, end,
                 [&](std::size_t p, double share) { fluxes[face_number(axis, end)] += left[p] * (share / shares[p]); });
  });
  return fluxes;
}

}  // namespace poisson
