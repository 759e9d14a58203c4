#include <algorithm>
#include <span>

#include "backends/cuda/patch_columns.cuh"

namespace poisson::cuda {
namespace {

constexpr int groups_of_launch = 64;

struct Groups {
  PartialSums of[groups_of_launch];
  int count, first;  // groups, and planes of earlier launches
};

// Returns the partial sums of a plane, added up by a warp in the order of add_planes. Lane 0 has the result.
__device__ double total_of(const PartialSums& group, int plane, int lane) {
  int lanes = 1;
  while (lanes < 32 && lanes < group.blocks) lanes *= 2;
  double sum = 0;
  for (int b = lane; lane < lanes && b < group.blocks; b += lanes)
    sum += group.partial[static_cast<std::int64_t>(plane) * group.blocks + b];
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
  return sum;
}

// A warp adds up the planes of a number in their order. Without `begin` each place has a number of its own.
__global__ void __launch_bounds__(256)
    total_planes_kernel(Groups groups, const int* place, const int* begin, int numbers, double* total) {
  await_others();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int number = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (number >= numbers) return;
  double all = groups.first > 0 ? total[number] : 0;
  const int last = begin ? begin[number + 1] : number + 1;
  for (int at = begin ? begin[number] : number; at < last; ++at) {
    int plane = (place ? place[at] : at) - groups.first, g = 0;
    if (plane < 0) continue;
    while (g < groups.count && plane >= groups.of[g].planes) plane -= groups.of[g++].planes;
    if (g < groups.count) all += total_of(groups.of[g], plane, lane);
  }
  if (lane == 0) total[number] = all;
}

}  // namespace

void add_groups(CudaBackend& device, const Space& space, const SumTable& table, const std::vector<PartialSums>& groups,
                double* room, const Scalar& result) {
  int planes = 0;
  for (const PartialSums& group : groups) planes += group.planes;
  // If several planes share a sum, the sums have no numbers and are added group by group.
  const bool numbered = planes == table.planes;
  const int numbers = numbered ? table.numbers : planes;
  for (std::size_t first = 0; first < groups.size(); first += groups_of_launch) {
    Groups some{};
    for (const PartialSums& group : std::span(groups).first(first)) some.first += group.planes;
    for (std::size_t g = first; g < std::min(groups.size(), first + groups_of_launch); ++g)
      some.of[some.count++] = groups[g];
    launch(total_planes_kernel, static_cast<unsigned>(divide_up(std::max(1, numbers), 8)), 256, device.stream(), some,
           numbered ? table.place : nullptr, numbered ? table.begin : nullptr, numbers, room);
  }
  // The sums of planes are now partial sums of which each plane has one.
  const Box one{{}, {1, 1, 1}};
  device.add_up(space, PlaneSums(one, Tiling(one), 1), numbers, result);
}

}  // namespace poisson::cuda
