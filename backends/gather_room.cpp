#include "backends/gather_room.hpp"

#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/part_swap.hpp"
#endif

namespace poisson {

void make_room_to_gather(Backend& backend, const Space& space) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) cuda::make_room_to_gather(backend, space);
#else
  static_cast<void>(backend);
  static_cast<void>(space);
#endif
}

}  // namespace poisson
