#pragma once

#include <functional>

#include <cuda_runtime.h>

#include "backends/cuda/mailbox.cuh"
#include "backends/cuda/patch_tables.cuh"

/// Runs the steps of exchanges between patches (exchange_program.hpp) on fields of a space.
namespace poisson::cuda {

/// Packs the values for other processes and those that are added, then copies within the process: one launch each.
/// Halos are exchanged within one field, `from`. With `listed`, send_lists moves what is listed.
template <class T>
void begin_step(cudaStream_t stream, const ExchangeTable& table, T* from, T* to, bool listed = false);
/// Stores received values and adds what is to be added, after the messages have arrived in `table.room`.
template <class T>
void end_step(cudaStream_t stream, const ExchangeTable& table, const T* from, T* to, bool listed = false);

/// Returns whether all values of messages are listed and none are added.
bool has_lists(const ExchangeTable& table);
/// Sends listed values through mailboxes and stores the received ones, in one launch. Every process calls it.
template <class T>
void send_lists(cudaStream_t stream, const ExchangeTable& table, const Mailbox& mail, const T* from, T* to);

/// Sends the packed values and waits for the received ones: by MPI, from the device or through pinned memory.
void send_by_host(cudaStream_t stream, const ExchangeTable& table, std::size_t bytes_of_value, bool through_host,
                  const Processes& processes);
/// Does the same through mailboxes, by a kernel. Every process calls it, also without partners.
template <class T>
void send_by_mail(cudaStream_t stream, const ExchangeTable& table, const Mailbox& mail);

}  // namespace poisson::cuda
