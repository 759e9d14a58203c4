// Cones, tori and solids of revolution.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "grids/problem/shapes.hpp"

namespace poisson {
namespace {

double scalar(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Is a coordinate h along an axis and the distance from it. On a ray, h and the square of the distance are polynomials
// of t.
class AxisFrame {
 public:
  AxisFrame(const Point& origin, const Point& axis) : origin_(origin), axis_(axis) {
    const double length = std::sqrt(scalar(axis, axis));
    for (double& a : axis_) a /= length;
  }

  const Point& axis() const { return axis_; }
  std::array<double, 2> place(const Point& p) const {  // distance, h
    const Point o{p[0] - origin_[0], p[1] - origin_[1], p[2] - origin_[2]};
    const double h = scalar(o, axis_);
    const Point across = without_axis(o, h);
    return {std::sqrt(scalar(across, across)), h};
  }

  // h(t) = h0 + t h1 and distance²(t) = c0 + 2 t c1 + t² c2, with t from the point at `from`.
  struct Line {
    double h0, h1, c0, c1, c2;
  };
  Line line(const Ray& ray, double from) const {
    const Point p = ray.at(from);
    const Point o{p[0] - origin_[0], p[1] - origin_[1], p[2] - origin_[2]};
    const double h0 = scalar(o, axis_), h1 = scalar(ray.direction, axis_);
    const Point across = without_axis(o, h0), v = without_axis(ray.direction, h1);
    double c2 = scalar(v, v);
    if (c2 < 1e-28 * scalar(ray.direction, ray.direction)) c2 = 0;
    return {h0, h1, scalar(across, across), c2 == 0 ? 0 : scalar(v, across), c2};
  }
  // Returns the t of a ray that is nearest to the origin, where polynomials in t − t0 are best conditioned.
  double nearest(const Ray& ray) const {
    const Point o{ray.origin[0] - origin_[0], ray.origin[1] - origin_[1], ray.origin[2] - origin_[2]};
    return -scalar(o, ray.direction) / scalar(ray.direction, ray.direction);
  }
  // Returns the box around a disk or ring: h between two values, and a distance up to `reach`.
  Bounds box(double lower, double upper, double reach) const {
    Bounds b;
    for (std::size_t d = 0; d < 3; ++d) {
      const double a = lower * axis_[d], z = upper * axis_[d];
      const double wide = reach * std::sqrt(std::max(0.0, 1 - axis_[d] * axis_[d]));
      b.lower[d] = origin_[d] + std::min(a, z) - wide;
      b.upper[d] = origin_[d] + std::max(a, z) + wide;
    }
    return b;
  }

 private:
  Point without_axis(const Point& o, double h) const {
    return {o[0] - h * axis_[0], o[1] - h * axis_[1], o[2] - h * axis_[2]};
  }
  Point origin_, axis_;
};

// Appends the real roots of a t² + 2 b t + c.
void add_quadratic_roots(double a, double b, double c, std::vector<double>& roots) {
  if (a == 0) {
    if (b != 0) roots.push_back(-c / (2 * b));
    return;
  }
  const double discriminant = b * b - a * c;
  if (!(discriminant >= 0)) return;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  roots.push_back(q / a);
  if (q != 0) roots.push_back(c / q);
}

// Sets `inside` to the parts of a ray between adjacent `cuts` whose middle is inside, joined. The cuts include all
// crossings, and may include other places.
template <class F>
void set_between(const Ray& ray, std::vector<double>& cuts, const F& is_inside, Spans& inside) {
  inside.clear();
  std::ranges::sort(cuts);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const double a = cuts[i], b = cuts[i + 1];
    if (!(a < b) || b <= ray.lower || a >= ray.upper || !is_inside(0.5 * (a + b))) continue;
    const double from = std::max(a, ray.lower), to = std::min(b, ray.upper);
    if (!inside.empty() && inside.back().second >= from)
      inside.back().second = to;
    else
      inside.emplace_back(from, to);
  }
}

class Cone final : public Shape {
 public:
  Cone(const Point& from, const Point& to, double radius_from, double radius_to)
      : frame_(from, {to[0] - from[0], to[1] - from[1], to[2] - from[2]}), first_(radius_from), last_(radius_to) {
    length_ = scalar({to[0] - from[0], to[1] - from[1], to[2] - from[2]}, frame_.axis());
    slope_ = (last_ - first_) / length_;
  }
  bool contains(const Point& p) const override {
    const auto [distance, h] = frame_.place(p);
    return h >= 0 && h < length_ && distance < first_ + slope_ * h;
  }
  // The cone is convex: the ray is inside between two roots of distance² = (r + slope · h)², or within one of the parts
  // beyond them, and between the ends.
  void cut(const Ray& ray, Spans& inside) const override {
    inside.clear();
    const double t0 = frame_.nearest(ray);
    const AxisFrame::Line l = frame_.line(ray, t0);
    double lower = -Bounds::far, upper = Bounds::far;
    if (l.h1 == 0) {
      if (l.h0 < 0 || l.h0 >= length_) return;
    } else {
      const double a = -l.h0 / l.h1, b = (length_ - l.h0) / l.h1;
      lower = std::min(a, b);
      upper = std::max(a, b);
    }
    const double r0 = first_ + slope_ * l.h0, r1 = slope_ * l.h1;
    thread_local std::vector<double> cuts;
    cuts.clear();
    add_quadratic_roots(l.c2 - r1 * r1, l.c1 - r0 * r1, l.c0 - r0 * r0, cuts);
    std::erase_if(cuts, [&](double t) { return !(t > lower && t < upper); });
    cuts.push_back(lower);
    cuts.push_back(upper);
    for (double& t : cuts) t += t0;
    set_between(
        ray, cuts,
        [&](double t) {
          const double s = t - t0, r = r0 + r1 * s;
          return l.c0 + s * (2 * l.c1 + s * l.c2) < r * r;
        },
        inside);
  }
  Bounds bounds() const override {
    const Bounds a = frame_.box(0, 0, first_), b = frame_.box(length_, length_, last_);
    Bounds both;
    for (std::size_t d = 0; d < 3; ++d) {
      both.lower[d] = std::min(a.lower[d], b.lower[d]);
      both.upper[d] = std::max(a.upper[d], b.upper[d]);
    }
    return both;
  }

