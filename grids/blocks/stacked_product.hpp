#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/stacked_axes.hpp"
#include "grids/blocks/stacked_bands.hpp"
#include "grids/blocks/stacked_cells.hpp"
#include "grids/blocks/stacked_entries.hpp"
#include "grids/blocks/stacked_gathers.hpp"
#include "grids/blocks/stacked_space.hpp"

namespace poisson {

/// Contains the entries of a group of blocks on a device, and runs products with them.
template <class Steps, class T, int dimension>
class StackedProduct {
 public:
  StackedProduct(Steps& steps, const StackedTables& tables, const BlockOperatorData& data, std::size_t group,
                 BlockAssembly& assembly)
      : group_(tables.lists.groups[group]), model_(choose_model<T>(data, tables.lists, group)) {
    if (model_ == EntryModel::axes) {
      const AxisTables<T> axes = join_axes<T>(data, tables.lists, group);
      for (std::size_t n = 0; n < 4; ++n) memory_[n] = steps.copy(axes.values[n]);
      straight_ = axes.straight;
    } else if (model_ == EntryModel::cells) {
      cells_ = assembly.cells(data.level, group);
      memory_[0] = scaled(steps, cells_->kappa, data.scale);
      if (cells_->reacts) memory_[1] = scaled(steps, cells_->sigma, data.scale);
    } else {
      store(steps, tables, data, group, assembly);
    }
  }

  /// Computes A u of each block. The end gets the values inside, and slots get those at ends.
  template <class End>
  void multiply(Steps& steps, const Field& u, T* slots, const End& end, Precision result) const {
    const GroupMemory &memory = group_.memory[static_cast<std::size_t>(precision_of<T>)],
                      &to = group_.memory[static_cast<std::size_t>(result)];
    const auto bands = [&]<class Entries>(const Entries& entries) {
      const MarchBands<Entries, dimension, End> march(group_.shape, memory, to, entries, at<const T>(1),
                                                      memory_of<T>(u), slots, end);
      steps.each(march.columns(), march);
    };
    if (model_ == EntryModel::bands && std::int64_t{group_.shape.nodes} * group_.shape.patches < least_of_packs) {
      bands(StoredEntries<T, T, 1>{stored()});
    } else if (model_ == EntryModel::bands) {
      bands(StoredEntries<T>{stored()});
    } else if (model_ == EntryModel::axes) {
      multiply_axes(steps, u, slots, end, memory, to);
    } else if (model_ == EntryModel::cells) {
      if constexpr (dimension == 3) march_cells(steps, u, slots, end, memory, to);
    } else if constexpr (std::is_same_v<T, float>) {
      if (std::int64_t{group_.shape.nodes} * group_.shape.patches < least_of_packs)
        return bands(StoredEntries<float, Narrow, 1>{memory_of<const Narrow>(high_->values)});
      bands(StoredEntries<float, Narrow>{memory_of<const Narrow>(high_->values)});
    } else if (model_ == EntryModel::split) {
      bands(PairedEntries<float, ShortRest>{memory_of<const float>(high_->values), at<const ShortRest>(0)});
    } else {
      bands(PairedEntries<Narrow, NarrowRest>{memory_of<const Narrow>(high_->values), at<const NarrowRest>(0)});
    }
  }
  /// Returns the bytes on the device. An operator in fp32 counts entries that another one shares.
  std::size_t bytes() const {
    std::size_t bytes = std::is_same_v<T, float> && high_ ? high_->values.bytes() : 0;
    for (const Buffer& memory : memory_) bytes += memory.bytes();
    return bytes;
  }

 private:
  /// Fewer nodes give too few packs to fill a device.
  static constexpr std::int64_t least_of_packs = 1'000'000;

