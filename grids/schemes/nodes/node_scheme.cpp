// Finite volumes around nodes store κ on the cells between nodes, with κ of faces in the halo. They store
// scale·(σ·volume + α·area) at the nodes, plus the penalties of nodes that faces with several conditions constrain.

#include "backends/device/backend.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

class NodeScheme final : public RowScheme {
 public:
  CellPoints cell_points(const Problem&) const override { return CellPoints::inside_ends; }

  // Each of six faces needs the mean of four cells. In a GPU's walk planes of cells serve the points below and above:
  // each node keeps the sums of the four cells below it.
  RowCounts counts(const Problem& p, bool gpu) const override {
    const double entries = (gpu ? (p.isotropic ? 33 : 39) : (p.isotropic ? 48 : 60)) + 1;
    return {.neighbours = 2 * p.dimension,
            .computed = 6,
            .kappa = static_cast<double>(coefficient_count(p)),
            .entries = entries,
            .products = 7,
            .evaluations = 4,
            .entries_anew = entries};
  }

  std::pair<SchemeRows, Jumps> sample(const SchemeContext& context) const override {
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    NodeRows rows;
    rows.block = block;
    ErrorCollector check;
    Jumps jumps;
    for (std::size_t d = 0; d < coefficient_count(p); ++d) {
      auto cells = context.field(block.cell_space());
      check([&] {
        sampler.fill({p.coefficient[d], coefficient_key(p, d), Sign::positive}, Location::cell,
                     with_halo(block, cells->layout().box()), {}, SampleStore::set, *cells);
      });
      if (!check.none(context.processes())) continue;
      const CellStatistics found = sampler.statistics(*cells);
      rows.kappa[d] = found.sum / static_cast<double>(cells->space().size());
      jumps.join(found.jumps);
      sampler.subtract_inside(*cells);
      reach_over_cuts(*cells);
      rows.cells[d] = std::move(cells);
    }
    jumps.imbalance = measured_imbalance(context, rows.cells);
    if (p.isotropic) rows.kappa = {rows.kappa[0], rows.kappa[0], rows.kappa[0]};
    rows.scale = scale_of(block, rows.kappa);

    double sum = 0;
    if (!needs_reaction_field(p)) {
      rows.sigma = sum = *p.reaction.constant();
      check([&] {
        poisson::sample(p.reaction, "reaction", Sign::nonnegative, {block}, Location::node, {{0, 0, 0}, {1, 1, 1}});
      });
    } else {
      auto reaction = sampled_reaction(context, rows.scale, check);
      sum = sampler.sum_of_magnitudes(*reaction, context.values());
      const ConstrainedNodes constrained(context);
      constrained.add(penalty_reaction, *reaction);
      if (constrained.some()) sum = penalty_reaction;
      rows.reaction = std::move(reaction);
    }
    check.finish(context.processes());
    rows.singular = !has_dirichlet_face(p) && sum == 0;
    return {rows, jumps};
  }

  SchemeRows constants(const SchemeContext& context) const override {
    NodeRows rows;
    sample_constants(context, rows);
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

  SchemeRows unconstrained(const SchemeContext& context, const SchemeRows& constrained) const override {
    auto rows = std::get<NodeRows>(constrained);
    ErrorCollector check;
    rows.reaction = sampled_reaction(context, rows.scale, check);
    check.finish(context.processes());
    return rows;
  }

  RhsSums fill_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows) const override {
    return fill_nodal_rhs(context, scale, b, rows, [&](const Datum& datum, const Box& box, int face_axis, int end) {
      if (const MixedBcFace* face = context.mixed_bc_at(face_axis, end))
        return add_scaled(context.sampler, box, face->flux_integrals(), scale, b);
      context.sampler.fill_integrals(datum, box, {.factor = scale, .face_axis = face_axis},
                                     face_axis < 0 ? SampleStore::set : SampleStore::add, b);
    });
  }

  void fill_solution(const SchemeContext& context, Field& u) const override { fill_nodal_solution(context, u); }

  // The rows contain α on Robin faces, so those layers are integrated separately.
  double reaction(const BalanceInput& c) const override {
    const Problem& p = c.problem();
    if (const double* sigma = p.reaction.constant()) return *sigma == 0 ? 0 : *sigma * c.integral();
    Box box = c.context.values();
    double sum = 0;
    for_each_face(p, [&](int axis, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::robin) return;
      const auto at = static_cast<std::size_t>(axis);
      Box layer{};
      if (c.block().axes[at].open(end)) {
        layer = box;
        (end == 0 ? layer.last[at] : layer.first[at]) = end == 0 ? ++box.first[at] : --box.last[at];
      }
      sum += c.integral_with({p.reaction, "reaction"}, layer, -1);
    });
    const auto& rows = std::get<NodeRows>(c.rows);
    return sum + c.context.functionals.product(*rows.reaction, c.u, box) / rows.scale;
  }

  Fluxes fluxes(const BalanceInput& c) const override {
    Fluxes passed_back{};
    for_each_face(c.problem(), [&](int axis, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::robin || face.mixed_bc) return;
      const double* alpha = face.alpha.constant();
      const std::string key = face_key(axis, end, true);
      passed_back[face_number(axis, end)] =
          alpha ? *alpha * c.integral_over(axis, end)
                : c.integral_with({face.alpha, key}, face_box(c.block(), axis, end), axis);
    });
    for (const MixedBcFace& face : c.context.mixed_bc)
      passed_back[face_number(face.axis(), face.end())] = c.product(face.nodes(), face.alpha_integrals());
    return fluxes_at_nodes(c, passed_back);
  }

 private:
  // Returns scale·(σ·volume + α·area).
  static std::shared_ptr<Field> sampled_reaction(const SchemeContext& context, double scale, ErrorCollector& check) {
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    auto reaction = context.field(block.space());
    check([&] {
      sampler.fill_integrals({p.reaction, "reaction", Sign::nonnegative}, context.values(), {.factor = scale},
                             SampleStore::set, *reaction);
    });
    for_each_face(p, [&](int d, int end, const Boundary& b) {
      if (b.kind != BoundaryKind::robin || b.mixed_bc) return;
      const std::string key = face_key(d, end, true);
      check([&] {
        sampler.fill_integrals({b.alpha, key, Sign::nonnegative}, face_box(block, d, end),
                               {.factor = scale, .face_axis = d}, SampleStore::add, *reaction);
      });
    });
    for (const MixedBcFace& face : mixed_bc)
      check([&] { add_scaled(sampler, face.nodes(), face.alpha_integrals(), scale, *reaction); });
    return reaction;
  }
};

}  // namespace

const RowScheme& node_scheme() {
  static const NodeScheme scheme;
  return scheme;
}

}  // namespace poisson
