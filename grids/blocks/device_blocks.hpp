#pragma once

#include <array>
#include <memory>
#include <vector>

#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/block_operator.hpp"
#include "grids/blocks/replicated_blocks.hpp"

namespace poisson {

/// Makes the operators and transfers of blocks on a device. Tables of a space are made once.
class DeviceBlocks {
 public:
  virtual ~DeviceBlocks() = default;
  virtual std::unique_ptr<Operator> make_operator(const BlockOperatorData& data, Precision precision) = 0;
  virtual std::unique_ptr<Transfer> make_transfer(const std::shared_ptr<const BlockSpace>& fine,
                                                  const std::shared_ptr<const BlockSpace>& coarse,
                                                  Precision precision) = 0;
  /// Makes the transfer to rows. Restricted values are multiplied by `factor`.
  virtual std::unique_ptr<Transfer> make_gather(const BlockSpace& blocks, const RowSpace& rows, double factor,
                                                Precision precision) = 0;
  /// Makes the copy from the blocks of the processes to fields of all blocks, in one precision. Collective.
  virtual Replicate make_replication(const BlockSpace& shares, const BlockSpace& all, Precision precision) = 0;
  /// Returns what assembles the levels of blocks of a dimension.
  virtual BlockAssembly& assembly(int dimension) = 0;
  /// Writes values to the interfaces of a field in fp64 that are no unknowns, part by part in the order of patches.
  virtual void put_held(const BlockSpace& blocks, const std::vector<double>& values, Field& field) = 0;
  /// Returns Σ log₂ x and the number of positive x over the unknowns of a field in fp64.
  virtual std::array<double, 2> sum_logarithms(const Field& x) = 0;
  /// Returns Σ |x| over the unknowns of a field in fp64.
  virtual double sum_sizes(const Field& x) = 0;
};

/// Makes blocks on the GPU of a backend. Throws RunError if the build has none.
std::unique_ptr<DeviceBlocks> make_device_blocks(Backend& backend);

}  // namespace poisson
