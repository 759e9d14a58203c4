#include "grids/surfaces/triangle_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace poisson {
namespace {

constexpr std::uint32_t leaf_size = 8;
// A node is distant beyond this multiple of its radius. The error of its winding number is then below 10⁻³.
constexpr double distant = 4;

Point difference(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double product(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point cross_product(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

double solid_angle(const Point& from, const Point& a, const Point& b, const Point& c) {
  const Point x = difference(a, from), y = difference(b, from), z = difference(c, from);
  const double lx = std::sqrt(product(x, x)), ly = std::sqrt(product(y, y)), lz = std::sqrt(product(z, z));
  const double above = product(x, cross_product(y, z));
  const double below = lx * ly * lz + product(x, y) * lz + product(y, z) * lx + product(z, x) * ly;
  return above == 0 && below == 0 ? 0 : std::atan2(above, below) / (2 * std::numbers::pi);
}

TriangleTree::TriangleTree(const Triangles& triangles, std::size_t first, std::size_t last)
    : triangles_(triangles), order_(last - first) {
  std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(first));
  nodes_.reserve(2 * (order_.size() / leaf_size + 1));
  if (!order_.empty()) split(0, static_cast<std::uint32_t>(order_.size()));
}

void TriangleTree::split(std::uint32_t first, std::uint32_t last) {
  const std::size_t here = nodes_.size();
  nodes_.emplace_back();
  nodes_[here].first = first;
  nodes_[here].last = last;
  summarize(nodes_[here]);
  if (last - first <= leaf_size) return;
  const Bounds box = nodes_[here].box;
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (box.upper[d] - box.lower[d] > box.upper[axis] - box.lower[axis]) axis = d;
  const auto place = [&](std::uint32_t f) {
    const Triangle& t = triangles_.faces[f];
    return triangles_.points[t[0]][axis] + triangles_.points[t[1]][axis] + triangles_.points[t[2]][axis];
  };
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  split(first, middle);
  nodes_[here].right = static_cast<std::uint32_t>(nodes_.size());
  split(middle, last);
}

void TriangleTree::summarize(Node& node) const {
  node.box = {{Bounds::far, Bounds::far, Bounds::far}, {-Bounds::far, -Bounds::far, -Bounds::far}};
  double area = 0;
  Point sum{}, mean{};
  const auto corners = [&](std::uint32_t i) {
    const Triangle& t = triangles_.faces[order_[i]];
    return std::array{triangles_.points[t[0]], triangles_.points[t[1]], triangles_.points[t[2]]};
  };
  const auto normal = [](const std::array<Point, 3>& p) {
    return cross_product(difference(p[1], p[0]), difference(p[2], p[0]));
  };
  for (std::uint32_t i = node.first; i < node.last; ++i) {
    const auto p = corners(i);
    const Point n = normal(p);
    const double twice = std::sqrt(product(n, n));
    area += twice;
    for (std::size_t d = 0; d < 3; ++d) {
      const double centroid = (p[0][d] + p[1][d] + p[2][d]) / 3;
      sum[d] += twice * centroid;
      mean[d] += centroid / (node.last - node.first);
      node.dipole[d] += 0.5 * n[d];
      for (const Point& q : p) {
        node.box.lower[d] = std::min(node.box.lower[d], q[d]);
        node.box.upper[d] = std::max(node.box.upper[d], q[d]);
      }
    }
  }
  for (std::size_t d = 0; d < 3; ++d) node.centre[d] = area > 0 ? sum[d] / area : mean[d];
  for (std::uint32_t i = node.first; i < node.last; ++i) {
    const auto p = corners(i);
    const Point n = normal(p);
    for (std::size_t d = 0; d < 3; ++d) {
      const double off = (p[0][d] + p[1][d] + p[2][d]) / 3 - node.centre[d];
      for (std::size_t e = 0; e < 3; ++e) node.quadrupole[d][e] += 0.5 * off * n[e];
    }
    for (const Point& q : p) {
      const Point r = difference(q, node.centre);
      node.radius2 = std::max(node.radius2, product(r, r));
    }
  }
}

// Tests a box enlarged by rounding against an infinite line.
bool TriangleTree::meets(const Node& node, const Ray& ray) {
  double lower = -Bounds::far, upper = Bounds::far;
  for (std::size_t d = 0; d < 3; ++d) {
    const double size = std::abs(node.box.lower[d]) + std::abs(node.box.upper[d]) + std::abs(ray.origin[d]);
    const double lo = node.box.lower[d] - 1e-12 * size, hi = node.box.upper[d] + 1e-12 * size;
    if (ray.direction[d] == 0) {
      if (ray.origin[d] < lo || ray.origin[d] > hi) return false;
      continue;
    }
    const double a = (lo - ray.origin[d]) / ray.direction[d], b = (hi - ray.origin[d]) / ray.direction[d];
    lower = std::max(lower, std::min(a, b));
    upper = std::min(upper, std::max(a, b));
  }
  return lower <= upper + 1e-12 * (std::abs(lower) + std::abs(upper));
}

// The winding number of a small area n at r from the point is n·r/(4π |r|³); the second term is its derivative in r.
double TriangleTree::far_field(const Node& node, const Point& p) {
  const Point r = difference(node.centre, p);
  const double r2 = product(r, r), r3 = r2 * std::sqrt(r2);
  double sum = product(node.dipole, r) / r3;
  double trace = 0, along = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    trace += node.quadrupole[d][d];
    along += r[d] * product(node.quadrupole[d], r);
  }
  sum += (trace - 3 * along / r2) / r3;
  return sum / (4 * std::numbers::pi);
}

double TriangleTree::winding(const Point& p) const {
  std::array<std::uint32_t, 64> stack{};
  std::size_t depth = 0;
  double sum = 0;
  if (!nodes_.empty()) stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t here = stack[--depth];
    const Node& node = nodes_[here];
    const Point r = difference(p, node.centre);
    if (product(r, r) > distant * distant * node.radius2) {
      sum += far_field(node, p);
    } else if (node.right == 0) {
      for (std::uint32_t i = node.first; i < node.last; ++i) {
        const Triangle& t = triangles_.faces[order_[i]];
        sum += solid_angle(p, triangles_.points[t[0]], triangles_.points[t[1]], triangles_.points[t[2]]);
      }
    } else {
      stack[depth++] = node.right;
      stack[depth++] = here + 1;
    }
  }
  return sum;
}

}  // namespace poisson
