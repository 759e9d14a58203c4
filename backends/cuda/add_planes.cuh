#pragma once

#include "backends/cuda/mailbox.cuh"

namespace poisson::cuda {

/// Memory of sums: what the planes add up to, and how many blocks have come, which is 0 between launches.
struct PlaneRoom {
  double* of_plane;
  unsigned* arrived;
};

/// Adds up the partial sums of planes, in groups as PlaneSums has them, then the planes of all processes in their
/// order (ordered_sum.hpp). `mail`: what the others are reached through; null where there are none. Without a result
/// the sums of this process's planes are left in `room`.
void add_planes(cudaStream_t stream, const double* partial, int planes, int groups, const PlaneRoom& room,
                const Mailbox* mail, double* result);

}  // namespace poisson::cuda
