#include "io/pictures/mesh_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "grids/meshes/topology.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/colour_map.hpp"
#include "io/pictures/panel.hpp"
#include "io/pictures/ticks.hpp"

namespace poisson {
namespace {

using Spot = std::array<double, 3>;

constexpr Colour blank{255, 255, 255};
constexpr int rim = 56, pixels_of_view = 900, colours_width = 30;
constexpr double least_facet = 40;  // facets of fewer pixels are drawn without edges

// Is a corner of a polygon to draw: its place in a panel, its distance to the viewer, and u.
struct Corner {
  double x = 0, y = 0, depth = 0, value = 0;
};
struct Polygon {
  std::vector<Corner> corners;
  double shade = 1;
};

// Contains polygons in coordinates of the mesh, and what is written around them.
struct View {
  std::vector<Polygon> polygons;
  std::string title, across, up;  // names of the axes; empty: none
  double left = 0, right = 1, bottom = 0, top = 1;

  void frame() {
    left = bottom = std::numeric_limits<double>::max();
    right = top = -left;
    for (const Polygon& polygon : polygons)
      for (const Corner& corner : polygon.corners) {
        left = std::min(left, corner.x);
        right = std::max(right, corner.x);
        bottom = std::min(bottom, corner.y);
        top = std::max(top, corner.y);
      }
  }
};

double dot(const Spot& a, const Spot& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Spot minus(const Spot& a, const Spot& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Spot cross(const Spot& a, const Spot& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Spot unit(const Spot& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? Spot{a[0] / length, a[1] / length, a[2] / length} : Spot{0, 0, 1};
}

// Draws polygons in order of depth. A pixel shows the nearest polygon.
class Painter {
 public:
  Painter(Canvas& canvas, const View& view, int left, int top, double scale, double least, double largest)
      : canvas_(canvas), view_(view), left_(left), top_(top), scale_(scale), least_(least), range_(largest - least) {
    width_ = static_cast<int>(std::ceil((view.right - view.left) * scale));
    height_ = static_cast<int>(std::ceil((view.top - view.bottom) * scale));
    depth_.assign(static_cast<std::size_t>(width_ + 1) * static_cast<std::size_t>(height_ + 1),
                  std::numeric_limits<double>::max());
    const double area = static_cast<double>(width_) * height_;
    edges_ = area / std::max<double>(1, static_cast<double>(view.polygons.size())) > least_facet;
  }

  void paint() {
    for (const Polygon& polygon : view_.polygons)
      for (std::size_t k = 2; k < polygon.corners.size(); ++k)
        triangle(at(polygon.corners[0]), at(polygon.corners[k - 1]), at(polygon.corners[k]), polygon.shade,
                 {true, k == polygon.corners.size() - 1, k == 2});
  }
  /// Draws a line of about three pixels through points of the mesh.
  void trace(const Mesh& mesh, const std::vector<int>& points) {
    for (std::size_t p = 1; p < points.size(); ++p) {
      const Spot &from = mesh.points[static_cast<std::size_t>(points[p - 1])],
                 &to = mesh.points[static_cast<std::size_t>(points[p])];
      const Corner a = at({from[0], from[1], 0, 0}), b = at({to[0], to[1], 0, 0});
      const int steps = 1 + static_cast<int>(std::ceil(std::hypot(b.x - a.x, b.y - a.y)));
      for (int s = 0; s <= steps; ++s) {
        const double x = a.x + (b.x - a.x) * s / steps, y = a.y + (b.y - a.y) * s / steps;
        for (const int dy : {-1, 0, 1})
          for (const int dx : {-1, 0, 1}) {
            const int px = static_cast<int>(x) + dx, py = static_cast<int>(y) + dy;
            if (px >= 0 && py >= 0 && px <= width_ && py <= height_) canvas_.set(left_ + px, top_ + py, ink);
          }
      }
    }
  }

 private:
  Corner at(const Corner& c) const {
    return {(c.x - view_.left) * scale_, (view_.top - c.y) * scale_, c.depth, c.value};
  }
  Colour colour(double value, double shade) const {
    if (!std::isfinite(value)) return not_finite;
    const Colour plain = colour_map(range_ > 0 ? std::clamp((value - least_) / range_, 0.0, 1.0) : 0.5);
    const auto dim = [&](std::uint8_t c) { return static_cast<std::uint8_t>(c * shade); };
    return {dim(plain.red), dim(plain.green), dim(plain.blue)};
  }

  // `edge`: whether the sides bc, ca and ab are sides of the polygon.
  void triangle(const Corner& a, const Corner& b, const Corner& c, double shade, const std::array<bool, 3>& edge) {
    const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (area == 0) return;
    const auto length = [](const Corner& p, const Corner& q) { return std::hypot(p.x - q.x, p.y - q.y); };
    const std::array<double, 3> height{std::abs(area) / std::max(1e-9, length(b, c)),
                                       std::abs(area) / std::max(1e-9, length(c, a)),
                                       std::abs(area) / std::max(1e-9, length(a, b))};
    const int x0 = std::max(0, static_cast<int>(std::floor(std::min({a.x, b.x, c.x})))),
              x1 = std::min(width_, static_cast<int>(std::ceil(std::max({a.x, b.x, c.x})))),
              y0 = std::max(0, static_cast<int>(std::floor(std::min({a.y, b.y, c.y})))),
              y1 = std::min(height_, static_cast<int>(std::ceil(std::max({a.y, b.y, c.y}))));
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const double px = x + 0.5, py = y + 0.5;
        const std::array<double, 3> w{((b.x - px) * (c.y - py) - (c.x - px) * (b.y - py)) / area,
                                      ((c.x - px) * (a.y - py) - (a.x - px) * (c.y - py)) / area,
                                      ((a.x - px) * (b.y - py) - (b.x - px) * (a.y - py)) / area};
        if (std::ranges::min(w) < -1e-9) continue;
        double& before =
            depth_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_ + 1) + static_cast<std::size_t>(x)];
        const double depth = w[0] * a.depth + w[1] * b.depth + w[2] * c.depth;
        if (depth > before) continue;
        before = depth;
        canvas_.set(left_ + x, top_ + y, colour(w[0] * a.value + w[1] * b.value + w[2] * c.value, shade));
        for (std::size_t s = 0; s < 3; ++s)
          if (edges_ && edge[s] && w[s] * height[s] < 0.7) canvas_.blend(left_ + x, top_ + y, ink, 0.45);
      }
  }

  Canvas& canvas_;
  const View& view_;
  int left_, top_, width_ = 0, height_ = 0;
  double scale_, least_, range_;
  bool edges_ = true;
  std::vector<double> depth_;
};

View plane_view(const Mesh& mesh, const std::vector<double>& u) {
  View view{{}, "", "x", "y"};
  for (const MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension != 2) continue;
    for (std::int64_t e = 0; e < block.count(); ++e) {
      Polygon polygon;
      for (const int p : block.of(e)) {
        const auto& x = mesh.points[static_cast<std::size_t>(p)];
        polygon.corners.push_back({x[0], x[1], 0, u[static_cast<std::size_t>(p)]});
      }
      view.polygons.push_back(std::move(polygon));
    }
  }
  return view;
}

View surface_view(const Mesh& mesh, const Topology& topology, const std::vector<double>& u) {
  const Spot towards = unit({-1, 1.7, -0.9}), across = unit(cross(towards, {0, 0, 1})), up = cross(across, towards);
  const Spot light = unit({0.4, -0.8, 0.9});
  View view{{}, "surface", "", ""};
  for (const Facet& facet : outer_facets(topology)) {
    Polygon polygon;
    std::vector<Spot> x;
    for (const int p : facet.used()) {
      x.push_back(mesh.points[static_cast<std::size_t>(p)]);
      polygon.corners.push_back(
          {dot(x.back(), across), dot(x.back(), up), dot(x.back(), towards), u[static_cast<std::size_t>(p)]});
    }
    polygon.shade = 0.6 + 0.4 * std::abs(dot(unit(cross(minus(x[1], x[0]), minus(x[2], x[0]))), light));
    view.polygons.push_back(std::move(polygon));
  }
  return view;
}

// Cuts each element along its edges. The points of a convex section are sorted by their angle.
View section_view(const Mesh& mesh, const Topology& topology, const std::vector<double>& u) {
  Spot lower, upper;
  lower.fill(std::numeric_limits<double>::max());
  upper.fill(-std::numeric_limits<double>::max());
  for (std::int64_t e = 0; e < topology.cells(); ++e)
    for (const int p : topology.cell(e).corners)
      for (std::size_t d = 0; d < 3; ++d) {
        lower[d] = std::min(lower[d], mesh.points[static_cast<std::size_t>(p)][d]);
        upper[d] = std::max(upper[d], mesh.points[static_cast<std::size_t>(p)][d]);
      }
  const std::size_t normal = upper[0] - lower[0] < upper[1] - lower[1] ? 0 : 1, across = 1 - normal;
  // Points of regular meshes on the plane itself would make sections without area.
  const double plane = lower[normal] + (upper[normal] - lower[normal]) * (0.5 + 1e-7);
  View view{{},
            fmt::format("{} = {}", "xyz"[normal], readable(0.5 * (lower[normal] + upper[normal]), 4)),
            std::string(1, "xyz"[across]),
            "z"};
  for (std::int64_t e = 0; e < topology.cells(); ++e) {
    const Topology::Cell cell = topology.cell(e);
    Polygon polygon;
    for (const auto& face : facts_of(cell.shape).faces) {
      const std::size_t n = face[3] < 0 ? 3 : 4;
      for (std::size_t k = 0; k < n; ++k) {
        const int from = cell.corners[static_cast<std::size_t>(face[k])],
                  to = cell.corners[static_cast<std::size_t>(face[(k + 1) % n])];
        if (from > to) continue;  // another face has this edge the other way round, or also this way
        const Spot &a = mesh.points[static_cast<std::size_t>(from)], &b = mesh.points[static_cast<std::size_t>(to)];
        if ((a[normal] < plane) == (b[normal] < plane)) continue;
        const double t = (plane - a[normal]) / (b[normal] - a[normal]);
        polygon.corners.push_back({a[across] + t * (b[across] - a[across]), a[2] + t * (b[2] - a[2]), 0,
                                   (1 - t) * u[static_cast<std::size_t>(from)] + t * u[static_cast<std::size_t>(to)]});
      }
    }
    if (polygon.corners.size() < 3) continue;
    double x = 0, y = 0;
    for (const Corner& c : polygon.corners) {
      x += c.x / static_cast<double>(polygon.corners.size());
      y += c.y / static_cast<double>(polygon.corners.size());
    }
    std::ranges::sort(polygon.corners, {}, [&](const Corner& c) { return std::atan2(c.y - y, c.x - x); });
    view.polygons.push_back(std::move(polygon));
  }
  return view;
}

void label_view(Canvas& canvas, const View& view, int left, int top, int width, int height) {
  canvas.text(left + width / 2.0, top - 14, view.title, panel_title);
  if (view.across.empty()) return;
  canvas.frame(left, top, left + width, top + height, 1, ink);
  const Ticks across = round_ticks(view.left, view.right, std::clamp(width / 140, 1, 6)),
              up = round_ticks(view.bottom, view.top, std::clamp(height / 90, 1, 8));
  const auto name = [](const std::string& axis, const Ticks& ticks) {
    return axis + (ticks.factor.empty() ? "" : "  (" + ticks.factor + ")");
  };
  for (std::size_t i = 0; i < across.values.size(); ++i) {
    const double x = left + (across.values[i] - view.left) / (view.right - view.left) * width;
    canvas.fill(static_cast<int>(x) - 1, top + height, static_cast<int>(x) + 1, top + height + tick_length, ink);
    canvas.text(x, top + height + tick_length + 24, across.labels[i], axis_label);
  }
  canvas.text(left + width / 2.0, top + height + 66, name(view.across, across), axis_label);
  TextStyle right_aligned = axis_label;
  right_aligned.align = Align::right;
  for (std::size_t i = 0; i < up.values.size(); ++i) {
    const double y = top + height - (up.values[i] - view.bottom) / (view.top - view.bottom) * height;
    canvas.fill(left - tick_length, static_cast<int>(y) - 1, left, static_cast<int>(y) + 1, ink);
    canvas.text(left - tick_length - 6, y + 8, up.labels[i], right_aligned);
  }
  canvas.text(left - tick_length - 6, top - 14, name(view.up, up), right_aligned);
}

void draw_colours(Canvas& canvas, int left, int top, int height, double least, double largest,
                  const std::string& name) {
  for (int y = 0; y < height; ++y)
    canvas.fill(left, top + y, left + colours_width, top + y + 1, colour_map(1 - (y + 0.5) / height));
  canvas.frame(left, top, left + colours_width, top + height, 1, ink);
  TextStyle text = axis_label;
  text.align = Align::left;
  const Ticks ticks = round_ticks(least, largest, std::clamp(height / 70, 1, 8));
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double share = largest > least ? (ticks.values[i] - least) / (largest - least) : 0.5;
    canvas.text(left + colours_width + 10, top + height - share * height + 8, ticks.labels[i], text);
  }
  canvas.text(left, top - 14, name + (ticks.factor.empty() ? "" : "  (" + ticks.factor + ")"), text);
}

}  // namespace

