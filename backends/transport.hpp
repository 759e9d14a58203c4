#pragma once

namespace poisson {

/// How processes on GPUs reach each other. peer: kernels store into each other's memory and wait for each other, so
/// that a solve stays on the devices; GPUs of one host alone. staged: through pinned memory of the hosts and MPI.
/// automatic: peer where it can be had, else staged.
enum class Transport { automatic, peer, staged };

}  // namespace poisson
