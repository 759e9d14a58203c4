#include "grids/axes/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace poisson {
namespace {

// Returns whether cells are equal up to the rounding of the coordinates: a cell width between nodes of size |x| is
// known to ε|x|.
bool has_equal_cells(const std::vector<double>& nodes) {
  const auto cells = static_cast<double>(nodes.size() - 1);
  const double h = (nodes.back() - nodes.front()) / cells;
  const double size = std::max(std::abs(nodes.front()), std::abs(nodes.back()));
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * size;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::abs(nodes[i] - (nodes.front() + h * static_cast<double>(i))) > rounding) return false;
  return true;
}

// If neighbouring cells differ by more than this factor, their common node decouples from one of its neighbours.
// Interpolation between both is then wrong for errors that oscillate in the other directions. At a Neumann end from
// which cells grow by a factor of 20, a cycle contracts by 0.83.
constexpr double steepest = 4;

bool is_steep(const Axis& axis) {
  if (axis.equidistant()) return false;
  for (int i = axis.periodic() ? 0 : 1; i < axis.cells(); ++i) {
    const double a = axis.width(i - 1), b = axis.width(i);
    if (std::max(a / b, b / a) > steepest) return true;
  }
  return false;
}

// A single cell does not decide, unless it differs from all others so much that it decouples them.
AxisStrength strength_of(const Axis& axis) {
  if (axis.equidistant()) {
    const double strength = 1 / (axis.width(0) * axis.width(0));
    return {strength, strength, strength};
  }
  std::vector<double> widths;
  for (int i = 0; i < axis.cells(); ++i) widths.push_back(axis.width(i));
  std::sort(widths.begin(), widths.end());
  const double mean = (axis.nodes().back() - axis.nodes().front()) / axis.cells();
  double least = widths.front(), most = widths.back();
  if (widths.size() > 2) {
    if (const double next = widths[1]; next <= steepest * least) least = next;
    if (const double next = widths[widths.size() - 2]; most <= steepest * next) most = next;
  }
  return {1 / (mean * mean), 1 / (most * most), 1 / (least * least)};
}

// Returns the width up to which cells of a steep axis may be merged, so that the smallest cells catch up with the
// others.
double widest_to_merge(const Axis& axis) {
  double smallest = axis.width(0), smallest_pair = std::numeric_limits<double>::infinity();
  for (int i = 1; i < axis.cells(); ++i) {
    const double a = axis.width(i - 1), b = axis.width(i);
    smallest = std::min(smallest, b);
    smallest_pair = std::min(smallest_pair, std::max(a, b));
  }
  return std::max(smallest_pair, steepest * smallest);
}

// Merges pairs in a run of the smallest cells and keeps all other cells.
std::vector<double> merge_the_smallest(const Axis& axis) {
  const int n = axis.cells();
  const double widest = widest_to_merge(axis);
  const auto merges = [&](int i) { return i + 1 < n && std::max(axis.width(i), axis.width(i + 1)) <= widest; };
  std::vector<double> place{0};
  int i = 0;
  while (!merges(i)) place.push_back(++i);
  while (merges(i)) place.push_back(i += 2);
  while (i < n) place.push_back(++i);
  return place;
}

// An odd number of cells leaves a single cell at the end where it is wider relative to the adjacent pair. The next
// level then pairs the single cell of this level. Otherwise a single cell would become ever narrower relative to its
// neighbours.
std::vector<double> every_other(const Axis& axis) {
  const int n = axis.cells();
  const double lower = axis.width(0) / (axis.width(1) + axis.width(2));
  const double upper = axis.width(n - 1) / (axis.width(n - 2) + axis.width(n - 3));
  const bool single_at_lower = lower > upper;
  std::vector<double> place{0};
  for (int i = n % 2 == 1 && single_at_lower ? 1 : 2; i < n; i += 2) place.push_back(i);
  place.push_back(n);
  return place;
}

std::vector<double> merge_evenly(int n) {
  const int N = (n + 1) / 2;
  std::vector<double> place;
  for (int I = 0; I <= N; ++I) place.push_back(static_cast<double>(std::int64_t{I} * n) / N);
  return place;
}

}  // namespace

Axis::Axis(std::vector<double> nodes, BoundaryKind lower, BoundaryKind upper, std::array<double, 2> alpha,
           Centering centering)
    : nodes_(std::move(nodes)),
      kinds_{lower, upper},
      alpha_(alpha),
      centering_(centering),
      equidistant_(has_equal_cells(nodes_)),
      steep_(is_steep(*this)),
      strength_(strength_of(*this)) {}

Axis Axis::coarser(std::vector<double> nodes) const {
  Axis axis(std::move(nodes), kinds_[0], kinds_[1], alpha_, centering_);
  if (!steep_ && !axis.steep_) axis.strength_ = {strength_.mean / 4, strength_.weakest / 4, strength_.strongest / 4};
  return axis;
}

Axis Axis::window(int first, int last) const {
  if (!is_global() || first < 0 || first >= last || last > all_values())
    throw std::invalid_argument("a window is cut out of a whole axis, and lies in it");
  Axis part = *this;
  if (last - first == all_values()) return part;
  part.origin_ = first;
  part.values_ = last - first;
  return part;
}

