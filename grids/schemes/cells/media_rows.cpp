#include "grids/schemes/cells/media_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/places.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {
namespace {

// The diagonal of cells that left, relative to a typical one. Coarse cells add it up, so it must be negligible there;
// its inverse must be finite in single precision.
constexpr double gap_diagonal = 0x1p-80;
// Cells of insulators count with this share of the least κ when levels are chosen.
constexpr double gap_kappa = 1e-9;

// Returns κ at the centres along an axis, which selects the levels; fixed cells get the mean. Sets the mean and the
// range of the cells in the system.
std::vector<double> kappa_of_cells(const SchemeContext& context, std::size_t axis, double& mean, double& range) {
  const MediaSystem& media = *context.media;
  const Processes& processes = context.processes();
  std::vector<double> kappa;
  double sum = 0, count = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  for_each_place(context.values(), [&](int i, int j, int k) {
    double value = 0;
    if (media.solved(i, j, k)) {
      value = media.cells().kappa(media.cells().region(i, j, k), axis, i, j, k);
      sum += value;
      ++count;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    kappa.push_back(value);
  });
  sum = processes.sum(sum);
  count = processes.sum(count);
  least = processes.least(least);
  most = processes.largest(most);
  mean = count > 0 ? sum / count : 1;
  if (count > 0) range = std::max(range, most / least);
  std::size_t at = 0;
  for_each_place(context.values(), [&](int i, int j, int k) {
    double& value = kappa[at++];
    if (value == 0) value = media.state(i, j, k) == CellState::fixed || count == 0 ? mean : gap_kappa * least;
  });
  return kappa;
}

Box layer_of(const Box& box, std::size_t axis, int at) {
  Box layer = box;
  layer.first[axis] = at;
  layer.last[axis] = at + 1;
  return layer;
}

// Copies κ on faces from the host. Returns null fields for axes that do not exist.
std::shared_ptr<Field> face_field(const SchemeContext& context, std::size_t axis) {
  const MediaSystem& media = *context.media;
  auto faces = context.field(context.block.space());
  context.backend.fill(*faces, 0);
  Box box = context.values();
  if (context.block.axes[axis].open(1)) ++box.last[axis];
  std::vector<double> plane;
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    const Box slab{{box.first[0], box.first[1], k}, {box.last[0], box.last[1], k + 1}};
    plane.clear();
    for_each_place(slab, [&](int i, int j, int) { plane.push_back(media.face(axis, i, j, k)); });
    context.sampler.put(slab, plane, SampleStore::set, *faces);
  }
  return faces;
}

// Returns κ and α behind the Robin faces across an axis, and κ of both in series on these faces.
std::shared_ptr<Field> put_robin_faces(const SchemeContext& context, std::size_t axis, double least, Field& faces,
                                       ErrorCollector& check, bool& regular) {
  const MediaSystem& media = *context.media;
  const Block& block = context.block;
  const int d = static_cast<int>(axis);
  if (boundary(context.problem, d, 0).kind != BoundaryKind::robin &&
      boundary(context.problem, d, 1).kind != BoundaryKind::robin)
    return nullptr;
  // The cells behind both ends; a coarse level needs κ > 0, because α may be 0.
  Field kappa(context.backend, block.space(), Precision::fp64);
  context.backend.fill(kappa, least);
  for (int end = 0; end < 2; ++end) {
    if (!block.axes[axis].open(end)) continue;
    std::vector<double> values = media.end_kappa(d, end);
    for (double& value : values) value = std::max(value, least);
    context.sampler.put(cells_behind(block, d, end), values, SampleStore::set, kappa);
  }
  std::shared_ptr<Field> ends = sample_ends(context, axis, kappa, check, regular);
  if (!check.none(context.processes())) return ends;
  for (int end = 0; end < 2; ++end) {
    if (boundary(context.problem, d, end).kind != BoundaryKind::robin || !block.axes[axis].open(end)) continue;
    const Box behind = cells_behind(block, d, end);
    Box stored = ends->layout().box();
    stored.first[axis] = 2 * end + 1;
    stored.last[axis] = stored.first[axis] + 1;
    const std::vector<double> alpha = context.functionals.values(*ends, stored);
    std::vector<double> values = media.end_kappa(d, end);
    const double h = block.axes[axis].width(behind.first[axis]);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = values[i] > 0 ? double(robin_face(values[i], alpha[i], h)) : 0;
    const int at = end == 0 ? 0 : block.axes[axis].size();
    context.sampler.put(layer_of(context.values(), axis, at), values, SampleStore::set, faces);
  }
  return ends;
}

// Adds couplings to fixed bodies, the diagonals of cells that left, and the anchor.
void add_to_diagonal(const SchemeContext& context, const std::vector<double>& conductance, double scale,
                     Field& reaction) {
  const MediaSystem& media = *context.media;
  std::vector<double> values = context.functionals.values(reaction, context.values());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += scale * conductance[i];
  for_each_place(context.values(), [&](int i, int j, int k) {
    if (!media.solved(i, j, k)) values[media.own(i, j, k)] = gap_diagonal;
  });
  const auto [i, j, k] = media.anchor();
  if (i >= 0) values[media.own(i, j, k)] += 1;
  context.sampler.put(context.values(), values, SampleStore::set, reaction);
}

void fill_reaction(const SchemeContext& context, double scale, Field& reaction) {
  context.sampler.fill({context.problem.reaction, "reaction", Sign::nonnegative}, Location::cell, context.values(),
                       {.factor = scale, .volume = true}, SampleStore::set, reaction);
}

}  // namespace

