#include <algorithm>

#include "backends/cuda/patch_columns.cuh"

namespace poisson::cuda {
namespace {

constexpr int groups_of_launch = 16;

struct Groups {
  PartialSums of[groups_of_launch];
  int count, planes;
};

// A warp adds up the partial sums of a plane in the order of add_planes, and stores the sum at the plane's place.
__global__ void __launch_bounds__(256) total_planes_kernel(Groups groups, const int* place, double* total) {
  await_others();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int at = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (at >= groups.planes) return;
  int g = 0, plane = at;
  while (plane >= groups.of[g].planes) plane -= groups.of[g++].planes;
  const PartialSums own = groups.of[g];
  int lanes = 1;
  while (lanes < 32 && lanes < own.blocks) lanes *= 2;
  double sum = 0;
  for (int b = lane; lane < lanes && b < own.blocks; b += lanes)
    sum += own.partial[static_cast<std::int64_t>(plane) * own.blocks + b];
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
  const int number = own.before + plane, to = place ? place[number] : number;
  if (lane == 0 && to >= 0) total[to] = sum;
}

// Adds up planes of equal number.
struct JoinPlanes {
  const int* begin;
  const double* of_plane;
  double* of_number;
  __device__ void operator()(int i, int, int, int) const {
    double sum = 0;
    for (int at = begin[i]; at < begin[i + 1]; ++at) sum += of_plane[at];
    of_number[i] = sum;
  }
};

}  // namespace

void add_groups(CudaBackend& device, const Space& space, const SumTable& table, const std::vector<PartialSums>& groups,
                double* room, const Scalar& result) {
  int planes = 0;
  for (const PartialSums& group : groups) planes += group.planes;
  // If several planes share a sum, the sums have no numbers and are added group by group.
  const bool numbered = planes == table.planes;
  const bool joins = numbered && table.begin;
  double* const totals = joins ? room + table.planes : room;
  for (std::size_t first = 0; first < groups.size(); first += groups_of_launch) {
    Groups some{};
    for (std::size_t g = first; g < std::min(groups.size(), first + groups_of_launch); ++g) {
      some.of[some.count++] = groups[g];
      some.planes += groups[g].planes;
    }
    launch(total_planes_kernel, static_cast<unsigned>(divide_up(std::max(1, some.planes), 8)), 256, device.stream(),
           some, numbered ? table.place : nullptr, totals);
  }
  if (joins) for_columns(device.stream(), Box{{}, {table.numbers, 1, 1}}, JoinPlanes{table.begin, totals, room});
  // The sums of planes are now partial sums of which each plane has one.
  const Box one{{}, {1, 1, 1}};
  device.add_up(space, PlaneSums(one, Tiling(one), 1), numbered ? table.numbers : planes, result);
}

}  // namespace poisson::cuda
