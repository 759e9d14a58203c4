#pragma once

#include <algorithm>
#include <array>

#include "backends/cuda/check.cuh"

namespace poisson::lab {

/// Owns floats in a CUDA array with a texture object that interpolates linearly. Value c of an axis is at c + ½;
/// addresses beyond the ends clamp to the last value.
class FilteredTexture {
 public:
  /// In two dimensions n[2] is 1 and ignored.
  FilteredTexture(int dimension, const std::array<int, 3>& n) : dimension_(dimension), n_(n) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaExtent extent = make_cudaExtent(size(0), size(1), dimension == 3 ? size(2) : 0);
    cuda::check(cudaMalloc3DArray(&array_, &format, extent));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc texture{};
    for (cudaTextureAddressMode& mode : texture.addressMode) mode = cudaAddressModeClamp;
    texture.filterMode = cudaFilterModeLinear;
    texture.readMode = cudaReadModeElementType;
    const cudaError_t status = cudaCreateTextureObject(&object_, &resource, &texture, nullptr);
    if (status != cudaSuccess) cudaFreeArray(array_);
    cuda::check(status);
  }
  ~FilteredTexture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  FilteredTexture(const FilteredTexture&) = delete;
  FilteredTexture& operator=(const FilteredTexture&) = delete;

  cudaTextureObject_t object() const { return object_; }

  /// Copies values from device memory, x fastest.
  void fill(cudaStream_t stream, const float* values) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values), size(0) * sizeof(float), size(0), size(1));
    copy.dstArray = array_;
    copy.extent = make_cudaExtent(size(0), size(1), dimension_ == 3 ? size(2) : 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    cuda::check(cudaMemcpy3DAsync(&copy, stream));
  }

 private:
  std::size_t size(std::size_t d) const { return static_cast<std::size_t>(n_[d]); }

  int dimension_;
  std::array<int, 3> n_;
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

}  // namespace poisson::lab
