#include "grids/problem/shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace poisson {

bool Bounds::meets(const Bounds& other) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (lower[d] > other.upper[d] || upper[d] < other.lower[d]) return false;
  return true;
}

void Shape::add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const {
  const Bounds own = bounds();
  if (!own.meets(within)) return;
  for (const double end : {own.lower[axis], own.upper[axis]})
    if (end > within.lower[axis] && end < within.upper[axis]) ends.push_back(end);
}

bool Bounds::meets(const Ray& ray) const {
  for (std::size_t d = 0; d < 3; ++d) {
    const double a = ray.origin[d] + ray.lower * ray.direction[d], b = ray.origin[d] + ray.upper * ray.direction[d];
    if (std::max(a, b) < lower[d] || std::min(a, b) > upper[d]) return false;
  }
  return true;
}

void Shape::contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const {
  for (std::size_t i = 0; i < t.size(); ++i) inside[i] = contains(ray.at(t[i])) ? 1 : 0;
}

ShapePtr Shape::moved(const Motion&) const {
  return nullptr;
}

namespace {

// Sets `inside` to one interval, clipped to the ray.
void set_interval(const Ray& ray, double lower, double upper, Spans& inside) {
  inside.clear();
  lower = std::max(lower, ray.lower);
  upper = std::min(upper, ray.upper);
  if (lower < upper) inside.emplace_back(lower, upper);
}

// Restricts lower ≤ t ≤ upper to lo ≤ origin + t · direction ≤ hi.
void clip(double origin, double direction, double lo, double hi, double& lower, double& upper) {
  if (direction == 0) {
    if (origin < lo || origin >= hi) upper = -Bounds::far;
    return;
  }
  // An end of a slab that lies on a coordinate of the ray's axis is this coordinate, without rounding.
  const bool plain = direction == 1 && origin == 0;
  const double a = plain ? lo : (lo - origin) / direction, b = plain ? hi : (hi - origin) / direction;
  lower = std::max(lower, std::min(a, b));
  upper = std::min(upper, std::max(a, b));
}

// Restricts lower ≤ t ≤ upper to a t² + 2 b t + c ≤ 0, where a ≥ 0.
void clip_quadratic(double a, double b, double c, double& lower, double& upper) {
  if (a == 0) {
    if (c >= 0) upper = -Bounds::far;
    return;
  }
  const double discriminant = b * b - a * c;
  if (!(discriminant > 0)) {
    upper = -Bounds::far;
    return;
  }
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  const double t0 = q / a, t1 = q == 0 ? 0 : c / q;
  lower = std::max(lower, std::min(t0, t1));
  upper = std::min(upper, std::max(t0, t1));
}

class BoxShape final : public Shape {
 public:
  BoxShape(const Point& lower, const Point& upper) : bounds_{lower, upper} {}
  bool contains(const Point& p) const override {
    for (std::size_t d = 0; d < 3; ++d)
      if (p[d] < bounds_.lower[d] || p[d] >= bounds_.upper[d]) return false;
    return true;
  }
  void cut(const Ray& ray, Spans& inside) const override {
    double lower = -Bounds::far, upper = Bounds::far;
    for (std::size_t d = 0; d < 3; ++d)
      clip(ray.origin[d], ray.direction[d], bounds_.lower[d], bounds_.upper[d], lower, upper);
    set_interval(ray, lower, upper, inside);
  }
  Bounds bounds() const override { return bounds_; }

 private:
  Bounds bounds_;
};

class Ellipsoid final : public Shape {
 public:
  Ellipsoid(const Point& centre, const Point& radii) : centre_(centre), radii_(radii) {}
  bool contains(const Point& p) const override {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += square((p[d] - centre_[d]) / radii_[d]);
    return sum < 1;
  }
  void cut(const Ray& ray, Spans& inside) const override {
    double a = 0, b = 0, c = -1;
    for (std::size_t d = 0; d < 3; ++d) {
      const double o = (ray.origin[d] - centre_[d]) / radii_[d], v = ray.direction[d] / radii_[d];
      a += v * v;
      b += v * o;
      c += o * o;
    }
    double lower = -Bounds::far, upper = Bounds::far;
    clip_quadratic(a, b, c, lower, upper);
    set_interval(ray, lower, upper, inside);
  }
  Bounds bounds() const override {
    Bounds b;
    for (std::size_t d = 0; d < 3; ++d) {
      b.lower[d] = centre_[d] - radii_[d];
      b.upper[d] = centre_[d] + radii_[d];
    }
    return b;
  }

