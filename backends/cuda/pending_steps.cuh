#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "backends/box.hpp"
#include "backends/cuda/sequence.cuh"
#include "backends/precision.hpp"

namespace poisson::cuda {

using SequenceLauncher = void (*)(cudaStream_t, const Sequence&);

/// Verbs on small fields that wait to share a launch: in order, until one comes that cannot join them.
/// `Steps` says which can, for both precisions: Steps::Columns<T> lists functors and Steps::launcher<T> launches them.
/// A null launcher is for functors that only join others: every list begins with them.
class PendingSteps {
 public:
  /// Whether the verb joined. Launches the others first where they are of another kind or too many.
  template <class Steps, class Column>
  bool add(cudaStream_t stream, const Box& box, const Column& column) {
    return add<Steps, float>(stream, box, column) || add<Steps, double>(stream, box, column);
  }
  void launch(cudaStream_t stream) {
    if (!launcher_) return;
    std::exchange(launcher_, nullptr)(stream, *sequence_);
  }
  void drop() { launcher_ = nullptr; }

 private:
  template <class Steps, class T, class Column>
  bool add(cudaStream_t stream, const Box& box, const Column& column) {
    constexpr int kind = position<Column, typename Steps::template Columns<T>>;
    if constexpr (kind >= 0) {
      static_assert(sizeof(Column) <= sizeof(Step::column) && std::is_trivially_copyable_v<Column>);
      if (!open(stream, Steps::template launcher<T>, precision_of<T>)) return false;
      Step& step = sequence_->step[sequence_->count++];
      step.kind = kind;
      step.first = make_int3(box.first[0], box.first[1], box.first[2]);
      step.last = make_int3(box.last[0], box.last[1], box.last[2]);
      std::memcpy(step.column, &column, sizeof column);
      if (sequence_->count == Sequence::most) launch(stream);
      return true;
    }
    return false;
  }

  // Makes room for a functor of this launcher and precision; false where there is nothing that it could join.
  bool open(cudaStream_t stream, SequenceLauncher launcher, Precision precision) {
    if (launcher_ && (precision_ != precision || (launcher && launcher != launcher_))) launch(stream);
    if (launcher_) return true;
    if (!launcher) return false;
    if (!sequence_) sequence_ = std::make_unique<Sequence>();
    sequence_->count = 0;
    launcher_ = launcher;
    precision_ = precision;
    return true;
  }

  std::unique_ptr<Sequence> sequence_;
  SequenceLauncher launcher_ = nullptr;  // null: nothing waits
  Precision precision_ = Precision::fp32;
};

}  // namespace poisson::cuda
