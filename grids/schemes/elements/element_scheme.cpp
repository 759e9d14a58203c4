// Bilinear and trilinear elements, and the compact scheme, store κ on cells and σ on cells, with α in the halo of σ.
// Data of the right-hand side are integrated against hat functions (elements.hpp).

#include <algorithm>

#include "backends/device/backend.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {
namespace {

// Adds scale·∫ of a datum against the hat functions of the nodes of a box to b. On a face the integral is over the
// face.
void add_integral(const SchemeContext& context, double scale, const Datum& datum, const Box& nodes, int face_axis,
                  int end, Field& b) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  const bool in_cells = taken_in_cells(p, datum.quantity, block, face_axis, end);
  if (!in_cells && (taken_at_nodes(p, datum.quantity) || !datum.quantity.function())) {
    const auto values = context.field(block.space());
    const Box all = face_axis >= 0 ? face_box(block, face_axis, end) : context.values();
    sampler.fill(datum, Location::node, all, {}, SampleStore::set, *values);
    backend.exchange(*values);
    return sampler.add_product(consistent_mass(block, p.scheme, face_axis), *values, nodes, scale, b);
  }
  const auto values = context.field(block.cell_space());
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

  RowCounts counts(const Problem& p, bool gpu) const override {
    const bool cube = p.dimension == 3;
    const int neighbours = cube ? 26 : 8;
    // Recomputed κ has no separate walk. For constants each point needs two products and a sum, besides the row of the
    // axis.
    return {.neighbours = neighbours,
            .computed = neighbours,
            .kappa = static_cast<double>(coefficient_count(p) + offdiagonal_count(p)),
            .entries = entry_flops(p, gpu),
            .products = 3.0 * (neighbours + 1) + 7,
            .evaluations = cube ? 8.0 : 4.0,
            .entries_anew = entry_flops(p, false)};
  }

  // For trilinear elements of one constant κ, the walk over planes of nodes is faster on a GPU than entries from
  // products of the axes' rows, although their operation counts are the same. Measured on an H200 for 256³ in fp64, the
  // walk took 0.18 ms for a product and 0.26 ms for a sweep; the products took 0.38 and 0.49 ms. In fp32 the times are
  // 0.13 and 0.21 ms against 0.20 and 0.25 ms (docs/benchmarks.md). With σ or α the walk needs three times the
  // operations.
  bool walks_faster(const Problem& p, bool gpu) const override {
    return gpu && p.scheme == Scheme::q1 && p.dimension == 3 && p.isotropic && is_separable(p) &&
           !needs_reaction_field(p) && *p.reaction.constant() == 0;
  }

