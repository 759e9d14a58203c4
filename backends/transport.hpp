#pragma once

namespace poisson {

/// How processes on GPUs reach each other. peer: kernels store into each other's memory and wait for each other, so
/// that a solve stays on the devices; GPUs of one host alone. staged: through pinned memory of the host that processes
/// share, in the same way, or that MPI takes from host to host. mpi: by an MPI that reads the memory of devices.
/// automatic: what a run has measured (transport_choice.hpp); of a backend by itself the first that can be had.
enum class Transport { automatic, peer, staged, mpi };

}  // namespace poisson
