#pragma once

#include <vector>

#include "backends/cuda/device_tables.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/cuda/transfer_columns.cuh"

namespace poisson::cuda {

inline void add_rows(DeviceTables& tables, const AxisRows& rows, DeviceRows& there) {
  std::vector<int> at;
  std::vector<double> weight;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    at.insert(at.end(), rows.at[i].begin(), rows.at[i].end());
    weight.insert(weight.end(), rows.weight[i].begin(), rows.weight[i].end());
  }
  tables.add(at, there.at);
  tables.add(weight, there.weight);
}

}  // namespace poisson::cuda
