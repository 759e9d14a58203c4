// Shapes made of other shapes.

#include <algorithm>
#include <cmath>

#include "grids/problem/shapes.hpp"

namespace poisson {
namespace {

// Keeps the parts of a ray that are inside at least `needed` of two lists of spans. Ends keep their bits.
void combine(const Spans& a, const Spans& b, bool both, Spans& out) {
  out.clear();
  std::size_t i = 0, j = 0;
  bool in_a = false, in_b = false, in = false;
  double from = 0;
  const auto next = [](const Spans& s, std::size_t at, bool inside) {
    return at == s.size() ? Bounds::far : inside ? s[at].second : s[at].first;
  };
  while (i < a.size() || j < b.size()) {
    const double ta = next(a, i, in_a), tb = next(b, j, in_b), t = std::min(ta, tb);
    if (ta == t) {
      if (in_a) ++i;
      in_a = !in_a;
    }
    if (tb == t) {
      if (in_b) ++j;
      in_b = !in_b;
    }
    const bool now = both ? in_a && in_b : in_a || in_b;
    if (now == in) continue;
    if (now)
      from = t;
    else if (from < t)
      out.emplace_back(from, t);
    in = now;
  }
}

// Returns the spans of a ray outside the given ones.
Spans complement(const Ray& ray, const Spans& inside) {
  Spans out;
  double from = ray.lower;
  for (const auto& [lower, upper] : inside) {
    if (from < lower) out.emplace_back(from, lower);
    from = upper;
  }
  if (from < ray.upper) out.emplace_back(from, ray.upper);
  return out;
}

// Returns the first and past the last points of a ray that may lie in a box, with one more on each side for rounding.
std::pair<std::size_t, std::size_t> points_in(const Bounds& box, const Ray& ray, std::span<const double> t) {
  double lower = -Bounds::far, upper = Bounds::far;
  for (std::size_t d = 0; d < 3; ++d) {
    if (ray.direction[d] == 0) {
      if (ray.origin[d] < box.lower[d] || ray.origin[d] > box.upper[d]) return {0, 0};
      continue;
    }
    const double a = (box.lower[d] - ray.origin[d]) / ray.direction[d],
                 b = (box.upper[d] - ray.origin[d]) / ray.direction[d];
    lower = std::max(lower, std::min(a, b));
    upper = std::min(upper, std::max(a, b));
  }
  auto first = static_cast<std::size_t>(std::ranges::lower_bound(t, lower) - t.begin());
  auto last = static_cast<std::size_t>(std::ranges::upper_bound(t, upper) - t.begin());
  if (first > 0) --first;
  if (last < t.size()) ++last;
  return {first, std::max(first, last)};
}

class Union final : public Shape {
 public:
  explicit Union(std::vector<ShapePtr> shapes) : shapes_(std::move(shapes)) {
    for (const ShapePtr& shape : shapes_) bounds_.push_back(shape->bounds());
  }
  bool contains(const Point& p) const override {
    return std::ranges::any_of(shapes_, [&](const ShapePtr& shape) { return shape->contains(p); });
  }
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    std::vector<char> one(t.size());
    std::ranges::fill(inside, char{0});
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      const auto [first, last] = points_in(bounds_[s], ray, t);
      if (first == last) continue;
      shapes_[s]->contains_along(ray, t.subspan(first, last - first), one);
      for (std::size_t i = first; i < last; ++i) inside[i] |= one[i - first];
    }
  }
  void prepare() const override {
    for (const ShapePtr& shape : shapes_) shape->prepare();
  }
  void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const override {
    for (const ShapePtr& shape : shapes_) shape->add_ends(axis, within, ends);
  }
  void cut(const Ray& ray, Spans& inside) const override {
    inside.clear();
    Spans one, sum;
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      if (!bounds_[s].meets(ray)) continue;
      shapes_[s]->cut(ray, one);
      if (one.empty()) continue;
      combine(inside, one, false, sum);
      inside.swap(sum);
    }
  }
  Bounds bounds() const override {
    Bounds all{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
    for (const Bounds& b : bounds_)
      for (std::size_t d = 0; d < 3; ++d) {
        all.lower[d] = std::min(all.lower[d], b.lower[d]);
        all.upper[d] = std::max(all.upper[d], b.upper[d]);
      }
    return all;
  }

 private:
  std::vector<ShapePtr> shapes_;
  std::vector<Bounds> bounds_;
};

