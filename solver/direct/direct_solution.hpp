#pragma once

#include <memory>

#include "backends/transforms/data_projection.hpp"
#include "solver/direct/fast_diagonalization.hpp"

namespace poisson {

/// Contains a direct solver or preconditioner, or null, and the projection of data on its axes, or null.
struct DirectSolution {
  std::unique_ptr<FastDiagonalization> solver;
  std::unique_ptr<const DataProjection> projection;
};

}  // namespace poisson
