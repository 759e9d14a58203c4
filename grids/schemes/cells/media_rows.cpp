#include "grids/schemes/cells/media_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
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

// The diagonal of cells that left, relative to a typical one, beside κ of a wide range. Coarse cells add it up, so it
// must be negligible there; its inverse must be finite in single precision.
constexpr double negligible_diagonal = 0x1p-80;
// Otherwise it is this share of the smallest eigenvalue of the cells with the least κ.
constexpr double share_of_gaps = 0x1p-12;
// Cells of insulators count with this share of the least κ when levels are chosen.
constexpr double gap_kappa = 1e-9;
// The least κ behind a Robin face relative to the mean: coarse levels need κ > 0, because α may be 0.
constexpr double least_behind = 1e-20;
// Values with this entry in a table stay as they are.
constexpr double unchanged = std::numeric_limits<double>::quiet_NaN();

// Returns κ at the centres along an axis, which selects the levels; fixed cells get the mean. Sets the mean and the
// range of the cells in the system, and the least value.
std::vector<double> kappa_of_cells(const SchemeContext& context, std::size_t axis, double& mean, double& least,
                                   double& range) {
  const MediaSystem& media = *context.media;
  const Processes& processes = context.processes();
  const Box box = context.values();
  struct Plane {
    double sum = 0, count = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  };
  std::vector<double> kappa(static_cast<std::size_t>(box.size()));
  std::vector<Plane> planes(static_cast<std::size_t>(std::max(box.last[2] - box.first[2], 0)));
  const auto size = kappa.size() / std::max<std::size_t>(planes.size(), 1);
  const auto for_each_plane = [&](const auto& f) {
#pragma omp parallel for schedule(static)
    for (int k = box.first[2]; k < box.last[2]; ++k) {
      const auto plane = static_cast<std::size_t>(k - box.first[2]);
      std::size_t at = plane * size;
      for_each_place({{box.first[0], box.first[1], k}, {box.last[0], box.last[1], k + 1}},
                     [&](int i, int j, int) { f(i, j, k, planes[plane], kappa[at++]); });
    }
  };
  for_each_plane([&](int i, int j, int k, Plane& p, double& value) {
    if (!media.solved(i, j, k)) return;
    value = media.cells().kappa(media.cells().region(i, j, k), axis, i, j, k);
    p.sum += value;
    ++p.count;
    p.least = std::min(p.least, value);
    p.most = std::max(p.most, value);
  });
  Plane all;
  for (const Plane& p : planes) {
    all.sum += p.sum;
    all.count += p.count;
    all.least = std::min(all.least, p.least);
    all.most = std::max(all.most, p.most);
  }
  const double sum = processes.sum(all.sum), count = processes.sum(all.count);
  least = processes.least(all.least);
  const double most = processes.largest(all.most);
  mean = count > 0 ? sum / count : 1;
  if (count > 0) range = std::max(range, most / least);
  for_each_plane([&](int i, int j, int k, const Plane&, double& value) {
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
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      const std::span<const double> row = media.faces(axis, j, k);
      plane.insert(plane.end(), row.begin() + box.first[0], row.begin() + box.last[0]);
    }
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
    std::vector<double> alpha = context.functionals.values(*ends, stored);
    std::vector<double> values = media.end_kappa(d, end);
    if (media.cells().sharp()) {
      std::size_t at = 0;
      for_each_place(behind, [&](int i, int j, int k) {
        std::array face{i, j, k};
        face[axis] += end;
        alpha[at++] *= media.cells().open_face(axis, face[0], face[1], face[2]);
      });
      context.sampler.put(stored, alpha, SampleStore::set, *ends);
    }
    const double h = block.axes[axis].width(behind.first[axis]);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = values[i] > 0 ? double(robin_face(values[i], alpha[i], h)) : 0;
    const int at = end == 0 ? 0 : block.axes[axis].size();
    context.sampler.put(layer_of(context.values(), axis, at), values, SampleStore::set, faces);
  }
  return ends;
}

// Returns the diagonal of cells that left the system, relative to a typical one.
double diagonal_of_gaps(const SchemeContext& context, double least, double mean, double range) {
  if (has_negligible_gaps(context.problem, range) || !(least <= mean)) return negligible_diagonal;
  double cells = 1;
  for (const Axis& axis : context.block.axes) cells = std::max(cells, static_cast<double>(axis.all_cells()));
  return share_of_gaps * least / mean / (cells * cells);
}

