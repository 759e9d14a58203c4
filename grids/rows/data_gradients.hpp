#pragma once

#include <cstdint>

/// These formulas are derivatives of λᵀ(b − A u) with respect to the data of a problem. They use arrays without gaps, x
/// fastest, that contain all nodes or cells; arrays at nodes repeat the first nodes of periodic axes. λ is zero at
/// Dirichlet nodes.
namespace poisson {

/// Selects the datum of a derivative, and where its values are.
enum class DataGradient {
  source_at_values,    ///< f where u is
  source_in_cells,     ///< f in cells beside nodes
  reaction_at_values,  ///< σ where u is
  reaction_in_cells,   ///< σ in cells beside nodes
  reaction_elements,   ///< σ in the cells of elements
  kappa_at_nodes,      ///< κ of finite volumes at nodes
  kappa_in_cells,      ///< κ of finite volumes in cells; of faces of the box only those in GradientData::face
  kappa_elements       ///< κ of elements
};

/// Describes a face of the box whose data are numbers, for the derivative with respect to κ of the cells at it.
struct GradientFace {
  enum class Kind { none, dirichlet, robin };
  Kind kind = Kind::none;
  double value = 0, alpha = 0;

  /// Returns the derivative of the flow through the face with respect to κ of its cell, per area.
  constexpr double slope(double kappa, double h, double u) const {
    if (kind == Kind::none) return 0;
    if (kind == Kind::dirichlet) return 2 / h * (u - value);
    const double half = 0.5 * h * alpha, sum = kappa + half;
    return half / (sum * sum) * (alpha * u - value);
  }
};

/// Locates the arrays and the widths of the cells in memory of one device.
template <class T>
struct GradientData {
  const T *u = nullptr, *lambda = nullptr;
  const T* kappa[3] = {};             ///< κ along each axis; of cells alone
  int first_axis = 0, last_axis = 3;  ///< the datum is κ of these axes
  int cells[3] = {}, values[3] = {};  ///< the shapes of arrays of cells and of u
  const double* width[3] = {};        ///< of cells; 1 on axes that the grid lacks
  bool flat[3] = {}, periodic[3] = {};
  bool at_nodes = true;
  GradientFace face[3][2];  ///< of problems in cells, whose κ is that of an axis

