#pragma once

#include <string>

#include "solver/fallbacks/cost.hpp"
#include "solver/options.hpp"

namespace poisson {

/// States whether a fallback may start, and its cost.
struct Offer {
  enum class Kind { accepted, refused, skipped };  ///< skipped: another fallback of the chain replaces it
  Kind kind = Kind::accepted;
  std::string cost;     ///< unknowns, time and memory
  std::string refusal;  ///< reason and remedy
};

/// Limit of the predicted seconds for Fallback::automatic.
constexpr double most_fallback_seconds = 60;

/// Decides whether a fallback may start if it may use at most `most_bytes`. `here` is the number of processes on this
/// machine that each need this memory.
Offer judge(const FallbackCost& cost, Fallback fallback, double most_bytes, int here);

}  // namespace poisson
