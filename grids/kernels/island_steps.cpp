#include "grids/kernels/island_steps.hpp"

#include "backends/backend.hpp"
#include "grids/kernels/cpu/islands.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/islands.hpp"
#endif

namespace poisson {

void search_clusters(Backend& backend, const Box& box, const ClusterSearch& search) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::search_clusters(backend, box, search);
#endif
  if (!backend.on_gpu()) cpu::search_clusters(box, search);
}

void build_islands(Backend& backend, std::uint32_t count, const IslandBuild& build) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::build_islands(backend, count, build);
#endif
  if (!backend.on_gpu()) cpu::build_islands(count, build);
}

void find_shifts(Backend& backend, const IslandViews& islands, const Field& b, const Field& u) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::find_shifts(backend, islands, b, u);
#endif
  if (!backend.on_gpu()) cpu::find_shifts(islands, b, u);
}

void shift_values(Backend& backend, const IslandViews& islands, Field& u) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::shift_values(backend, islands, u);
#endif
  if (!backend.on_gpu()) cpu::shift_values(islands, u);
}

void add_shifts(Backend& backend, const double* parts, std::int64_t step, int count, std::int64_t shifts,
                double* shift) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::add_shifts(backend, parts, step, count, shifts, shift);
#endif
  if (!backend.on_gpu()) cpu::add_shifts(parts, step, count, shifts, shift);
}

}  // namespace poisson
