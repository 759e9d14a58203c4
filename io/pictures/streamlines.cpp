#include "io/pictures/streamlines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace poisson {
namespace {

constexpr double step_length = 2;       // pixels
constexpr double closest = 0.5;         // a line ends at this share of the separation from others
constexpr double shortest_line = 0.75;  // of the separation; shorter ones are left out

/// Finds points near a point. Points lie in squares whose side is the separation.
class NearPoints {
 public:
  NearPoints(double width, double height, double side)
      : side_(side),
        columns_(static_cast<int>(width / side) + 1),
        rows_(static_cast<int>(height / side) + 1),
        squares_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

  void add(PicturePoint p) { squares_[index(column(p), row(p))].push_back(p); }
  bool any_within(PicturePoint p, double distance) const {
    for (int r = std::max(0, row(p) - 1); r <= std::min(rows_ - 1, row(p) + 1); ++r)
      for (int c = std::max(0, column(p) - 1); c <= std::min(columns_ - 1, column(p) + 1); ++c)
        for (const PicturePoint& other : squares_[index(c, r)])
          if (std::hypot(other.x - p.x, other.y - p.y) < distance) return true;
    return false;
  }

 private:
  int column(PicturePoint p) const { return std::clamp(static_cast<int>(p.x / side_), 0, columns_ - 1); }
  int row(PicturePoint p) const { return std::clamp(static_cast<int>(p.y / side_), 0, rows_ - 1); }
  std::size_t index(int c, int r) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c);
  }

  double side_;
  int columns_, rows_;
  std::vector<std::vector<PicturePoint>> squares_;
};

class Placement {
 public:
  Placement(double width, double height, double separation, const FlowDirection& flow)
      : width_(width), height_(height), separation_(separation), flow_(flow), taken_(width, height, separation) {}

  std::vector<Streamline> lines() {
    grow_from({width_ / 2, height_ / 2});
    // Flow that no neighbour of a line reaches, such as that of another body.
    const double stride = separation_ / 2;
    for (double y = stride / 2; y < height_; y += stride)
      for (double x = stride / 2; x < width_; x += stride) grow_from({x, y});
    return std::move(lines_);
  }

 private:
  bool inside(PicturePoint p) const { return p.x >= 0 && p.y >= 0 && p.x <= width_ && p.y <= height_; }

  /// Adds the line through a seed, and the lines beside it until no more fit.
  void grow_from(PicturePoint seed) {
    std::size_t next = lines_.size();
    add(seed);
    for (; next < lines_.size(); ++next) {
      const Streamline line = lines_[next];  // later lines may move the original
      for (std::size_t i = 0; i < line.size(); ++i) {
        const PicturePoint before = line[i == 0 ? 0 : i - 1], after = line[std::min(i + 1, line.size() - 1)];
        const double dx = after.x - before.x, dy = after.y - before.y, length = std::hypot(dx, dy);
        if (!(length > 0)) continue;
        for (const double side : {separation_, -separation_})
          add({line[i].x - side * dy / length, line[i].y + side * dx / length});
      }
    }
  }

  void add(PicturePoint seed) {
    // Seeds beside a line are at the separation from it, except for rounding.
    if (!inside(seed) || taken_.any_within(seed, (1 - 1e-6) * separation_) || !flow_(seed)) return;
    const Streamline back = follow(seed, -1, {});
    const Streamline ahead = follow(seed, 1, back);
    Streamline line(back.rbegin(), back.rend());
    line.push_back(seed);
    line.insert(line.end(), ahead.begin(), ahead.end());
    double length = 0;
    for (std::size_t i = 1; i < line.size(); ++i)
      length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    if (length < shortest_line * separation_) return;
    for (const PicturePoint& p : line) taken_.add(p);
    lines_.push_back(std::move(line));
  }

  /// Follows the flow, or its opposite, until the line leaves the panel or comes close to another line or itself.
  Streamline follow(PicturePoint seed, double sign, const Streamline& opposite) const {
    Streamline line;
    const auto most = static_cast<std::size_t>(4 * (width_ + height_) / step_length);
    // The last points of this line are near by themselves.
    const auto recent = static_cast<std::size_t>(2 * separation_ / step_length);
    const auto near_itself = [&](PicturePoint p) {
      const double distance = closest * separation_;
      const auto near = [&](PicturePoint q) { return std::hypot(q.x - p.x, q.y - p.y) < distance; };
      const std::size_t count = line.size();
      if (count > recent && std::any_of(line.begin(), line.end() - static_cast<std::ptrdiff_t>(recent), near))
        return true;
      const std::size_t skipped = count >= recent ? 0 : recent - count;
      return opposite.size() > skipped &&
             std::any_of(opposite.begin() + static_cast<std::ptrdiff_t>(skipped), opposite.end(), near);
    };
    for (PicturePoint at = seed; line.size() < most;) {
      const std::optional<PicturePoint> first = flow_(at);
      if (!first) break;
      const double h = sign * step_length;
      const std::optional<PicturePoint> middle = flow_({at.x + h / 2 * first->x, at.y + h / 2 * first->y});
      if (!middle || middle->x * first->x + middle->y * first->y < 0) break;
      const PicturePoint next{at.x + h * middle->x, at.y + h * middle->y};
      if (!inside(next)) {
        line.push_back(at_edge(at, next));
        break;
      }
      if (taken_.any_within(next, closest * separation_) || near_itself(next)) break;
      line.push_back(at = next);
    }
    return line;
  }

  /// Returns the point where a step leaves the panel.
  PicturePoint at_edge(PicturePoint from, PicturePoint to) const {
    double t = 1;
    const auto limit = [&t](double a, double b, double end) {
      if (b > end) t = std::min(t, (end - a) / (b - a));
      if (b < 0) t = std::min(t, a / (a - b));
    };
    limit(from.x, to.x, width_);
    limit(from.y, to.y, height_);
    return {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
  }

  double width_, height_, separation_;
  const FlowDirection& flow_;
  NearPoints taken_;
  std::vector<Streamline> lines_;
};

}  // namespace

std::vector<Streamline> streamlines(double width, double height, double separation, const FlowDirection& flow) {
  return Placement(width, height, separation, flow).lines();
}

}  // namespace poisson
