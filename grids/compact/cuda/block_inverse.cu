#include "grids/compact/block_steps.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"

namespace poisson::cuda {
namespace {

// Is a team of all lanes of a warp.
struct Warp {
  static constexpr int lanes = 32;
  int lane = 0;

  // Shared steps are constexpr functions, which may call only functions that exist on the host.
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
};

constexpr int warps_of_block = 4;

__global__ void __launch_bounds__(warps_of_block * 32) invert_lists(BlockInverse step, std::int64_t lists) {
  await_others();
  __shared__ double memory[warps_of_block][BlockInverse::numbers];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t list = std::int64_t{blockIdx.x} * warps_of_block + warp;
  if (list < lists) step.invert(Warp{static_cast<int>(threadIdx.x) % 32}, list, memory[warp]);
}

}  // namespace

void invert_blocks(DeviceRows& rows, std::int64_t lists, const BlockInverse& step) {
  if (lists > 0)
    launch(invert_lists, DeviceRows::blocks(lists, warps_of_block), warps_of_block * 32, rows.stream(), step, lists);
}

std::shared_ptr<const DeviceBlocks> make_blocks(DeviceRows& rows, const DeviceMatrix& A, const int* aggregate,
                                                std::int64_t aggregates, const Operator& of) {
  const DeviceMatrix inverse = invert_aggregates(rows, A.view(), aggregate, aggregates);
  auto blocks = std::make_shared<DeviceBlocks>();
  blocks->precision = of.precision();
  blocks->rows = std::make_shared<const SlicedRows>(make_sliced(rows, inverse));
  const std::int64_t places = blocks->rows->row_space.place(A.rows);
  dispatch(of.precision(), [&]<class T>(T) {
    blocks->values = make_values<T>(rows, *blocks->rows, inverse, 1 / of.scale());
    blocks->residual = rows.make<T>(places);
  });
  blocks->largest = largest_scaled_eigenvalue(rows, of, *blocks);
  return blocks;
}

}  // namespace poisson::cuda