std::filesystem::path write_mesh_picture(const std::filesystem::path& directory, const Mesh& mesh,
                                         const std::vector<double>& u, const MeshPictureText& text) {
  std::vector<View> views;
  if (mesh.dimension == 2) {
    views = {plane_view(mesh, u)};
  } else {
    const Topology topology(mesh);
    views = {surface_view(mesh, topology, u), section_view(mesh, topology, u)};
  }
  double least = std::numeric_limits<double>::max(), largest = -least;
  for (View& view : views) {
    view.frame();
    for (const Polygon& polygon : view.polygons)
      for (const Corner& corner : polygon.corners) {
        least = std::min(least, corner.value);
        largest = std::max(largest, corner.value);
      }
  }
  constexpr int beside = 130, below = 100, above = 120, room_of_bar = 190;
  double tallest = 0;
  int width = rim;
  std::vector<double> scales;
  for (const View& view : views) {
    const double x = std::max(1e-300, view.right - view.left), y = std::max(1e-300, view.top - view.bottom);
    scales.push_back(pixels_of_view / std::max(x, y));
    tallest = std::max(tallest, y * scales.back());
    width += beside + static_cast<int>(std::ceil(x * scales.back()));
  }
  const int height = static_cast<int>(std::ceil(tallest));
  Canvas canvas(width + room_of_bar + rim, above + height + below, blank);
  canvas.text(rim, 56, text.title + (text.converged ? "" : "  (not converged)"),
              {.size = 34, .colour = text.converged ? ink : Colour{196, 43, 43}, .bold = true});
  int left = rim;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const int w = static_cast<int>(std::ceil((views[v].right - views[v].left) * scales[v])),
              h = static_cast<int>(std::ceil((views[v].top - views[v].bottom) * scales[v]));
    left += beside;
    const int top = above + (height - h) / 2;
    Painter painter(canvas, views[v], left, top, scales[v], least, largest);
    painter.paint();
    for (const std::vector<int>& chain : text.outlines)
      if (mesh.dimension == 2) painter.trace(mesh, chain);
    label_view(canvas, views[v], left, top, w, h);
    left += w;
  }
  draw_colours(canvas, left + 50, above + height / 8, height - height / 4, least, largest, text.quantity);
  return canvas.write_png(directory / "solution.png");
}

}  // namespace poisson
