#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "grids/blocks/replicated_blocks.hpp"
#include "grids/blocks/stacked_transfer.hpp"

namespace poisson {

/// Copies the unknowns of the blocks of all processes to fields that have all blocks, on a device.
template <class Steps, class T>
class StackedReplication {
 public:
  StackedReplication(std::shared_ptr<Steps> steps, const BlockSpace& shares, const BlockSpace& all)
      : steps_(std::move(steps)) {
    const RowSpace rows(all.space.unknown_count());
    const BlockRowPlaces there = find_row_places(all, rows, precision_of<T>);
    const BlockRowPlaces own = find_row_places(shares, rows, precision_of<T>);
    const SharedRows shared = share_rows(shares, rows, own);
    std::vector<std::int64_t> place_of(static_cast<std::size_t>(rows.place(rows.rows()))), target;
    for (std::size_t i = 0; i < there.row.size(); ++i)
      place_of[static_cast<std::size_t>(there.row[i])] = there.place[i];
    for (const std::int64_t row : shared.row) target.push_back(place_of[static_cast<std::size_t>(row)]);
    count_ = std::ssize(own.place);
    all_ = std::ssize(target);
    place_ = steps_->copy(own.place);
    number_ = steps_->copy(shared.own);
    listed_ = steps_->copy(shared.listed);
    target_ = steps_->copy(target);
    values_ = ListedValues(steps_->backend(),
                           listed_space(count_, all_ - count_, shared.lists, shares.shared_processes), precision_of<T>);
  }
  /// The unknowns of this process are listed, exchanged, and copied to all blocks with those of others.
  void operator()(const Field& shares, Field& all) const {
    steps_->each(count_, GatherRow<T>{memory_of<const std::int64_t>(number_), memory_of<const std::int64_t>(place_),
                                      memory_of<T>(shares), values_.template data<T>(), 1, nullptr});
    values_.exchange();
    steps_->each(all_, GatherRow<T>{memory_of<const std::int64_t>(target_), memory_of<const std::int64_t>(listed_),
                                    values_.template data<T>(), memory_of<T>(all), 1, nullptr});
  }

 private:
  std::shared_ptr<Steps> steps_;
  std::int64_t count_ = 0, all_ = 0;  // unknowns of this process, and of all
  Buffer place_, number_;             // of the unknowns of this process: in its blocks, and in the list
  Buffer listed_, target_;            // of all unknowns: in the list with those received, and in all blocks
  ListedValues values_;
};

}  // namespace poisson
