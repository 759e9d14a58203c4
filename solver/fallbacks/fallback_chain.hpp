#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/fallbacks/offer.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// What conjugate gradients go on with where an iteration fails, or is predicted to.
struct FallbackMethod {
  std::string name;
  /// Takes microseconds, or some 30 ms where a prediction needs a measurement. All processes get the same.
  std::function<Offer()> offer;
  /// Null on all processes if memory ran out on one of them.
  std::function<std::unique_ptr<Preconditioner>()> make;
};

/// Rungs in the order in which they are tried.
using FallbackChain = std::vector<FallbackMethod>;

/// A factorization where it is soon done, multigrid by aggregates, or a factorization that takes its time, of an
/// operator in fp64 and reach 1; no methods in fp32 or with Fallback::never. `box`: rows couple more than the nearest
/// neighbours. If several processes share the operator, each takes all rows, and computes what all others compute.
FallbackChain make_fallback_chain(const std::shared_ptr<const Operator>& A, bool box, Fallback fallback);

/// What aggregates hold at most on the host, while rows of 6 couplings, or of 26, are read.
std::size_t bytes_of_aggregates(std::int64_t unknowns, bool box);

}  // namespace poisson