 private:
  static double square(double x) { return x * x; }
  Point centre_, radii_;
};

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

class Cylinder final : public Shape {
 public:
  Cylinder(const Point& from, const Point& to, double radius) : from_(from), axis_(minus(to, from)), radius_(radius) {
    length_ = std::sqrt(dot(axis_, axis_));
    for (double& a : axis_) a /= length_;
  }
  bool contains(const Point& p) const override {
    const Point o = minus(p, from_);
    const double along = dot(o, axis_);
    return along >= 0 && along < length_ && dot(o, o) - along * along < radius_ * radius_;
  }
  void cut(const Ray& ray, Spans& inside) const override {
    const Point o = minus(ray.origin, from_);
    const double o_along = dot(o, axis_), v_along = dot(ray.direction, axis_);
    double lower = -Bounds::far, upper = Bounds::far;
    clip(o_along, v_along, 0, length_, lower, upper);
    Point across = o, v = ray.direction;
    for (std::size_t d = 0; d < 3; ++d) {
      across[d] -= o_along * axis_[d];
      v[d] -= v_along * axis_[d];
    }
    const double a = dot(v, v);
    clip_quadratic(a < 1e-28 * dot(ray.direction, ray.direction) ? 0 : a, dot(v, across),
                   dot(across, across) - radius_ * radius_, lower, upper);
    set_interval(ray, lower, upper, inside);
  }
  Bounds bounds() const override {
    Bounds b;
    for (std::size_t d = 0; d < 3; ++d) {
      const double to = from_[d] + length_ * axis_[d];
      const double reach = radius_ * std::sqrt(std::max(0.0, 1 - axis_[d] * axis_[d]));
      b.lower[d] = std::min(from_[d], to) - reach;
      b.upper[d] = std::max(from_[d], to) + reach;
    }
    return b;
  }

 private:
  Point from_, axis_;
  double radius_, length_ = 0;
};

// Decides by the crossings of a half line. A side that the half line meets in a corner counts with one of its ends.
class Prism final : public Shape {
 public:
  Prism(std::vector<std::array<double, 2>> points, double lower, double upper)
      : points_(std::move(points)), lower_(lower), upper_(upper) {}
  bool contains(const Point& p) const override { return p[2] >= lower_ && p[2] < upper_ && in_polygon(p[0], p[1]); }
  void cut(const Ray& ray, Spans& inside) const override {
    double lower = -Bounds::far, upper = Bounds::far;
    clip(ray.origin[2], ray.direction[2], lower_, upper_, lower, upper);
    inside.clear();
    if (!(lower < upper)) return;
    const double vx = ray.direction[0], vy = ray.direction[1];
    if (vx == 0 && vy == 0) {
      if (in_polygon(ray.origin[0], ray.origin[1])) set_interval(ray, lower, upper, inside);
      return;
    }
    thread_local std::vector<double> crossings;
    crossings.clear();
    const auto side = [&](const std::array<double, 2>& p) {
      return vx * (p[1] - ray.origin[1]) - vy * (p[0] - ray.origin[0]);
    };
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto &a = points_[i], &b = points_[(i + 1) % points_.size()];
      const double sa = side(a), sb = side(b);
      if ((sa < 0) == (sb < 0)) continue;
      const double share = sa / (sa - sb), x = a[0] + share * (b[0] - a[0]), y = a[1] + share * (b[1] - a[1]);
      const double t = ((x - ray.origin[0]) * vx + (y - ray.origin[1]) * vy) / (vx * vx + vy * vy);
      crossings.push_back(t);
    }
    std::ranges::sort(crossings);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const double from = std::max({crossings[i], lower, ray.lower});
      const double to = std::min({crossings[i + 1], upper, ray.upper});
      if (from < to) inside.emplace_back(from, to);
    }
  }
  Bounds bounds() const override {
    Bounds b{{Bounds::far, Bounds::far, lower_}, {-Bounds::far, -Bounds::far, upper_}};
    for (const auto& p : points_)
      for (std::size_t d = 0; d < 2; ++d) {
        b.lower[d] = std::min(b.lower[d], p[d]);
        b.upper[d] = std::max(b.upper[d], p[d]);
      }
    return b;
  }

 private:
  bool in_polygon(double x, double y) const {
    bool in = false;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto &a = points_[i], &b = points_[(i + 1) % points_.size()];
      if ((a[1] <= y) != (b[1] <= y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) in = !in;
    }
    return in;
  }

  std::vector<std::array<double, 2>> points_;
  double lower_, upper_;
};

