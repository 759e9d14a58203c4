#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <cuda_runtime.h>

#include "backends/cuda/mark.cuh"
#include "backends/memory/view.hpp"
#include "backends/processes/processes.hpp"
#include "backends/spaces/exchange.hpp"
#include "backends/spaces/groups.hpp"

namespace poisson::cuda {

/// Owns pinned memory of the host, or memory of the device, that grows on demand.
class Room {
 public:
  explicit Room(bool on_host) : on_host_(on_host) {}
  ~Room() { free(); }
  Room(const Room&) = delete;
  /// Returns at least `bytes` bytes. If the memory grows, its contents are lost.
  void* of(std::size_t bytes);

 private:
  void free();
  bool on_host_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Sends messages between processes by MPI. Layers are packed on the device. Then either their copies in pinned memory
/// of the host are sent, or MPI reads the memory of the device. Copies use a separate stream, so that they overlap with
/// kernels.
class Staging {
 public:
  explicit Staging(bool through_host);
  ~Staging();
  Staging(const Staging&) = delete;

  /// Packs the values for other processes after all work launched on the stream so far. Only one exchange may be in
  /// flight.
  template <class T>
  void start(cudaStream_t stream, const View<T>& v, const Exchange::Step& sent, const Exchange::Step& received);
  /// Sends the packed values and waits for the received ones. They are unpacked on the stream after the work launched
  /// meanwhile.
  template <class T>
  void finish(cudaStream_t stream, const View<T>& v, const Exchange::Step& received, const Processes& processes);

  /// Gathers the parts of all processes into `whole`. Each part is sent as a message of `most` bytes. `from` is the box
  /// of the local part, and of[p] is the box of part p in `whole`.
  template <class T>
  void gather(cudaStream_t stream, const View<const T>& part, const Box& from, const View<T>& whole,
              const std::vector<Box>& of, std::size_t most, const Processes& processes);
  /// Swaps parts as PartSwap::swap does.
  void swap_parts(cudaStream_t stream, const Members& members, const void* from, void* to, std::size_t bytes);
  /// Gathers arrays of all processes and returns them on the host, one after another. `most` limits the `count` of each
  /// process.
  std::vector<double> gather(cudaStream_t stream, const double* values, std::size_t count, std::size_t most,
                             const Processes& processes);

 private:
  /// Locates a message on the device (`there`) and on the host (`here`).
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
  std::vector<Processes::Message> messages_;  // to be sent
  Parcel own_, all_;                          // values that are gathered
};

}  // namespace poisson::cuda
