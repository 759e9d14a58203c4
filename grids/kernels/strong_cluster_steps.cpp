#include "grids/kernels/strong_cluster_steps.hpp"

#include "backends/device/backend.hpp"
#include "grids/kernels/cpu/strong_clusters.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/strong_clusters.hpp"
#endif

namespace poisson {

void search_clusters(Backend& backend, const Box& box, const ClusterSearch& search) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::search_clusters(backend, box, search);
#endif
  if (!backend.on_gpu()) cpu::search_clusters(box, search);
}

void build_strong_clusters(Backend& backend, std::uint32_t count, const StrongClusterBuild& build) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::build_strong_clusters(backend, count, build);
#endif
  if (!backend.on_gpu()) cpu::build_strong_clusters(count, build);
}

void sum_rhs(Backend& backend, const StrongClusterTables& clusters, const Field& b) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::sum_rhs(backend, clusters, b);
#endif
  if (!backend.on_gpu()) cpu::sum_rhs(clusters, b);
}

void find_shifts(Backend& backend, const StrongClusterTables& clusters, const Field& u) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::find_shifts(backend, clusters, u);
#endif
  if (!backend.on_gpu()) cpu::find_shifts(clusters, u);
}

void shift_values(Backend& backend, const StrongClusterTables& clusters, Field& u) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::shift_values(backend, clusters, u);
#endif
  if (!backend.on_gpu()) cpu::shift_values(clusters, u);
}

void correct_clusters(Backend& backend, const StrongClusterTables& clusters, Field& u) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::correct_clusters(backend, clusters, u);
#endif
  if (!backend.on_gpu()) cpu::correct_clusters(clusters, u);
}

void add_shifts(Backend& backend, const double* parts, std::int64_t step, int count, std::int64_t shifts,
                double* shift) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::add_shifts(backend, parts, step, count, shifts, shift);
#endif
  if (!backend.on_gpu()) cpu::add_shifts(parts, step, count, shifts, shift);
}

}  // namespace poisson
