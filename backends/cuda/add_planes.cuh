#pragma once

#include "backends/cuda/mailbox.cuh"

namespace poisson::cuda {

/// Points to the sums of planes and to the number of arrived blocks, which is 0 between launches.
struct PlaneRoom {
  double* of_plane;
  unsigned* arrived;
};

/// Adds up the partial sums of planes, in groups as in PlaneSums, and then the planes of all processes in their order
/// (ordered_sum.hpp). `mail`: mailboxes of the other processes, or null if there are none. Without a result the sums of
/// this process's planes are left in `room`.
void add_planes(cudaStream_t stream, const double* partial, int planes, int groups, const PlaneRoom& room,
                const Mailbox* mail, double* result);

}  // namespace poisson::cuda
