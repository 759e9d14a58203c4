#include "backends/transforms/constant_line.hpp"

#include <algorithm>

namespace poisson {

std::optional<ConstantLine> constant_line(const TensorInverse& inverse) {
  if (inverse.slabs > 1 || inverse.sigma != 0) return {};
  const auto s = static_cast<std::size_t>(inverse.solved);
  std::array<int, 3> of_zero{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!inverse.transformed[d]) continue;
    const std::vector<double>& values = inverse.bases[d].eigenvalues;
    const auto zero = std::ranges::find(values, 0.0);
    if (zero == values.end()) return {};
    of_zero[d] = static_cast<int>(zero - values.begin());
  }
  ConstantLine line{of_zero[s == 0 ? 1 : 0], of_zero[s == 2 ? 1 : 2], 0};
  if (inverse.transformed[s]) return line;
  const int n = inverse.unknowns.last[s] - inverse.unknowns.first[s];
  line.rows = inverse.bases[s].first_half(n);
  if (std::any_of(inverse.lines.sum.begin(), inverse.lines.sum.begin() + line.rows,
                  [](double sum) { return sum != 0; }))
    return {};
  return line;
}

}  // namespace poisson
