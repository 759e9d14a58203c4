#include "grids/axes/layers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

// Returns the nearest decimal number of 15 digits, counted from `scale`, if it is at most one rounding away from the
// sum `value`, else the sum. The numbers that were added are at most `scale`.
double decimal(double value, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) return value;
  const int places = std::max(0, 14 - static_cast<int>(std::floor(std::log10(scale))));
  std::array<char, 768> digits{};
  const char* end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, places).ptr;
  double near = value;
  std::from_chars(digits.data(), end, near);
  const double rounding = std::nextafter(scale, std::numeric_limits<double>::infinity()) - scale;
  return std::abs(near - value) <= rounding ? near + 0.0 : value;  // avoids -0
}

}  // namespace

std::vector<double> layered_nodes(double lower, std::span<const Layer> layers) {
  std::vector<double> nodes{lower};
  double sum = lower, scale = std::abs(lower), lost = 0;  // sum of rounding errors (Knuth's two-sum)
  for (const Layer& layer : layers) {
    const double next = sum + layer.thickness;
    const double added = next - sum;
    lost += (sum - (next - added)) + (layer.thickness - added);
    sum = next;
    scale = std::max(scale, std::abs(sum));
    const std::vector<double> equal = uniform_nodes(nodes.back(), decimal(sum + lost, scale), layer.cells);
    nodes.insert(nodes.end(), equal.begin() + 1, equal.end());
  }
  return nodes;
}

}  // namespace poisson
