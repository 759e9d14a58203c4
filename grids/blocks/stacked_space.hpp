#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "grids/blocks/block_matrix.hpp"
#include "grids/blocks/slot_memory.hpp"
#include "grids/blocks/stacked_steps.hpp"

namespace poisson {

/// Owns the entries of a group for corrections, which are the upper part of those of the residual: with 8 digits, or
/// floats.
struct UpperBands {
  std::shared_ptr<const BlockMatrix> matrix;
  double scale = 1;
  Buffer values;
};
/// Owns the inverse diagonal of a level.
struct InverseDiagonal {
  std::shared_ptr<const BlockMatrix> matrix;
  double scale = 1;
  Field field;
};

/// Owns the tables of a space on a device.
struct StackedTables {
  StackedLists lists;  ///< without the lists of values at interfaces
  std::array<Buffer, 2> place;
  mutable std::array<Buffer, 2> owner, copy;
  Buffer start, slot;
  int count = 0;  ///< values at interfaces, without those of other processes
  Space slots;    ///< of all slots: this process's own, then those of others
  /// Contains what operators share as long as one exists: by group, and the diagonal in fp32.
  mutable std::array<std::vector<std::weak_ptr<const UpperBands>>, 2> upper;  ///< with 8 digits, floats
  mutable std::weak_ptr<const InverseDiagonal> diagonal;

  template <class Steps>
  StackedTables(Steps& steps, const BlockSpace& blocks)
      : lists(make_stacked_lists(blocks)),
        slots(listed_space(lists.slots, lists.received, lists.exchanged, blocks.shared_processes)) {
    count = static_cast<int>(lists.place[0].size()) - lists.others;
    for (auto& of : upper) of.resize(lists.groups.size());
    for (std::size_t p = 0; p < 2; ++p) place[p] = steps.copy(std::exchange(lists.place[p], {}));
    start = steps.copy(std::exchange(lists.start, {}));
    slot = steps.copy(std::exchange(lists.slot, {}));
  }
  /// Return the places of slots in fields of a precision: in the block, or at the interface if the block owns it, else
  /// −1. The first call copies them to the device.
  template <class Steps>
  const std::int64_t* copies(Steps& steps, Precision precision) const {
    return on_device(steps, lists.copy, copy, precision);
  }
  template <class Steps>
  const std::int64_t* owners(Steps& steps, Precision precision) const {
    return on_device(steps, lists.owner, owner, precision);
  }
  InterfaceView view(Precision own, Precision result) const {
    return {static_cast<const std::int64_t*>(place[static_cast<std::size_t>(own)].data()),
            static_cast<const std::int64_t*>(place[static_cast<std::size_t>(result)].data()),
            static_cast<const int*>(start.data()),
            static_cast<const int*>(slot.data()),
            lists.free,
            count};
  }
  /// Returns the unknowns of other processes at the ends of own blocks, which are at their first places there.
  InterfaceView view_of_others(Precision precision) const {
    InterfaceView all = view(precision, precision);
    return {all.place + count, all.result + count, all.start + count, all.slot, lists.others, lists.others};
  }

 private:
  template <class Steps, class Lists>
  static const std::int64_t* on_device(Steps& steps, const Lists& of, std::array<Buffer, 2>& to, Precision precision) {
    const auto p = static_cast<std::size_t>(precision);
    if (to[p].bytes() == 0) to[p] = steps.copy(of[p]);
    return static_cast<const std::int64_t*>(to[p].data());
  }
};

template <class T>
T* memory_of(Field& x) {
  return static_cast<T*>(x.data());
}
template <class T>
const T* memory_of(const Field& x) {
  return static_cast<const T*>(x.data());
}
template <class T>
T* memory_of(const Buffer& x) {
  return static_cast<T*>(x.data());
}

}  // namespace poisson
