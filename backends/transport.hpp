#pragma once

namespace poisson {

/// Selects how processes on GPUs communicate.
/// peer: kernels store into each other's memory and wait for each other, so a solve stays on the devices. All GPUs must
/// belong to one host.
/// staged: messages pass through pinned host memory, which the processes of a host share as in `peer`, or which MPI
/// sends from host to host.
/// mpi: an MPI that reads device memory sends the messages.
/// automatic: a run chooses the fastest transport by measurement (transport_choice.hpp); a backend alone chooses the
/// first available one.
enum class Transport { automatic, peer, staged, mpi };

}  // namespace poisson
