#pragma once

#include "lab/harness/verify.cuh"

namespace poisson::lab {

/// A two-dimensional array in the layout that texture hardware likes, and a texture object over it: elements by their
/// coordinates + ½; beyond its ends the last element goes on. T: float or float4.
template <class T>
class ArrayTexture {
 public:
  /// A copy of `rows` rows of `columns` elements that lie one after the other in the device's memory.
  ArrayTexture(Backend& backend, const void* elements, int rows, int columns) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const std::size_t row = static_cast<std::size_t>(columns) * sizeof(T);
    cuda::check(cudaMallocArray(&array_, &format, static_cast<std::size_t>(columns), static_cast<std::size_t>(rows)));
    cuda::check(cudaMemcpy2DToArrayAsync(array_, 0, 0, elements, row, row, static_cast<std::size_t>(rows),
                                         cudaMemcpyDeviceToDevice, stream_of(backend)));
    cudaResourceDesc memory{};
    memory.resType = cudaResourceTypeArray;
    memory.res.array.array = array_;
    cudaTextureDesc reading{};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModePoint;
    reading.readMode = cudaReadModeElementType;
    cuda::check(cudaCreateTextureObject(&object_, &memory, &reading, nullptr));
  }
  ~ArrayTexture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  ArrayTexture(const ArrayTexture&) = delete;
  ArrayTexture& operator=(const ArrayTexture&) = delete;

  cudaTextureObject_t object() const { return object_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

}  // namespace poisson::lab
