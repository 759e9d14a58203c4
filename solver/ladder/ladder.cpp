#include "solver/ladder/ladder.hpp"

#include <array>
#include <utility>

#include "backends/host_memory.hpp"
#include "backends/machine.hpp"
#include "solver/ladder/aggregation.hpp"
#include "solver/ladder/factorization.hpp"
#include "solver/ladder/whole_operator.hpp"

namespace poisson {
namespace {

// A factorization that takes so many operations comes before aggregates, which take longer to converge; what takes
// more is a last resort, up to what a user would wait for and half of the host's memory.
constexpr double few_flops = 4e9, most_flops = 4e12;
constexpr std::int64_t most_unknowns = std::int64_t{1} << 24;

// Of more than `least` operations and at most `most`, in each of so many processes of this machine.
std::unique_ptr<Preconditioner> factorized(const std::shared_ptr<const Operator>& A, double least, double most,
                                           int here) {
  if (A->unknowns().size() > most_unknowns || Factorization::least_flops(*A) > most) return nullptr;
  auto factors = std::make_unique<Factorization>(A);
  const double flops = factors->cost().flops;
  if (flops <= least || flops > most || factors->cost().bytes > available_memory(here).bytes / 2) return nullptr;
  factors->factorize();
  return factors;
}

constexpr const char* by_factorization = "conjugate gradients around a factorization in 64 bits";
constexpr std::array rung_names{by_factorization, "conjugate gradients around multigrid by aggregates in 64 bits",
                                by_factorization};

// The rungs of all rows, for the processes that climb together, so many of them on this machine.
Ladder ladder_of_whole(const std::shared_ptr<const Operator>& A, const Processes& climbing, int here) {
  const auto factorized_early = std::make_shared<bool>(false);
  return {{rung_names[0],
           [A, here, factorized_early, &climbing] {
             auto factors = factorized(A, 0, few_flops, here);
             *factorized_early = !climbing.any(!factors);
             return factors;
           }},
          {rung_names[1],
           [A, factorized_early]() -> std::unique_ptr<Preconditioner> {
             if (*factorized_early || A->unknowns().size() > most_unknowns) return nullptr;
             return std::make_unique<Aggregation>(A);
           }},
          {rung_names[2], [=] { return factorized(A, few_flops, most_flops, here); }}};
}

// The rungs of an operator of which this process has a part. All climb together, or none.
Ladder ladder_of_part(const std::shared_ptr<const Operator>& part, bool box) {
  const auto climb = std::make_shared<Ladder>();  // of the whole, once a rung is tried
  Ladder rungs;
  for (std::size_t number = 0; number < rung_names.size(); ++number)
    rungs.push_back({rung_names[number], [=]() -> std::unique_ptr<Preconditioner> {
                       const Processes& processes = part->space().processes();
                       if (climb->empty())
                         *climb = ladder_of_whole(whole_operator(*part, box), processes, count_on_machine(processes));
                       auto made = (*climb)[number].make();
                       if (processes.any(!made)) return nullptr;
                       return for_part(*part, std::move(made));
                     }});
  return rungs;
}

}  // namespace

Ladder make_ladder(const std::shared_ptr<const Operator>& A, bool box) {
  if (A->precision() != Precision::fp64) return {};
  return A->space().whole() ? ladder_of_whole(A, A->space().processes(), 1) : ladder_of_part(A, box);
}

// Rows as they are read take 340 bytes, and those of the finest level and its vectors 100 beside 12 a coupling; coarser
// levels come when the former are gone.
std::size_t bytes_of_aggregates(std::int64_t unknowns, bool box) {
  return static_cast<std::size_t>(unknowns) * (440 + 12 * (box ? 26 : 6));
}

}  // namespace poisson
