#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/device/backend.hpp"
#include "backends/device/field.hpp"
#include "backends/device/unknowns.hpp"

/// These functions implement those of backends/device/ in CUDA.
namespace poisson::cuda {

/// Returns the bytes of device memory that a backend allocates for itself.
std::size_t bytes_of_backend();
/// Sets the unknowns of x on the stream of its backend to the values of each patch (Zeros, FixedNumbers).
template <class Values>
void set_unknowns(Field& x, std::span<const Values> values);
/// Copies on the backend's stream by a kernel, which moves 16 bytes per thread if both addresses are aligned to 16
/// bytes, else one byte.
void copy_by_kernel(Backend& backend, const void* from, void* to, std::size_t bytes);
/// Copies on the backend's stream by the driver, from device to device.
void copy_by_driver(Backend& backend, const void* from, void* to, std::size_t bytes);
void sort(Backend&, std::uint64_t* numbers, std::size_t count);
void sum_before(Backend&, std::uint32_t* numbers, std::size_t count);

}  // namespace poisson::cuda
