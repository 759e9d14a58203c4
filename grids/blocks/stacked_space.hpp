#pragma once

#include <array>
#include <utility>

#include "grids/blocks/slot_memory.hpp"
#include "grids/blocks/stacked_steps.hpp"

namespace poisson {

/// Owns the tables of a space on a device.
struct StackedTables {
  StackedLists lists;  ///< without the lists of values
  std::array<Buffer, 2> place, owner;
  Buffer start, slot;
  int count = 0;  ///< values at interfaces
  Space slots;    ///< of all slots: this process's own, then those of others

  template <class Steps>
  StackedTables(Steps& steps, const BlockSpace& blocks)
      : lists(make_stacked_lists(blocks)),
        slots(listed_space(lists.slots, lists.received, lists.exchanged, blocks.shared_processes)) {
    count = static_cast<int>(lists.place[0].size());
    for (std::size_t p = 0; p < 2; ++p) {
      place[p] = steps.copy(std::exchange(lists.place[p], {}));
      owner[p] = steps.copy(std::exchange(lists.owner[p], {}));
    }
    start = steps.copy(std::exchange(lists.start, {}));
    slot = steps.copy(std::exchange(lists.slot, {}));
  }
  InterfaceView view(Precision own, Precision result) const {
    return {static_cast<const std::int64_t*>(place[static_cast<std::size_t>(own)].data()),
            static_cast<const std::int64_t*>(place[static_cast<std::size_t>(result)].data()),
            static_cast<const int*>(start.data()),
            static_cast<const int*>(slot.data()),
            lists.free,
            count};
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