 private:
  AxisFrame frame_;
  double first_, last_, length_ = 0, slope_ = 0;
};

// Is a polynomial of degree 4 at most; coefficients begin with that of 1.
using Polynomial = std::array<double, 5>;

double value_at(const Polynomial& p, double t) {
  return p[0] + t * (p[1] + t * (p[2] + t * (p[3] + t * p[4])));
}

// Contains the roots of a polynomial in ascending order.
struct Roots {
  std::array<double, 6> t{};
  std::size_t count = 0;
  void add(double root) { t[count++] = root; }
};

// Returns the root between two places at which a polynomial has different signs: Newton's method, or halving where it
// leaves the interval. `at_low` is the value at the lower end.
double root_between(const Polynomial& p, const Polynomial& derivative, double low, double high, double at_low) {
  double t = 0.5 * (low + high);
  for (int step = 0; step < 200; ++step) {
    const double value = value_at(p, t);
    if (value == 0) return t;
    ((value < 0) == (at_low < 0) ? low : high) = t;
    double next = t - value / value_at(derivative, t);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 2e-16 * (std::abs(low) + std::abs(high))) return next;
    t = next;
  }
  return t;
}

// Finds the roots between two bounds: in each interval between roots of the derivative there is one at most.
Roots find_roots(const Polynomial& p, int degree, double lower, double upper) {
  Roots roots;
  if (degree == 2) {
    thread_local std::vector<double> both;
    both.clear();
    add_quadratic_roots(p[2], 0.5 * p[1], p[0], both);
    std::ranges::sort(both);
    for (const double t : both)
      if (t > lower && t < upper) roots.add(t);
    return roots;
  }
  Polynomial derivative{};
  for (std::size_t i = 1; i <= static_cast<std::size_t>(degree); ++i) derivative[i - 1] = static_cast<double>(i) * p[i];
  const Roots turns = find_roots(derivative, degree - 1, lower, upper);
  double a = lower, at_a = value_at(p, lower);
  for (std::size_t i = 0; i <= turns.count; ++i) {
    const double b = i < turns.count ? turns.t[i] : upper, at_b = value_at(p, b);
    if (at_a == 0)
      roots.add(a);
    else if (at_a < 0 ? at_b > 0 : at_b < 0)
      roots.add(root_between(p, derivative, a, b, at_a));
    a = b;
    at_a = at_b;
  }
  if (at_a == 0) roots.add(upper);
  return roots;
}

class Torus final : public Shape {
 public:
  Torus(const Point& centre, const Point& axis, double ring, double tube)
      : frame_(centre, axis), ring_(ring), tube_(tube) {}
  bool contains(const Point& p) const override {
    const auto [distance, h] = frame_.place(p);
    return is_inside(distance, h);
  }
  // The surface is (s + R² − r²)² = 4 R² distance², where s is the square of the distance from the centre. With t from
  // the point nearest to the centre, s = s0 + t² s2.
  void cut(const Ray& ray, Spans& inside) const override {
    inside.clear();
    const double t0 = frame_.nearest(ray), size = ring_ + tube_;
    AxisFrame::Line l = frame_.line(ray, t0);
    const double speed = std::sqrt(l.c2 + l.h1 * l.h1);
    // Lengths in units of the outer radius; t in that unit, too.
    const double s0 = (l.c0 + l.h0 * l.h0) / (size * size);
    if (s0 >= 1) return;
    const double R = ring_ / size, r = tube_ / size;
    const double c0 = l.c0 / (size * size), c1 = l.c1 / (size * speed), c2 = l.c2 / (speed * speed);
    const double k = s0 + R * R - r * r;
    const Polynomial p{k * k - 4 * R * R * c0, -8 * R * R * c1, 2 * k - 4 * R * R * c2, 0, 1};
    const double reach = std::sqrt(1 - s0) * (1 + 1e-12);
    const Roots roots = find_roots(p, 4, -reach, reach);
    thread_local std::vector<double> cuts;
    cuts.clear();
    for (std::size_t i = 0; i < roots.count; ++i) cuts.push_back(t0 + size / speed * roots.t[i]);
    set_between(
        ray, cuts,
        [&](double t) {
          const double s = t - t0;
          return is_inside(std::sqrt(std::max(0.0, l.c0 + s * (2 * l.c1 + s * l.c2))), l.h0 + s * l.h1);
        },
        inside);
  }
  Bounds bounds() const override {
    Bounds b = frame_.box(0, 0, ring_);
    for (std::size_t d = 0; d < 3; ++d) {
      b.lower[d] -= tube_;
      b.upper[d] += tube_;
    }
    return b;
  }

