// Finite volumes that are the cells of the grid store κ on the faces between cells, data behind Robin faces in separate
// fields, and scale·σ·volume. The halo of the solution contains Dirichlet and Robin data (cell_face.hpp).

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/device/rehearsal.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_rows.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

// Returns the layer of `ends` that contains κ or α of a face.
Box layer(const Layout& ends, std::size_t axis, int at) {
  Box box = ends.box();
  box.first[axis] = at;
  box.last[axis] = at + 1;
  return box;
}

}  // namespace

std::shared_ptr<Field> sample_ends(const SchemeContext& context, std::size_t axis, const Field& kappa,
                                   ErrorCollector& check, bool& regular) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  const int d = static_cast<int>(axis);
  std::shared_ptr<Field> ends;
  for (int end = 0; end < 2; ++end) {
    const Boundary& b = boundary(p, d, end);
    if (b.kind != BoundaryKind::robin) continue;
    if (!ends) ends = context.field(ends_space(block, axis));
    if (!block.axes[axis].open(end)) continue;
    const auto inside = functionals.values(kappa, cells_behind(block, d, end));
    check([&] {
      Box face = face_box(block, d, end);
      if (rehearses(backend)) face.last = {face.first[0] + 1, face.first[1] + 1, face.first[2] + 1};
      const auto alpha = sample(b.alpha, face_key(d, end, true), Sign::nonnegative, {block}, Location::cell, face);
      sampler.put(layer(ends->layout(), axis, 2 * end), inside, SampleStore::set, *ends);
      sampler.put(layer(ends->layout(), axis, 2 * end + 1), alpha, SampleStore::set, *ends);
      regular = regular || std::ranges::any_of(alpha, [](double a) { return a > 0; });
    });
  }
  return ends;
}

namespace {

// Coarsens the data behind Robin faces across an axis by means over areas.
std::shared_ptr<Field> coarsen_ends(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                                    const Field& fine_ends) {
  auto ends = std::make_shared<Field>(backend, ends_space(coarse.block, axis), Precision::fp64);
  Block block = fine;
  CoarseBlock next = coarse;
  block.axes[axis] = Axis({0, 1, 2, 3, 4}, BoundaryKind::neumann, BoundaryKind::neumann, {}, Centering::cell);
  next.axes[axis] = keep(block.axes[axis]);
  next.block.axes[axis] = block.axes[axis];
  reach_over_cuts(fine_ends);
  grid_kernels(backend).coarsen_cells(backend, block, next, fine_ends, *ends);
  return ends;
}

class CellScheme final : public RowScheme {
 public:
  // An entry is κ of a face times its area over the distance. In a walk a cell evaluates κ at itself, its four
  // neighbours and the cell above, and computes the means on five faces. The next point computes the sixth.
  RowCounts counts(const Problem& p, bool) const override {
    const double anew = 12 + (needs_reaction_field(p) ? 0 : 1);
    return {.neighbours = 2 * p.dimension,
            .computed = 6,
            .kappa = static_cast<double>(p.dimension),
            .entries = 13,
            .products = 7,
            .evaluations = 6,
            .entries_anew = anew,
            .means = 5 * (6 + division_flops)};
  }

  std::pair<SchemeRows, Jumps> sample(const SchemeContext& context) const override {
    if (context.media) return media_rows(context);
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    FaceRows rows;
    rows.block = block;
    const Box all = context.values();
    ErrorCollector check;
    Jumps jumps;
    bool regular = has_dirichlet_face(p);       // u is determined by such a face, by α or by σ
    FieldPerAxis all_kappa;                     // covers the directions with a separate κ
    auto kappa = context.field(block.space());  // belongs to the last of these
    for (int d = 0; d < p.dimension; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      if (axis < coefficient_count(p)) {
        if (axis > 0) kappa = context.field(block.space());
        check([&] {
          sampler.fill({p.coefficient[axis], coefficient_key(p, axis), Sign::positive}, Location::cell, all, {},
                       SampleStore::set, *kappa);
        });
        if (!check.none(context.processes())) continue;
        const CellStatistics found = sampler.statistics(*kappa);
        rows.kappa[axis] = found.sum / static_cast<double>(kappa->space().size());
        jumps.join(found.jumps);
        reach_over_cuts(*kappa);
        all_kappa[axis] = kappa;
      } else {
        rows.kappa[axis] = rows.kappa[0];
      }
      rows.ends[axis] = sample_ends(context, axis, *kappa, check, regular);
      auto faces = context.field(block.space());
      sampler.faces_from_cells(axis, *kappa, rows.ends[axis].get(), *faces);
      reach_over_cuts(*faces);
      rows.faces[axis] = std::move(faces);
    }
    jumps.imbalance = measured_imbalance(context, all_kappa);
    all_kappa = {};
    if (p.dimension == 2) rows.kappa[2] = rows.kappa[0];
    rows.scale = scale_of(block, rows.kappa);
    if (const double* sigma = p.reaction.constant()) {
      check([&] {
        poisson::sample(p.reaction, "reaction", Sign::nonnegative, {block}, Location::cell, {{0, 0, 0}, {1, 1, 1}});
      });
      rows.sigma = *sigma;
      regular = regular || *sigma > 0;
    } else {
      auto reaction = context.field(block.space());
      check([&] {
        sampler.fill({p.reaction, "reaction", Sign::nonnegative}, Location::cell, all,
                     {.factor = rows.scale, .volume = true}, SampleStore::set, *reaction);
      });
      regular = sampler.sum_of_magnitudes(*reaction, all) > 0 || regular;
      rows.reaction = std::move(reaction);
    }
    check.finish(context.processes());
    rows.singular = !context.processes().any(regular);
    return {rows, jumps};
  }

