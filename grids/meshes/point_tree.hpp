#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace poisson {

/// Finds points in boxes: a k-d tree whose nodes are the medians of ranges. The coordinates must outlive it.
class PointTree {
 public:
  using Point = std::array<double, 3>;

  PointTree(std::span<const Point> points, std::vector<int> numbers) : points_(points), order_(std::move(numbers)) {
    arrange(0, order_.size(), 0);
  }
  /// Calls f(number) for all points of a closed box.
  template <class F>
  void within(const Point& lower, const Point& upper, const F& f) const {
    visit(0, order_.size(), 0, lower, upper, f);
  }

 private:
  double coordinate(int number, std::size_t axis) const { return points_[static_cast<std::size_t>(number)][axis]; }
  void arrange(std::size_t begin, std::size_t end, std::size_t axis) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](int a, int b) {
      const double x = coordinate(a, axis), y = coordinate(b, axis);
      return x < y || (x == y && a < b);
    });
    arrange(begin, middle, (axis + 1) % 3);
    arrange(middle + 1, end, (axis + 1) % 3);
  }
  template <class F>
  void visit(std::size_t begin, std::size_t end, std::size_t axis, const Point& lower, const Point& upper,
             const F& f) const {
    if (begin >= end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const int number = order_[middle];
    const double x = coordinate(number, axis);
    if (lower[axis] <= x) visit(begin, middle, (axis + 1) % 3, lower, upper, f);
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d)
      inside = inside && lower[d] <= coordinate(number, d) && coordinate(number, d) <= upper[d];
    if (inside) f(number);
    if (x <= upper[axis]) visit(middle + 1, end, (axis + 1) % 3, lower, upper, f);
  }

  std::span<const Point> points_;
  std::vector<int> order_;
};

}  // namespace poisson
