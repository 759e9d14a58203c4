#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/memory/round_up.hpp"
#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/stacked_operator.hpp"
#include "grids/blocks/stacked_transfer_steps.hpp"

/// Contains transfers that run the steps of stacked_transfer_steps.hpp on a device.
namespace poisson {

/// Owns the interpolation of the axes of blocks of one shape from coarse blocks of one shape.
struct StackedAxes {
  std::array<std::array<Buffer, 5>, 3> tables;

  template <class Steps>
  StackedAxes(Steps& steps, const BlockShape& fine, const BlockShape& coarse, const BlockNumbers& numbers) {
    for (std::size_t d = 0; d < 3; ++d) {
      const AxisInterpolation axis = interpolate_axis(numbers.widths(fine.n[d] - 1), coarse.n[d] - 1);
      std::vector<int> index, start{0}, node;
      std::vector<double> t, weight;
      for (const AxisInterpolation::Node& of : axis.nodes) {
        index.push_back(of.index);
        t.push_back(of.t);
      }
      for (const auto& shares : axis.shares) {
        for (const AxisInterpolation::Share& share : shares) {
          node.push_back(share.node);
          weight.push_back(share.weight);
        }
        start.push_back(static_cast<int>(node.size()));
      }
      tables[d] = {steps.copy(index), steps.copy(t), steps.copy(start), steps.copy(node), steps.copy(weight)};
    }
  }
  AxisTable operator[](std::size_t d) const {
    return {memory_of<const int>(tables[d][0]), memory_of<const double>(tables[d][1]),
            memory_of<const int>(tables[d][2]), memory_of<const int>(tables[d][3]),
            memory_of<const double>(tables[d][4])};
  }
};

template <class Steps, class T>
class StackedTransfer final : public Transfer {
 public:
  StackedTransfer(std::shared_ptr<Steps> steps, std::shared_ptr<const BlockSpace> fine,
                  std::shared_ptr<const StackedTables> fine_tables, std::shared_ptr<const BlockSpace> coarse,
                  std::shared_ptr<const StackedTables> coarse_tables)
      : steps_(std::move(steps)),
        fine_(std::move(fine)),
        coarse_(std::move(coarse)),
        upper_(std::move(fine_tables)),
        lower_(std::move(coarse_tables)),
        slots_(steps_->backend(), lower_->slots, precision_of<T>) {
    upper_->owners(*steps_, precision_of<T>);  // a recorded transfer could not copy them to the device
    const MacroTopology& topology = fine_->numbers->topology();
    std::vector<bool> taken(topology.parts().size(), false);
    std::vector<int> owns(static_cast<std::size_t>(topology.blocks()), 0);
    for (int b = 0; b < topology.blocks(); ++b)
      for (int place = 0; place < topology.places(); ++place) {
        const auto part = static_cast<std::size_t>(topology.place(b, place).part);
        if (!taken[part]) owns[static_cast<std::size_t>(b)] |= 1 << place;
        taken[part] = true;
      }
    std::vector<std::vector<int>> of_group(upper_->lists.groups.size());
    for (std::size_t b = 0; b < fine_->own.size(); ++b)
      of_group[static_cast<std::size_t>(upper_->lists.group_of_own[b])].push_back(
          owns[static_cast<std::size_t>(fine_->own[b].block)]);
    for (std::size_t g = 0; g < of_group.size(); ++g) add_pieces(g, of_group[g]);
  }

 private:
  // Is a range of blocks of a fine group whose coarse blocks follow each other in a coarse group.
  struct Piece {
    BlockShape fine, coarse;
    GroupMemory from, to;
    StackedAxes axes;
    Buffer owns;
  };

  // Restricts a shape to `count` patches from `first` on.
  static void cut(BlockShape& shape, GroupMemory& memory, int first, int count) {
    shape.first_slot += first * shape.slots;
    shape.patches = count;
    memory.first += first * memory.patch;
  }
  void add_pieces(std::size_t g, const std::vector<int>& owns) {
    const auto precision = static_cast<std::size_t>(precision_of<T>);
    std::vector<std::size_t> own;  // of the blocks of the group
    for (std::size_t b = 0; b < fine_->own.size(); ++b)
      if (upper_->lists.group_of_own[b] == static_cast<int>(g)) own.push_back(b);
    for (std::size_t first = 0; first < own.size();) {
      const BlockSpace::Own& below = coarse_of(own[first]);
      std::size_t last = first + 1;
      while (last < own.size() && coarse_of(own[last]).group == below.group &&
             coarse_of(own[last]).patch == below.patch + static_cast<int>(last - first))
        ++last;
      const int count = static_cast<int>(last - first);
      const StackedLists::Group& fine = upper_->lists.groups[g];
      const StackedLists::Group& coarse = group_of(below);
      Piece piece{fine.shape,
                  coarse.shape,
                  fine.memory[precision],
                  coarse.memory[precision],
                  StackedAxes(*steps_, fine.shape, coarse.shape, *fine_->numbers),
                  {}};
      cut(piece.fine, piece.from, static_cast<int>(first), count);
      cut(piece.coarse, piece.to, below.patch, count);
      piece.owns = steps_->copy(std::vector<int>(owns.begin() + static_cast<std::ptrdiff_t>(first),
                                                 owns.begin() + static_cast<std::ptrdiff_t>(last)));
      pieces_.push_back(std::move(piece));
      first = last;
    }
  }
  const BlockSpace::Own& coarse_of(std::size_t own) const {
    for (const BlockSpace::Own& below : coarse_->own)
      if (below.block == fine_->own[own].block) return below;
    throw RunError("a block has no coarse block");
  }
  const StackedLists::Group& group_of(const BlockSpace::Own& own) const {
    for (const StackedLists::Group& group : lower_->lists.groups)
      if (group.group == own.group) return group;
    throw RunError("a block has no group");
  }

