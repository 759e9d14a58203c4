#include "grids/results/cell_kappa.hpp"

#include <algorithm>

#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

CellKappa::CellKappa(const Problem& problem, const Block& block, std::size_t d, const Box& cells) : box_(cells) {
  const std::size_t component = problem.isotropic ? 0 : d;
  const Quantity& kappa = problem.coefficient[component];
  if (kappa.constant()) {
    constant_ = *kappa.constant();
    return;
  }
  for (std::size_t e = 0; e < 3; ++e) {
    const Axis& axis = block.axes[e];
    if (axis.degenerate()) continue;
    box_.first[e] = std::max(box_.first[e] - 1, axis.open(0) ? 0 : -1);
    box_.last[e] = std::min(box_.last[e] + 1, axis.size() + (axis.open(1) ? 0 : 1));
  }
  values_ = sample(kappa, coefficient_key(problem, component), problem.media ? Sign::nonnegative : Sign::positive,
                   {block}, Location::cell, box_);
}

}  // namespace poisson
