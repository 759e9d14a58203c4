#include "grids/sampling/strong_bodies.hpp"

#include "grids/problem/media.hpp"
#include "grids/sampling/problem_data.hpp"

namespace poisson {

bool has_bodies(const Problem& problem, const Jumps& jumps, double jump) {
  return problem.media && problem.media->bodies && problem.media->surfaces != Surfaces::staircase &&
         jumps.largest >= jump;
}

bool may_have_clusters(const Problem& problem, const Jumps& jumps, const Block& block) {
  // Insulators leave no weak couplings in space, so cells of similar κ between them are no clusters.
  const bool gaps_alone =
      block.dimension() == 3 && problem.media && problem.media->has_gaps() && jumps.range < Jumps::large;
  return (may_have_clusters(jumps, block) && !gaps_alone) || has_bodies(problem, jumps, Jumps::large);
}

int first_level_with_clusters(const Problem& problem, const Jumps& jumps, const Block& block) {
  constexpr double wide = 16;  // cells between two large jumps of a line
  if (!may_have_clusters(problem, jumps, block)) return -1;
  if (jumps.rough() || block.dimension() != 2 || has_bodies(problem, jumps, Jumps::large)) return 0;
  int level = 0;
  for (double cells = 1 / jumps.share; cells >= wide; cells /= 2) ++level;
  return level;
}

}  // namespace poisson
