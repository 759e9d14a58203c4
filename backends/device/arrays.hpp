#pragma once

#include <array>
#include <memory>

#include "backends/device/field.hpp"

namespace poisson {

/// Locates an array of the program in memory that a backend reads and writes: x fastest, without gaps.
struct Array {
  void* data = nullptr;
  Precision precision = Precision::fp64;
  std::array<int, 3> shape{1, 1, 1};  ///< nx, ny, nz
};

/// Sets the unknowns of a field to factor · array. The array has a value for each value of the field; along periodic
/// axes it may have one more, which is ignored. Both are in the memory of the field's backend. Throws
/// std::invalid_argument for another shape.
void import_values(const Array& from, double factor, Field& to);
/// Sets the array to factor · field. One more value along an axis repeats the first one, as on periodic axes. Throws
/// std::invalid_argument for another shape.
void export_values(const Field& from, double factor, const Array& to);

/// Makes later work of a backend wait for the work that was launched on a stream (cudaStream_t; null is the legacy
/// default stream) before the call. The host does not wait. Does nothing on the CPU.
void wait_for_stream(Backend& backend, void* stream);
/// Makes later work on a stream wait for the work of a backend launched before the call. Does nothing on the CPU.
void make_stream_wait(void* stream, Backend& backend);

/// Returns the number of the CUDA device of a backend; −1 for the CPU.
int device_number(const Backend& backend);
/// Makes the device of a backend the current one of this thread until the returned object is destroyed. A thread that
/// did not make the backend needs it on machines with several devices.
std::shared_ptr<void> use_device_of(const Backend& backend);
/// Keeps the device memory that a backend releases for its later allocations, until the returned object is destroyed.
/// Allocating and freeing on a device costs more than many kernels.
std::shared_ptr<void> keep_released_memory(Backend& backend);

}  // namespace poisson
