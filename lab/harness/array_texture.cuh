#pragma once

#include "lab/harness/verify.cuh"

namespace poisson::lab {

/// Owns a two-dimensional CUDA array (the layout of texture hardware) and a texture object over it. A fetch uses
/// element coordinates + ½; addresses beyond the ends clamp to the last element. T is float or float4.
template <class T>
class ArrayTexture {
 public:
  /// Copies `rows` contiguous rows of `columns` elements from device memory.
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