// Adds couplings to fixed bodies, the diagonals of cells that left, and the anchors.
void add_to_diagonal(const SchemeContext& context, double scale, double gap_diagonal, Field& reaction) {
  const MediaSystem& media = *context.media;
  if (!media.links().empty()) {
    std::vector<double> added = media.linked().conductance;
    for (double& value : added) value *= scale;
    context.sampler.put(context.values(), added, SampleStore::add, reaction);
  }
  if (media.codes()) {
    const auto of_region = [&](RegionNumber r) { return media.cells().conducts(r) ? unchanged : gap_diagonal; };
    media.codes()->look_up(media.table(of_region, gap_diagonal), reaction);
  } else {
    std::vector<double> values = context.functionals.values(reaction, context.values());
    for_each_place(context.values(), [&](int i, int j, int k) {
      if (!media.solved(i, j, k)) values[media.own(i, j, k)] = gap_diagonal;
    });
    context.sampler.put(context.values(), values, SampleStore::set, reaction);
  }
  add_anchors(context, reaction);
}

// Multiplies values of cells by the shares of their volumes that insulators leave open.
void cut_volumes(const SchemeContext& context, Field& values) {
  const MediaSystem& media = *context.media;
  if (!media.cells().cut()) return;
  std::vector<double> cut = context.functionals.values(values, context.values());
  for_each_place(context.values(), [&](int i, int j, int k) {
    if (media.solved(i, j, k)) cut[media.own(i, j, k)] *= media.open_volume(i, j, k);
  });
  context.sampler.put(context.values(), cut, SampleStore::set, values);
}

void fill_reaction(const SchemeContext& context, double scale, Field& reaction) {
  const std::optional<double> uniform = uniform_value(context.problem.reaction);
  const Quantity sigma = uniform ? Quantity(*uniform) : context.problem.reaction;
  context.sampler.fill({sigma, "reaction", Sign::nonnegative}, Location::cell, context.values(),
                       {.factor = scale, .volume = true}, SampleStore::set, reaction);
  if (uniform != 0.0) cut_volumes(context, reaction);
}

// Fills κ along an axis of each cell. Gaps get `insulated` and `fixed`.
void fill_kappa(const SchemeContext& context, std::size_t axis, double insulated, double fixed, Field& kappa) {
  const MediaSystem& media = *context.media;
  const auto of_region = [&](RegionNumber r) {
    const MediaCells& cells = media.cells();
    return cells.conducts(r) ? cells.kappa(r, axis, 0, 0, 0) : cells.fixed(r) ? fixed : insulated;
  };
  media.codes()->look_up(media.table(of_region, insulated), kappa);
}

// Computes the mean, the least value and the range of κ along an axis over the cells of the system.
struct KappaOfVoxels {
  double mean = 1, least = 1, range = 1;

  KappaOfVoxels(const MediaSystem& media, std::size_t axis) {
    double sum = 0, count = 0, most = 0;
    least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < media.solved_of_regions().size(); ++r) {
      const double cells = media.solved_of_regions()[r];
      if (cells == 0) continue;
      const double kappa = media.cells().kappa(static_cast<RegionNumber>(r), axis, 0, 0, 0);
      sum += cells * kappa;
      count += cells;
      least = std::min(least, kappa);
      most = std::max(most, kappa);
    }
    if (count == 0) {
      least = 1;
      return;
    }
    mean = sum / count;
    range = most / least;
  }
};

// Contains the data that select the levels: κ of all cells along each axis with a separate κ, its jumps and range.
struct SampledKappa {
  FieldPerAxis fields;
  Jumps jumps;
  double range = 1, least = 1;  // of the cells of the system

  void add(const SchemeContext& context, std::size_t axis, const std::shared_ptr<Field>& kappa) {
    jumps.join(context.sampler.statistics(*kappa).jumps);
    reach_over_cuts(*kappa);
    fields[axis] = kappa;
  }
};

