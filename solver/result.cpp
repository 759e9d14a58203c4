#include "solver/result.hpp"

#include <array>

namespace poisson {

bool Result::at_rounding_floor() const {
  return rounding_floor > 0 && final <= rounding_limit * rounding_floor * reference;
}

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 7> names{"running",    "converged", "diverged",  "stagnated",
                                                  "not finite", "stopped",   "inaccurate"};
  return names[static_cast<std::size_t>(verdict)];
}

}  // namespace poisson