  SchemeRows constants(const SchemeContext& context) const override {
    FaceRows rows;
    sample_constants(context, rows);
    return rows;
  }

  SchemeRows coarsen(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse,
                     const Transfer& transfer) const override {
    const auto& finer = std::get<FaceRows>(fine);
    auto rows = coarser_rows<FaceRows>(fine, coarse);
    if (finer.variable()) {
      Field gains(backend, rows.block.space(), Precision::fp64);
      std::array<std::shared_ptr<Field>, 3> faces;
      for (std::size_t d = 0; d < 3; ++d) {
        if (finer.ends[d]) rows.ends[d] = coarsen_ends(backend, finer.block, coarse, d, *finer.ends[d]);
        if (finer.faces[d]) faces[d] = std::make_shared<Field>(backend, rows.block.space(), Precision::fp64);
      }
      grid_kernels(backend).coarsen_faces(backend, finer, coarse, rows.ends, gains, faces);
      for (std::size_t d = 0; d < 3; ++d) {
        if (faces[d]) reach_over_cuts(*faces[d]);
        rows.faces[d] = std::move(faces[d]);
      }
    }
    rows.reaction = coarser_reaction(backend, rows.block, transfer, rows.reaction);
    return rows;
  }

  RhsSums fill_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows) const override {
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    RhsSums sums;
    ErrorCollector check;
    if (media)
      check([&] { fill_media_sources(context, scale, b); });
    else
      check([&] {
        sampler.fill({p.source, "source"}, Location::cell, context.values(), {.factor = scale, .volume = true},
                     SampleStore::set, b);
      });
    check.finish(context.processes());
    if (rows != RhsRows::unsummed) sums.source = sums_by_pieces(functionals, block, b, context.values(), scale);
    for_each_face(p, [&](int d, int end, const Boundary& face) {
      if (face.kind == BoundaryKind::dirichlet) return;
      if (rehearses(backend)) return sampler.put(cells_behind(block, d, end), {}, SampleStore::add, b);
      check([&] {
        std::vector<double> added;
        if (media && CellFace::is_closed(face)) return;
        const CellFace cells(p, block, d, end, media);
        const FaceAreas area(block, d);
        cells.visit([&](int i, int j, int k, const CellFace::Values& v) {
          if (media && media->state(i, j, k) == CellState::floating && v.given != 0)
            throw ValueError(face_key(d, end), media->cells().centre(i, j, k), v.given,
                             "must be 0 at cells without contact to a fixed value");
          added.push_back(v.in_halo ? 0 : scale * area(i, j, k) * v.given);
        });
        sampler.put(cells.behind(), added, SampleStore::add, b);
      });
    });
    check.finish(context.processes());
    if (media) add_fixed_values(context, scale, b);
    return sums;
  }

  void fill_solution(const SchemeContext& context, Field& u) const override {
    const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
    backend.fill(u, 0);
    ErrorCollector check;
    if (p.initial)
      check([&] { sampler.fill({*p.initial, "initial"}, Location::cell, context.values(), {}, SampleStore::set, u); });
    for_each_face(p, [&](int d, int end, const Boundary& face) {
      if (face.kind != BoundaryKind::robin) return;
      if (rehearses(backend)) return sampler.put(face_box(block, d, end), {}, SampleStore::set, u);
      check([&] {
        std::vector<double> halo;
        CellFace(p, block, d, end, media).visit([&](int, int, int, const CellFace::Values& v) {
          halo.push_back(v.halo());
        });
        sampler.put(face_box(block, d, end), halo, SampleStore::set, u);
      });
    });
    const Quantity zero = 0.0;
    for (const bool clear : {true, false})
      for_each_face(p, [&](int d, int end, const Boundary& face) {
        if (face.kind != BoundaryKind::dirichlet) return;
        const std::string key = face_key(d, end);
        check([&] {
          sampler.fill({clear ? zero : face.value, key}, Location::cell, dirichlet_cells(block, d, end), {},
                       clear ? SampleStore::set : SampleStore::share, u);
        });
      });
    check.finish(context.processes());
  }

