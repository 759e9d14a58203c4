#pragma once

#include "lab/harness/verify.cuh"

namespace poisson::lab {

/// Owns a texture object over linear memory, which must outlive it. T is float or float4.
template <class T>
class LinearTexture {
 public:
  LinearTexture(const void* data, std::size_t bytes) {
    cudaResourceDesc memory{};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = const_cast<void*>(data);
    memory.res.linear.desc = cudaCreateChannelDesc<T>();
    memory.res.linear.sizeInBytes = bytes;
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    cuda::check(cudaCreateTextureObject(&object_, &memory, &reading, nullptr));
  }
  ~LinearTexture() { cudaDestroyTextureObject(object_); }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  cudaTextureObject_t object() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

}  // namespace poisson::lab
