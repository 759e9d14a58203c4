#include "grids/axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace poisson {
namespace {

// Equal to the rounding of the coordinates: a cell of width h between nodes of size |x| is known to ε|x|.
bool has_equal_cells(const std::vector<double>& nodes) {
  const auto cells = static_cast<double>(nodes.size() - 1);
  const double h = (nodes.back() - nodes.front()) / cells;
  const double size = std::max(std::abs(nodes.front()), std::abs(nodes.back()));
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * size;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::abs(nodes[i] - (nodes.front() + h * static_cast<double>(i))) > rounding) return false;
  return true;
}

// Where neighbouring cells differ by more than this, their common node decouples from one of its neighbours, and
// interpolation between both is wrong for what oscillates in the other directions: a Neumann end with the smallest of
// cells that grow by a factor of 20 contracts by 0.83.
constexpr double steepest = 4;

// The width up to which cells may be merged: infinite on axes that are not steep, else what lets the smallest cells
// catch up with the others.
double widest_to_merge(const Axis& axis) {
  double ratio = 1, smallest = axis.width(0), smallest_pair = std::numeric_limits<double>::infinity();
  for (int i = axis.periodic() ? 0 : 1; i < axis.cells(); ++i) {
    const double a = axis.width(i - 1), b = axis.width(i);
    ratio = std::max({ratio, a / b, b / a});
    smallest = std::min(smallest, b);
    if (i > 0) smallest_pair = std::min(smallest_pair, std::max(a, b));
  }
  return ratio <= steepest ? std::numeric_limits<double>::infinity() : std::max(smallest_pair, steepest * smallest);
}

}  // namespace

Axis::Axis(std::vector<double> nodes, BoundaryKind lower, BoundaryKind upper, std::array<double, 2> alpha,
           Centering centering)
    : nodes_(std::move(nodes)),
      kinds_{lower, upper},
      alpha_(alpha),
      centering_(centering),
      equidistant_(has_equal_cells(nodes_)) {}

int Axis::size() const {
  if (degenerate()) return 1;
  return centering_ == Centering::cell || periodic() ? cells() : cells() + 1;
}

double Axis::point(int i) const {
  const auto at = static_cast<std::size_t>(i);
  return centering_ == Centering::node ? nodes_[at] : 0.5 * (nodes_[at] + nodes_[at + 1]);
}

double Axis::sample_fraction(int i) const {
  const auto leans = [&](int end) { return leaning_ && !periodic() && kind(end) != BoundaryKind::dirichlet; };
  return 0.5 + ((i == cells() - 1 && leans(1) ? 1 : 0) - (i == 0 && leans(0) ? 1 : 0)) / 12.0;
}

double Axis::sample_point(int i) const {
  if (degenerate()) return 0;
  const int n = cells();
  if (periodic()) i = (i + n) % n;
  const double inset = inside_ ? std::ldexp(1.0, -20) : 0;
  if (i < 0) return nodes_.front() + inset * width(0);
  if (i >= n) return nodes_.back() - inset * width(n - 1);
  const auto at = static_cast<std::size_t>(i);
  const double t = sample_fraction(i);
  return (1 - t) * nodes_[at] + t * nodes_[at + 1];
}

double Axis::width(int i) const {
  if (degenerate()) return 1;
  const int n = cells();
  if (periodic()) i = (i + n) % n;
  if (i < 0 || i >= n) return 0;
  if (equidistant_) return (nodes_.back() - nodes_.front()) / n;
  return nodes_[static_cast<std::size_t>(i) + 1] - nodes_[static_cast<std::size_t>(i)];
}

double Axis::coupling(int i, double kappa) const {
  if (degenerate()) return 0;
  const bool below = i < 0, above = i >= size() - 1;
  const int end = below ? 0 : 1;
  if ((below || above) && !periodic() && kind(end) == BoundaryKind::robin) {
    const double a = alpha(end);
    return centering_ == Centering::node ? a : kappa * a / (kappa + 0.5 * a * width(below ? 0 : i));
  }
  return kappa * inverse_distance(i);
}

double Axis::inverse_distance(int i) const {
  if (degenerate()) return 0;
  const bool below = i < 0, above = i >= size() - 1;
  if ((below || above) && !periodic()) {
    const bool open = kind(below ? 0 : 1) != BoundaryKind::neumann;
    return centering_ == Centering::cell && open ? 2 / width(below ? 0 : i) : 0;
  }
  return centering_ == Centering::node ? 1 / width(i) : 2 / (width(i) + width(i + 1));
}

double Axis::mass(int i) const {
  if (degenerate()) return 1;
  return centering_ == Centering::node ? 0.5 * (width(i - 1) + width(i)) : width(i);
}

double Axis::strength() const {
  if (degenerate()) return 0;
  const double mean = (nodes_.back() - nodes_.front()) / cells();
  return 1 / (mean * mean);
}

CoarseAxis coarsen(const Axis& axis, bool single_at_lower) {
  const int n = axis.cells();
  std::vector<int> fine{0};
  if (const double widest = widest_to_merge(axis); std::isinf(widest)) {
    for (int i = n % 2 == 1 && single_at_lower ? 1 : 2; i < n; i += 2) fine.push_back(i);
  } else {
    const auto merges = [&](int i) { return i + 1 < n && std::max(axis.width(i), axis.width(i + 1)) <= widest; };
    int i = 0;
    while (!merges(i)) fine.push_back(++i);
    while (merges(i)) fine.push_back(i += 2);
    while (i < n) fine.push_back(++i);
    fine.pop_back();
  }
  fine.push_back(n);
  std::vector<double> nodes;
  nodes.reserve(fine.size());
  for (const int i : fine) nodes.push_back(axis.nodes()[static_cast<std::size_t>(i)]);
  if (axis.periodic() || axis.centering() == Centering::cell) fine.pop_back();
  return {Axis(std::move(nodes), axis.kind(0), axis.kind(1), {axis.alpha(0), axis.alpha(1)}, axis.centering()),
          std::move(fine)};
}

CoarseAxis coarsen_by_index(const Axis& axis, bool single_at_lower) {
  if (!axis.equidistant()) return coarsen(axis, single_at_lower);
  const int n = axis.cells(), coarse = (n + 1) / 2;
  std::vector<int> fine{0};
  for (int i = n % 2 == 1 && single_at_lower ? 1 : 2; i < n; i += 2) fine.push_back(i);
  if (!axis.periodic()) fine.push_back(n);
  const double first = axis.nodes().front(), last = axis.nodes().back();
  std::vector<double> nodes;
  for (int i = 0; i < coarse; ++i) nodes.push_back(first + (last - first) * i / coarse);
  nodes.push_back(last);
  return {Axis(std::move(nodes), axis.kind(0), axis.kind(1), {axis.alpha(0), axis.alpha(1)}), std::move(fine)};
}

CoarseAxis keep(const Axis& axis) {
  std::vector<int> fine(static_cast<std::size_t>(axis.size()));
  std::iota(fine.begin(), fine.end(), 0);
  return {axis, std::move(fine)};
}

bool coarsenable(const Axis& axis) {
  return axis.cells() > 3;
}

}  // namespace poisson
