#include "solver/fallbacks/fallback_chain.hpp"

#include <new>
#include <utility>

#include "backends/memory/host_memory.hpp"
#include "backends/processes/machine.hpp"
#include "solver/fallbacks/algebraic_multigrid.hpp"
#include "solver/fallbacks/cost.hpp"
#include "solver/fallbacks/factorization.hpp"
#include "solver/fallbacks/whole_operator.hpp"

namespace poisson {
namespace {

// A factorization with fewer operations precedes algebraic multigrid, which needs more iterations.
constexpr double few_flops = 4e9;
// Predictions below this do not require a measurement of the host.
constexpr double sure_seconds = 1;
// Shares of the available memory that factors and levels may use.
constexpr double share_of_factors = 0.5, share_of_levels = 0.8;

constexpr const char* by_factorization = "conjugate gradients preconditioned by a factorization in 64 bits";
constexpr const char* by_levels = "conjugate gradients preconditioned by algebraic multigrid in 64 bits";

// State shared by the fallbacks of an operator.
struct Circumstances {
  UnknownGrid grid;
  Fallback fallback;
  const Processes& processes;  // all make the same choices
  HostSpeed speed{};
  bool measured = false;
  bool factorized = false;  // the small factorization exists
};

using Cost = FallbackCost (*)(const UnknownGrid&, const HostSpeed&);

// Predicts the cost of a fallback for the slowest process, so that all processes agree.
FallbackCost predict(Circumstances& all, Cost cost_of) {
  FallbackCost cost = cost_of(all.grid, all.speed);
  if (cost.seconds() > sure_seconds && !all.measured) {
    all.speed = measure_host_speed();
    const Processes& p = all.processes;
    all.speed = {p.least(all.speed.flops), p.least(all.speed.small_flops), p.least(all.speed.bytes)};
    all.measured = true;
  }
  return cost_of(all.grid, all.speed);
}

Offer decide(const Circumstances& all, const FallbackCost& cost, double share) {
  const int here = all.processes.alone() ? 1 : count_on_machine(all.processes);
  const double most = all.processes.least(share * static_cast<double>(available_memory(here).bytes));
  return judge(cost, all.fallback, most, here);
}

Offer skipped() {
  return {Offer::Kind::skipped, {}, {}};
}

// `early` selects the small factorization that precedes algebraic multigrid, and false the large one that follows it.
Offer offer_factorization(Circumstances& all, bool early) {
  if ((cost_of_factorization(all.grid, all.speed).flops <= few_flops) != early) return skipped();
  return decide(all, predict(all, cost_of_factorization), share_of_factors);
}

Offer offer_multigrid(Circumstances& all) {
  if (all.factorized) return skipped();
  return decide(all, predict(all, cost_of_algebraic_multigrid), share_of_levels);
}

// Returns null on all processes if memory runs out on one of them.
template <class F>
std::unique_ptr<Preconditioner> make_together(const Processes& processes, const F& f) {
  std::unique_ptr<Preconditioner> made;
  try {
    made = f();
  } catch (const std::bad_alloc&) {
    made = nullptr;
  }
  return processes.any(!made) ? nullptr : std::move(made);
}

using Whole = std::function<std::shared_ptr<const Operator>()>;

// Makes the fallback chain of all rows for all processes. `whole` returns the operator with all rows when it is first
// needed.
FallbackChain chain_of(const std::shared_ptr<Circumstances>& all, bool on_gpu, const Whole& whole,
                       const std::function<std::unique_ptr<Preconditioner>(std::unique_ptr<Preconditioner>)>& wrap) {
  const auto factorize = [=] {
    const std::shared_ptr<const Operator> A = whole();
    return wrap(make_together(all->processes, [&] {
      auto factors = std::make_unique<Factorization>(A);
      factors->factorize();
      return factors;
    }));
  };
  const auto coarsen = [=] {
    const std::shared_ptr<const Operator> A = whole();
    return wrap(make_together(all->processes, [&] { return std::make_unique<AlgebraicMultigrid>(A); }));
  };
  return {{by_factorization, [=] { return offer_factorization(*all, true); },
           [=] {
             auto made = factorize();
             all->factorized = made != nullptr;
             return made;
           }},
          {by_levels, [=] { return offer_multigrid(*all); }, coarsen, on_gpu},
          {by_factorization, [=] { return offer_factorization(*all, false); }, factorize}};
}

}  // namespace

FallbackChain make_fallback_chain(const std::shared_ptr<const Operator>& A, bool box, Fallback fallback) {
  if (A->precision() != Precision::fp64 || fallback == Fallback::never) return {};
  const auto all =
      std::make_shared<Circumstances>(Circumstances{UnknownGrid(A->space(), box), fallback, A->space().processes()});
  const bool on_gpu = A->backend().on_gpu();
  if (A->space().is_global())
    return chain_of(
        all, on_gpu, [A] { return A; }, [](std::unique_ptr<Preconditioner> made) { return made; });
  const auto rows = std::make_shared<std::shared_ptr<const Operator>>();  // replicated operator, once needed
  return chain_of(
      all, on_gpu,
      [=] {
        if (!*rows) *rows = whole_operator(*A, box);
        return *rows;
      },
      [A](std::unique_ptr<Preconditioner> made) { return made ? for_part(*A, std::move(made)) : nullptr; });
}

// Reading the rows needs 340 bytes per unknown. Later the rows, their copy in an operator and the matrices of coarser
// levels need about 50 bytes per coupling.
std::size_t bytes_of_algebraic_multigrid(std::int64_t unknowns, bool box) {
  return static_cast<std::size_t>(unknowns) * (440 + 50 * (box ? 26 : 6));
}

}  // namespace poisson
