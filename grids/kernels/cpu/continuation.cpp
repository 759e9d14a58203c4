#include <algorithm>

#include "backends/cpu/launch.hpp"
#include "grids/kernels/cpu/factories.hpp"

namespace poisson::cpu {

void continue_outwards(const Box& inside, Field& u) {
  dispatch(u.precision(), [&]<class T>(T) {
    const auto v = u.view<T>();
    const auto nearest = [&](int i, std::size_t d) { return std::clamp(i, inside.first[d], inside.last[d] - 1); };
    // Each line copies the x range of the box from the nearest line within the box, then extends it along x. No line
    // reads values that another line writes.
    cpu::for_each_line(u.layout().box(), [&](int j, int k) {
      const T* from = v.line(nearest(j, 1), nearest(k, 2));
      T* to = v.line(j, k);
      if (to != from) std::copy(from + inside.first[0], from + inside.last[0], to + inside.first[0]);
      for (int i = 0; i < v.n[0]; ++i)
        if (i != nearest(i, 0)) to[i] = from[nearest(i, 0)];
    });
  });
}

}  // namespace poisson::cpu