class Where final : public Shape {
 public:
  explicit Where(Quantity::Function function) : function_(std::move(function)) {}
  bool contains(const Point& p) const override { return is_inside(value(p)); }
  void cut(const Ray& ray, Spans& inside) const override {
    inside.clear();
    const auto steps = static_cast<std::size_t>(std::clamp(std::ceil((ray.upper - ray.lower) / ray.step), 1.0, 1e7));
    thread_local std::vector<double> x, y, z, values;
    for (auto* line : {&x, &y, &z, &values}) line->resize(steps);
    const double h = (ray.upper - ray.lower) / static_cast<double>(steps);
    const auto middle = [&](std::size_t i) { return ray.lower + (static_cast<double>(i) + 0.5) * h; };
    for (std::size_t i = 0; i < steps; ++i) {
      const Point p = ray.at(middle(i));
      x[i] = p[0];
      y[i] = p[1];
      z[i] = p[2];
    }
    function_(x, y, z, values);
    double from = ray.lower;
    for (std::size_t i = 0; i < steps; ++i) {
      const bool in = is_inside(values[i]), last = i + 1 == steps, next = !last && is_inside(values[i + 1]);
      if (!last && in == next) continue;
      const double end = last ? ray.upper : surface(ray, middle(i), middle(i + 1), in);
      if (in) inside.emplace_back(from, end);
      from = end;
    }
  }
  Bounds bounds() const override { return {}; }

 private:
  // A value that is not a number is outside.
  static bool is_inside(double value) { return value != 0 && !std::isnan(value); }
  double value(const Point& p) const {
    double found = 0;
    function_({p.data(), 1}, {p.data() + 1, 1}, {p.data() + 2, 1}, {&found, 1});
    return found;
  }
  // Finds the change between two points of a ray. Each call of the function tests all points that divide the interval;
  // ten calls cost little more than ten points, and divide it by 2⁴⁰ in total.
  double surface(const Ray& ray, double a, double b, bool at_a) const {
    constexpr int calls = 10;
    constexpr std::size_t parts = 16;
    std::array<double, parts - 1> x{}, y{}, z{}, values{};
    for (int c = 0; c < calls; ++c) {
      const double h = (b - a) / static_cast<double>(parts);
      for (std::size_t i = 0; i + 1 < parts; ++i) {
        const Point p = ray.at(a + h * static_cast<double>(i + 1));
        x[i] = p[0];
        y[i] = p[1];
        z[i] = p[2];
      }
      function_(x, y, z, values);
      std::size_t same = 0;
      while (same + 1 < parts && is_inside(values[same]) == at_a) ++same;
      if (same + 1 < parts) b = a + h * static_cast<double>(same + 1);
      a += h * static_cast<double>(same);
    }
    return 0.5 * (a + b);
  }

  Quantity::Function function_;
};

}  // namespace

Motion Motion::rotation(const Point& axis, double angle, const Point& about) {
  const double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const Point u{axis[0] / length, axis[1] / length, axis[2] / length};
  const double c = std::cos(angle), s = std::sin(angle);
  Motion m{.from = about, .to = about};
  const std::array<Point, 3> cross{Point{0, -u[2], u[1]}, Point{u[2], 0, -u[0]}, Point{-u[1], u[0], 0}};
  for (std::size_t i = 0; i < 3; ++i)  // Rodrigues' formula
    for (std::size_t j = 0; j < 3; ++j) m.rows[i][j] = (i == j ? c : 0) + (1 - c) * u[i] * u[j] + s * cross[i][j];
  return m;
}

Motion Motion::scaling(const Point& factors, const Point& about) {
  Motion m{.from = about, .to = about};
  for (std::size_t d = 0; d < 3; ++d) m.rows[d][d] = factors[d];
  return m;
}

Motion Motion::translation(const Point& by) {
  return {.to = by};
}

ShapePtr make_box(const Point& lower, const Point& upper) {
  return std::make_shared<const BoxShape>(lower, upper);
}
ShapePtr make_ellipsoid(const Point& centre, const Point& radii) {
  return std::make_shared<const Ellipsoid>(centre, radii);
}
ShapePtr make_cylinder(const Point& from, const Point& to, double radius) {
  return std::make_shared<const Cylinder>(from, to, radius);
}
ShapePtr make_prism(std::vector<std::array<double, 2>> points, double lower, double upper) {
  return std::make_shared<const Prism>(std::move(points), lower, upper);
}
ShapePtr make_where(Quantity::Function function) {
  return std::make_shared<const Where>(std::move(function));
}

}  // namespace poisson
