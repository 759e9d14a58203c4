// Bilinear and trilinear elements, and the compact scheme: κ on the cells, σ beside it with α in its halo; data of the
// right-hand side are integrated against hat functions (elements.hpp).

#include <algorithm>

#include "backends/backend.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

// Adds scale·∫ of a datum against the hat functions of the nodes of a box to b, on a face over the face.
void add_integral(const Setting& setting, double scale, const Datum& datum, const Box& nodes, int face_axis, int end,
                  Field& b) {
  const auto& [p, block, backend, sampler, functionals] = setting;
  const bool in_cells = taken_in_cells(p, datum.quantity, block, face_axis, end);
  if (!in_cells && (taken_at_nodes(p, datum.quantity) || !datum.quantity.function())) {
    const auto values = setting.field(block.layout());
    const Box all = face_axis >= 0 ? face_box(block, face_axis, end) : setting.values();
    sampler.fill(datum, Location::node, all, {}, SampleStore::set, *values);
    backend.exchange(*values);
    return sampler.add_product(consistent_mass(block, p.scheme, face_axis), *values, nodes, scale, b);
  }
  const auto values = setting.field(block.cell_layout());
  const Box cells = cells_around(block, nodes, face_axis, end);
  if (in_cells) {
    sampler.fill(datum, Location::cell, cells, {}, SampleStore::set, *values);
    return sampler.add_product(mass_of_cells(block, face_axis, end), *values, nodes, scale, b);
  }
  for_each_corner(block, face_axis, [&](const std::array<int, 3>& corner) {
    sampler.fill_corners(datum, cells, corner, face_axis, *values);
    sampler.add_product(mass_of_corner(block, corner, face_axis, end), *values, nodes, scale, b);
  });
}

class ElementScheme final : public RowScheme {
 public:
  CellPoints cell_points(const Problem& p) const override { return element_points(p); }

  std::pair<SchemeRows, Jumps> sample(const Setting& setting) const override {
    const auto& [p, block, backend, sampler, functionals] = setting;
    ElementRows rows;
    rows.block = block;
    rows.mass = element_mass(p.scheme);
    const Box all = block.cell_layout().box();
    ErrorCollector check;
    const auto sampled = [&](const Quantity& quantity, std::string_view key, Sign sign) {
      auto cells = setting.field(block.cell_layout());
      check([&] { sampler.fill({quantity, key, sign}, Location::cell, all, {}, SampleStore::set, *cells); });
      return cells;
    };
    CellTensors kappa;
    for (std::size_t d = 0; d < coefficient_count(p); ++d)
      kappa.diagonal[d] = sampled(p.coefficient[d], coefficient_key(p, d), Sign::positive);
    for (std::size_t m = 0; m < mixed_count(p); ++m) kappa.mixed[m] = sampled(p.mixed[m], mixed_key(m), Sign::any);
    auto sigmas = sampled(p.reaction, "reaction", Sign::nonnegative);
    bool robin = false;
    double alpha = 0;
    for_each_face(p, [&](int d, int end, const Boundary& b) {
      if (b.kind != BoundaryKind::robin) return;
      robin = true;
      const Box ghosts = alpha_box(block, d, end);
      const std::string key = face_key(d, end, true);
      check([&] {
        sampler.fill({b.alpha, key, Sign::nonnegative}, Location::cell, ghosts, {}, SampleStore::set, *sigmas);
        alpha = std::max(alpha, sampler.extremes(*sigmas, ghosts).largest);
      });
    });
    check.finish();
    if (p.full_tensor && !sampler.positive_definite(kappa)) check_element_values(p, {block, element_points(p)});

    Jumps jumps;
    double least_kappa = 1e300;
    for (std::size_t d = 0; d < coefficient_count(p); ++d) {
      const CellStatistics found = sampler.statistics(*kappa.diagonal[d]);
      rows.kappa[d] = found.sum / static_cast<double>(all.size());
      jumps.join(found.jumps);
      least_kappa = std::min(least_kappa, sampler.extremes(*kappa.diagonal[d], all).least);
    }
    if (p.isotropic) rows.kappa = {rows.kappa[0], rows.kappa[0], rows.kappa[0]};
    rows.scale = scale_of(block, rows.kappa);
    rows.cells = kappa.diagonal;
    rows.mixed = kappa.mixed;
    const double sigma = sampler.extremes(*sigmas, all).largest;
    if (p.reaction.constant() && !robin)
      rows.sigma = *p.reaction.constant();
    else
      rows.sigma_cells = std::move(sigmas);
    rows.sigma_ratio = sigma / least_kappa;
    rows.alpha_ratio = alpha / least_kappa;
    rows.singular = !has_dirichlet_face(p) && sigma == 0 && alpha == 0;
    return {rows, jumps};
  }

