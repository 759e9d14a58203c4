#include "grids/schemes/discretization.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/band_probe.hpp"
#include "grids/levels/cut_line_operator.hpp"
#include "grids/levels/galerkin.hpp"
#include "grids/levels/gathering.hpp"
#include "grids/levels/uncoupled_blocks.hpp"
#include "grids/sampling/consistent_mass.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/sampling/strong_bodies.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/cells/wall_levels.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "grids/schemes/elements/elements.hpp"
#include "grids/schemes/elements/fourth_order.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

// Returns the bands of an operator that stores none, with the penalty added to the row sums.
Bands probed_bands(const Operator& A, std::vector<Offset> offsets, const Field* penalty) {
  Bands bands = probe_bands(A, std::move(offsets));
  if (!penalty) return bands;
  Backend& backend = A.backend();
  auto sum = std::make_shared<Field>(backend, bands.space, Precision::fp64);
  const Scalar one = backend.scalar(1);
  backend.copy(*bands.sum, *sum);
  backend.axpy(one, *penalty, *sum);
  backend.exchange(*sum, cut_halo);
  bands.sum = std::move(sum);
  return bands;
}

}  // namespace

std::string face_key(int axis, int end, bool alpha) {
  return "boundary." + std::string(face_names[2 * static_cast<std::size_t>(axis) + static_cast<std::size_t>(end)]) +
         (alpha ? ".alpha" : "");
}

bool is_separable(const Problem& p) {
  bool constant = p.reaction.constant() != nullptr && !p.full_tensor;
  for (std::size_t d = 0; d < coefficient_count(p); ++d) constant = constant && p.coefficient[d].constant();
  for_each_face(p, [&](int, int, const Boundary& b) {
    if (b.kind == BoundaryKind::robin) constant = constant && b.alpha.constant();
  });
  return constant;
}

bool needs_reaction_field(const Problem& p) {
  bool needed = p.reaction.constant() == nullptr;
  if (p.centering == Centering::node)
    for_each_face(p, [&](int, int, const Boundary& b) { needed = needed || b.kind == BoundaryKind::robin; });
  return needed;
}

Block make_block(const Problem& p) {
  Block block;
  for (int d = 0; d < p.dimension; ++d) {
    const auto at = static_cast<std::size_t>(d);
    std::array<double, 2> alpha{};
    for (int end = 0; end < 2; ++end)
      if (boundary(p, d, end).kind == BoundaryKind::robin)
        if (const double* a = boundary(p, d, end).alpha.constant()) alpha[static_cast<std::size_t>(end)] = *a;
    block.axes[at] = Axis(p.nodes[at], boundary(p, d, 0).kind, boundary(p, d, 1).kind, alpha, p.centering);
  }
  return block;
}

void check_values(const Problem& p) {
  const Block block = make_block(p);
  const SampleGrid grid{block, row_scheme(p).cell_points(p)};
  if (on_elements(p.scheme)) check_element_values(p, grid);
  const LineSink drop = [](int, int, const double*) {};
  const Location location = block.location();
  const Box values = block.layout().box(), cells = block.cell_layout().box();
  ErrorCollector collector;
  const auto check = [&](const Quantity& quantity, const std::string& key, Sign sign, Location where, Box box) {
    if (quantity.constant())
      for (std::size_t d = 0; d < 3; ++d) box.last[d] = box.first[d] + 1;  // one value is enough
    collector([&] { sample(quantity, key, sign, grid, where, box, drop); });
  };
  if (p.media) collector([&] { const MediaCells checked(p, block); });
  for (std::size_t d = 0; d < coefficient_count(p) && !p.media; ++d)
    check(p.coefficient[d], coefficient_key(p, d), Sign::positive, Location::cell,
          location == Location::cell ? cells : with_halo(block, cells));
  // Functions are checked at the points where they are sampled, in the cells around a node. f is also checked at nodes,
  // because files contain it there.
  const auto check_integral = [&](const Quantity& quantity, const std::string& key, Sign sign, const Box& box,
                                  int face_axis, int end) {
    if (location == Location::cell || !quantity.function() || p.scheme == Scheme::compact4)
      return check(quantity, key, sign, location, box);
    collector([&] {
      if (&quantity == &p.source) sample(quantity, key, sign, grid, location, box, drop);
      if (on_elements(p.scheme))
        for_each_corner(block, face_axis, [&](const std::array<int, 3>& corner) {
          sample_corners(quantity, key, sign, grid, cells_around(block, box, face_axis, end), corner, face_axis, drop);
        });
      else
        integrate(quantity, key, sign, block, box, face_axis, drop);
    });
  };
  if (on_elements(p.scheme))
    check(p.reaction, "reaction", Sign::nonnegative, Location::cell, cells);
  else
    check_integral(p.reaction, "reaction", Sign::nonnegative, values, -1, 0);
  check_integral(p.source, "source", Sign::any, values, -1, 0);
  if (p.initial) check(*p.initial, "initial", Sign::any, location, values);
  if (p.exact) check(*p.exact, "exact", Sign::any, location, values);
  collector([&] {
    for (const MixedBcFace& face : mixed_bc_faces(p, block)) {
      collector([&] { face.given(); });
      collector([&] { face.flux_integrals(); });
      collector([&] { face.alpha_integrals(); });
    }
  });
  for_each_face(p, [&](int d, int end, const Boundary& b) {
    if (b.mixed_bc && p.centering == Centering::node) return;
    const Box face = face_box(block, d, end);
    if (b.kind == BoundaryKind::dirichlet)
      check(b.value, face_key(d, end), Sign::any, location, face);
    else
      check_integral(b.value, face_key(d, end), Sign::any, face, d, end);
    if (b.kind == BoundaryKind::robin && on_elements(p.scheme))
      check(b.alpha, face_key(d, end, true), Sign::nonnegative, Location::cell, alpha_box(block, d, end));
    else if (b.kind == BoundaryKind::robin)
      check_integral(b.alpha, face_key(d, end, true), Sign::nonnegative, face, d, end);
  });
  collector.finish();
}

