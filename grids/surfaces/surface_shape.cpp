#include "grids/surfaces/surface_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "grids/surfaces/crossing.hpp"
#include "grids/surfaces/face_columns.hpp"
#include "grids/surfaces/triangle_tree.hpp"

namespace poisson {
namespace {

class SurfaceShape final : public Shape {
 public:
  explicit SurfaceShape(ClosedSurface surface) : surface_(std::move(surface)) {}

  bool contains(const Point& p) const override {
    if (is_beyond(p)) return false;
    char in = 0;
    const double at = p[0];
    contains_along({{0, p[1], p[2]}, {1, 0, 0}}, {&at, 1}, {&in, 1});
    return in != 0;
  }

  // A place where the ray enters is inside, a place where it leaves is not.
  void contains_along(const Ray& ray, std::span<const double> t, std::span<char> inside) const override {
    thread_local std::vector<Crossing> crossings;
    find(ray, crossings);
    std::size_t next = 0;
    int winding = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      for (; next < crossings.size() && crossings[next].t <= t[i]; ++next) winding += crossings[next].sign;
      inside[i] = is_inside(winding, ray.at(t[i])) ? 1 : 0;
    }
  }

  void cut(const Ray& ray, Spans& inside) const override {
    thread_local std::vector<Crossing> crossings;
    find(ray, crossings);
    inside.clear();
    if (std::ranges::any_of(surface_.holes, [&](const Hole& hole) { return hole.reach.meets(ray); })) {
      cut_near_holes(ray, crossings, inside);
      return;
    }
    int winding = 0;
    double from = 0;
    for (const Crossing& crossing : crossings) {
      const bool before = winding > 0;
      winding += crossing.sign;
      if (before == (winding > 0)) continue;
      if (!before)
        from = crossing.t;
      else
        add(ray, from, crossing.t, inside);
    }
  }

  Bounds bounds() const override { return surface_.bounds; }

  ShapePtr moved(const Motion& motion) const override {
    ClosedSurface out = surface_;
    const auto image = [&](const Point& p) {
      Point q = motion.to;
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) q[r] += motion.rows[r][c] * (p[c] - motion.from[c]);
      return q;
    };
    for (Point& p : out.all.points) p = image(p);
    const auto& m = motion.rows;
    const double volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                          m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (volume < 0)
      for (Triangle& t : out.all.faces) std::swap(t[1], t[2]);
    out.bounds = image_of(surface_.bounds, image);
    for (Hole& hole : out.holes) hole.reach = image_of(hole.reach, image);
    return std::make_shared<const SurfaceShape>(std::move(out));
  }

  void prepare() const override {
    std::call_once(built_, [&] {
#pragma omp parallel for schedule(dynamic)
      for (int axis = 0; axis < 3; ++axis) {
        const auto d = static_cast<std::size_t>(axis);
        columns_[d] = std::make_unique<const FaceColumns>(surface_.all, d);
      }
      if (!surface_.holes.empty()) caps_.emplace(surface_.all, surface_.solid, surface_.all.faces.size());
    });
  }