  constexpr std::int64_t value(int i, int j, int k) const {
    return (static_cast<std::int64_t>(k) * values[1] + j) * values[0] + i;
  }
  constexpr std::int64_t cell(int i, int j, int k) const {
    return (static_cast<std::int64_t>(k) * cells[1] + j) * cells[0] + i;
  }
};

namespace gradients {

/// Returns the length of the control volume of a value.
template <class T>
constexpr double mass(const GradientData<T>& g, int d, int i) {
  if (g.flat[d]) return 1;
  if (!g.at_nodes) return g.width[d][i];
  const int n = g.cells[d];
  const double above = i < n ? g.width[d][i] : 0;
  if (g.periodic[d])
    return i < n ? 0.5 * (above + g.width[d][i > 0 ? i - 1 : n - 1]) : 0;  // the last repeats the first
  return 0.5 * (above + (i > 0 ? g.width[d][i - 1] : 0));
}

/// Returns Σ over the corners of a cell of their part of its volume times λ, or times λ u.
template <class T>
constexpr double corners(const GradientData<T>& g, bool with_u, int i, int j, int k) {
  double sum = 0, part = 1;
  const int at[3] = {i, j, k};
  for (int d = 0; d < 3; ++d) part *= g.flat[d] ? 1 : 0.5 * g.width[d][at[d]];
  for (int c = 0; c < (g.flat[2] ? 1 : 2); ++c)
    for (int b = 0; b < 2; ++b)
      for (int a = 0; a < 2; ++a) {
        const std::int64_t n = g.value(i + a, j + b, k + c);
        sum += static_cast<double>(g.lambda[n]) * (with_u ? static_cast<double>(g.u[n]) : 1);
      }
  return part * sum;
}

/// Returns λᵀ M u of the mass matrix of an element.
template <class T>
constexpr double element_mass(const GradientData<T>& g, int i, int j, int k) {
  const int at[3] = {i, j, k}, count = g.flat[2] ? 4 : 8;
  double sum = 0, part = 1;
  for (int d = 0; d < 3; ++d) part *= g.flat[d] ? 1 : g.width[d][at[d]] / 6;
  for (int p = 0; p < count; ++p)
    for (int q = 0; q < count; ++q) {
      double weight = part;
      for (int d = 0; d < (g.flat[2] ? 2 : 3); ++d) weight *= (p ^ q) >> d & 1 ? 1 : 2;
      sum += weight * static_cast<double>(g.lambda[g.value(i + (p & 1), j + (p >> 1 & 1), k + (p >> 2))]) *
             static_cast<double>(g.u[g.value(i + (q & 1), j + (q >> 1 & 1), k + (q >> 2))]);
    }
  return sum;
}

/// Returns the sum over the edges of a cell along an axis of the products of the differences of λ and u; for elements
/// over pairs of edges, with the weights of the mass matrix across the axis.
template <class T>
constexpr double edges(const GradientData<T>& g, int axis, bool elements, int i, int j, int k) {
  const int at[3] = {i, j, k}, o[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  const std::int64_t stride[3] = {1, g.values[0], static_cast<std::int64_t>(g.values[0]) * g.values[1]};
  const std::int64_t origin = g.value(i, j, k);
  double of_u[4] = {}, of_lambda[4] = {}, scale = 1 / g.width[axis][at[axis]];
  const int second = g.flat[o[1]] ? 1 : 2, count = 2 * second;
  for (int e = 0; e < count; ++e) {
    const std::int64_t n = origin + (e & 1) * stride[o[0]] + (e >> 1) * stride[o[1]];
    of_u[e] = static_cast<double>(g.u[n + stride[axis]]) - static_cast<double>(g.u[n]);
    of_lambda[e] = static_cast<double>(g.lambda[n + stride[axis]]) - static_cast<double>(g.lambda[n]);
  }
  double sum = 0;
  for (int d = 0; d < 2; ++d)
    if (!g.flat[o[d]]) scale *= g.width[o[d]][at[o[d]]] / (elements ? 6 : 2);
  for (int e = 0; e < count; ++e) {
    if (!elements) {
      sum += of_lambda[e] * of_u[e];
      continue;
    }
    for (int f = 0; f < count; ++f) {
      const int same = ((e ^ f) & 1 ? 1 : 2) * (second == 1 ? 1 : (e ^ f) & 2 ? 1 : 2);
      sum += same * of_lambda[e] * of_u[f];
    }
  }
  return scale * sum;
}

/// Returns the derivative with respect to κ of a cell along an axis, from the faces to its two neighbours, with c =
/// 1/(h/(2κA) + …): (∂c/∂κ) Δλ Δu. Faces of the box add λ ∂flow/∂κ.
template <class T>
constexpr double faces(const GradientData<T>& g, int axis, int i, int j, int k) {
  const int at[3] = {i, j, k};
  double area = 1;
  for (int d = 0; d < 3; ++d)
    if (d != axis && !g.flat[d]) area *= g.width[d][at[d]];
  const std::int64_t own = g.cell(i, j, k);
  const double kappa = static_cast<double>(g.kappa[axis][own]), h = g.width[axis][at[axis]];
  const double resistance = 0.5 * h / (area * kappa);
  double sum = 0, at_box = 0;
  for (int side = -1; side <= 1; side += 2) {
    int there[3] = {i, j, k};
    const int n = g.cells[axis];
    there[axis] += side;
    if (there[axis] < 0 || there[axis] >= n) {
      if (!g.periodic[axis]) {
        const double slope = g.face[axis][side > 0].slope(kappa, h, static_cast<double>(g.u[own]));
        at_box += area * slope * static_cast<double>(g.lambda[own]);
        continue;
      }
      there[axis] = (there[axis] + n) % n;
    }
    const std::int64_t next = g.cell(there[0], there[1], there[2]);
    const double c =
        1 / (resistance + 0.5 * g.width[axis][there[axis]] / (area * static_cast<double>(g.kappa[axis][next])));
    sum += c * c * (static_cast<double>(g.lambda[own]) - static_cast<double>(g.lambda[next])) *
           (static_cast<double>(g.u[own]) - static_cast<double>(g.u[next]));
  }
  return sum * resistance / kappa + at_box;
}

}  // namespace gradients

/// Returns the derivative with respect to the datum's value at a place.
template <class T>
constexpr double gradient_of(DataGradient kind, const GradientData<T>& g, int i, int j, int k) {
  using namespace gradients;
  const auto volume = [&] { return mass(g, 0, i) * mass(g, 1, j) * mass(g, 2, k); };
  double sum = 0;
  switch (kind) {
    case DataGradient::source_at_values:
      return volume() * static_cast<double>(g.lambda[g.value(i, j, k)]);
    case DataGradient::source_in_cells:
      return corners(g, false, i, j, k);
    case DataGradient::reaction_at_values:
      return -volume() * static_cast<double>(g.lambda[g.value(i, j, k)]) * static_cast<double>(g.u[g.value(i, j, k)]);
    case DataGradient::reaction_in_cells:
      return -corners(g, true, i, j, k);
    case DataGradient::reaction_elements:
      return -element_mass(g, i, j, k);
    case DataGradient::kappa_at_nodes:
    case DataGradient::kappa_elements:
      for (int axis = g.first_axis; axis < g.last_axis; ++axis)
        sum += edges(g, axis, kind == DataGradient::kappa_elements, i, j, k);
      return -sum;
    case DataGradient::kappa_in_cells:
      for (int axis = g.first_axis; axis < g.last_axis; ++axis) sum += faces(g, axis, i, j, k);
      return -sum;
  }
  return 0;
}

}  // namespace poisson
