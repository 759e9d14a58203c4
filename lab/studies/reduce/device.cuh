#pragma once

#include "backends/cuda/cuda_backend.cuh"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {

inline cudaStream_t stream_of(Backend& backend) {
  return static_cast<cuda::CudaBackend&>(backend).stream();
}
inline const double* doubles(const Values& x) {
  return static_cast<const double*>(x.data);
}

}  // namespace poisson::lab
