#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <cuda_runtime.h>

#include "backends/cuda/mark.cuh"
#include "backends/exchange.hpp"
#include "backends/groups.hpp"
#include "backends/processes.hpp"
#include "backends/view.hpp"

namespace poisson::cuda {

/// Pinned memory of the host, or memory of the device, that grows.
class Room {
 public:
  explicit Room(bool on_host) : on_host_(on_host) {}
  ~Room() { free(); }
  Room(const Room&) = delete;
  /// At least so many bytes; what was there is lost where there were less.
  void* of(std::size_t bytes);

 private:
  void free();
  bool on_host_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Layers on their way between processes by MPI. They are packed on the device; then either their copies in pinned
/// memory of the host are sent, or MPI reads the memory of the device itself. Copies have a stream of their own, so
/// that kernels go on beside them.
class Staging {
 public:
  explicit Staging(bool through_host);
  ~Staging();
  Staging(const Staging&) = delete;

  /// Packs what others take, behind what has been launched on the stream. One exchange is under way at a time.
  template <class T>
  void start(cudaStream_t stream, const View<T>& v, const Exchange::Turn& sent, const Exchange::Turn& received);
  /// Sends it and waits for what comes; on the stream it is unpacked behind what has been launched meanwhile.
  template <class T>
  void finish(cudaStream_t stream, const View<T>& v, const Exchange::Turn& received, const Processes& processes);

  /// whole = the parts of all processes, each a box in a row of `most` bytes; from, of[p]: where values come from and
  /// go.
  template <class T>
  void gather(cudaStream_t stream, const View<const T>& part, const Box& from, const View<T>& whole,
              const std::vector<Box>& of, std::size_t most, const Processes& processes);
  /// Of PartSwap.
  void swap_parts(cudaStream_t stream, const Members& members, const void* from, void* to, std::size_t bytes);
  /// What gather does of values in a row, which the host reads.
  std::vector<double> gather(cudaStream_t stream, const double* values, std::size_t count, std::size_t most,
                             const Processes& processes);

 private:
  /// A message's places on the device and on the host.
  struct Parcel {
    Room device{false}, host{true};
    void* there = nullptr;
    void* here = nullptr;
    std::size_t bytes = 0;
    void resize(std::size_t size, bool through_host);
  };

  bool through_host_;
  cudaStream_t copies_ = nullptr;
  Mark packed_, copied_;
  std::array<Parcel, 2> out_, in_;
  std::vector<Processes::Message> messages_;  // what is to be sent
  Parcel own_, all_;                          // of what is gathered
};

}  // namespace poisson::cuda
