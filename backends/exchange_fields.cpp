#include "backends/exchange_fields.hpp"

#include "backends/backend.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/exchange_fields.hpp"
#endif

namespace poisson {

void exchange_fields(std::span<const Field* const> fields, int width) {
#ifdef POISSON_HAVE_CUDA
  if (!fields.empty() && fields.front()->backend().on_gpu()) return cuda::exchange_fields(fields, width);
#endif
  for (const Field* const field : fields) field->backend().exchange(*field, width);
}

}  // namespace poisson
