#pragma once

namespace poisson {

/// Selects how processes on GPUs communicate.
/// - `peer`: kernels store into each other's memory and wait for each other, so a solve stays on the devices. All GPUs
///   must belong to one host.
/// - `staged`: messages pass through pinned host memory. Processes of one host share it as in `peer`; otherwise MPI
///   sends it from host to host.
/// - `mpi`: messages are sent by an MPI that reads device memory.
/// - `automatic`: a run chooses the fastest transport by measurement (transport_choice.hpp). A backend alone chooses
///   the first available one.
enum class Transport { automatic, peer, staged, mpi };

}  // namespace poisson