class Intersection final : public Shape {
 public:
  explicit Intersection(std::vector<ShapePtr> shapes) : shapes_(std::move(shapes)) {}
  bool contains(const Point& p) const override {
    return std::ranges::all_of(shapes_, [&](const ShapePtr& shape) { return shape->contains(p); });
  }
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    std::vector<char> one(t.size());
    std::ranges::fill(inside, char{1});
    for (const ShapePtr& shape : shapes_) {
      shape->contains_along(ray, t, one);
      for (std::size_t i = 0; i < t.size(); ++i) inside[i] &= one[i];
    }
  }
  void prepare() const override {
    for (const ShapePtr& shape : shapes_) shape->prepare();
  }
  void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const override {
    for (const ShapePtr& shape : shapes_) shape->add_ends(axis, within, ends);
  }
  void cut(const Ray& ray, Spans& inside) const override {
    shapes_.front()->cut(ray, inside);
    Spans one, both;
    for (std::size_t s = 1; s < shapes_.size() && !inside.empty(); ++s) {
      shapes_[s]->cut(ray, one);
      combine(inside, one, true, both);
      inside.swap(both);
    }
  }
  Bounds bounds() const override {
    Bounds all;
    for (const ShapePtr& shape : shapes_) {
      const Bounds b = shape->bounds();
      for (std::size_t d = 0; d < 3; ++d) {
        all.lower[d] = std::max(all.lower[d], b.lower[d]);
        all.upper[d] = std::min(all.upper[d], b.upper[d]);
      }
    }
    return all;
  }

 private:
  std::vector<ShapePtr> shapes_;
};

class Difference final : public Shape {
 public:
  explicit Difference(std::vector<ShapePtr> shapes)
      : first_(std::move(shapes.front())), others_({shapes.begin() + 1, shapes.end()}) {}
  bool contains(const Point& p) const override { return first_->contains(p) && !others_.contains(p); }
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    std::vector<char> removed(t.size());
    first_->contains_along(ray, t, inside);
    others_.contains_along(ray, t, removed);
    for (std::size_t i = 0; i < t.size(); ++i) inside[i] = inside[i] != 0 && removed[i] == 0 ? 1 : 0;
  }
  void prepare() const override {
    first_->prepare();
    others_.prepare();
  }
  void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const override {
    first_->add_ends(axis, within, ends);
    others_.add_ends(axis, within, ends);
  }
  void cut(const Ray& ray, Spans& inside) const override {
    first_->cut(ray, inside);
    if (inside.empty()) return;
    Spans removed, left;
    others_.cut(ray, removed);
    if (removed.empty()) return;
    combine(inside, complement(ray, removed), true, left);
    inside.swap(left);
  }
  Bounds bounds() const override { return first_->bounds(); }

 private:
  ShapePtr first_;
  Union others_;
};

Point times(const std::array<Point, 3>& m, const Point& v) {
  Point out{};
  for (std::size_t r = 0; r < 3; ++r) out[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
  return out;
}

std::array<Point, 3> inverse(const std::array<Point, 3>& m) {
  std::array<Point, 3> out{};
  const auto minor = [&](std::size_t r, std::size_t c) {
    const std::size_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
  };
  const double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) out[r][c] = minor(c, r) / determinant;
  return out;
}

// Maps points and rays back to the original shape. The parameter of a ray stays.
class Moved final : public Shape {
 public:
  Moved(ShapePtr shape, const Motion& motion)
      : shape_(std::move(shape)), motion_(motion), back_(inverse(motion.rows)) {}
  bool contains(const Point& p) const override { return shape_->contains(point(p)); }
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    shape_->contains_along(original(ray), t, inside);
  }
  void cut(const Ray& ray, Spans& inside) const override { shape_->cut(original(ray), inside); }
  void prepare() const override { shape_->prepare(); }
  void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const override {
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        if (r != c && motion_.rows[r][c] != 0) return Shape::add_ends(axis, within, ends);
    const std::size_t before = ends.size();
    shape_->add_ends(axis, Bounds{point(within.lower), point(within.upper)}, ends);
    for (std::size_t n = before; n < ends.size(); ++n)
      ends[n] = motion_.to[axis] + motion_.rows[axis][axis] * (ends[n] - motion_.from[axis]);
  }
  Bounds bounds() const override {
    const Bounds b = shape_->bounds();
    Bounds out{motion_.to, motion_.to};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) {
        const double m = motion_.rows[r][c];
        if (m == 0) continue;
        const double a = m * (b.lower[c] - motion_.from[c]), z = m * (b.upper[c] - motion_.from[c]);
        out.lower[r] += std::min(a, z);
        out.upper[r] += std::max(a, z);
      }
    return out;
  }

 private:
  Ray original(const Ray& ray) const {
    Ray there = ray;
    there.origin = point(ray.origin);
    there.direction = times(back_, ray.direction);
    return there;
  }
  Point point(const Point& p) const {
    Point q = times(back_, {p[0] - motion_.to[0], p[1] - motion_.to[1], p[2] - motion_.to[2]});
    for (std::size_t d = 0; d < 3; ++d) q[d] += motion_.from[d];
    return q;
  }
  ShapePtr shape_;
  Motion motion_;
  std::array<Point, 3> back_;
};

