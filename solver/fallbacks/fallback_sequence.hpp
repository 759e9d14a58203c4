#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solver/fallbacks/fallback_chain.hpp"
#include "solver/result.hpp"

namespace poisson {

/// Offers the fallbacks of a chain one after another, and makes each on first use.
class FallbackSequence {
 public:
  explicit FallbackSequence(FallbackChain chain) : chain_(std::move(chain)), made_(chain_.size()) {}

  /// Replaces the chain and releases the fallbacks.
  void replace(FallbackChain chain) {
    chain_ = std::move(chain);
    made_.clear();
    made_.resize(chain_.size());
    next_ = 0;
  }

  /// Sets a listener that receives each line of Result::steps.
  void on_step(std::function<void(const std::string&)> listener) { announce_ = std::move(listener); }
  bool empty() const { return chain_.empty(); }
  /// Returns whether none has been offered since the last rewind, or all have been.
  bool at_begin() const { return next_ == 0; }
  bool at_end() const { return next_ == chain_.size(); }
  void rewind() { next_ = 0; }
  /// Returns the next fallback that may start, or null. Adds a line with its name and the reason to the result, and one
  /// for each refused fallback.
  Preconditioner* next(const Monitor& monitor, Result& result);

 private:
  Preconditioner* make(std::size_t at, const Monitor& monitor, Result& result);

  FallbackChain chain_;
  std::vector<std::unique_ptr<Preconditioner>> made_;  // null: not made
  std::size_t next_ = 0;
  std::function<void(const std::string&)> announce_;
};

}  // namespace poisson
