#include "grids/schemes/closing.hpp"

#include <numeric>
#include <optional>

#include "backends/gather_lists.hpp"
#include "backends/places.hpp"
#include "grids/sampling/parted_face.hpp"

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

double Closing::product(const Box& box, const std::vector<double>& values) const {
  double sum = 0;
  if (box.size() > 0) {
    const std::vector<double> there = setting.functionals.values(u, box);
    sum = std::inner_product(there.begin(), there.end(), values.begin(), 0.0);
  }
  return setting.processes().sum(sum);
}

std::unique_ptr<Operator> unheld_operator(const Discretization& d, Precision precision) {
  const Assembly assembly = d.held() == Assembly::full ? Assembly::partial : d.held();
  return grid_kernels(d.backend())
      .make_operator(d.backend(), row_scheme(d.problem()).unheld(d.setting(), d.scheme_rows()), precision, assembly)
      .A;
}

namespace {

// What is left over in the nodes that faces of several kinds hold goes through these faces, where several hold a node
// as their areas are. `left`, by pieces, loses it.
void take_held_fluxes(const Closing& closing, const Field& rows, PieceSums& left, Fluxes& fluxes) {
  const Setting& setting = closing.setting;
  const std::vector<PartedFace> faces = parted_faces(setting.problem, setting.block);
  if (faces.empty()) return;
  const double scale = closing.A.scale();
  Field data(setting.backend, rows.space(), rows.precision());
  row_scheme(setting.problem).fill_rhs(setting, scale, data, RhsRows::all);
  const auto all = pieces(setting.block);
  const auto share = [&](int axis, int end) {
    const Axis across = setting.block.axes[static_cast<std::size_t>(axis)].in_whole();
    return 1 / across.mass(end == 0 ? 0 : across.size() - 1);
  };
  PieceSums taken{};
  Fluxes through{};
  for (const PartedFace& face : faces) {
    if (face.nodes().size() == 0) continue;
    const Layer Au(setting.functionals, rows, face.nodes()), b(setting.functionals, data, face.nodes());
    for_each_place(face.nodes(), [&](int i, int j, int k) {
      if (!face.holds(i, j, k)) return;
      double shares = 0;
      for_each_face(setting.problem, [&](int axis, int end, const Boundary& other) {
        const bool there =
            other.kind == BoundaryKind::dirichlet && contains(face_box(setting.block, axis, end), {i, j, k});
        if (there) shares += share(axis, end);
      });
      for (const PartedFace& other : faces)
        if (other.holds(i, j, k)) shares += share(other.axis(), other.end());
      const double flux = (Au(i, j, k) - b(i, j, k)) / scale * (share(face.axis(), face.end()) / shares);
      through[face_number(face.axis(), face.end())] += flux;
      for (std::size_t p = 0; p < all.size(); ++p)
        if (contains(all[p], {i, j, k})) taken[p] += flux;
    });
  }
  for (std::size_t f = 0; f < fluxes.size(); ++f) fluxes[f] += setting.processes().sum(through[f]);
  for (std::size_t p = 0; p < left.size(); ++p) left[p] -= setting.processes().sum(taken[p]);
}

}  // namespace

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
  take_held_fluxes(closing, work, left, fluxes);
  for_each_face(setting.problem, [&](int axis, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      each_piece(axis, end,
                 [&](std::size_t p, double share) { fluxes[face_number(axis, end)] += left[p] * (share / shares[p]); });
  });
  return fluxes;
}

}  // namespace poisson
