#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "grids/problem/shapes.hpp"
#include "grids/surfaces/surface_shape.hpp"
#include "grids/surfaces/triangles.hpp"

namespace poisson {

/// Returns the triangles of a surface over an m × n grid of parameters in [0, 1]², periodic in u and, if `closed_in_v`,
/// in v.
template <class F>
Triangles surface_over(std::uint32_t m, std::uint32_t n, bool closed_in_v, const F& at) {
  Triangles t;
  const std::uint32_t rows = closed_in_v ? n : n + 1;
  for (std::uint32_t j = 0; j < rows; ++j)
    for (std::uint32_t i = 0; i < m; ++i)
      t.points.push_back(at(static_cast<double>(i) / m, static_cast<double>(j) / n));
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < m; ++i) {
      const std::uint32_t a = i + m * j, b = (i + 1) % m + m * j, up = m * ((j + 1) % rows), c = i + up,
                          d = (i + 1) % m + up;
      t.faces.push_back({a, b, d});
      t.faces.push_back({a, d, c});
    }
  return t;
}

/// Returns a sphere with m corners around, all on it.
inline Triangles mesh_sphere(std::uint32_t m, double radius, const Point& centre = {}) {
  Triangles t = surface_over(m, m / 2, false, [&](double u, double v) {
    const double a = 2 * std::numbers::pi * u, s = v == 1 || v == 0 ? 0 : std::sin(std::numbers::pi * v);
    const double z = v == 0 ? -1 : v == 1 ? 1 : -std::cos(std::numbers::pi * v);
    return Point{centre[0] + radius * s * std::cos(a), centre[1] + radius * s * std::sin(a), centre[2] + radius * z};
  });
  std::erase_if(t.faces, [&](const Triangle& f) {
    const auto& p = t.points;
    return p[f[0]] == p[f[1]] || p[f[1]] == p[f[2]] || p[f[2]] == p[f[0]];
  });
  return t;
}

inline Triangles mesh_torus(std::uint32_t m, std::uint32_t n, double ring, double tube) {
  return surface_over(m, n, true, [&](double u, double v) {
    const double a = 2 * std::numbers::pi * u, b = 2 * std::numbers::pi * v, r = ring + tube * std::cos(b);
    return Point{r * std::cos(a), r * std::sin(a), tube * std::sin(b)};
  });
}

inline Triangles mesh_box(const Point& lower, const Point& upper) {
  Triangles t;
  for (unsigned c = 0; c < 8; ++c)
    t.points.push_back({(c & 1u) != 0 ? upper[0] : lower[0], (c & 2u) != 0 ? upper[1] : lower[1],
                        (c & 4u) != 0 ? upper[2] : lower[2]});
  t.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
             {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return t;
}

inline Triangles joined(const Triangles& a, const Triangles& b) {
  Triangles t = a;
  const auto shift = static_cast<std::uint32_t>(a.points.size());
  t.points.insert(t.points.end(), b.points.begin(), b.points.end());
  for (const auto& [i, j, k] : b.faces) t.faces.push_back({i + shift, j + shift, k + shift});
  return t;
}

inline Triangles flipped(Triangles t) {
  for (Triangle& f : t.faces) std::swap(f[1], f[2]);
  return t;
}

/// Returns the volume of a shape by lines along an axis through the middles of n² squares of its bounds.
inline double volume_by_lines(const Shape& shape, std::size_t axis, int n) {
  const Bounds b = shape.bounds();
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  double sum = 0;
  Spans inside;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Ray ray;
      ray.origin[u] = b.lower[u] + (i + 0.5) / n * (b.upper[u] - b.lower[u]);
      ray.origin[v] = b.lower[v] + (j + 0.5) / n * (b.upper[v] - b.lower[v]);
      ray.direction[axis] = 1;
      ray.lower = b.lower[axis] - 1;
      ray.upper = b.upper[axis] + 1;
      ray.step = (b.upper[axis] - b.lower[axis]) / (4 * n);
      shape.cut(ray, inside);
      for (const auto& [from, to] : inside) sum += to - from;
    }
  return sum * (b.upper[u] - b.lower[u]) * (b.upper[v] - b.lower[v]) / (n * n);
}

/// Returns a binary STL file.
inline std::string binary_stl(const Triangles& t, std::string comment = "poisson") {
  comment.resize(80, ' ');
  std::string bytes = comment;
  const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<std::uint32_t>(t.faces.size()));
  for (const Triangle& f : t.faces) {
    for (int d = 0; d < 3; ++d) put(0.0F);
    for (const std::uint32_t c : f)
      for (const double x : t.points[c]) put(static_cast<float>(x));
    put(std::uint16_t{0});
  }
  return bytes;
}

inline std::string ascii_stl(const Triangles& t) {
  std::string text = "solid box made by hand\n";
  for (const Triangle& f : t.faces) {
    text += " facet normal 0 0 0\n  outer loop\n";
    for (const std::uint32_t c : f) {
      text += "   vertex";
      for (const double x : t.points[c]) text += " " + std::to_string(x);
      text += "\n";
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid box made by hand\n";
}

}  // namespace poisson
