#include "backends/device/unknowns.hpp"

#include "backends/cpu/launch.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "backends/spaces/space.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

template <class Values>
void set_on_host(Field& x, const Values& values) {
  dispatch(x.precision(), [&]<class T>(T) {
    int number = 0;
    for (const PatchGroup& group : x.space().groups())
      for (const PatchGroup::Patch& patch : group.patches) {
        const View<T> v = x.patch<T>(number++);
        const Box& box = patch.unknowns;
        cpu::for_each_line(box, [&](int j, int k) {
          auto line = values.line(box.first[0], j, k);
          for (int i = box.first[0]; i < box.last[0]; ++i) v(i, j, k) = static_cast<T>(line.next());
        });
      }
  });
}

template <class Values>
void set_unknowns(Field& x, const Values& values) {
  if (rehearses(x.backend())) return;
  switch (x.backend().kind()) {
    case BackendKind::cpu:
      return set_on_host(x, values);
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::set_unknowns(x, values);
#endif
      break;
  }
  throw RunError("fields of CUDA devices cannot be set (this build lacks CUDA)", Remedy::host);
}

}  // namespace

FixedNumbers::FixedNumbers(const Space& space) : nx(0), ny(0), from{} {
  const auto& all = space.all_unknowns();
  nx = all.last[0] - all.first[0];
  ny = all.last[1] - all.first[1];
  for (std::size_t d = 0; d < 3; ++d) from[d] = space.origin()[d] - all.first[d];
}

void clear_unknowns(Field& x) {
  set_unknowns(x, Zeros());
}

void set_fixed_numbers(Field& x) {
  set_unknowns(x, FixedNumbers(x.space()));
}

}  // namespace poisson
