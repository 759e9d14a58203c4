#include "grids/meshes/element_rules.hpp"

#include <cmath>

namespace poisson {
namespace {

using Vector = std::array<double, 3>;
using Values = std::array<double, most_corners>;
using Slopes = std::array<Vector, most_corners>;

constexpr int signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                             {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

// Simplices: barycentric coordinates.
void of_simplex(int dimension, const Vector& at, Values& value, Slopes& slope) {
  value[0] = 1;
  slope[0] = {};
  for (int d = 0; d < dimension; ++d) {
    const auto c = static_cast<std::size_t>(d);
    value[0] -= at[c];
    slope[0][c] = -1;
    value[c + 1] = at[c];
    slope[c + 1] = {};
    slope[c + 1][c] = 1;
  }
}

// Boxes: products of (1 ± x)/2.
void of_box(int dimension, const Vector& at, Values& value, Slopes& slope) {
  const int corners = 1 << dimension;
  for (int a = 0; a < corners; ++a) {
    const auto c = static_cast<std::size_t>(a);
    std::array<double, 3> f{1, 1, 1}, g{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      f[d] = 0.5 * (1 + signs[c][d] * at[d]);
      g[d] = 0.5 * signs[c][d];
    }
    value[c] = f[0] * f[1] * f[2];
    slope[c] = {g[0] * f[1] * f[2], f[0] * g[1] * f[2], f[0] * f[1] * g[2]};
    for (std::size_t d = static_cast<std::size_t>(dimension); d < 3; ++d) slope[c][d] = 0;
  }
}

// A triangle of x and y times a line along z.
void of_prism_at(const Vector& at, Values& value, Slopes& slope) {
  Values triangle{};
  Slopes in_plane{};
  of_simplex(2, at, triangle, in_plane);
  for (std::size_t end = 0; end < 2; ++end) {
    const double sign = end == 0 ? -1 : 1, f = 0.5 * (1 + sign * at[2]);
    for (std::size_t a = 0; a < 3; ++a) {
      value[3 * end + a] = triangle[a] * f;
      slope[3 * end + a] = {in_plane[a][0] * f, in_plane[a][1] * f, 0.5 * sign * triangle[a]};
    }
  }
}

void of_pyramid_at(const Vector& at, Values& value, Slopes& slope) {
  const double z = at[2], height = 1 - z;
  const double xi = height > 1e-14 ? at[0] / height : 0, eta = height > 1e-14 ? at[1] / height : 0;
  for (std::size_t a = 0; a < 4; ++a) {
    const double sx = signs[a][0], sy = signs[a][1];
    value[a] = 0.25 * (1 + sx * xi) * (1 + sy * eta) * height;
    slope[a] = {0.25 * sx * (1 + sy * eta), 0.25 * sy * (1 + sx * xi), 0.25 * (sx * sy * xi * eta - 1)};
  }
  value[4] = z;
  slope[4] = {0, 0, 1};
}

constexpr double gauss = 0.57735026918962576451;  // 1/√3

// Adds a point of a rule.
void add_point(ElementRule& rule, CellShape shape, const Vector& at, double weight) {
  const auto p = static_cast<std::size_t>(rule.points++);
  rule.weight[p] = weight;
  shape_functions(shape, at, rule.value[p], rule.slope[p]);
}

ElementRule make_rule(CellShape shape) {
  ElementRule rule;
  rule.corners = facts_of(shape).corners;
  rule.dimension = facts_of(shape).dimension;
  const auto add = [&](double x, double y, double z, double w) { add_point(rule, shape, {x, y, z}, w); };
  constexpr double third[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                   of_third[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const double a = 0.13819660112501051518, b = 0.58541019662496845446;  // of four points in a tetrahedron
  switch (shape) {
    case CellShape::vertex:
      break;
    case CellShape::line:
      for (const double x : {-gauss, gauss}) add(x, 0, 0, 1);
      break;
    case CellShape::triangle:
      for (const Vector& m : {Vector{0.5, 0, 0}, Vector{0.5, 0.5, 0}, Vector{0, 0.5, 0}}) add(m[0], m[1], 0, 1.0 / 6);
      break;
    case CellShape::quadrilateral:
      for (const double y : {-gauss, gauss})
        for (const double x : {-gauss, gauss}) add(x, y, 0, 1);
      break;
    case CellShape::tetrahedron:
      for (const Vector& m : {Vector{a, a, a}, Vector{b, a, a}, Vector{a, b, a}, Vector{a, a, b}})
        add(m[0], m[1], m[2], 1.0 / 24);
      break;
    case CellShape::pyramid:
      for (std::size_t k = 0; k < 3; ++k)
        for (const double eta : {-gauss, gauss})
          for (const double xi : {-gauss, gauss}) {
            const double height = 1 - third[k];
            add(xi * height, eta * height, third[k], of_third[k] * height * height);
          }
      break;
    case CellShape::prism:
      for (const double z : {-gauss, gauss})
        for (const Vector& m : {Vector{0.5, 0, 0}, Vector{0.5, 0.5, 0}, Vector{0, 0.5, 0}}) add(m[0], m[1], z, 1.0 / 6);
      break;
    case CellShape::hexahedron:
      for (const double z : {-gauss, gauss})
        for (const double y : {-gauss, gauss})
          for (const double x : {-gauss, gauss}) add(x, y, z, 1);
      break;
  }
  return rule;
}

// Returns dx_d/dξ_r at a point of a rule, as rows r.
std::array<Vector, 3> jacobian(const ElementRule& rule, int point, std::span<const Vector> corners) {
  std::array<Vector, 3> J{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(rule.corners); ++c)
    for (std::size_t r = 0; r < static_cast<std::size_t>(rule.dimension); ++r)
      for (std::size_t d = 0; d < 3; ++d) J[r][d] += rule.slope[static_cast<std::size_t>(point)][c][r] * corners[c][d];
  return J;
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::array<Vector, most_corners> coordinates_of(const Mesh& mesh, std::span<const int> corners) {
  std::array<Vector, most_corners> x{};
  for (std::size_t c = 0; c < corners.size(); ++c) x[c] = mesh.points[static_cast<std::size_t>(corners[c])];
  return x;
}

}  // namespace

void shape_functions(CellShape shape, const Vector& at, Values& value, Slopes& slope) {
  switch (shape) {
    case CellShape::vertex:
      value[0] = 1;
      return;
    case CellShape::triangle:
      return of_simplex(2, at, value, slope);
    case CellShape::tetrahedron:
      return of_simplex(3, at, value, slope);
    case CellShape::prism:
      return of_prism_at(at, value, slope);
    case CellShape::pyramid:
      return of_pyramid_at(at, value, slope);
    case CellShape::line:
    case CellShape::quadrilateral:
    case CellShape::hexahedron:
      return of_box(facts_of(shape).dimension, at, value, slope);
  }
}

const ElementRule& rule_of(CellShape shape) {
  static const std::array<ElementRule, shape_count> rules = [] {
    std::array<ElementRule, shape_count> all;
    for (std::size_t s = 0; s < shape_count; ++s) all[s] = make_rule(static_cast<CellShape>(s));
    return all;
  }();
  return rules[static_cast<std::size_t>(shape)];
}

void map_point(const ElementRule& rule, int point, std::span<const Vector> corners, ElementPoint& mapped) {
  const auto p = static_cast<std::size_t>(point);
  const std::array<Vector, 3> J = jacobian(rule, point, corners);
  const auto n = static_cast<std::size_t>(rule.corners);
  if (rule.dimension == 2) {
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0], inverse = 1 / det;
    mapped.measure = rule.weight[p] * det;
    for (std::size_t c = 0; c < n; ++c) {
      const Vector& s = rule.slope[p][c];
      mapped.slope[c] = {inverse * (J[1][1] * s[0] - J[0][1] * s[1]), inverse * (J[0][0] * s[1] - J[1][0] * s[0]), 0};
    }
    return;
  }
  const Vector a = cross(J[1], J[2]), b = cross(J[2], J[0]), c3 = cross(J[0], J[1]);
  const double det = J[0][0] * a[0] + J[0][1] * a[1] + J[0][2] * a[2], inverse = 1 / det;
  mapped.measure = rule.weight[p] * det;
  for (std::size_t c = 0; c < n; ++c) {
    const Vector& s = rule.slope[p][c];
    for (std::size_t d = 0; d < 3; ++d) mapped.slope[c][d] = inverse * (a[d] * s[0] + b[d] * s[1] + c3[d] * s[2]);
  }
}

double mapped_measure(const ElementRule& rule, int point, std::span<const Vector> corners) {
  const std::array<Vector, 3> J = jacobian(rule, point, corners);
  const double weight = rule.weight[static_cast<std::size_t>(point)];
  if (rule.dimension == 2) return weight * (J[0][0] * J[1][1] - J[0][1] * J[1][0]);
  const Vector a = cross(J[1], J[2]);
  return weight * (J[0][0] * a[0] + J[0][1] * a[1] + J[0][2] * a[2]);
}

double facet_measure(const ElementRule& rule, int point, std::span<const Vector> corners) {
  const std::array<Vector, 3> J = jacobian(rule, point, corners);
  const Vector normal = rule.dimension == 1 ? J[0] : cross(J[0], J[1]);
  return rule.weight[static_cast<std::size_t>(point)] * std::hypot(normal[0], normal[1], normal[2]);
}

double measure_of(const Mesh& mesh, CellShape shape, std::span<const int> corners) {
  const ElementRule& rule = rule_of(shape);
  const auto x = coordinates_of(mesh, corners);
  double sum = 0;
  for (int p = 0; p < rule.points; ++p)
    sum += rule.dimension < 3 ? facet_measure(rule, p, x) : mapped_measure(rule, p, x);
  return std::abs(sum);
}

Determinants determinants_of(const Mesh& mesh, CellShape shape, std::span<const int> corners) {
  const ElementRule& rule = rule_of(shape);
  const auto x = coordinates_of(mesh, corners);
  Determinants found;
  for (int p = 0; p < rule.points; ++p) {
    const double det = mapped_measure(rule, p, x) / rule.weight[static_cast<std::size_t>(p)];
    found.least = p == 0 ? det : std::min(found.least, det);
    found.largest = p == 0 ? det : std::max(found.largest, det);
  }
  return found;
}

}  // namespace poisson
