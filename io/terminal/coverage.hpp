#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace poisson {

/// Computes exactly how much of each pixel closed outlines cover. Every edge records, in the pixels that it crosses,
/// how the covered area changes from one pixel to the next. Sums along the rows then give the areas.
class Coverage {
 public:
  struct Point {
    double x = 0, y = 0;
  };

  Coverage(int width, int height)
      : width_(width), height_(height), change_(static_cast<std::size_t>(width + 2) * height), top_(height) {}

  /// Adds an edge of an outline. Inner outlines have the opposite orientation of outer ones.
  void edge(Point from, Point to) {
    if (from.y == to.y) return;
    const double sign = from.y < to.y ? 1 : -1;
    if (sign < 0) std::swap(from, to);
    const double slope = (to.x - from.x) / (to.y - from.y);
    const int first = std::max(0, static_cast<int>(std::floor(from.y)));
    const int last = std::min(height_ - 1, static_cast<int>(std::ceil(to.y)) - 1);
    for (int row = first; row <= last; ++row) {
      const double y0 = std::max(from.y, static_cast<double>(row)), y1 = std::min(to.y, row + 1.0);
      if (y1 > y0) piece(row, from.x + (y0 - from.y) * slope, from.x + (y1 - from.y) * slope, sign * (y1 - y0));
    }
    top_ = std::min(top_, first);
    bottom_ = std::max(bottom_, last);
  }

  /// Calls f(column, row, covered part) for every covered pixel.
  template <class F>
  void visit(F&& f) const {
    for (int row = top_; row <= bottom_; ++row) {
      double sum = 0;
      for (int column = 0; column < width_; ++column) {
        sum += change_[index(row, column)];
        if (const double part = std::min(1.0, std::abs(sum)); part > 1e-3) f(column, row, part);
      }
    }
  }

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * (width_ + 2) + static_cast<std::size_t>(column);
  }

  /// Adds the part of an edge inside one row, of signed `height`, between two abscissae.
  void piece(int row, double xa, double xb, double height) {
    const double x0 = std::clamp(std::min(xa, xb), 0.0, static_cast<double>(width_));
    const double x1 = std::clamp(std::max(xa, xb), 0.0, static_cast<double>(width_));
    const int first = static_cast<int>(x0), last = std::max(first, static_cast<int>(std::ceil(x1)) - 1);
    for (int column = first; column <= last; ++column) {
      const double left = std::max(x0, static_cast<double>(column)), right = std::min(x1, column + 1.0);
      const double share = x1 > x0 ? height * (right - left) / (x1 - x0) : height;
      // Every pixel right of the edge is covered. In this pixel, the area right of the edge's middle is covered.
      const double here = share * (column + 1 - (left + right) / 2);
      change_[index(row, column)] += here;
      change_[index(row, column + 1)] += share - here;
    }
  }

  int width_, height_;
  std::vector<double> change_;
  int top_, bottom_ = -1;
};

}  // namespace poisson
