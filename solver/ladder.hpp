#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solver/preconditioner.hpp"

namespace poisson {

/// What conjugate gradients go on with where an iteration fails, or is predicted to.
struct Rung {
  std::string name;
  /// Null where it is not to be had: too large, or out of memory.
  std::function<std::unique_ptr<Preconditioner>()> make;
};

/// Rungs in the order in which they are tried.
using Ladder = std::vector<Rung>;

}  // namespace poisson
