#include "solver/direct/mean_data.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace poisson {
namespace {

// Cells along an axis form at most this number of groups. Each group is sampled at the centre of its middle cell.
constexpr int most_groups = 24;

struct Points {
  std::vector<double> at, weight;
};

Points points_of(const std::vector<double>& nodes) {
  const int cells = static_cast<int>(nodes.size()) - 1, groups = std::min(cells, most_groups);
  if (cells < 1) return {{0.0}, {1.0}};
  const auto node = [&](int i) { return nodes[static_cast<std::size_t>(i)]; };
  Points points;
  for (int g = 0; g < groups; ++g) {
    const int first = g * cells / groups, last = (g + 1) * cells / groups, middle = (first + last - 1) / 2;
    points.at.push_back(0.5 * (node(middle) + node(middle + 1)));
    points.weight.push_back(node(last) - node(first));
  }
  return points;
}

Spread spread_over(const Quantity& datum, const std::array<Points, 3>& points) {
  if (const double* value = datum.constant()) return {*value, *value, *value};
  Spread spread{0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  double weights = 0;
  const auto add = [&](double value, double weight) {
    spread.mean += weight * value;
    weights += weight;
    spread.least = std::min(spread.least, value);
    spread.largest = std::max(spread.largest, value);
  };
  if (const GridArray* array = datum.array()) {
    if (array->part) return {array->part->mean, array->part->least, array->part->largest};
    if (array->values.empty() && !array->on_device) return {};  // not read yet
    const std::vector<double> read = array->on_device ? array->on_host().values : std::vector<double>();
    for (const double value : array->on_device ? read : array->values) add(value, 1);
  } else {
    const auto& [x, y, z] = points;
    std::vector<double> values(x.at.size()), yj(x.at.size()), zk(x.at.size());
    for (std::size_t k = 0; k < z.at.size(); ++k)
      for (std::size_t j = 0; j < y.at.size(); ++j) {
        std::ranges::fill(yj, y.at[j]);
        std::ranges::fill(zk, z.at[k]);
        (*datum.function())(x.at, yj, zk, values);
        for (std::size_t i = 0; i < values.size(); ++i) add(values[i], x.weight[i] * y.weight[j] * z.weight[k]);
      }
  }
  spread.mean /= weights;
  return spread;
}

std::array<Points, 3> points_of_box(const Problem& problem) {
  return {points_of(problem.nodes[0]), points_of(problem.nodes[1]), points_of(problem.nodes[2])};
}

}  // namespace

Spread spread_over_box(const Problem& problem, const Quantity& datum) {
  return spread_over(datum, points_of_box(problem));
}

Problem with_constant_data(const Problem& problem, double Spread::*representative) {
  Problem constant = problem;
  constant.full_tensor = false;
  for (Quantity& kappa : constant.coefficient) kappa = 1.0;
  constant.reaction = spread_over_box(problem, problem.reaction).*representative;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary& face = constant.boundary[d][end];
      if (face.kind != BoundaryKind::robin || face.alpha.constant()) continue;
      auto points = points_of_box(problem);
      points[d] = {{end == 0 ? problem.nodes[d].front() : problem.nodes[d].back()}, {1.0}};
      face.alpha = spread_over(face.alpha, points).*representative;
    }
  return constant;
}

Problem with_mean_data(const Problem& problem) {
  return with_constant_data(problem, &Spread::mean);
}

}  // namespace poisson
