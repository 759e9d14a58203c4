#include "backends/device/clear.hpp"

#include <algorithm>

#include "backends/cpu/launch.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

void clear_on_host(Field& x) {
  dispatch(x.precision(), [&]<class T>(T) {
    int number = 0;
    for (const PatchGroup& group : x.space().groups())
      for (const PatchGroup::Patch& patch : group.patches) {
        const View<T> v = x.patch<T>(number++);
        const Box& box = patch.unknowns;
        cpu::for_each_line(
            box, [&](int j, int k) { std::fill(v.line(j, k) + box.first[0], v.line(j, k) + box.last[0], T{}); });
      }
  });
}

}  // namespace

void clear_unknowns(Field& x) {
  if (rehearses(x.backend())) return;
  switch (x.backend().kind()) {
    case BackendKind::cpu:
      return clear_on_host(x);
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::clear_unknowns(x);
#endif
      break;
  }
  throw RunError("fields of CUDA devices cannot be cleared (this build lacks CUDA)", Remedy::host);
}

}  // namespace poisson
