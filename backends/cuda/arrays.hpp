#pragma once

#include <memory>

#include "backends/device/arrays.hpp"

/// These functions implement those of backends/device/arrays.hpp in CUDA.
namespace poisson::cuda {

void import_values(const Array& from, double factor, Field& to);
void export_values(const Field& from, double factor, const Array& to);
void wait_for_stream(Backend& backend, void* stream);
void make_stream_wait(void* stream, Backend& backend);
int device_number(const Backend& backend);
/// Makes a device the current one of this thread until the returned object is destroyed; null if it is already.
std::shared_ptr<void> use_device(int number);
std::shared_ptr<void> keep_released_memory(Backend& backend);

}  // namespace poisson::cuda
