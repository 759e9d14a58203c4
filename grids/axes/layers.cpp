#include "grids/axes/layers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

// The decimal number of 15 digits, where that is the double itself or a neighbour of it.
double decimal(double value) {
  std::array<char, 32> digits{};
  const char* end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific, 14).ptr;
  double near = value;
  std::from_chars(digits.data(), end, near);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool neighbour = near >= std::nextafter(value, -infinity) && near <= std::nextafter(value, infinity);
  return neighbour ? near : value;
}

}  // namespace

std::vector<double> layered_nodes(double lower, std::span<const Layer> layers) {
  std::vector<double> nodes{lower};
  double sum = lower, lost = 0;  // what rounding took off the sum (Knuth's two-sum)
  for (const Layer& layer : layers) {
    const double next = sum + layer.thickness;
    const double added = next - sum;
    lost += (sum - (next - added)) + (layer.thickness - added);
    sum = next;
    const std::vector<double> equal = uniform_nodes(nodes.back(), decimal(sum + lost), layer.cells);
    nodes.insert(nodes.end(), equal.begin() + 1, equal.end());
  }
  return nodes;
}

}  // namespace poisson
