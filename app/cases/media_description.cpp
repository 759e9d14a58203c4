#include "app/cases/media_description.hpp"

#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "grids/problem/bodies.hpp"

namespace poisson {
namespace {

// Returns text such as "x 0 to 1, y 0 to 2"; axes along which the extent is infinite are left out.
std::string describe_extent(const Bounds& bounds, int dimension) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    if (std::isfinite(bounds.lower[d]) && std::isfinite(bounds.upper[d]))
      text += fmt::format("{}{} {:g} to {:g}", text.empty() ? "" : ", ", "xyz"[d], bounds.lower[d], bounds.upper[d]);
  return text.empty() ? "without bounds" : text;
}

constexpr std::string_view outside =
    "it is outside the domain, thinner than a cell, or covered by later bodies. Check the units of its lengths";

std::string uncovered(const Media& media, std::size_t region, int dimension, std::string_view why) {
  return fmt::format("body {} ({}) covers no centre of a cell: {}", media.regions[region].name,
                     describe_extent(media.bodies->extent_of(static_cast<RegionNumber>(region)), dimension), why);
}

// Returns, for each region, whether it has the centre of a cell.
std::vector<bool> covering(const Problem& problem) {
  std::vector<bool> covers(problem.media->regions.size());
  Box layer;
  for (std::size_t d = 0; d < 3; ++d)
    layer.last[d] = problem.nodes[d].empty() ? 1 : static_cast<int>(problem.nodes[d].size()) - 1;
  const int layers = layer.last[2];
  layer.last[2] = 1;
  std::vector<RegionNumber> numbers(static_cast<std::size_t>(layer.size()));
  for (int k = 0; k < layers; ++k) {
    layer.first[2] = k;
    layer.last[2] = k + 1;
    problem.media->map->fill(problem.nodes, layer, numbers);
    for (const RegionNumber number : numbers) covers[number] = true;
  }
  return covers;
}

// Returns whether some centre of a cell lies within bounds.
bool reaches_centre(const Problem& problem, const Bounds& bounds) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
    const std::vector<double>& nodes = problem.nodes[d];
    const auto centre = [&](std::size_t i) { return std::midpoint(nodes[i], nodes[i + 1]); };
    std::size_t first = 0;
    while (first + 1 < nodes.size() && centre(first) < bounds.lower[d]) ++first;
    if (first + 1 == nodes.size() || centre(first) > bounds.upper[d]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> describe_media(const MediaSystem& system) {
  const Media& media = system.media();
  std::vector<std::string> warnings;
  for (std::size_t r = 0; r < media.regions.size(); ++r) {
    if (media.regions[r].origin != MediaRegion::Origin::body || system.cells_of_regions()[r] > 0) continue;
    const bool thin = system.volumes()[r] > 0;
    warnings.push_back(uncovered(
        media, r, system.cells().block().dimension(),
        thin ? "its surface enters conductances, but it has no value of its own. Refine the grid there" : outside));
  }
  if (system.counts()[static_cast<std::size_t>(CellState::solved)] == 0)
    warnings.emplace_back(
        "no cell conducts and has contact to a fixed value: nothing is solved. Give a material of the domain a "
        "coefficient");
  const auto floating = static_cast<std::size_t>(CellState::floating);
  if (system.counts()[floating] > 0)
    warnings.push_back(fmt::format(
        "{} cells of volume {:.4g} have no contact to a fixed value (insulators enclose them): they have no "
        "solution, and files contain NaN there",
        system.counts()[floating], system.state_volumes()[floating]));
  return warnings;
}

std::vector<std::string> describe_uncovered(const Problem& problem) {
  if (!problem.media || !problem.media->bodies) return {};
  const Media& media = *problem.media;
  constexpr double most_cells = 4e6;
  double cells = 1;
  for (const std::vector<double>& nodes : problem.nodes)
    if (!nodes.empty()) cells *= static_cast<double>(nodes.size() - 1);
  std::vector<bool> covers;
  if (cells <= most_cells) covers = covering(problem);
  std::vector<std::string> warnings;
  for (std::size_t r = 0; r < media.regions.size(); ++r) {
    if (media.regions[r].origin != MediaRegion::Origin::body) continue;
    const bool some =
        covers.empty() ? reaches_centre(problem, media.bodies->extent_of(static_cast<RegionNumber>(r))) : covers[r];
    if (!some) warnings.push_back(uncovered(media, r, problem.dimension, outside));
  }
  return warnings;
}

bool is_image(const Problem& problem) {
  return problem.media && !problem.media->bodies && problem.media->contacts.empty() && problem.media->sheets.empty();
}

bool answers_faces(const Problem& problem) {
  if (problem.centering != Centering::cell) return false;
  if (problem.media) return true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    for (const Boundary& face : problem.boundary[d])
      if (face.mixed_bc) return true;
  return false;
}

}  // namespace poisson