  template <bool adds>
  void prolong(const Field& coarse, Field& fine, const Scalar* scale) const {
    steps_->backend().exchange(coarse);
    for (const Piece& piece : pieces_) {
      const int packs = divide_up(piece.fine.n[0], ProlongPack<T, adds>::width);
      steps_->each(std::int64_t{packs} * piece.fine.n[1] * piece.fine.n[2] * piece.fine.patches,
                   ProlongPack<T, adds>{piece.fine,
                                        piece.from,
                                        piece.to,
                                        {piece.axes[0], piece.axes[1], piece.axes[2]},
                                        piece.fine.n[2] == 1,
                                        upper_->owners(*steps_, precision_of<T>),
                                        memory_of<T>(coarse),
                                        memory_of<T>(fine),
                                        scale ? scale->address() : nullptr,
                                        packs,
                                        Division(packs)});
    }
  }
  void do_prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine, nullptr); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine, nullptr); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    prolong<false>(coarse, fine, scale);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    steps_->backend().exchange(fine);
    for (const Piece& piece : pieces_)
      steps_->each(std::int64_t{piece.coarse.nodes} * piece.coarse.patches,
                   RestrictNode<T>{piece.coarse,
                                   piece.fine,
                                   piece.from,
                                   piece.to,
                                   {piece.axes[0], piece.axes[1], piece.axes[2]},
                                   piece.fine.n[2] == 1,
                                   memory_of<const int>(piece.owns),
                                   memory_of<T>(fine),
                                   slots_.data<T>(),
                                   memory_of<T>(coarse),
                                   scale ? scale->address() : nullptr});
    slots_.exchange();
    steps_->each(lower_->count,
                 AddSlots<T, PutProduct<T>>{
                     lower_->view(precision_of<T>, precision_of<T>), slots_.data<T>(), {memory_of<T>(coarse)}, false});
  }

  std::shared_ptr<Steps> steps_;
  std::shared_ptr<const BlockSpace> fine_, coarse_;
  std::shared_ptr<const StackedTables> upper_, lower_;
  ListedValues slots_;
  std::vector<Piece> pieces_;
};

/// Is the transfer from blocks to rows of the same unknowns. Every process gets all rows.
template <class Steps, class T>
class StackedGather final : public Transfer {
 public:
  StackedGather(std::shared_ptr<Steps> steps, const BlockSpace& blocks, const RowSpace& rows, double factor)
      : steps_(std::move(steps)), factor_(factor) {
    const BlockRowPlaces places = find_row_places(blocks, rows, precision_of<T>);
    count_ = std::ssize(places.row);
    row_ = steps_->copy(places.row);
    place_ = steps_->copy(places.place);
    if (blocks.space.processes().alone()) return;
    const SharedRows shared = share_rows(blocks, rows, places);
    all_ = std::ssize(shared.row);
    own_ = steps_->copy(shared.own);
    all_row_ = steps_->copy(shared.row);
    listed_ = steps_->copy(shared.listed);
    values_ = ListedValues(steps_->backend(),
                           listed_space(count_, all_ - count_, shared.lists, blocks.shared_processes), precision_of<T>);
  }

 private:
  // With several processes, the unknowns of this one are listed, exchanged, and copied to the rows with all others.
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    T* const rows = coarse.view<T>().data;
    const double* const times = scale ? scale->address() : nullptr;
    if (all_ == 0)
      return steps_->each(count_,
                          GatherRow<T>{memory_of<const std::int64_t>(row_), memory_of<const std::int64_t>(place_),
                                       memory_of<T>(fine), rows, factor_, times});
    steps_->each(count_, GatherRow<T>{memory_of<const std::int64_t>(own_), memory_of<const std::int64_t>(place_),
                                      memory_of<T>(fine), values_.data<T>(), factor_, times});
    values_.exchange();
    steps_->each(all_, GatherRow<T>{memory_of<const std::int64_t>(all_row_), memory_of<const std::int64_t>(listed_),
                                    values_.data<T>(), rows, 1, nullptr});
  }
  template <bool adds>
  void scatter(const Field& coarse, Field& fine, const Scalar* scale) const {
    steps_->each(count_,
                 ScatterRow<T, adds>{memory_of<const std::int64_t>(row_), memory_of<const std::int64_t>(place_),
                                     coarse.view<T>().data, memory_of<T>(fine), scale ? scale->address() : nullptr});
  }
  void do_prolong(const Field& coarse, Field& fine) const override { scatter<false>(coarse, fine, nullptr); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { scatter<true>(coarse, fine, nullptr); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    scatter<false>(coarse, fine, scale);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }

  std::shared_ptr<Steps> steps_;
  double factor_;
  std::int64_t count_ = 0, all_ = 0;  // unknowns of this process; rows of all, or 0 for one process
  Buffer row_, place_;
  Buffer own_, all_row_, listed_;  // with several processes, as SharedRows
  ListedValues values_;
};

}  // namespace poisson
