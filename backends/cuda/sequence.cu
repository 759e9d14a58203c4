#include "backends/cuda/sequence_kernel.cuh"

namespace poisson::cuda {

unsigned cluster_blocks(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
  if (attributes.ptxVersion < 90) return 1;  // compiled for a device without clusters, whatever this one is
  if (getenv("BLOCKS")) return atoi(getenv("BLOCKS"));
  constexpr unsigned portable = 8, most = 16;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) {
    cudaGetLastError();  // this is an answer, no error to stick
    return portable;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = most;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = most;
  config.blockDim = sequence_threads;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess) cudaGetLastError();
  return clusters > 0 ? most : portable;
}

}  // namespace poisson::cuda
