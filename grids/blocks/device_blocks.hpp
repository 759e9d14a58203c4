#pragma once

#include <memory>

#include "grids/blocks/block_operator.hpp"

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
};

/// Makes blocks on the GPU of a backend. Throws RunError if the build has none.
std::unique_ptr<DeviceBlocks> make_device_blocks(Backend& backend);

}  // namespace poisson
