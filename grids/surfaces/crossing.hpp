#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "grids/problem/shapes.hpp"

namespace poisson {

/// Is the view along a ray: points are projected along the ray onto the plane across its main axis, with the ray at the
/// origin (Woop, Benthin, Wald, "Watertight ray/triangle intersection", JCGT 2, 2013). The projection of a point
/// depends on this point alone, so triangles with a common edge agree on the side of the ray.
struct RayFrame {
  std::size_t k = 0, u = 1, v = 2;  ///< main axis and those across it, in right-handed order
  double ok = 0, ou = 0, ov = 0;    ///< origin
  double su = 0, sv = 0;            ///< shift across, per length along the main axis
  double dk = 1;                    ///< direction along the main axis
  bool straight = true;             ///< the ray is parallel to the axis

  explicit RayFrame(const Ray& ray) {
    for (std::size_t d = 1; d < 3; ++d)
      if (std::abs(ray.direction[d]) > std::abs(ray.direction[k])) k = d;
    u = (k + 1) % 3;
    v = (k + 2) % 3;
    ok = ray.origin[k];
    ou = ray.origin[u];
    ov = ray.origin[v];
    dk = ray.direction[k];
    straight = ray.direction[u] == 0 && ray.direction[v] == 0;
    su = ray.direction[u] / dk;
    sv = ray.direction[v] / dk;
  }
  std::array<double, 2> project(const Point& p) const {
    if (straight) return {p[u] - ou, p[v] - ov};
    const double along = p[k] - ok;
    return {p[u] - ou - su * along, p[v] - ov - sv * along};
  }
  double parameter(double along) const { return ok == 0 && dk == 1 ? along : (along - ok) / dk; }
};

/// Returns a determinant a_u b_v − a_v b_u with the right sign, and 0 only if it is 0: the rounded one if it is larger
/// than its error, else that of Kahan (Jeannerod, Louvet, Muller, Math. Comp. 82, 2013).
inline double determinant(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  const double p = a[0] * b[1], q = a[1] * b[0], d = p - q;
  constexpr double unit = 4e-16;
  if (std::abs(d) > unit * (std::abs(p) + std::abs(q))) return d;
  const double error = std::fma(-a[1], b[0], q);
  return std::fma(a[0], b[1], -q) + error;
}

/// Returns the side of the origin of a directed edge: 1, −1, or 0 if its ends coincide. An origin on the edge counts as
/// moved by (ε, ε²) (Edelsbrunner, Mücke, "Simulation of simplicity", ACM Trans. Graph. 9, 1990).
inline int side_of(double determinant, const std::array<double, 2>& a, const std::array<double, 2>& b) {
  if (determinant != 0) return determinant > 0 ? 1 : -1;
  if (a[1] != b[1]) return a[1] > b[1] ? 1 : -1;
  if (a[0] != b[0]) return b[0] > a[0] ? 1 : -1;
  return 0;
}

/// Is a crossing of a ray with a triangle.
struct Crossing {
  double t = 0;
  int sign = 0;  ///< 1: the ray enters; −1: it leaves; 0: it passes by
};

/// Returns the crossing of a ray with a triangle. A ray crosses a closed surface as often inwards as outwards, also
/// through its edges and corners.
inline Crossing crossing_of(const RayFrame& ray, const Point& a, const Point& b, const Point& c) {
  const auto pa = ray.project(a), pb = ray.project(b), pc = ray.project(c);
  if ((pa[0] < 0 && pb[0] < 0 && pc[0] < 0) || (pa[0] > 0 && pb[0] > 0 && pc[0] > 0) ||
      (pa[1] < 0 && pb[1] < 0 && pc[1] < 0) || (pa[1] > 0 && pb[1] > 0 && pc[1] > 0))
    return {};
  const double wa = determinant(pb, pc), wb = determinant(pc, pa), wc = determinant(pa, pb);
  const int side = side_of(wa, pb, pc);
  if (side == 0 || side_of(wb, pc, pa) != side || side_of(wc, pa, pb) != side) return {};
  const double za = a[ray.k], zb = b[ray.k], zc = c[ray.k], sum = wa + wb + wc;
  const double low = std::fmin(za, std::fmin(zb, zc)), high = std::fmax(za, std::fmax(zb, zc));
  double z = sum != 0 ? (wa * za + wb * zb + wc * zc) / sum : 0.5 * (low + high);
  z = std::fmin(std::fmax(z, low), high);
  return {ray.parameter(z), (side > 0) == (ray.dk > 0) ? -1 : 1};
}

}  // namespace poisson