std::pair<SchemeRows, Jumps> media_rows(const SchemeContext& context) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  FaceRows rows;
  rows.block = block;
  ErrorCollector check;
  Jumps jumps;
  bool regular = !media->singular() || media->has_gaps();
  FieldPerAxis all_kappa;
  double range = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) {
    if (d < coefficient_count(p)) {
      auto kappa = context.field(block.space());
      sampler.put(context.values(), kappa_of_cells(context, d, rows.kappa[d], range), SampleStore::set, *kappa);
      jumps.join(sampler.statistics(*kappa).jumps);
      reach_over_cuts(*kappa);
      all_kappa[d] = kappa;
    } else {
      rows.kappa[d] = rows.kappa[0];
    }
    auto faces = face_field(context, d);
    rows.ends[d] = put_robin_faces(context, d, 1e-20 * rows.kappa[d], *faces, check, regular);
    reach_over_cuts(*faces);
    rows.faces[d] = std::move(faces);
  }
  check.finish(context.processes());
  jumps.imbalance = measured_imbalance(context, all_kappa);
  all_kappa = {};
  // The range bounds errors; cells that left have none.
  jumps.range = range;
  // Linear interpolation would carry residuals into coarse cells without couplings.
  if (media->has_gaps()) jumps.largest = std::max(jumps.largest, Jumps::steep);
  if (p.dimension == 2) rows.kappa[2] = rows.kappa[0];
  rows.scale = scale_of(block, rows.kappa);
  if (const double* sigma = p.reaction.constant()) {
    rows.sigma = *sigma;
  } else {
    auto reaction = context.field(block.space());
    check([&] { fill_reaction(context, rows.scale, *reaction); });
    check.finish(context.processes());
    add_to_diagonal(context, media->linked().conductance, rows.scale, *reaction);
    rows.reaction = std::move(reaction);
  }
  rows.singular = !context.processes().any(regular);
  return {rows, jumps};
}

void fill_media_sources(const SchemeContext& context, double scale, Field& b) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  sampler.fill({p.source, "source"}, Location::cell, context.values(), {.factor = scale, .volume = true},
               SampleStore::set, b);
  std::vector<double> values = functionals.values(b, context.values());
  const std::vector<double> own = media->sources();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += scale * own[i];
  for_each_place(context.values(), [&](int i, int j, int k) {
    if (!media->solved(i, j, k)) values[media->own(i, j, k)] = 0;
  });
  sampler.put(context.values(), values, SampleStore::set, b);
}

void add_fixed_values(const SchemeContext& context, double scale, Field& b) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  const Processes& processes = context.processes();
  if (media->singular() && media->has_gaps()) {
    const std::vector<double> values = functionals.values(b, context.values());
    double sum = 0, size = 0;
    for (const double value : values) {
      sum += value;
      size += std::abs(value);
    }
    sum = processes.sum(sum) / scale;
    size = processes.sum(size) / scale;
    if (std::abs(sum) > 1e-8 * size) {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.4g", sum);
      throw InputError(std::string("no value is fixed, and the sources and fluxes do not balance (their sum is ") +
                       text.data() + "): fix a value, or make the data balance");
    }
  }
  std::vector<double> added = media->linked().flow;
  for (double& flow : added) flow *= scale;
  sampler.put(context.values(), added, SampleStore::add, b);
}

double flow_to_fixed(const SchemeContext& context, const Field& u) {
  const std::vector<FixedLink>& links = context.media->links();
  double sum = 0;
  if (!links.empty()) {
    const std::vector<double> values = context.functionals.values(u, context.values());
    for (const FixedLink& link : links)
      if (const auto [i, j, k] = link.cell; context.media->solved(i, j, k))
        sum += link.conductance * values[context.media->own(i, j, k)];
  }
  return context.processes().sum(sum);
}

}  // namespace poisson
