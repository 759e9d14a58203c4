#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/device/field.hpp"
#include "backends/spaces/patches.hpp"

namespace poisson {

/// Makes a space of numbered values: `own` values of this process, and behind them the values that it receives from
/// others. Collective.
inline Space listed_space(std::int64_t own, std::int64_t received, const std::vector<RowList>& lists,
                          const std::shared_ptr<const Processes>& processes) {
  return {groups_of_rows(std::max<std::int64_t>(1, own), received), Exchange::of_lists(lists), processes};
}

/// Owns numbered values of a listed space in the memory of a device, in one precision.
class ListedValues {
 public:
  ListedValues() = default;
  /// Collective.
  ListedValues(Backend& backend, const Space& space, Precision precision) : values_(backend, space, precision) {
    if (!space.processes().alone()) backend.reserve_halo_buffers(space);
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(values_.data()) + values_.layout().origin(values_.precision());
  }
  /// Stores the values of other processes behind those of this one. Collective.
  void exchange() const {
    if (!values_.space().processes().alone()) values_.backend().exchange(values_);
  }
  std::size_t bytes() const { return values_.bytes(); }

 private:
  Field values_;
};

}  // namespace poisson
