#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grids/discretization.hpp"
#include "solver/options.hpp"

namespace poisson {

/// What a solve will hold, known before anything is allocated.
struct Plan {
  struct Level {
    std::array<int, 3> cells{};
    std::int64_t unknowns = 0;
    std::string_view assembly;
    Relaxation relaxation;
    std::size_t bytes = 0;  ///< fields and coefficients
  };
  std::vector<Level> levels;  ///< finest first, with the fields of the outer iteration on the finest
  std::size_t bytes = 0;
  std::size_t tables = 0;  ///< at most so many bytes more for the tables of axes and transfers, and for scalars

  double bytes_per_unknown() const {
    return static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, levels.front().unknowns));
  }
};

/// The plan of make_solver for a problem. Where κ varies, the mean that chooses the axes to coarsen is taken as 1.
/// `gpu`: the kind of device that computes.
Plan make_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu);

}  // namespace poisson
