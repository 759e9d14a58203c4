#include "solver/fallbacks/fallback_sequence.hpp"

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Returns why the iteration cannot continue unchanged.
std::string reason_of(const Monitor& monitor) {
  const MonitorState& state = monitor.state();
  switch (state.verdict) {
    case Verdict::diverged:
      return "the residual grew by 10⁶";
    case Verdict::not_finite:
      return "the residual is not a finite number";
    case Verdict::converged:
      return "the estimated error of u is too large";
    default:
      break;
  }
  const bool slow = state.prospect_start == state.iterations && state.window_start != state.iterations;
  return slow ? "too slow to converge within " + std::to_string(monitor.rule().horizon) : "the residual stagnated";
}

}  // namespace

Preconditioner* FallbackSequence::next(const Monitor& monitor, Result& result) {
  while (next_ < chain_.size())
    if (Preconditioner* const fallback = make(next_++, monitor, result)) return fallback;
  return nullptr;
}

Preconditioner* FallbackSequence::make(std::size_t at, const Monitor& monitor, Result& result) {
  const Offer offer = chain_[at].offer();
  if (offer.kind == Offer::Kind::skipped) return nullptr;
  const int iterations = monitor.state().iterations;
  std::string line = "after " + std::to_string(iterations) + (iterations == 1 ? " iteration (" : " iterations (") +
                     reason_of(monitor) + "): " + chain_[at].name +
                     (offer.cost.empty() ? "" : (chain_[at].on_gpu ? " on the GPU, " : " on the host, ") + offer.cost);
  const auto tell = [&] {
    result.steps.push_back(line);
    if (announce_) announce_(line);
  };
  const auto refuse = [&](const std::string& why) {
    line += "; not started, because " + why;
    if (result.refused.empty()) result.refused = line;
    tell();
    return nullptr;
  };
  if (!made_[at] && offer.kind == Offer::Kind::refused) return refuse(offer.refusal);
  tell();
  line = chain_[at].name;
  try {
    if (!made_[at]) made_[at] = chain_[at].make();
  } catch (const RunError& error) {
    return refuse(std::string("its set-up failed: ") + error.what());
  }
  if (made_[at]) return made_[at].get();
  return refuse("memory ran out during its set-up: use fewer cells, or another solver.smoother");
}

}  // namespace poisson