  std::pair<SchemeRows, Jumps> sample(const SchemeContext& context) const override {
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    ElementRows rows;
    rows.block = block;
    rows.mass = element_mass(p.scheme);
    const Box all = block.cell_layout().box();
    ErrorCollector check;
    const auto sampled = [&](const Quantity& quantity, std::string_view key, Sign sign) {
      auto cells = context.field(block.cell_space());
      check([&] { sampler.fill({quantity, key, sign}, Location::cell, all, {}, SampleStore::set, *cells); });
      return cells;
    };
    CellTensors kappa;
    for (std::size_t d = 0; d < coefficient_count(p); ++d)
      kappa.diagonal[d] = sampled(p.coefficient[d], coefficient_key(p, d), Sign::positive);
    for (std::size_t m = 0; m < offdiagonal_count(p); ++m)
      kappa.offdiagonal[m] = sampled(p.offdiagonal[m], offdiagonal_key(m), Sign::any);
    auto sigmas = sampled(p.reaction, "reaction", Sign::nonnegative);
    bool robin = false;
    double alpha = 0;
    for_each_face(p, [&](int d, int end, const Boundary& b) {
      if (b.kind != BoundaryKind::robin) return;
      robin = true;
      const Box ghosts = alpha_box(block, d, end);
      const std::string key = face_key(d, end, true);
      check([&] {
        sampler.fill({b.mixed_bc ? passing_alpha(b) : b.alpha, key, Sign::nonnegative}, Location::cell, ghosts, {},
                     SampleStore::set, *sigmas);
        alpha = std::max(alpha, sampler.extremes(*sigmas, ghosts).largest);
      });
    });
    check.finish(context.processes());
    alpha = context.processes().largest(alpha);
    if (p.full_tensor && !sampler.positive_definite(kappa))
      together(context.processes(), [&] { check_element_values(p, {block, element_points(p)}); });

    Jumps jumps;
    double least_kappa = 1e300;
    for (std::size_t d = 0; d < coefficient_count(p); ++d) {
      const CellStatistics found = sampler.statistics(*kappa.diagonal[d]);
      rows.kappa[d] = found.sum / static_cast<double>(kappa.diagonal[d]->space().size());
      jumps.join(found.jumps);
      least_kappa = std::min(least_kappa, sampler.extremes(*kappa.diagonal[d], all).least);
    }
    jumps.imbalance = measured_imbalance(context, kappa.diagonal);
    least_kappa = context.processes().least(least_kappa);
    for (const FieldPerAxis* fields : {&kappa.diagonal, &kappa.offdiagonal})
      for (const auto& cells : *fields)
        if (cells) reach_over_cuts(*cells);
    reach_over_cuts(*sigmas);
    if (p.isotropic) rows.kappa = {rows.kappa[0], rows.kappa[0], rows.kappa[0]};
    rows.scale = scale_of(block, rows.kappa);
    rows.cells = kappa.diagonal;
    rows.offdiagonal = kappa.offdiagonal;
    const double sigma = context.processes().largest(sampler.extremes(*sigmas, all).largest);
    if (p.reaction.constant() && !robin)
      rows.sigma = *p.reaction.constant();
    else
      rows.sigma_cells = std::move(sigmas);
    rows.sigma_ratio = sigma / least_kappa;
    rows.alpha_ratio = alpha / least_kappa;
    rows.singular = !has_dirichlet_face(p) && !ConstrainedNodes(context).some() && sigma == 0 && alpha == 0;
    return {rows, jumps};
  }

  SchemeRows constants(const SchemeContext& context) const override {
    const Problem& p = context.problem;
    ElementRows rows;
    sample_constants(context, rows);
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

  // Full tensors use plain means, which keep them positive definite.
  SchemeRows coarsen(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse,
                     const Transfer&) const override {
    auto rows = coarser_rows<ElementRows>(fine, coarse);
    const CellMean of_kappa = rows.full_tensor() ? CellMean::plain : CellMean::of_roots;
    const auto coarsen = [&](std::shared_ptr<const Field>& cells, CellMean mean, bool with_faces = false) {
      if (cells) cells = coarser_cells(backend, level_rows(fine).block, coarse, *cells, mean, with_faces);
    };
    for (std::size_t d = 0; d < 3; ++d) {
      coarsen(rows.cells[d], of_kappa);
      coarsen(rows.offdiagonal[d], CellMean::plain);
    }
    coarsen(rows.sigma_cells, CellMean::plain, true);
    return rows;
  }

  // Sums of products use fp64.
  RhsSums fill_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows) const override {
    if (b.precision() == Precision::fp64) return fill_wide_rhs(context, scale, b, rows);
    Field wide(context.backend, b.space(), Precision::fp64);
    const RhsSums sums = fill_wide_rhs(context, scale, wide, rows);
    context.backend.convert(wide, b);
    return sums;
  }

  void fill_solution(const SchemeContext& context, Field& u) const override { fill_nodal_solution(context, u); }

  double reaction(const BalanceInput& c) const override {
    if (const double* sigma = c.problem().reaction.constant()) return *sigma == 0 ? 0 : *sigma * c.integral();
    return c.context.functionals.cell_product(*std::get<ElementRows>(c.rows).sigma_cells, c.u);
  }