 private:
  // Returns the box around the images of a box's corners.
  template <class F>
  static Bounds image_of(const Bounds& box, const F& image) {
    Bounds out{{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
    for (unsigned corner = 0; corner < 8; ++corner) {
      Point p{};
      for (std::size_t d = 0; d < 3; ++d) p[d] = (corner >> d & 1u) != 0 ? box.upper[d] : box.lower[d];
      p = image(p);
      for (std::size_t d = 0; d < 3; ++d) {
        out.lower[d] = std::min(out.lower[d], p[d]);
        out.upper[d] = std::max(out.upper[d], p[d]);
      }
    }
    return out;
  }

  bool is_beyond(const Point& p) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (p[d] < surface_.bounds.lower[d] || p[d] > surface_.bounds.upper[d]) return true;
    return false;
  }

  // Finds the crossings of the complete line with the closed surface, in the order of t.
  void find(const Ray& ray, std::vector<Crossing>& crossings) const {
    prepare();
    crossings.clear();
    const RayFrame frame(ray);
    const auto test = [&](std::uint32_t f) {
      const auto& [a, b, c] = surface_.all.faces[f];
      const Crossing crossing =
          crossing_of(frame, surface_.all.points[a], surface_.all.points[b], surface_.all.points[c]);
      if (crossing.sign != 0) crossings.push_back(crossing);
    };
    if (frame.straight) {
      for (const std::uint32_t f : columns_[frame.k]->near(frame.ou, frame.ov)) test(f);
    } else {
      std::call_once(oblique_, [&] { tree_.emplace(surface_.all, 0, surface_.all.faces.size()); });
      tree_->along(ray, test);
    }
    // At one place, entries come before exits.
    std::ranges::sort(crossings,
                      [](const Crossing& a, const Crossing& b) { return a.t != b.t ? a.t < b.t : a.sign > b.sign; });
  }

  bool is_inside(int winding, const Point& p) const {
    for (const Hole& hole : surface_.holes) {
      bool within = true;
      for (std::size_t d = 0; d < 3; ++d) within = within && p[d] >= hole.reach.lower[d] && p[d] <= hole.reach.upper[d];
      if (within) return winding - caps_->winding(p) > 0.5;
    }
    return winding > 0;
  }

  static void add(const Ray& ray, double from, double to, Spans& inside) {
    from = std::max(from, ray.lower);
    to = std::min(to, ray.upper);
    if (!(from < to)) return;
    if (!inside.empty() && inside.back().second == from)
      inside.back().second = to;
    else
      inside.emplace_back(from, to);
  }

  // Between crossings, the winding number varies continuously: its passages through 1/2 are found at the resolution of
  // the ray.
  void cut_near_holes(const Ray& ray, const std::vector<Crossing>& crossings, Spans& inside) const {
    double from = ray.lower;
    int winding = 0;
    for (std::size_t next = 0; next <= crossings.size(); ++next) {
      const double to = next < crossings.size() ? std::min(crossings[next].t, ray.upper) : ray.upper;
      if (from < to) {
        sample(ray, from, to, winding, inside);
        from = to;
      }
      if (next < crossings.size()) winding += crossings[next].sign;
    }
  }

  void sample(const Ray& ray, double from, double to, int winding, Spans& inside) const {
    // Triangles without common edges have narrow gaps: few places between two of them are enough.
    constexpr double most_steps = 1e7, between_scattered = 8;
    const auto steps = static_cast<int>(
        std::clamp(std::ceil((to - from) / ray.step), 1.0, surface_.scattered ? between_scattered : most_steps));
    const double h = (to - from) / steps;
    const auto at = [&](double t) { return is_inside(winding, ray.at(t)); };
    double begin = from, before = from + 0.5 * h;
    bool in = at(before);
    for (int i = 1; i < steps; ++i) {
      const double here = from + (i + 0.5) * h;
      if (at(here) != in) {
        double a = before, b = here;
        constexpr int halvings = 40;
        for (int k = 0; k < halvings; ++k) {
          const double middle = 0.5 * (a + b);
          (at(middle) == in ? a : b) = middle;
        }
        if (in) add(ray, begin, b, inside);
        begin = b;
        in = !in;
      }
      before = here;
    }
    if (in) add(ray, begin, to, inside);
  }

  ClosedSurface surface_;
  mutable std::once_flag built_, oblique_;
  mutable std::array<std::unique_ptr<const FaceColumns>, 3> columns_;
  mutable std::optional<TriangleTree> caps_, tree_;
};

}  // namespace

ShapePtr make_surface_shape(ClosedSurface surface) {
  return std::make_shared<const SurfaceShape>(std::move(surface));
}

}  // namespace poisson