Axis Axis::global() const {
  Axis all = *this;
  all.origin_ = 0;
  all.values_ = -1;
  return all;
}

int Axis::all_values() const {
  if (degenerate()) return 1;
  return centering_ == Centering::cell || kinds_[0] == BoundaryKind::periodic ? all_cells() : all_cells() + 1;
}

int Axis::size() const {
  return is_global() ? all_values() : values_;
}

int Axis::cells() const {
  return is_global() ? all_cells() : std::min(values_, all_cells() - origin_);
}

int Axis::global_cell(int i) const {
  const int n = all_cells(), at = i + origin_;
  return kinds_[0] == BoundaryKind::periodic ? (at + n) % n : std::clamp(at, -1, n);
}

double Axis::unit() const {
  return degenerate() ? 1 : std::ldexp(1.0, std::ilogb((nodes_.back() - nodes_.front()) / all_cells()));
}

double Axis::point(int i) const {
  const auto at = static_cast<std::size_t>(i + origin_);
  return centering_ == Centering::node ? nodes_[at] : 0.5 * (nodes_[at] + nodes_[at + 1]);
}

double Axis::point_in_cell(int i, double fraction) const {
  if (degenerate()) return 0;
  const int cell = global_cell(i);
  if (cell < 0) return nodes_.front();
  if (cell >= all_cells()) return nodes_.back();
  const auto at = static_cast<std::size_t>(cell);
  return (1 - fraction) * nodes_[at] + fraction * nodes_[at + 1];
}

double Axis::width(int i) const {
  if (degenerate()) return 1;
  const int n = all_cells(), at = i + origin_, cell = at >= 0 && at < n ? at : global_cell(i);
  if (cell < 0 || cell >= n) return 0;
  if (equidistant_) return (nodes_.back() - nodes_.front()) / n;
  return nodes_[static_cast<std::size_t>(cell) + 1] - nodes_[static_cast<std::size_t>(cell)];
}

int Axis::inner_cell(int i) const {
  const int from = open(0) ? std::max(i, 0) : i;
  return open(1) ? std::min(from, cells() - 1) : from;
}

double Axis::coupling(int i, double kappa) const {
  if (degenerate()) return 0;
  const bool below = i < 0, above = i >= size() - 1;
  const int end = below ? 0 : 1;
  if ((below || above) && kind(end) == BoundaryKind::robin) {
    const double a = alpha(end);
    return centering_ == Centering::node ? a : kappa * a / (kappa + 0.5 * a * width(below ? 0 : i));
  }
  return kappa * inverse_distance(i);
}

double Axis::inverse_distance(int i) const {
  if (degenerate()) return 0;
  const bool below = i < 0, above = i >= size() - 1;
  if ((below || above) && open(below ? 0 : 1)) {
    const bool passes = kind(below ? 0 : 1) != BoundaryKind::neumann;
    return centering_ == Centering::cell && passes ? 2 / width(below ? 0 : i) : 0;
  }
  return centering_ == Centering::node ? 1 / width(i) : 2 / (width(i) + width(i + 1));
}

double Axis::mass(int i) const {
  if (degenerate()) return 1;
  return centering_ == Centering::node ? 0.5 * (width(i - 1) + width(i)) : width(i);
}

bool CoarseAxis::nested() const {
  return std::ranges::all_of(place, [](double p) { return p == std::floor(p); });
}

int first_behind(const CoarseAxis& coarse, int first) {
  const bool nodes = coarse.axis.centering() == Centering::node;
  for (int I = 0; I < coarse.axis.global().size(); ++I) {
    const auto at = static_cast<std::size_t>(I);
    if ((nodes ? coarse.place[at] : 0.5 * (coarse.place[at] + coarse.place[at + 1])) >= first) return I;
  }
  return coarse.axis.global().size();
}

CoarseAxis coarsen(const Axis& axis, Coarsening rule) {
  const int n = axis.cells();
  const bool even = axis.equidistant() && rule == Coarsening::even;
  std::vector<double> place = axis.steep() ? merge_the_smallest(axis) : even ? merge_evenly(n) : every_other(axis);
  const std::vector<double>& fine = axis.nodes();
  std::vector<double> nodes;
  for (std::size_t I = 0; I < place.size(); ++I) {
    const double share = static_cast<double>(I) / static_cast<double>(place.size() - 1);
    nodes.push_back(even && I + 1 < place.size() ? fine.front() + (fine.back() - fine.front()) * share
                                                 : fine[static_cast<std::size_t>(place[I])]);
  }
  return {axis.coarser(std::move(nodes)), std::move(place)};
}

CoarseAxis keep(const Axis& axis) {
  std::vector<double> place(static_cast<std::size_t>(std::max(1, axis.cells())) + 1);
  std::iota(place.begin(), place.end(), 0.0);
  return {axis, std::move(place)};
}

bool coarsenable(const Axis& axis) {
  return axis.cells() > 3;
}

}  // namespace poisson
