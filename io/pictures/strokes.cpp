#include "io/pictures/strokes.hpp"

namespace poisson {
namespace {

PicturePoint least_of(PicturePoint a, PicturePoint b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y)};
}

PicturePoint most_of(PicturePoint a, PicturePoint b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y)};
}

double distance_to_segment(PicturePoint p, PicturePoint from, PicturePoint to) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / length, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - from.x - t * dx, p.y - from.y - t * dy);
}

}  // namespace

void Strokes::segment(PicturePoint from, PicturePoint to, double thickness) {
  cover(least_of(from, to), most_of(from, to), reach_ + thickness / 2,
        [&](PicturePoint p) { return distance_to_segment(p, from, to) - thickness / 2; });
}

void Strokes::triangle(PicturePoint a, PicturePoint b, PicturePoint c) {
  const auto side = [](PicturePoint p, PicturePoint from, PicturePoint to) {
    return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
  };
  const double turn = side(c, a, b) < 0 ? -1 : 1;
  cover(least_of(least_of(a, b), c), most_of(most_of(a, b), c), reach_, [&](PicturePoint p) {
    const double nearest =
        std::min({distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
    const bool inside = turn * side(p, a, b) >= 0 && turn * side(p, b, c) >= 0 && turn * side(p, c, a) >= 0;
    return inside ? -nearest : nearest;
  });
}

}  // namespace poisson
