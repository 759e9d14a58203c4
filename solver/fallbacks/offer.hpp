#pragma once

#include <string>

#include "solver/fallbacks/cost.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Whether a fallback may start, and what it needs.
struct Offer {
  enum class Kind { accepted, refused, skipped };  ///< skipped: another fallback of the list stands for it
  Kind kind = Kind::accepted;
  std::string cost;     ///< unknowns, predicted time and memory
  std::string refusal;  ///< why it is refused, and what to try
};

/// Seconds up to which Fallback::automatic starts a fallback.
constexpr double most_fallback_seconds = 60;

/// Judges a fallback that may use so many bytes. `here`: processes of this machine that each need them.
Offer judge(const FallbackCost& cost, Fallback fallback, double most_bytes, int here);

}  // namespace poisson