  Fluxes fluxes(const BalanceInput& c) const override {
    Fluxes passed_back{};
    for_each_face(c.problem(), [&](int axis, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::robin) return;
      if (face.mixed_bc) {
        Boundary passing = face;
        passing.alpha = passing_alpha(face);
        passed_back[face_number(axis, end)] = passed_back_on_cells(c, axis, end, passing);
        return;
      }
      const double* alpha = face.alpha.constant();
      passed_back[face_number(axis, end)] =
          alpha ? *alpha * c.integral_over(axis, end) : passed_back_on_cells(c, axis, end, face);
    });
    return fluxes_at_nodes(c, passed_back);
  }

 private:
  // Returns ∫αu over a face, with α on the faces of cells and the mean of u at their corners.
  static double passed_back_on_cells(const BalanceInput& c, int axis, int end, const Boundary& face) {
    const Block& block = c.block();
    const auto across = static_cast<std::size_t>(axis);
    Box box = face_box(block, axis, end);
    const Box ghosts = ghost_box(block, axis, end);
    for (std::size_t e = 0; e < 3 && box.size() > 0; ++e)  // includes the next node beyond a cut
      if (e != across && !block.axes[e].is_global() && !block.axes[e].open(1)) ++box.last[e];
    c.context.backend.exchange(c.u);
    const Layer value(c.context.functionals, c.u, box);
    LineSums lines(ghosts);
    poisson::sample(face.alpha, face_key(axis, end, true), Sign::any, {block, element_points(c.problem())},
                    Location::cell, ghosts, [&](int j, int k, const double* alpha) {
                      double line = 0;
                      for (int i = ghosts.first[0]; i < ghosts.last[0]; ++i) {
                        std::array<std::array<int, 2>, 3> at{{{i, i + 1}, {j, j + 1}, {k, k + 1}}};
                        double area = 1, corners = 0;
                        for (std::size_t e = 0; e < 3; ++e) {
                          if (e != across) area *= block.axes[e].width(at[e][0]);
                          for (int& node : at[e])
                            node = e == across ? box.first[e] : node % (box.last[e] - box.first[e]);
                        }
                        for (const int z : at[2])
                          for (const int y : at[1])
                            for (const int x : at[0]) corners += value(x, y, z);
                        line += alpha[i - ghosts.first[0]] * area * corners / 8;
                      }
                      lines(j, k) = line;
                    });
    return c.sum(lines);
  }

  // Returns the operations that compute the entries from κ on cells.
  static double entry_flops(const Problem& p, bool gpu) {
    const bool cube = p.dimension == 3, field = needs_reaction_field(p);
    // Each node uses the layers of cells on both sides, and the product with u needs no entries.
    if (gpu && p.isotropic) {
      const bool reacts = field || *p.reaction.constant() != 0;
      if (!cube) return reacts ? 33 + (field ? 2 : 0) : 9;
      return reacts ? 200 : 68;
    }
    // Each of the 4 or 8 cells needs its stiffness and mass along x and its share of the row's sum. Each corner across
    // x adds the stiffness there and the parts of two couplings; the corner on the row's own line has one coupling.
    const int corners = cube ? 4 : 2;
    double cell = 10 + 4 * (2 * corners - 1) + corners * (p.isotropic ? 2 : cube ? 3 : 1);
    if (p.full_tensor) cell += cube ? 24 : 4;
    return 2 * corners * cell + (field ? 2 * corners : 2);
  }

  static RhsSums fill_wide_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows) {
    return fill_nodal_rhs(context, scale, b, rows, [&](const Datum& datum, const Box& box, int face_axis, int end) {
      if (face_axis < 0) context.backend.fill(b, 0);
      if (const MixedBcFace* face = context.mixed_bc_at(face_axis, end))
        return add_scaled(context.sampler, box, face->flux_against_hats(), scale, b);
      add_integral(context, scale, datum, box, face_axis, end, b);
    });
  }
};

}  // namespace

const RowScheme& element_scheme() {
  static const ElementScheme scheme;
  return scheme;
}

}  // namespace poisson
