#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cuda/sequence.cuh"
#include "backends/memory/box.hpp"
#include "backends/memory/memory.hpp"
#include "backends/memory/precision.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {

/// Launches a sequence whose steps are in device memory.
using SequenceLauncher = void (*)(cudaStream_t, const Step* steps, int count);

/// Stores the steps of a recorded sequence until they are copied to the device. They must not be copied while the
/// stream is captured.
struct StepTable {
  std::vector<Step> steps;
  Buffer there;
};

/// Collects verbs on small fields that share a launch. Verbs wait in order until one comes that cannot join them.
///
/// `Steps` lists which verbs can share, for both precisions: Steps::Columns<T> lists functors and Steps::launcher<T>
/// launches them. If Steps::joins_any is set, every other list begins with these functors. They then join any launch,
/// and the next launcher may include them. A null launcher is for functors that only join others.
class PendingSteps {
 public:
  /// `allocate` returns uninitialized memory on the device.
  explicit PendingSteps(std::function<Buffer(std::size_t)> allocate) : allocate_(std::move(allocate)) {}

  /// Returns whether the verb joined. If the waiting verbs are of another kind, launches them first.
  template <class Steps, class Column>
  bool add(cudaStream_t stream, const Box& box, const Column& column) {
    return add<Steps, float>(stream, box, column) || add<Steps, double>(stream, box, column);
  }
  void launch(cudaStream_t stream) {
    if (!launcher_) return;
    const SequenceLauncher launcher = std::exchange(launcher_, nullptr);
    StepTable table{std::exchange(steps_, {}), {}};
    table.there = allocate_(table.steps.size() * sizeof(Step));
    launcher(stream, static_cast<const Step*>(table.there.data()), static_cast<int>(table.steps.size()));
    tables_.push_back(std::move(table));
  }
  void drop() {
    launcher_ = nullptr;
    steps_.clear();
    tables_.clear();
  }
  /// Returns the tables of all launches since the last call. The caller fills them, and keeps them as long as they may
  /// be launched.
  std::vector<StepTable> take_tables() { return std::exchange(tables_, {}); }

 private:
  template <class Steps, class T, class Column>
  bool add(cudaStream_t stream, const Box& box, const Column& column) {
    constexpr int kind = position<Column, typename Steps::template Columns<T>>;
    if constexpr (kind >= 0) {
      static_assert(sizeof(Column) <= sizeof(Step::column) && std::is_trivially_copyable_v<Column>);
      if (!open(stream, Steps::template launcher<T>, Steps::joins_any, precision_of<T>)) return false;
      Step& step = steps_.emplace_back();
      step.kind = kind;
      step.first = make_int3(box.first[0], box.first[1], box.first[2]);
      step.last = make_int3(box.last[0], box.last[1], box.last[2]);
      const auto reciprocal = [&](std::size_t d) {
        const auto n = static_cast<std::uint64_t>(std::max(1, box.last[d] - box.first[d]));
        return n == 1 ? 0u : static_cast<unsigned>(divide_up(std::uint64_t{1} << 32, n));
      };
      step.lines = reciprocal(0);
      step.planes = reciprocal(1);
      std::memcpy(step.column, &column, sizeof column);
      return true;
    }
    return false;
  }

  // Prepares for a functor of this launcher and precision. Returns false if there is nothing that it could join.
  bool open(cudaStream_t stream, SequenceLauncher launcher, bool joins_any, Precision precision) {
    const bool joins =
        launcher_ && precision_ == precision && (!launcher || launcher == launcher_ || joins_any || undecided_);
    if (launcher_ && !joins) launch(stream);
    if (!launcher_) {
      launcher_ = launcher;
      precision_ = precision;
      undecided_ = joins_any;
    } else if (undecided_ && launcher && !joins_any) {
      launcher_ = launcher;
      undecided_ = false;
    }
    return launcher_ != nullptr;
  }

  std::function<Buffer(std::size_t)> allocate_;
  std::vector<Step> steps_;
  SequenceLauncher launcher_ = nullptr;  // null if no verb waits
  bool undecided_ = false;               // every waiting verb suits any launcher
  Precision precision_ = Precision::fp32;
  std::vector<StepTable> tables_;
};

}  // namespace poisson::cuda
