#include "solver/fallbacks/offer.hpp"

#include <cstdint>
#include <limits>

#include "backends/memory/memory.hpp"

namespace poisson {

Offer judge(const FallbackCost& cost, Fallback fallback, double most_bytes, int here) {
  Offer offer{Offer::Kind::refused, cost.text(), {}};
  if (cost.unknowns > std::numeric_limits<std::int32_t>::max())
    offer.refusal = "it is limited to 2^31 unknowns: use fewer cells, or another solver.smoother";
  else if (static_cast<double>(cost.bytes) > most_bytes)
    offer.refusal = "it may use " + readable_bytes(most_bytes) + " of the host's memory" +
                    (here > 1 ? " in each process" : "") + ": use fewer cells, or another solver.smoother";
  else if (fallback == Fallback::automatic && cost.seconds() > most_fallback_seconds)
    offer.refusal =
        "that is more than 60 s: use solver.fallback: always, another solver.smoother, or a larger "
        "solver.tolerance";
  else
    offer.kind = Offer::Kind::accepted;
  return offer;
}

}  // namespace poisson