Discretization::Discretization(Backend& backend, Problem&& problem, Assembly assembly, Sampling sampling,
                               const Sharing& sharing)
    : backend_(backend), problem_(std::move(problem)), assembly_(assembly), sharing_(sharing) {
  if (problem_.centering == Centering::cell && on_elements(problem_.scheme))
    throw std::invalid_argument("cell-centred unknowns go with finite volumes");
  if (needs_stored_bands(problem_) && (assembly == Assembly::partial || assembly == Assembly::recompute))
    throw std::invalid_argument(
        "elements with several conditions on a face need their bands stored: use full assembly");
  if (problem_.scheme == Scheme::compact4) require_fourth_order(problem_, true, "the compact scheme");
  const auto begin = std::chrono::steady_clock::now();
  const Block block = sharing.part_of(make_block(problem_));
  const Assembly mode = chosen_assembly(assembly, problem_, backend_.on_gpu());
  full_ = mode == Assembly::full;
  const RowScheme& scheme = row_scheme(problem_);
  sampler_ = poisson::make_sampler(backend, {block, scheme.cell_points(problem_)}, problem_, sampling);
  functionals_ = grid_kernels(backend).make_functionals(backend, block);
  if (has_mixed_bc(problem_)) {
    ErrorCollector check;
    check([&] { mixed_bc_ = mixed_bc_faces(problem_, block); });
    check.finish(block.processes());
  }
  if (problem_.media) {
    if (problem_.centering != Centering::cell) throw std::invalid_argument("materials need unknowns in cells");
    media_ = make_media_system(problem_, block, {backend_, *sampler_, *functionals_});
  }
  const SchemeContext context{problem_, block, backend_, *sampler_, *functionals_, mixed_bc_, media_.get()};
  if (stores_coefficients(problem_, mode))
    std::tie(rows_, jumps_) = scheme.sample(context);
  else
    rows_ = scheme.constants(context);
  if (assembly == Assembly::recompute) request_recompute();
  sampling_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

SampleGrid Discretization::sample_grid() const {
  return {block(), row_scheme(problem_).cell_points(problem_)};
}

SchemeContext Discretization::context() const {
  return {problem_, block(), backend_, *sampler_, *functionals_, mixed_bc_, media_.get()};
}

SchemeRows Discretization::coarsen_rows(const SchemeRows& fine, const CoarseBlock& coarse,
                                        const Transfer& transfer) const {
  return row_scheme(problem_).coarsen(backend_, fine, coarse, transfer);
}

double Discretization::assemble_rhs(Field& b) const {
  rhs_sums_.reset();
  if (media_) media_->hold_bodies(problem_);
  rhs_sums_ = row_scheme(problem_).fill_rhs(context(), rows().scale, b, RhsRows::unknowns);
  return sampler_->sum_of_magnitudes(b, block().unknowns()) / rows().scale;
}

void fill_rhs(const Discretization& discretization, Field& b) {
  row_scheme(discretization.problem())
      .fill_rhs(discretization.context(), discretization.rows().scale, b, RhsRows::unsummed);
}

const RhsSums& Discretization::rhs_sums() const {
  if (!rhs_sums_) {
    Field b(backend_, block().space(), Precision::fp64);
    assemble_rhs(b);
  }
  return *rhs_sums_;
}

void Discretization::initialize(Field& u) const {
  row_scheme(problem_).fill_solution(context(), u);
}

std::size_t Discretization::bytes() const {
  return std::visit([](const auto& own) { return own.bytes(); }, rows_);
}

bool Discretization::variable() const {
  return std::visit([](const auto& own) { return own.variable(); }, rows_);
}

std::unique_ptr<Operator> Discretization::make_operator(Precision precision) const {
  return make_level(rows_, penalty_field(context()).get(), precision);
}

std::unique_ptr<Operator> Discretization::make_level(const SchemeRows& rows, const Field* penalty,
                                                     Precision precision) const {
  if (!penalty) return make_noted(rows, precision, stored_assembly());
  const std::unique_ptr<Operator> A = make_noted(rows, Precision::fp64, Assembly::partial);
  return grid_kernels(backend_).make_box_operator(
      backend_, level_rows(rows).block, probed_bands(*A, box_offsets(A->space().part().layout()), penalty), precision);
}

std::unique_ptr<Operator> Discretization::make_noted(const SchemeRows& rows, Precision precision,
                                                     Assembly assembly) const {
  MadeOperator made = grid_kernels(backend_).make_operator(backend_, rows, precision, assembly);
  if (!made.note.empty()) operator_note_ = std::move(made.note);
  return std::move(made.A);
}

LevelRules level_rules(const Problem& problem, Assembly assembly, bool stored, const std::array<double, 3>& kappa,
                       const Jumps& jumps) {
  LevelRules rules;
  rules.kappa = kappa;
  rules.jumps = jumps.largest >= steep_jump;
  rules.elements = on_elements(problem.scheme);
  rules.kept = layers_with_sheets(problem);
  rules.assembly = assembly == Assembly::full        ? LevelAssembly::full
                   : !stored                         ? LevelAssembly::equidistant
                   : assembly == Assembly::recompute ? LevelAssembly::recompute
                                                     : LevelAssembly::partial;
  return rules;
}

Hierarchy Discretization::make_hierarchy(Precision precision, RelaxationChoice allowed) const {
  LevelRules rules = level_rules(problem_, stored_assembly(), variable(), rows().kappa, jumps_);
  rules.precision = precision;
  rules.allowed = allowed;
  return make_hierarchy(choose_levels(block().global(), rules));
}

Hierarchy Discretization::make_hierarchy(const std::vector<LevelPlan>& levels) const {
  const bool galerkin = levels.size() > 1 && levels[1].assembly == LevelAssembly::bands;
  if (galerkin) return make_galerkin_levels(levels);
  return make_levels(rows_, penalty_field(context()), levels, {context(), rows_});
}

namespace {

// Returns rows of cells whose fields have a precision; those that have it already are shared.
FaceRows with_fields_in(Backend& backend, FaceRows rows, Precision precision) {
  const auto convert = [&](std::shared_ptr<const Field>& field) {
    if (!field || field->precision() == precision) return;
    auto other = std::make_shared<Field>(backend, field->space(), precision);
    backend.convert(*field, *other);
    field = std::move(other);
  };
  for (auto& faces : rows.faces) convert(faces);
  convert(rows.reaction);
  return rows;
}

}  // namespace

Hierarchy Discretization::make_narrow_hierarchy(const std::vector<LevelPlan>& levels) {
  const auto* const faces = std::get_if<FaceRows>(&rows_);
  const bool galerkin = levels.size() > 1 && levels[1].assembly == LevelAssembly::bands;
  const bool coarse = levels.size() > 1 && levels.front().precision == Precision::fp32;
  if (galerkin || !coarse || !faces || !faces->variable()) return make_hierarchy(levels);
  SchemeRows wide = with_fields_in(backend_, *faces, Precision::fp64);
  rows_ = with_fields_in(backend_, *faces, Precision::fp32);
  WallLevels walls(context(), wide);
  return make_levels(std::move(wide), penalty_field(context()), levels, std::move(walls), &rows_);
}

Hierarchy Discretization::make_levels(SchemeRows rows, std::shared_ptr<const Field> penalty,
                                      const std::vector<LevelPlan>& levels, WallLevels walls,
                                      const SchemeRows* finest) const {
  Hierarchy h;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelPlan& level = levels[l];
    LevelRows& fine = level_rows(rows);
    if (fine.kappa_source && level.smoothed().extent != Extent::point) {
      fine.kappa_source = nullptr;
      operator_note_ = "line and plane relaxation needs it";
    }
    std::unique_ptr<Operator> A = make_level(l == 0 && finest ? *finest : rows, penalty.get(), level.precision);
    h.operators.push_back(
        with_cut_lines(std::move(A), rows, penalty.get(), axes_of_cut_lines(fine.block, level.smoothed())));
    h.relaxations.push_back(level.relaxation);
    h.nested.emplace_back();
    if (!level.planes.empty()) {
      SchemeRows planes = rows;
      LevelRows& common = level_rows(planes);
      common.decoupled = level.relaxation.axis;
      common.singular = false;
      common.kappa_source = nullptr;
      h.nested.back() = std::make_unique<Hierarchy>(make_levels(std::move(planes), penalty, level.planes, walls));
    }
    if (!level.coarser) {
      h.coarsest =
          level.precision == Precision::fp64 ? h.operators.back() : make_level(rows, penalty.get(), Precision::fp64);
      if (fine.decoupled >= 0)
        h.uncoupled = std::make_shared<UncoupledBlocks>(h.coarsest->space().part().unknowns(), fine.decoupled);
    } else {
      const Block finer = fine.block;
      const CoarseBlock coarser = part_of(*level.coarser, finer);
      h.transfers.push_back(grid_kernels(backend_).make_transfer(
          backend_, finer, coarser, jumps_.largest >= steep_jump && level.block.centering() == Centering::cell));
      rows = coarsen_rows(walls.moved(backend_, rows, coarser), coarser, *h.transfers.back());
      walls.coarsen(backend_, rows, *h.transfers.back());
      penalty = coarser_reaction(backend_, coarser.block, *h.transfers.back(), penalty);
      const Block own = sharing_.below(coarser.block, !levels[l + 1].coarser);
      if (own.share == coarser.block.share) continue;
      const Precision precision = level.precision;
      h.transfers.back() =
          std::make_unique<GatheringTransfer>(std::move(h.transfers.back()), backend_, coarser.block, precision);
      rows = gathered(backend_, rows, own);
      walls.gather(backend_, rows, coarser.block);
      penalty = gathered(backend_, std::move(penalty), coarser.block, own);
    }
  }
  return h;
}

