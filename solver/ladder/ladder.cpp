#include "solver/ladder/ladder.hpp"

#include "solver/ladder/aggregation.hpp"
#include "solver/ladder/factorization.hpp"

namespace poisson {
namespace {

// A factorization that takes so many operations comes before aggregates, which take longer to converge; what takes
// more is a last resort, up to what a user would wait for and half of the host's memory.
constexpr double few_flops = 4e9, most_flops = 4e12;
constexpr std::int64_t most_unknowns = std::int64_t{1} << 24;

// Of more than `least` operations and at most `most`.
std::unique_ptr<Preconditioner> factorized(const std::shared_ptr<const Operator>& A, double least, double most) {
  if (A->unknowns().size() > most_unknowns || Factorization::least_flops(*A) > most) return nullptr;
  auto factors = std::make_unique<Factorization>(A);
  const double flops = factors->cost().flops;
  if (flops <= least || flops > most || factors->cost().bytes > make_cpu_backend()->available() / 2) return nullptr;
  factors->factorize();
  return factors;
}

}  // namespace

Ladder make_ladder(const std::shared_ptr<const Operator>& A) {
  if (A->precision() != Precision::fp64) return {};
  const std::string factorization = "conjugate gradients around a factorization in 64 bits";
  const auto factorized_early = std::make_shared<bool>(false);
  return {{factorization,
           [A, factorized_early] {
             auto factors = factorized(A, 0, few_flops);
             *factorized_early = factors != nullptr;
             return factors;
           }},
          {"conjugate gradients around multigrid by aggregates in 64 bits",
           [A, factorized_early]() -> std::unique_ptr<Preconditioner> {
             if (*factorized_early || A->unknowns().size() > most_unknowns) return nullptr;
             return std::make_unique<Aggregation>(A);
           }},
          {factorization, [A] { return factorized(A, few_flops, most_flops); }}};
}

// Rows as they are read take 340 bytes, and those of the finest level and its vectors 100 beside 12 a coupling; coarser
// levels come when the former are gone.
std::size_t bytes_of_aggregates(std::int64_t unknowns, bool box) {
  return static_cast<std::size_t>(unknowns) * (440 + 12 * (box ? 26 : 6));
}

}  // namespace poisson