  double reaction(const BalanceInput& c) const override {
    if (const double* sigma = c.problem().reaction.constant()) return *sigma == 0 ? 0 : *sigma * c.integral();
    const auto& rows = std::get<FaceRows>(c.rows);
    const double all = sum_of_reaction(c, *rows.reaction) / rows.scale;
    return c.context.media ? all - flow_to_fixed(c.context, c.u) : all;
  }

  Fluxes fluxes(const BalanceInput& c) const override {
    Fluxes all{};
    for_each_face(c.problem(),
                  [&](int d, int end, const Boundary& face) { all[face_number(d, end)] = flux(c, d, end, face); });
    return all;
  }

 private:
  static double sum_of_reaction(const BalanceInput& c, const Field& reaction) {
    if (reaction.precision() == Precision::fp64)
      return c.context.functionals.product(reaction, c.u, c.context.values());
    Backend& backend = c.context.backend;
    Scalar sum = backend.scalar();
    backend.dot(reaction, c.u, sum);
    return backend.value(sum);
  }

  static double flux(const BalanceInput& c, int d, int end, const Boundary& face) {
    const Problem& p = c.problem();
    const Block& block = c.block();
    const auto axis = static_cast<std::size_t>(d);
    const Box cells = cells_behind(block, d, end);
    const double* given = p.coefficient[p.isotropic ? 0 : axis].constant();
    // The flux through a Neumann face does not depend on κ.
    const double unused = 1;
    const double* kappa = face.kind == BoundaryKind::neumann ? &unused : given;
    if (!p.media && kappa && face.value.constant() && face.alpha.constant()) {
      const Block whole = block.global();
      const Axis& across = whole.axes[axis];
      const double h = across.width(end == 0 ? 0 : across.cells() - 1);
      const auto v = CellFace::values(face.kind, *face.value.constant(), *kappa, *face.alpha.constant(), h,
                                      across.nodes().back() - across.nodes().front());
      Region behind{cells, {true, true, true}};
      behind.weighted[axis] = false;
      double area = 1;
      for (std::size_t e = 0; e < 3; ++e) {
        double length = 0;
        for (int i = 0; i < whole.axes[e].size(); ++i) length += whole.axes[e].mass(i);
        if (e != axis) area *= length;
      }
      return v.given * area - (v.conductance == 0 ? 0 : v.conductance * c.sum(behind));
    }
    if (CellFace::is_closed(face)) return 0;
    const Layer value(c.context.functionals, c.u, cells);
    LineSums lines(cells);
    const FaceAreas area(block, d);
    const auto add = [&](int i, int j, int k, const CellFace::Values& v) {
      lines(j, k) += area(i, j, k) * (v.given - v.conductance * value(i, j, k));
    };
    auto behind = kappa_behind(c, axis, end, face.kind);
    if (behind)
      CellFace(p, block, d, end, std::move(*behind)).visit_on_threads(add);
    else
      CellFace(p, block, d, end, c.context.media).visit_on_threads(add);
    return c.sum(lines);
  }

  // Returns κ of the cells behind a face from the rows, or nothing if these do not contain it. Sampling it again would
  // evaluate an expression on the host, or copy an array from a device.
  static std::optional<std::vector<double>> kappa_behind(const BalanceInput& c, std::size_t axis, int end,
                                                         BoundaryKind kind) {
    const auto& rows = std::get<FaceRows>(c.rows);
    if (c.problem().media || kind == BoundaryKind::neumann || !rows.faces[axis]) return {};
    if (kind == BoundaryKind::robin)
      return c.block().axes[axis].open(end)
                 ? c.context.functionals.values(*rows.ends[axis], layer(rows.ends[axis]->layout(), axis, 2 * end))
                 : std::vector<double>();
    Box faces = cells_behind(c.block(), static_cast<int>(axis), end);
    faces.first[axis] += end;
    faces.last[axis] += end;
    return c.context.functionals.values(*rows.faces[axis], faces);
  }
};

}  // namespace

const RowScheme& cell_scheme() {
  static const CellScheme scheme;
  return scheme;
}

}  // namespace poisson
