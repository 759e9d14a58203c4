#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/spaces/space.hpp"
#include "solver/fallbacks/host_speed.hpp"

namespace poisson {

/// Describes the unknowns of an operator over all processes.
struct UnknownGrid {
  /// `box`: rows couple more than the nearest neighbours.
  UnknownGrid(const Space& space, bool box);
  UnknownGrid(const std::array<int, 3>& n, const std::array<bool, 3>& periodic, bool box);

  std::array<int, 3> n{};
  std::array<bool, 3> periodic{};
  int axes = 0;        ///< axes with several unknowns
  int neighbours = 0;  ///< most couplings per row
  std::int64_t count() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
};

/// Predicts the time and memory of a fallback on this host.
struct FallbackCost {
  std::int64_t unknowns = 0;
  double setup = 0;      ///< seconds before iterations
  double iteration = 0;  ///< seconds per iteration
  int iterations = 0;    ///< typical number
  std::size_t bytes = 0;
  double flops = 0;  ///< factorization only

  double seconds() const { return setup + iterations * iteration; }
  /// Returns for example "262144 unknowns, predicted 12 s and 2.3 GiB".
  std::string text() const;
  std::string time_text() const;  ///< "12 s"
};

FallbackCost cost_of_factorization(const UnknownGrid& grid, const HostSpeed& speed);
FallbackCost cost_of_algebraic_multigrid(const UnknownGrid& grid, const HostSpeed& speed);

}  // namespace poisson
