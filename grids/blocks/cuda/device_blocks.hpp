#pragma once

#include <memory>

#include "grids/blocks/device_blocks.hpp"

namespace poisson::cuda {

std::unique_ptr<DeviceBlocks> make_device_blocks(Backend& backend);

}  // namespace poisson::cuda
