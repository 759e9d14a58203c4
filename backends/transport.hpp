#pragma once

namespace poisson {

/// How processes on GPUs reach each other. peer: kernels store into each other's memory and wait for each other, so
/// that a solve stays on the devices; GPUs of one host alone. staged: through pinned memory of the hosts and MPI. mpi:
/// by an MPI that reads the memory of devices. automatic: peer where it can be had, else mpi where it can, else staged.
enum class Transport { automatic, peer, staged, mpi };

}  // namespace poisson
