#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace poisson {

/// Is a point of a picture in pixels; x counts from the left edge, y from the top edge.
struct PicturePoint {
  double x = 0, y = 0;
};

/// Stores, for each pixel of a panel, the distance of its centre from the nearest stroke; negative inside. A line that
/// covers pixels by their distance is smooth, and overlapping strokes do not darken each other.
class Strokes {
 public:
  /// Distances beyond `reach` are not stored.
  Strokes(int width, int height, double reach)
      : width_(width),
        height_(height),
        reach_(reach),
        distances_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                   std::numeric_limits<float>::infinity()) {}

  int width() const { return width_; }
  int height() const { return height_; }
  double at(int x, int y) const { return distances_[index(x, y)]; }
  void add(int x, int y, double distance) {
    float& stored = distances_[index(x, y)];
    stored = std::min(stored, static_cast<float>(distance));
  }
  /// Adds a line of the given width with round ends.
  void segment(PicturePoint from, PicturePoint to, double thickness);
  void triangle(PicturePoint a, PicturePoint b, PicturePoint c);

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  /// Adds distance(centre of the pixel) in a box of pixels that extends by `beyond` around the points.
  template <class F>
  void cover(PicturePoint least, PicturePoint most, double beyond, const F& distance) {
    const auto clamped = [](double place, int size) {
      return static_cast<int>(std::clamp(std::floor(place), 0.0, static_cast<double>(size)));
    };
    const int x1 = clamped(most.x + beyond + 1, width_), y1 = clamped(most.y + beyond + 1, height_);
    for (int y = clamped(least.y - beyond, height_); y < y1; ++y)
      for (int x = clamped(least.x - beyond, width_); x < x1; ++x) add(x, y, distance(PicturePoint{x + 0.5, y + 0.5}));
  }

  int width_, height_;
  double reach_;
  std::vector<float> distances_;
};

}  // namespace poisson
