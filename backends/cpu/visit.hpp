#pragma once

#include "backends/cpu/launch.hpp"

namespace poisson::cpu {

/// Calls f(value, patch, i, j, k) on all threads for all values of a field on the host; T is its type. `patch` is the
/// PatchGroup::Patch of the value, and i, j, k are its indices there.
template <class T, class F>
void visit(Field& field, const F& f) {
  for (std::size_t g = 0; g < field.space().groups().size(); ++g) {
    const PatchGroup& group = field.space().groups()[g];
    for_each_patch_line(group, group.values, [&](int p, int j, int k) {
      T* const line = field.patches<T>(g).line(p, j, k);
      for (int i = group.values.first[0]; i < group.values.last[0]; ++i)
        f(line[i], group.patches[static_cast<std::size_t>(p)], i, j, k);
    });
  }
}

}  // namespace poisson::cpu