  SchemeRows constants(const Setting& setting) const override {
    const Problem& p = setting.problem;
    ElementRows rows;
    sample_constants(setting, rows);
    rows.mass = element_mass(p.scheme);
    double alpha = 0;
    for_each_face(p, [&](int, int, const Boundary& b) {
      if (b.kind == BoundaryKind::robin) alpha = std::max(alpha, *b.alpha.constant());
    });
    const double kappa = *std::min_element(rows.kappa.begin(), rows.kappa.begin() + p.dimension);
    rows.sigma_ratio = rows.sigma / kappa;
    rows.alpha_ratio = alpha / kappa;
    return rows;
  }

  // Full tensors take plain means, under which they stay positive definite.
  SchemeRows coarsen(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse,
                     const Transfer&) const override {
    auto rows = coarser_rows<ElementRows>(fine, coarse);
    const CellMean of_kappa = rows.full_tensor() ? CellMean::plain : CellMean::of_roots;
    const auto coarsen = [&](std::shared_ptr<const Field>& cells, CellMean mean, bool with_faces = false) {
      if (cells) cells = coarser_cells(backend, level_rows(fine).block, coarse, *cells, mean, with_faces);
    };
    for (std::size_t d = 0; d < 3; ++d) {
      coarsen(rows.cells[d], of_kappa);
      coarsen(rows.mixed[d], CellMean::plain);
    }
    coarsen(rows.sigma_cells, CellMean::plain, true);
    return rows;
  }

  // Sums of products are taken in fp64.
  RhsSums fill_rhs(const Setting& setting, double scale, Field& b) const override {
    if (b.precision() == Precision::fp64) return fill_wide_rhs(setting, scale, b);
    Field wide(setting.backend, b.layout(), Precision::fp64);
    const RhsSums sums = fill_wide_rhs(setting, scale, wide);
    setting.backend.convert(wide, b);
    return sums;
  }

  void fill_solution(const Setting& setting, Field& u) const override { fill_nodal_solution(setting, u); }

 private:
  static RhsSums fill_wide_rhs(const Setting& setting, double scale, Field& b) {
    const auto& [p, block, backend, sampler, functionals] = setting;
    const Box all = setting.values();
    RhsSums sums;
    ErrorCollector check;
    check([&] {
      const Datum f{p.source, "source"};
      if (p.source.function()) sampler.fill(f, Location::node, all, {}, SampleStore::set, b);  // where files show it
      backend.fill(b, 0);
      add_integral(setting, scale, f, all, -1, 0, b);
    });
    sums.source = sums_by_pieces(functionals, block, b, all, scale);
    clear_dirichlet_nodes(setting, b);
    for_each_face(p, [&](int d, int end, const Boundary& face) {
      if (!brings_something(face)) return;
      const std::string key = face_key(d, end);
      check([&] {
        add_face_data(setting, scale, d, end, b, sums, [&](const Box& box) {
          add_integral(setting, scale, {face.value, key}, box, d, end, b);
        });
      });
    });
    clear_dirichlet_nodes(setting, b);
    check.finish();
    return sums;
  }
};

}  // namespace

const RowScheme& element_scheme() {
  static const ElementScheme scheme;
  return scheme;
}

}  // namespace poisson