class Repeated final : public Shape {
 public:
  Repeated(ShapePtr shape, const std::array<int, 3>& count, const Point& step)
      : shape_(std::move(shape)), count_(count), step_(step), one_(shape_->bounds()) {}
  bool contains(const Point& p) const override {
    bool found = false;
    visit(p, p, [&](const Point& shift) {
      found = found || shape_->contains({p[0] - shift[0], p[1] - shift[1], p[2] - shift[2]});
    });
    return found;
  }
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    std::vector<char> one(t.size());
    std::ranges::fill(inside, char{0});
    if (t.empty()) return;
    visit_along(ray, t.front(), t.back(), [&](const Ray& there) {
      const auto [first, last] = points_in(one_, there, t);
      if (first == last) return;
      shape_->contains_along(there, t.subspan(first, last - first), one);
      for (std::size_t i = first; i < last; ++i) inside[i] |= one[i - first];
    });
  }
  void prepare() const override { shape_->prepare(); }
  void cut(const Ray& ray, Spans& inside) const override {
    inside.clear();
    Spans one, sum;
    visit_along(ray, ray.lower, ray.upper, [&](const Ray& there) {
      shape_->cut(there, one);
      if (one.empty()) return;
      combine(inside, one, false, sum);
      inside.swap(sum);
    });
  }
  void add_ends(std::size_t axis, const Bounds& within, std::vector<double>& ends) const override {
    Bounds there = one_;  // copies that differ along other axes end at the same places
    there.lower[axis] = within.lower[axis], there.upper[axis] = within.upper[axis];
    visit(there.lower, there.upper, [&](const Point& shift) {
      const std::size_t before = ends.size();
      there.lower[axis] = within.lower[axis] - shift[axis], there.upper[axis] = within.upper[axis] - shift[axis];
      shape_->add_ends(axis, there, ends);
      for (std::size_t n = before; n < ends.size(); ++n) ends[n] += shift[axis];
    });
  }
  Bounds bounds() const override {
    Bounds b = one_;
    for (std::size_t d = 0; d < 3; ++d) {
      const double last = step_[d] * (count_[d] - 1);
      (last < 0 ? b.lower : b.upper)[d] += last;
    }
    return b;
  }
  std::optional<Copies> copies() const override {
    for (std::size_t d = 0; d < 3; ++d)
      if (count_[d] > 1 && !(std::abs(step_[d]) > one_.upper[d] - one_.lower[d])) return {};
    return Copies{count_, step_, one_};
  }

 private:
  // Calls f(ray) for the copies whose bounds meet a part of a ray, with the ray in the coordinates of the copy.
  template <class F>
  void visit_along(const Ray& ray, double from, double to, const F& f) const {
    Point lower = ray.at(from), upper = ray.at(to);
    for (std::size_t d = 0; d < 3; ++d)
      if (lower[d] > upper[d]) std::swap(lower[d], upper[d]);
    visit(lower, upper, [&](const Point& shift) {
      Ray there = ray;
      for (std::size_t d = 0; d < 3; ++d) there.origin[d] -= shift[d];
      f(there);
    });
  }
  // Calls f(shift) for the copies whose bounds meet a box.
  template <class F>
  void visit(const Point& lower, const Point& upper, const F& f) const {
    std::array<int, 3> first{}, last{};
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = 0;
      last[d] = count_[d] - 1;
      if (last[d] == 0 || step_[d] == 0 || !std::isfinite(one_.lower[d]) || !std::isfinite(one_.upper[d])) continue;
      const double a = (lower[d] - one_.upper[d]) / step_[d], b = (upper[d] - one_.lower[d]) / step_[d];
      const double most = count_[d];
      first[d] = static_cast<int>(std::clamp(std::floor(std::min(a, b)), 0.0, most));
      last[d] = static_cast<int>(std::clamp(std::ceil(std::max(a, b)), -1.0, most - 1));
    }
    for (int k = first[2]; k <= last[2]; ++k)
      for (int j = first[1]; j <= last[1]; ++j)
        for (int i = first[0]; i <= last[0]; ++i) f(Point{i * step_[0], j * step_[1], k * step_[2]});
  }

  ShapePtr shape_;
  std::array<int, 3> count_;
  Point step_;
  Bounds one_;
};

}  // namespace

ShapePtr make_union(std::vector<ShapePtr> shapes) {
  return std::make_shared<const Union>(std::move(shapes));
}
ShapePtr make_intersection(std::vector<ShapePtr> shapes) {
  return std::make_shared<const Intersection>(std::move(shapes));
}
ShapePtr make_difference(std::vector<ShapePtr> shapes) {
  return std::make_shared<const Difference>(std::move(shapes));
}
ShapePtr make_moved(ShapePtr shape, const Motion& motion) {
  ShapePtr image = shape->moved(motion);
  return image ? image : std::make_shared<const Moved>(std::move(shape), motion);
}
ShapePtr make_repeated(ShapePtr shape, const std::array<int, 3>& count, const Point& step) {
  return std::make_shared<const Repeated>(std::move(shape), count, step);
}

}  // namespace poisson
