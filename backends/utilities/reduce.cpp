#include "backends/utilities/reduce.hpp"

#include <string>

#include "backends/memory/error.hpp"
#include "backends/utilities/cpu/functions.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/utilities/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

void validate(Reduction kind, const Values& x, const Values& y) {
  if (x.count < 0)
    throw InputError("a reduction of " + std::to_string(x.count) + " values (there are no fewer than none): pass 0");
  const std::int64_t expected = kind == Reduction::dot ? x.count : 0;
  if (y.count != expected)
    throw InputError("the second operand of a reduction has " + std::to_string(y.count) +
                     " values (dot needs as many as the first has, the others need none): pass " +
                     std::to_string(expected));
  if (kind == Reduction::dot && x.precision != y.precision)
    throw InputError("the operands of a dot product differ in precision (one kernel reads one type): convert one");
}

}  // namespace

ReductionRoom::ReductionRoom(Backend& backend) : memory_(backend.allocate((most_partials + 1) * sizeof(double))) {}

void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result) {
  validate(kind, x, y);
  if (backend.kind() == BackendKind::cpu) return cpu::reduce(kind, x, y, room, result);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::reduce(backend, kind, x, y, room, result);
#endif
  throw RunError("there is no reduction for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
