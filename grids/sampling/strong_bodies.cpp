#include "grids/sampling/strong_bodies.hpp"

#include <algorithm>
#include <limits>

#include "grids/problem/bodies.hpp"
#include "grids/problem/media.hpp"
#include "grids/sampling/problem_data.hpp"

namespace poisson {

namespace {

// Returns the largest ratio of a coupling within a material to one across a contact on its surface.
double jump_at_contacts(const Problem& problem) {
  const Media& media = *problem.media;
  double width = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& nodes : problem.nodes)
    if (!nodes.empty()) width = std::min(width, (nodes.back() - nodes.front()) / static_cast<double>(nodes.size() - 1));
  double largest = 1;
  for (const Contact& contact : media.contacts)
    for (const std::size_t m : contact.between)
      if (const double* kappa = media.materials[m].coefficient[0].constant(); kappa && media.materials[m].conducts())
        largest = std::max(largest, *kappa * contact.resistance / width);
  return largest;
}

}  // namespace

bool has_bodies(const Problem& problem, const Jumps& jumps, double jump) {
  return problem.media && problem.media->bodies && problem.media->surfaces != Surfaces::staircase &&
         (jumps.largest >= jump || jump_at_contacts(problem) >= jump);
}

namespace {

// A surface within this share of a cell from a face lies on the face.
constexpr double on_face = 1e-6;

// Returns the cell that carries a sheet at a place, or −1 outside the domain. `above`: the cell beyond a surface on a
// face.
int cell_on_surface(const std::vector<double>& nodes, double place, bool above) {
  if (!(place >= nodes.front() && place <= nodes.back())) return -1;
  const int last = static_cast<int>(nodes.size()) - 2;
  const auto past = std::ranges::upper_bound(nodes, place) - nodes.begin();
  const int cell = std::min(static_cast<int>(past) - 1, last);
  const double low = nodes[static_cast<std::size_t>(cell)], high = nodes[static_cast<std::size_t>(cell) + 1];
  const double near = on_face * (high - low);
  const int carrying = place - low < near && !above ? cell - 1 : high - place < near && above ? cell + 1 : cell;
  return carrying > last ? -1 : carrying;
}

}  // namespace

std::array<std::vector<int>, 3> layers_with_sheets(const Problem& problem) {
  std::array<std::vector<int>, 3> layers;
  if (!problem.media || !problem.media->bodies) return layers;
  const Media& media = *problem.media;
  for (const Sheet& sheet : media.sheets)
    for (std::size_t r = 0; r < media.regions.size(); ++r) {
      if (media.regions[r].origin != MediaRegion::Origin::body || media.regions[r].material != sheet.on) continue;
      const Bounds extent = media.bodies->extent_of(static_cast<RegionNumber>(r));
      const bool conducts = media.materials[sheet.on].conducts();
      for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
        for (const int cell : {cell_on_surface(problem.nodes[d], extent.lower[d], conducts),
                               cell_on_surface(problem.nodes[d], extent.upper[d], !conducts)})
          if (cell >= 0) layers[d].push_back(cell);
    }
  for (std::vector<int>& cells : layers) {
    std::ranges::sort(cells);
    const auto same = std::ranges::unique(cells);
    cells.erase(same.begin(), same.end());
  }
  return layers;
}

bool has_thin_layers(const Problem& problem) {
  return problem.media && !(problem.media->sheets.empty() && problem.media->contacts.empty());
}

bool has_large_clusters(const Problem& problem, const Block& block) {
  return has_thin_layers(problem) || is_thin(block);
}

bool may_have_clusters(const Problem& problem, const Jumps& jumps, const Block& block) {
  if (has_thin_layers(problem)) return true;
  // Insulators leave no weak couplings in space, so cells of similar κ between them are no clusters.
  const bool space = block.dimension() == 3 && !is_thin(block);
  const bool gaps_alone = space && problem.media && problem.media->has_gaps() && jumps.range < Jumps::large;
  return (may_have_clusters(jumps, block) && !gaps_alone) || has_bodies(problem, jumps, Jumps::large);
}

int first_level_with_clusters(const Problem& problem, const Jumps& jumps, const Block& block) {
  constexpr double wide = 16;  // cells between two large jumps of a line
  if (!may_have_clusters(problem, jumps, block)) return -1;
  if (jumps.rough() || block.dimension() != 2 || has_thin_layers(problem) || has_bodies(problem, jumps, Jumps::large))
    return 0;
  int level = 0;
  for (double cells = 1 / jumps.share; cells >= wide; cells /= 2) ++level;
  return level;
}

}  // namespace poisson
