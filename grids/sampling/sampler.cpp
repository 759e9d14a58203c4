#include "grids/sampling/sampler.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"

namespace poisson {

std::size_t staging_bytes(const Layout& layout) {
  const std::int64_t line = layout.n[0] + 2, plane = layout.n[2] > 1 ? line * (layout.n[1] + 2) : line;
  return static_cast<std::size_t>(std::max(staged_values, plane)) * sizeof(double);
}

// The results of planes are combined in order, so that the result does not depend on the number of threads.
DifferenceMoments measure_on_host(const Block& block, const Datum& datum, const Field& u) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr DifferenceMoments none{0, 0, infinity, -infinity};
  const auto join = [](const DifferenceMoments& a, const DifferenceMoments& b) {
    return DifferenceMoments{a.first + b.first, a.second + b.second, std::min(a.low, b.low), std::max(a.high, b.high)};
  };
  const Box box = block.layout().box();
  std::vector<DifferenceMoments> lines(static_cast<std::size_t>(box.last[1]) * static_cast<std::size_t>(box.last[2]));
  const auto at = [&](int j, int k) -> DifferenceMoments& {
    return lines[static_cast<std::size_t>(k) * static_cast<std::size_t>(box.last[1]) + static_cast<std::size_t>(j)];
  };
  std::vector<double> mass_x;
  for (int i = 0; i < box.last[0]; ++i) mass_x.push_back(block.axes[0].mass(i));
  const HostRead read(u);
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = (*read).view<T>();
    together(block.processes(), [&] {
      sample(datum.quantity, datum.name, datum.sign, {block}, block.location(), box,
             [&](int j, int k, const double* values) {
               const double area = block.axes[1].mass(j) * block.axes[2].mass(k);
               DifferenceMoments line = none;
               for (int i = 0; i < box.last[0]; ++i) {
                 const double m = area * mass_x[static_cast<std::size_t>(i)];
                 const double d = static_cast<double>(view(i, j, k)) - values[i];
                 line = join(line, {m * d, m * d * d, d, d});
               }
               at(j, k) = line;
             });
    });
  });
  return cpu::reduce_over_lines(block.space(), box, none, at, join);
}

}  // namespace poisson
