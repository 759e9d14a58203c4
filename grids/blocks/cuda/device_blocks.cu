#include "grids/blocks/cuda/block_steps.cuh"
#include "grids/blocks/cuda/device_blocks.hpp"
#include "grids/blocks/stacked_blocks.hpp"

namespace poisson {

extern template std::unique_ptr<Operator> make_stacked_operator<float, cuda::BlockSteps>(
    const std::shared_ptr<cuda::BlockSteps>&, const std::shared_ptr<const StackedTables>&, const BlockOperatorData&,
    BlockAssembly&);
extern template std::unique_ptr<Operator> make_stacked_operator<double, cuda::BlockSteps>(
    const std::shared_ptr<cuda::BlockSteps>&, const std::shared_ptr<const StackedTables>&, const BlockOperatorData&,
    BlockAssembly&);
extern template std::unique_ptr<BlockAssembly> make_stacked_assembly<2, cuda::BlockSteps>(
    const std::shared_ptr<cuda::BlockSteps>&, const TablesOfSpaces&);
extern template std::unique_ptr<BlockAssembly> make_stacked_assembly<3, cuda::BlockSteps>(
    const std::shared_ptr<cuda::BlockSteps>&, const TablesOfSpaces&);

namespace cuda {

std::unique_ptr<DeviceBlocks> make_device_blocks(Backend& backend) {
  return std::make_unique<StackedBlocks<BlockSteps>>(std::make_shared<BlockSteps>(dynamic_cast<CudaBackend&>(backend)));
}

}  // namespace cuda
}  // namespace poisson