 private:
  bool is_inside(double distance, double h) const {
    return (distance - ring_) * (distance - ring_) + h * h < tube_ * tube_;
  }
  AxisFrame frame_;
  double ring_, tube_;
};

class Revolved final : public Shape {
 public:
  Revolved(std::vector<std::array<double, 2>> points, const Point& axis)
      : frame_({}, axis), points_(std::move(points)) {
    for (const auto& [distance, h] : points_) {
      reach_ = std::max(reach_, distance);
      low_ = std::min(low_, h);
      high_ = std::max(high_, h);
    }
  }
  bool contains(const Point& p) const override {
    const auto [distance, h] = frame_.place(p);
    return in_profile(distance, h);
  }
  // Each side of the polygon sweeps a piece of a cone, or of a plane.
  void cut(const Ray& ray, Spans& inside) const override {
    const double t0 = frame_.nearest(ray);
    const AxisFrame::Line l = frame_.line(ray, t0);
    thread_local std::vector<double> cuts, roots;
    cuts.clear();
    const double margin = 1e-9 * (high_ - low_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto [ra, ha] = points_[i];
      const auto [rb, hb] = points_[(i + 1) % points_.size()];
      if (ra == 0 && rb == 0) continue;  // a side on the axis
      if (ha == hb) {
        if (l.h1 != 0) cuts.push_back((ha - l.h0) / l.h1);
        continue;
      }
      const double slope = (rb - ra) / (hb - ha), r0 = ra + slope * (l.h0 - ha), r1 = slope * l.h1;
      roots.clear();
      add_quadratic_roots(l.c2 - r1 * r1, l.c1 - r0 * r1, l.c0 - r0 * r0, roots);
      for (const double t : roots) {
        const double h = l.h0 + t * l.h1;
        if (h >= std::min(ha, hb) - margin && h <= std::max(ha, hb) + margin) cuts.push_back(t);
      }
    }
    // Along the axis, a ray meets only planes. Other rays may begin inside.
    for (double& t : cuts) t += t0;
    set_between(
        ray, cuts,
        [&](double t) {
          const double s = t - t0;
          return in_profile(std::sqrt(std::max(0.0, l.c0 + s * (2 * l.c1 + s * l.c2))), l.h0 + s * l.h1);
        },
        inside);
  }
  Bounds bounds() const override { return frame_.box(low_, high_, reach_); }

 private:
  bool in_profile(double r, double h) const {
    bool in = false;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto &a = points_[i], &b = points_[(i + 1) % points_.size()];
      if ((a[1] <= h) != (b[1] <= h) && r < a[0] + (h - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) in = !in;
    }
    return in;
  }
  AxisFrame frame_;
  std::vector<std::array<double, 2>> points_;
  double reach_ = 0, low_ = Bounds::far, high_ = -Bounds::far;
};

}  // namespace

ShapePtr make_cone(const Point& from, const Point& to, double radius_from, double radius_to) {
  return std::make_shared<const Cone>(from, to, radius_from, radius_to);
}
ShapePtr make_torus(const Point& centre, const Point& axis, double ring, double tube) {
  return std::make_shared<const Torus>(centre, axis, ring, tube);
}
ShapePtr make_revolved(std::vector<std::array<double, 2>> points, const Point& axis) {
  return std::make_shared<const Revolved>(std::move(points), axis);
}

}  // namespace poisson
