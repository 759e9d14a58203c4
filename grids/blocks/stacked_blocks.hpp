#pragma once

#include <map>
#include <memory>

#include "grids/blocks/device_blocks.hpp"
#include "grids/blocks/stacked_transfer.hpp"

namespace poisson {

/// Makes operators and transfers that run steps on a device.
template <class Steps>
class StackedBlocks final : public DeviceBlocks {
 public:
  explicit StackedBlocks(std::shared_ptr<Steps> steps) : steps_(std::move(steps)) {}

  std::unique_ptr<Operator> make_operator(const BlockOperatorData& data, Precision precision) override {
    return dispatch(precision, [&]<class T>(T) {
      return make_stacked_operator<T, Steps>(steps_, tables(*data.level.space), data);
    });
  }
  std::unique_ptr<Transfer> make_transfer(const std::shared_ptr<const BlockSpace>& fine,
                                          const std::shared_ptr<const BlockSpace>& coarse,
                                          Precision precision) override {
    return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
      return std::make_unique<StackedTransfer<Steps, T>>(steps_, fine, tables(*fine), coarse, tables(*coarse));
    });
  }
  std::unique_ptr<Transfer> make_gather(const BlockSpace& blocks, const RowSpace& rows, double factor,
                                        Precision precision) override {
    return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
      return std::make_unique<StackedGather<Steps, T>>(steps_, blocks, rows, factor);
    });
  }

 private:
  std::shared_ptr<const StackedTables> tables(const BlockSpace& blocks) {
    std::shared_ptr<const StackedTables>& known = tables_[&blocks];
    if (!known) known = std::make_shared<const StackedTables>(*steps_, blocks);
    return known;
  }

  std::shared_ptr<Steps> steps_;
  std::map<const BlockSpace*, std::shared_ptr<const StackedTables>> tables_;
};

}  // namespace poisson