// Adds κ on faces and behind Robin faces to the rows, computed by the backend.
SampledKappa add_voxels(const SchemeContext& context, FaceRows& rows, ErrorCollector& check, bool& regular) {
  const Problem& p = context.problem;
  SampledKappa sampled;
  std::shared_ptr<Field> kappa;
  double insulated = 0, mean = 1;
  const auto finish = [&](std::size_t axis) {
    fill_kappa(context, axis, insulated, mean, *kappa);
    sampled.add(context, axis, kappa);
  };
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) {
    if (d < coefficient_count(p)) {
      if (kappa) finish(d - 1);
      const KappaOfVoxels found(*context.media, d);
      mean = found.mean;
      sampled.range = std::max(sampled.range, found.range);
      sampled.least = d == 0 ? found.least : std::min(sampled.least, found.least);
      insulated = gap_kappa * found.least;
      kappa = context.field(context.block.space());
      fill_kappa(context, d, 0, 0, *kappa);
      reach_over_cuts(*kappa);
    }
    rows.kappa[d] = mean;
    if (boundary(p, static_cast<int>(d), 0).kind == BoundaryKind::robin ||
        boundary(p, static_cast<int>(d), 1).kind == BoundaryKind::robin) {
      Field behind(context.backend, context.block.space(), Precision::fp64);
      fill_kappa(context, d, least_behind * mean, least_behind * mean, behind);
      rows.ends[d] = sample_ends(context, d, behind, check, regular);
      if (!check.none(context.processes())) continue;
    }
    auto faces = context.field(context.block.space());
    context.sampler.faces_from_cells(d, *kappa, rows.ends[d].get(), *faces);
    reach_over_cuts(*faces);
    rows.faces[d] = std::move(faces);
  }
  finish(coefficient_count(p) - 1);
  return sampled;
}

// Does the same with integrals along lines, which the host has computed.
SampledKappa add_lines(const SchemeContext& context, FaceRows& rows, ErrorCollector& check, bool& regular) {
  const Problem& p = context.problem;
  SampledKappa sampled;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) {
    if (d < coefficient_count(p)) {
      auto kappa = context.field(context.block.space());
      double least = 1;
      context.sampler.put(context.values(), kappa_of_cells(context, d, rows.kappa[d], least, sampled.range),
                          SampleStore::set, *kappa);
      sampled.least = d == 0 ? least : std::min(sampled.least, least);
      sampled.add(context, d, kappa);
    } else {
      rows.kappa[d] = rows.kappa[0];
    }
    auto faces = face_field(context, d);
    rows.ends[d] = put_robin_faces(context, d, least_behind * rows.kappa[d], *faces, check, regular);
    reach_over_cuts(*faces);
    rows.faces[d] = std::move(faces);
  }
  return sampled;
}

}  // namespace

std::pair<SchemeRows, Jumps> media_rows(const SchemeContext& context) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  FaceRows rows;
  rows.block = block;
  ErrorCollector check;
  bool regular = !media->singular() || media->has_gaps();
  SampledKappa sampled =
      media->codes() ? add_voxels(context, rows, check, regular) : add_lines(context, rows, check, regular);
  check.finish(context.processes());
  Jumps jumps = sampled.jumps;
  jumps.imbalance = measured_imbalance(context, sampled.fields);
  sampled.fields = {};
  // The range bounds errors; cells that left have none.
  jumps.range = sampled.range;
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
    const double mean = *std::ranges::max_element(rows.kappa);
    add_to_diagonal(context, rows.scale, diagonal_of_gaps(context, sampled.least, mean, sampled.range), *reaction);
    rows.reaction = std::move(reaction);
  }
  rows.singular = !context.processes().any(regular);
  return {rows, jumps};
}

void fill_media_sources(const SchemeContext& context, double scale, Field& b) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  sampler.fill({p.source, "source"}, Location::cell, context.values(), {.factor = scale, .volume = true},
               SampleStore::set, b);
  if (media->codes()) {
    if (media->has_sources()) {
      std::vector<double> own = media->sources();
      for (double& watts : own) watts *= scale;
      sampler.put(context.values(), own, SampleStore::add, b);
    }
    const auto of_region = [&](RegionNumber r) { return media->cells().conducts(r) ? unchanged : 0; };
    if (media->has_gaps()) media->codes()->look_up(media->table(of_region, 0), b);
    return;
  }
  if (p.source.constant() == nullptr || *p.source.constant() != 0) cut_volumes(context, b);
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
  if (media->singular() && media->has_gaps() && sampler.sum_of_magnitudes(b, context.values()) > 0) {
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
                       text.data() +
                       "): fix a value (boundary, or fixed: of a material), or make equation.source, the powers of "
                       "materials and the fluxes of boundary balance");
    }
  }
  if (media->links().empty()) return;
  std::vector<double> added = media->linked().flow;
  for (double& flow : added) flow *= scale;
  sampler.put(context.values(), added, SampleStore::add, b);
}

}  // namespace poisson
