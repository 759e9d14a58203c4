#include <algorithm>

#include "backends/cuda/add_planes.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/memory/ordered_sum.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {
namespace {

constexpr int threads = running_sums;

// Returns whether the caller's block is the last to arrive and therefore sees the stores of all blocks.
__device__ bool comes_last(unsigned* arrived) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1u) + 1 == gridDim.x;
    if (last) *arrived = 0;
  }
  __syncthreads();
  return last;
}

// Stores the number of planes and then their sums in the slots of all other processes.
__device__ void send_planes(const Mailbox& mail, const double* of_plane, int planes, unsigned epoch) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int p = 0; p < mail.count; ++p) {
    if (p == mail.rank) continue;
    std::uint64_t* const slot = mail.sum_words(p, mail.rank, epoch);
    if (thread == 0) send_word(slot, 0, epoch, static_cast<double>(planes));
    for (int i = thread; i < planes; i += threads) send_word(slot, 1 + i, epoch, __ldcg(of_plane + i));
  }
}

// Groups of `lanes` adjacent threads add up the partial sums of a plane. The last block adds up the planes.
__global__ void __launch_bounds__(threads) add_planes_kernel(const double* partial, int planes, int groups, int lanes,
                                                             PlaneRoom room, Mailbox mail, double* result) {
  await_others();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % lanes;
  const int plane = static_cast<int>(blockIdx.x) * (threads / lanes) + thread / lanes;
  double sum = 0;
  if (plane < planes)
    for (int g = lane; g < groups; g += lanes) sum += partial[static_cast<std::int64_t>(plane) * groups + g];
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
  if (plane < planes && lane == 0) room.of_plane[plane] = sum;
  if (!comes_last(room.arrived) || !result) return;

  __shared__ double sums[threads];
  unsigned epoch = 0;
  if (mail.count == 1) {
    sums[thread] = running_sum(thread, planes, [&](int i) { return __ldcg(room.of_plane + i); });
  } else {
    epoch = mail.epoch_of(Mailbox::of_sums);
    send_planes(mail, room.of_plane, planes, epoch);
    int begin[most_peers + 1] = {};
    for (int p = 0; p < mail.count; ++p) {
      const bool own = p == mail.rank;
      begin[p + 1] =
          begin[p] +
          (own ? planes : static_cast<int>(mail.await_word<double>(mail.sum_words(mail.rank, p, epoch), 0, epoch)));
    }
    sums[thread] = running_sum(thread, begin[mail.count], [&](int i) {
      int p = 0;
      while (i >= begin[p + 1]) ++p;
      const int plane = i - begin[p];
      return p == mail.rank ? __ldcg(room.of_plane + plane)
                            : mail.await_word<double>(mail.sum_words(mail.rank, p, epoch), 1 + plane, epoch);
    });
  }
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) sums[thread] += sums[thread + half];
  }
  if (thread != 0) return;
  *result = sums[0];
  if (mail.count > 1) mail.channels[Mailbox::of_sums].sent = epoch;
}

}  // namespace

void add_planes(cudaStream_t stream, const double* partial, int planes, int groups, const PlaneRoom& room,
                const Mailbox* mail, double* result) {
  int lanes = 1;
  while (lanes < 32 && lanes < groups) lanes *= 2;
  Mailbox alone{};
  alone.count = 1;
  const int together = threads / lanes;
  launch(add_planes_kernel, static_cast<unsigned>(std::max(1, divide_up(planes, together))), threads, stream, partial,
         planes, groups, lanes, room, mail ? *mail : alone, result);
}

}  // namespace poisson::cuda
