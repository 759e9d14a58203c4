#pragma once

#include <map>
#include <memory>

#include "grids/blocks/device_blocks.hpp"
#include "grids/blocks/stacked_assembly.hpp"
#include "grids/blocks/stacked_operator.hpp"
#include "grids/blocks/stacked_replication.hpp"
#include "grids/blocks/stacked_transfer.hpp"

namespace poisson {

/// Makes operators and transfers that run steps on a device.
template <class Steps>
class StackedBlocks final : public DeviceBlocks {
 public:
  explicit StackedBlocks(std::shared_ptr<Steps> steps)
      : steps_(std::move(steps)),
        assembly_{make_stacked_assembly<2, Steps>(steps_, [this](const BlockSpace& of) { return tables(of); }),
                  make_stacked_assembly<3, Steps>(steps_, [this](const BlockSpace& of) { return tables(of); })} {}

  std::unique_ptr<Operator> make_operator(const BlockOperatorData& data, Precision precision) override {
    return dispatch(precision, [&]<class T>(T) {
      return make_stacked_operator<T, Steps>(steps_, tables(*data.level.space), data,
                                             assembly(data.level.space->dimension()));
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
  Replicate make_replication(const BlockSpace& shares, const BlockSpace& all, Precision precision) override {
    return dispatch(precision, [&]<class T>(T) -> Replicate {
      const auto made = std::make_shared<const StackedReplication<Steps, T>>(steps_, shares, all);
      return [made](const Field& from, Field& to) { (*made)(from, to); };
    });
  }
  BlockAssembly& assembly(int dimension) override { return *assembly_[dimension == 2 ? 0 : 1]; }
  void put_held(const BlockSpace& blocks, const std::vector<double>& values, Field& field) override {
    const auto of = tables(blocks);
    const Buffer there = steps_->copy(values);
    const InterfaceView view = of->view(Precision::fp64, Precision::fp64);
    steps_->each(view.count - view.free, PutListed{view.place + view.free, static_cast<const double*>(there.data()),
                                                   static_cast<double*>(field.data())});
  }
  std::array<double, 2> sum_logarithms(const Field& x) override {
    return {sum(x, SumLogarithms{}), sum(x, CountPositive{})};
  }
  double sum_sizes(const Field& x) override { return sum(x, SumSizes{}); }

 private:
  template <class F>
  double sum(const Field& x, const F& f) {
    const Scalar result = steps_->backend().scalar();
    steps_->sum(x, x, f, result);
    return steps_->backend().value(result);
  }
  std::shared_ptr<const StackedTables> tables(const BlockSpace& blocks) {
    std::shared_ptr<const StackedTables>& known = tables_[&blocks];
    if (!known) known = std::make_shared<const StackedTables>(*steps_, blocks);
    return known;
  }

  std::shared_ptr<Steps> steps_;
  std::array<std::unique_ptr<BlockAssembly>, 2> assembly_;
  std::map<const BlockSpace*, std::shared_ptr<const StackedTables>> tables_;
};

}  // namespace poisson
