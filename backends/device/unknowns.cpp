#include "backends/device/unknowns.hpp"

#include <span>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "backends/spaces/gather_lists.hpp"
#include "backends/spaces/is_box.hpp"
#include "backends/spaces/space.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

template <class Values>
void set_on_host(Field& x, std::span<const Values> values) {
  dispatch(x.precision(), [&]<class T>(T) {
    int number = 0;
    for (const PatchGroup& group : x.space().groups())
      for (const PatchGroup::Patch& patch : group.patches) {
        const Values& own = values[static_cast<std::size_t>(number)];
        const View<T> v = x.patch<T>(number++);
        const Box& box = patch.unknowns;
        cpu::for_each_line(box, [&](int j, int k) {
          auto line = own.line(box.first[0], j, k);
          for (int i = box.first[0]; i < box.last[0]; ++i) v(i, j, k) = static_cast<T>(line.next());
        });
      }
  });
}

template <class Values>
void set_unknowns(Field& x, const std::vector<Values>& values) {
  if (rehearses(x.backend())) return;
  switch (x.backend().kind()) {
    case BackendKind::cpu:
      return set_on_host(x, std::span(values));
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::set_unknowns(x, std::span(values));
#endif
      break;
  }
  throw RunError("fields of CUDA devices cannot be set (this build lacks CUDA)", Remedy::host);
}

std::size_t count_patches(const Space& space) {
  std::size_t count = 0;
  for (const PatchGroup& group : space.groups()) count += group.patches.size();
  return count;
}

// Returns the numbers of each patch.
std::vector<FixedNumbers> numbers_of(const Space& space) {
  if (is_box(space)) {
    const Box& all = space.part().all_unknowns();
    FixedNumbers numbers{all.last[0] - all.first[0], all.last[1] - all.first[1], {}};
    for (std::size_t d = 0; d < 3; ++d) numbers.from[d] = space.part().origin()[d] - all.first[d];
    return {numbers};
  }
  struct Count {
    int number;
    std::int64_t unknowns;
  };
  std::vector<Count> counts;
  for (const PatchGroup& group : space.groups())
    for (const PatchGroup::Patch& patch : group.patches) counts.push_back({patch.number, patch.unknowns.size()});
  counts = gather_lists(space.processes(), counts);
  std::vector<FixedNumbers> numbers;
  for (const PatchGroup& group : space.groups())
    for (const PatchGroup::Patch& patch : group.patches) {
      const auto& [first, last] = patch.unknowns;
      FixedNumbers own{last[0] - first[0], last[1] - first[1], {-first[0], -first[1], -first[2]}};
      for (const Count& other : counts)
        if (other.number < patch.number) own.before += other.unknowns;
      numbers.push_back(own);
    }
  return numbers;
}

}  // namespace

void clear_unknowns(Field& x) {
  set_unknowns(x, std::vector<Zeros>(count_patches(x.space())));
}

void set_fixed_numbers(Field& x) {
  set_unknowns(x, numbers_of(x.space()));
}

}  // namespace poisson
