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

/// Describes a fallback: a preconditioner with which conjugate gradients continue if an iteration fails or is predicted
/// to fail.
struct FallbackMethod {
  std::string name;
  /// Predicts the cost and decides, in microseconds, or about 30 ms if a measurement is needed. All processes get the
  /// same result.
  std::function<Offer()> offer;
  /// Makes the preconditioner. Returns null on all processes if memory ran out on one of them.
  std::function<std::unique_ptr<Preconditioner>()> make;
  bool on_gpu = false;  ///< it computes on the GPU of the solver, and not on the host
};

/// A fallback chain lists fallbacks in the order of attempts.
using FallbackChain = std::vector<FallbackMethod>;

/// Makes the fallback chain of an operator in fp64 with reach 1: a small factorization, algebraic multigrid, and a
/// large factorization. The chain is empty in fp32 or with Fallback::never. `box`: rows couple more than the nearest
/// neighbours. For a distributed operator the matrix is replicated, and every process solves redundantly.
FallbackChain make_fallback_chain(const std::shared_ptr<const Operator>& A, bool box, Fallback fallback);

/// Returns the peak bytes of algebraic multigrid, for rows of 6 or (`box`) 26 couplings.
std::size_t bytes_of_algebraic_multigrid(std::int64_t unknowns, bool box);

}  // namespace poisson
