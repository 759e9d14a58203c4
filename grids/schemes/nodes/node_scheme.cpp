// Finite volumes around nodes: κ on the cells between them, with that of faces in the halo, and
// scale·(σ·volume + α·area) at the nodes.

#include "backends/backend.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

class NodeScheme final : public RowScheme {
 public:
  CellPoints cell_points(const Problem&) const override { return CellPoints::inside_ends; }

  std::pair<SchemeRows, Jumps> sample(const Setting& setting) const override {
    const auto& [p, block, backend, sampler, functionals] = setting;
    NodeRows rows;
    rows.block = block;
    ErrorCollector check;
    Jumps jumps;
    for (std::size_t d = 0; d < coefficient_count(p); ++d)
      check([&] {
        auto cells = setting.field(block.cell_layout());
        sampler.fill({p.coefficient[d], coefficient_key(p, d), Sign::positive}, Location::cell,
                     with_halo(block, cells->layout().box()), {}, SampleStore::set, *cells);
        const CellStatistics found = sampler.statistics(*cells);
        rows.kappa[d] = found.sum / static_cast<double>(cells->layout().size());
        jumps.join(found.jumps);
        sampler.subtract_inside(*cells);
        rows.cells[d] = std::move(cells);
      });
    if (p.isotropic) rows.kappa = {rows.kappa[0], rows.kappa[0], rows.kappa[0]};
    rows.scale = scale_of(block, rows.kappa);

    double sum = 0;
    if (!needs_reaction_field(p)) {
      rows.sigma = sum = *p.reaction.constant();
      check([&] {
        poisson::sample(p.reaction, "reaction", Sign::nonnegative, {block}, Location::node, {{0, 0, 0}, {1, 1, 1}});
      });
    } else {
      auto reaction = setting.field(block.layout());
      check([&] {
        sampler.fill_integrals({p.reaction, "reaction", Sign::nonnegative}, setting.values(), {.factor = rows.scale},
                               SampleStore::set, *reaction);
      });
      for_each_face(p, [&](int d, int end, const Boundary& b) {
        if (b.kind != BoundaryKind::robin) return;
        const std::string key = face_key(d, end, true);
        check([&] {
          sampler.fill_integrals({b.alpha, key, Sign::nonnegative}, face_box(block, d, end),
                                 {.factor = rows.scale, .face_axis = d}, SampleStore::add, *reaction);
        });
      });
      sum = sampler.sum_of_magnitudes(*reaction, setting.values());
      rows.reaction = std::move(reaction);
    }
    check.finish();
    rows.singular = !has_dirichlet_face(p) && sum == 0;
    return {rows, jumps};
  }

  SchemeRows constants(const Setting& setting) const override {
    NodeRows rows;
    sample_constants(setting, rows);
    return rows;
  }

  SchemeRows coarsen(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse,
                     const Transfer& transfer) const override {
    auto rows = coarser_rows<NodeRows>(fine, coarse);
    for (auto& cells : rows.cells)
      if (cells) cells = coarser_cells(backend, level_rows(fine).block, coarse, *cells, CellMean::of_roots);
    rows.reaction = coarser_reaction(backend, rows.block, transfer, rows.reaction);
    return rows;
  }

  RhsSums fill_rhs(const Setting& setting, double scale, Field& b) const override {
    const auto& [p, block, backend, sampler, functionals] = setting;
    const Box all = setting.values();
    RhsSums sums;
    ErrorCollector check;
    check([&] {
      const Datum f{p.source, "source"};
      if (p.source.function()) sampler.fill(f, Location::node, all, {}, SampleStore::set, b);  // where files show it
      sampler.fill_integrals(f, all, {.factor = scale}, SampleStore::set, b);
    });
    sums.source = sums_by_pieces(functionals, block, b, all, scale);
    clear_dirichlet_nodes(setting, b);
    for_each_face(p, [&](int d, int end, const Boundary& face) {
      if (!brings_something(face)) return;
      const std::string key = face_key(d, end);
      check([&] {
        add_face_data(setting, scale, d, end, b, sums, [&](const Box& box) {
          sampler.fill_integrals({face.value, key}, box, {.factor = scale, .face_axis = d}, SampleStore::add, b);
        });
      });
    });
    clear_dirichlet_nodes(setting, b);
    check.finish();
    return sums;
  }

  void fill_solution(const Setting& setting, Field& u) const override { fill_nodal_solution(setting, u); }
};

}  // namespace

const RowScheme& node_scheme() {
  static const NodeScheme scheme;
  return scheme;
}

}  // namespace poisson