  template <class X>
  X* at(std::size_t n) const {
    return memory_of<X>(memory_[n]);
  }
  const T* stored() const { return high_ ? memory_of<const T>(high_->values) : at<const T>(0); }
  // Stores bands, and row sums unless all are zero.
  void store(Steps& steps, const StackedTables& tables, const BlockOperatorData& data, std::size_t group,
             BlockAssembly& assembly) {
    const std::int64_t count = BandPlaces(group_.shape, dimension == 2 ? 4 : 13).count(group_.shape);
    if (has_row_sums(data.level, tables.lists, group))
      memory_[1] = steps.template make<T>(std::int64_t{group_.shape.nodes} * group_.shape.patches);
    T* const sums = at<T>(1);
    if constexpr (std::is_same_v<T, float>) {
      if (model_ == EntryModel::bands)
        store_upper<float>(steps, tables.upper[1][group], data, group, assembly, count, sums);
      else
        store_upper<Narrow>(steps, tables.upper[0][group], data, group, assembly, count, sums);
    } else if (model_ == EntryModel::bands) {
      memory_[0] = steps.template make<T>(count);
      assembly.bands(data.level, group, data.scale, memory_of<T>(memory_[0]), sums);
    } else if (model_ == EntryModel::split) {
      store_upper<float>(steps, tables.upper[1][group], data, group, assembly, count, nullptr);
      memory_[0] = steps.template make<ShortRest>(count);
      assembly.bands(data.level, group, data.scale, memory_of<ShortRest>(memory_[0]), sums);
    } else {
      store_upper<Narrow>(steps, tables.upper[0][group], data, group, assembly, count, nullptr);
      memory_[0] = steps.template make<NarrowRest>(count);
      assembly.bands(data.level, group, data.scale, memory_of<NarrowRest>(memory_[0]), sums);
    }
  }
  // Stores entries as S, or shares those of another operator.
  template <class S>
  void store_upper(Steps& steps, std::weak_ptr<const UpperBands>& known, const BlockOperatorData& data,
                   std::size_t group, BlockAssembly& assembly, std::int64_t count, float* sums) {
    high_ = known.lock();
    if (high_ && (high_->matrix != data.level.matrix || high_->scale != data.scale)) high_ = nullptr;
    const bool makes = !high_;
    if (makes) {
      auto made = std::make_shared<UpperBands>();
      *made = {data.level.matrix, data.scale, steps.template make<S>(count)};
      assembly.bands(data.level, group, data.scale, memory_of<S>(made->values), sums);
      known = high_ = made;
    } else if (sums) {
      const Buffer again = steps.template make<S>(count);
      assembly.bands(data.level, group, data.scale, memory_of<S>(again), sums);
    }
  }
  // Returns coefficients times the scale of the operator.
  static Buffer scaled(Steps& steps, const Buffer& values, double scale) {
    const auto count = static_cast<std::int64_t>(values.bytes() / sizeof(double));
    Buffer made = steps.template make<T>(count);
    steps.each(count, ScaleValues<T>{memory_of<const double>(values), memory_of<T>(made), scale});
    return made;
  }

  template <class End>
  void march_cells(Steps& steps, const Field& u, T* slots, const End& end, const GroupMemory& memory,
                   const GroupMemory& to) const {
    const CellTables<double> tables = cells_->tables();
    steps.march(MarchCells<T, End>{group_.shape,
                                   memory,
                                   to,
                                   {tables.place, at<const T>(0), tables.sigma ? at<const T>(1) : nullptr, tables.cells,
                                    tables.varies, tables.tensor},
                                   memory_of<T>(u),
                                   slots,
                                   end});
  }
  template <class End>
  void multiply_axes(Steps& steps, const Field& u, T* slots, const End& end, const GroupMemory& memory,
                     const GroupMemory& to) const {
    const T* const tables[3] = {at<const T>(0), at<const T>(1), at<const T>(2)};
    const T* const constants = at<const T>(3);
    const BlockShape& shape = group_.shape;
    if constexpr (dimension == 3) {
      if (straight_) {
        const MarchAxes<T, End> march(shape, memory, to, tables, constants, memory_of<T>(u), slots, end);
        return steps.each(march.columns(), march);
      }
    }
    using Product = TensorProductOfBlock<T, dimension>;
    steps.each(std::int64_t{shape.nodes} * shape.patches,
               MultiplyNode<T, Product, End>{
                   shape, memory, to, {{tables[0], tables[1], tables[2]}, constants}, memory_of<T>(u), slots, end});
  }

  StackedLists::Group group_;
  EntryModel model_;
  std::array<Buffer, 4> memory_;            // bands and row sums; tables of axes and constants; or κ and σ
  std::shared_ptr<const UpperBands> high_;  // in fp32 and of entries in two parts; null: others have them in memory_
  bool straight_ = false;                   // no mixed entries of the metric
  std::shared_ptr<const StackedCells> cells_;
};

}  // namespace poisson
