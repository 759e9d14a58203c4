#include "grids/sampling/sampler.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "backends/backend.hpp"

namespace poisson {

std::size_t staging_bytes(const Layout& layout) {
  const std::int64_t line = layout.n[0] + 2, plane = layout.n[2] > 1 ? line * (layout.n[1] + 2) : line;
  return static_cast<std::size_t>(std::max(staged_values, plane)) * sizeof(double);
}

// Each line leaves its own moments; they are joined by planes in order, so that the result does not depend on threads.
DifferenceMoments measure_on_host(const Block& block, const Datum& datum, const Field& u) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr DifferenceMoments none{0, 0, infinity, -infinity};
  const auto join = [](DifferenceMoments& all, const DifferenceMoments& part) {
    all.first += part.first;
    all.second += part.second;
    all.low = std::min(all.low, part.low);
    all.high = std::max(all.high, part.high);
  };
  const Box box = block.layout().box();
  std::vector<DifferenceMoments> lines(static_cast<std::size_t>(box.last[1]) * static_cast<std::size_t>(box.last[2]));
  std::vector<double> mass_x;
  for (int i = 0; i < box.last[0]; ++i) mass_x.push_back(block.axes[0].mass(i));
  const HostRead read(u);
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = (*read).view<T>();
    sample(datum.quantity, datum.name, datum.sign, {block}, block.location(), box,
           [&](int j, int k, const double* values) {
             const double area = block.axes[1].mass(j) * block.axes[2].mass(k);
             DifferenceMoments line = none;
             for (int i = 0; i < box.last[0]; ++i) {
               const double m = area * mass_x[static_cast<std::size_t>(i)];
               const double d = static_cast<double>(view(i, j, k)) - values[i];
               join(line, {m * d, m * d * d, d, d});
             }
             lines[static_cast<std::size_t>(k) * static_cast<std::size_t>(box.last[1]) + static_cast<std::size_t>(j)] =
                 line;
           });
  });
  DifferenceMoments all = none;
  for (auto line = lines.begin(); line != lines.end();) {
    DifferenceMoments plane = none;
    for (int j = 0; j < box.last[1]; ++j) join(plane, *line++);
    join(all, plane);
  }
  return all;
}

}  // namespace poisson