Hierarchy Discretization::make_galerkin_levels(const std::vector<LevelPlan>& levels) const {
  const Precision precision = levels.front().precision;
  // Line relaxation needs stored coefficients.
  SchemeRows rows = rows_;
  const Relaxation relaxed = levels.front().smoothed();
  if (level_rows(rows).kappa_source && relaxed.extent != Extent::point) {
    level_rows(rows).kappa_source = nullptr;
    operator_note_ = "line and plane relaxation needs it";
  }
  // Couplings are read off an operator without stored bands.
  std::unique_ptr<Operator> A = make_noted(rows, Precision::fp64, full_ ? Assembly::partial : stored_assembly());
  const bool elements = on_elements(problem_.scheme);
  Bands bands =
      probed_bands(*A, elements ? box_offsets(A->space().part().layout()) : star_offsets(A->space().part().layout()),
                   penalty_field(context()).get());
  if (precision != Precision::fp64 || full_) A = make_level(rows, penalty_field(context()).get(), precision);
  const bool cells = block().centering() == Centering::cell;
  std::shared_ptr<const Operator> finest =
      with_cut_lines(std::move(A), rows, penalty_field(context()).get(), axes_of_cut_lines(block(), relaxed));
  return make_galerkin_hierarchy(std::move(finest), std::move(bands), cells ? index_block(block()) : block(), levels,
                                 first_level_with_clusters(problem_, jumps_, block().global()), sharing_,
                                 has_large_clusters(problem_, block().global()));
}

void Discretization::set_floating(const std::vector<double>& values) {
  media_->set_floating(values);
  rhs_sums_.reset();
}

void Discretization::set_media(std::shared_ptr<const Media> media) {
  if (!media_) throw std::invalid_argument("the problem has no materials");
  media_->set_media(std::move(media));
  rhs_sums_.reset();
}

void Discretization::set_boundary_value(int axis, int end, Quantity value) {
  if (axis < 0 || axis >= problem_.dimension || end < 0 || end > 1)
    throw std::invalid_argument("the box has no such face");
  Problem next = problem_;
  Boundary& face = next.boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(end)];
  if (face.kind == BoundaryKind::periodic) throw std::invalid_argument("a periodic face has no value");
  if (face.mixed_bc) throw std::invalid_argument("a face with several conditions has no single value");
  face.value = std::move(value);
  const RowScheme& scheme = row_scheme(problem_);
  if (variable() && scheme.cell_points(next) != scheme.cell_points(problem_))
    throw std::invalid_argument(
        "elements sample their coefficient at other points if a Neumann face has a flux: give the face a function of "
        "space from the start");
  problem_ = std::move(next);
  rhs_sums_.reset();
}

}  // namespace poisson
