#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "grids/problem/problem.hpp"

/// This oracle implements the mathematics of node-centred finite volumes in plain loops in extended precision. It
/// shares only the description of the problem with the library. It is slow and written to be read.
namespace poisson::reference {

using Real = long double;
/// A vector has one number per node, x fastest; a periodic axis omits its last node.
using Vector = std::vector<Real>;
using Index = std::array<int, 3>;

/// Numbers the nodes of a problem, or its cells if those have the values. In two dimensions z has the single node 0.
struct Grid {
  int dimension = 3;
  Centering centering = Centering::node;
  std::array<std::vector<double>, 3> nodes;
  std::array<std::array<BoundaryKind, 2>, 3> kind{};
  Index cells{1, 1, 1}, size{1, 1, 1};
  bool box = false;  ///< elements: all nodes within ±1 are neighbours

  explicit Grid(const Problem& p)
      : dimension(p.dimension), centering(p.centering), nodes(p.nodes), box(p.scheme != Scheme::fv) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (static_cast<int>(d) >= dimension) {
        nodes[d] = {0};
        continue;
      }
      kind[d] = {p.boundary[d][0].kind, p.boundary[d][1].kind};
      cells[d] = static_cast<int>(nodes[d].size()) - 1;
      size[d] = cells[d] + (periodic(d) || centering == Centering::cell ? 0 : 1);
    }
  }
  bool periodic(std::size_t d) const { return static_cast<int>(d) < dimension && kind[d][0] == BoundaryKind::periodic; }
  std::size_t count() const { return static_cast<std::size_t>(size[0]) * size[1] * size[2]; }
  std::size_t number(Index at) const {
    return (static_cast<std::size_t>(at[2]) * size[1] + static_cast<std::size_t>(at[1])) * size[0] +
           static_cast<std::size_t>(at[0]);
  }
  Index index(std::size_t number) const {
    const auto i = static_cast<int>(number);
    return {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
  }
  Real width(std::size_t d, int cell) const {
    return Real{nodes[d][static_cast<std::size_t>(cell) + 1]} - Real{nodes[d][static_cast<std::size_t>(cell)]};
  }
  bool dirichlet(Index at) const {
    if (centering == Centering::cell) return false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      if ((at[d] == 0 && kind[d][0] == BoundaryKind::dirichlet) ||
          (at[d] == size[d] - 1 && kind[d][1] == BoundaryKind::dirichlet))
        return true;
    return false;
  }
};

/// Evaluates a datum at a point. A grid array must have a value at `at`, which is returned.
inline Real evaluate(const Quantity& q, const std::array<double, 3>& point, Index at) {
  if (const double* constant = q.constant()) return *constant;
  if (const auto* array = q.array())
    return array->values[static_cast<std::size_t>((at[2] * array->shape[1] + at[1]) * array->shape[0] + at[0])];
  double value = 0;
  (*q.function())(std::span(&point[0], 1), std::span(&point[1], 1), std::span(&point[2], 1), std::span(&value, 1));
  return value;
}

/// Stores the rows of all nodes. Rows of Dirichlet nodes are computed as if their faces were natural.
struct System {
  struct Entry {
    std::size_t column;
    Real value;
    Real gross;  ///< sum of magnitudes, the unit of rounding
  };
  Grid grid;
  std::vector<std::vector<Entry>> neighbours;  ///< off-diagonal entries
  Vector diagonal, mass;
  std::vector<bool> unknown;
  Vector data{};  ///< face data in rows of cells: Σ coupling·g of Dirichlet, Σ coupling·g/α of Robin faces

  void couple(std::size_t a, std::size_t b, Real weight) {
    for (const auto& [row, column] : {std::pair{a, b}, std::pair{b, a}}) {
      diagonal[row] += weight;
      bool found = false;
      for (Entry& e : neighbours[row])
        if (e.column == column) {
          e.value -= weight;
          e.gross += weight;
          found = true;
        }
      if (!found) neighbours[row].push_back({column, -weight, weight});
    }
  }
  /// Adds value to a_ij, the contribution of an element matrix.
  void add(std::size_t i, std::size_t j, Real value) {
    if (i == j) {
      diagonal[i] += value;
      return;
    }
    for (Entry& e : neighbours[i])
      if (e.column == j) {
        e.value += value;
        e.gross += std::abs(value);
        return;
      }
    neighbours[i].push_back({j, value, std::abs(value)});
  }
  Real row(std::size_t i, const Vector& u) const {
    Real sum = diagonal[i] * u[i];
    for (const Entry& e : neighbours[i]) sum += e.value * u[e.column];
    return data.empty() ? sum : sum - data[i];
  }
  /// Returns Σ|a||u|, the unit of a rounding of the row.
  Real magnitude(std::size_t i, const Vector& u) const {
    Real sum = gross_diagonal(i) * std::abs(u[i]);
    for (const Entry& e : neighbours[i]) sum += e.gross * std::abs(u[e.column]);
    return data.empty() ? sum : sum + std::abs(data[i]);
  }
  /// Returns the diagonal as the sum by which it is computed.
  Real gross_diagonal(std::size_t i) const {
    Real sum = 0;
    for (const Entry& e : neighbours[i]) sum += e.gross;
    return std::max(diagonal[i], sum);
  }
  /// Returns a lower estimate of the largest eigenvalue of D⁻¹A over the unknowns, by the power method.
  Real largest_eigenvalue(int steps) const {
    Vector v(diagonal.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = unknown[i] ? std::sin(Real(37 * i + 5)) : 0;
    Real quotient = 0;
    for (int s = 0; s < steps; ++s) {
      Vector next(v.size(), 0);
      Real energy = 0, norm = 0;
      for (std::size_t i = 0; i < v.size(); ++i) {
        if (!unknown[i]) continue;
        const Real product = row(i, v);
        energy += v[i] * product;
        norm += v[i] * diagonal[i] * v[i];
        next[i] = product / diagonal[i];
      }
      if (norm == 0) return quotient;
      quotient = std::max(quotient, energy / norm);
      v = next;
    }
    return quotient;
  }
  bool singular() const {
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      Real sum = diagonal[i];
      for (const Entry& e : neighbours[i]) sum += e.value;
      if (!unknown[i] || std::abs(sum) > 1e-15L * diagonal[i]) return false;
    }
    return true;
  }
};

/// Assembles the rows cell by cell. Every cell adds κ·(quarter face)/h to the coupling of its edges, a share of
/// σ·volume to its corners, and a share of α·area to corners on Robin faces (in two dimensions halves replace
/// quarters). All terms are multiplied by `scale`.
inline System assemble(const Problem& p, double scale = 1) {
  System s{Grid(p), {}, {}, {}, {}};
  const Grid& g = s.grid;
  const auto dimension = static_cast<std::size_t>(g.dimension);
  s.neighbours.resize(g.count());
  s.diagonal.assign(g.count(), 0);
  s.mass.assign(g.count(), 0);
  for (std::size_t i = 0; i < g.count(); ++i) s.unknown.push_back(!g.dirichlet(g.index(i)));

  for (int ck = 0; ck < g.cells[2]; ++ck)
    for (int cj = 0; cj < g.cells[1]; ++cj)
      for (int ci = 0; ci < g.cells[0]; ++ci) {
        const Index cell{ci, cj, ck};
        std::array<Real, 3> h{1, 1, 1};
        std::array<double, 3> centre{};
        Real volume = 1;  // volume per corner
        for (std::size_t d = 0; d < dimension; ++d) {
          h[d] = g.width(d, cell[d]);
          const auto at = static_cast<std::size_t>(cell[d]);
          centre[d] = 0.5 * (g.nodes[d][at] + g.nodes[d][at + 1]);
          volume *= h[d] / 2;
        }
        for (unsigned corner = 0; corner < 1U << dimension; ++corner) {
          const auto node = [&](unsigned bits) {
            Index at = cell;
            for (std::size_t d = 0; d < dimension; ++d) at[d] = (cell[d] + static_cast<int>(bits >> d & 1)) % g.size[d];
            return at;
          };
          const Index here = node(corner);
          // These are points of the part: `within` is nearer to the node in the wider of two neighbouring cells, and
          // `close` is near a face but within the cell.
          std::array<double, 3> within{}, close{};
          for (std::size_t d = 0; d < dimension; ++d) {
            const bool upper = corner >> d & 1U;
            const double low = g.nodes[d][static_cast<std::size_t>(cell[d])], width = static_cast<double>(h[d]);
            const int beyond = upper ? cell[d] + 1 : cell[d] - 1, n = g.cells[d];
            const bool open = (beyond < 0 || beyond == n) && !g.periodic(d);
            const double least = open ? 0 : std::min(width, static_cast<double>(g.width(d, (beyond + n) % n)));
            const double high = g.nodes[d][static_cast<std::size_t>(cell[d]) + 1];
            const double extent = std::max(std::abs(g.nodes[d].front()), std::abs(g.nodes[d].back()));
            const double at_node = std::min(0x1p-47 * extent, width / 4);
            const double distance = std::max(at_node, least == 0 ? 0 : 0.075 * least * least / width);
            within[d] = upper ? high - distance : low + distance;
            close[d] = upper ? high - at_node : low + at_node;
          }
          const std::size_t i = g.number(here);
          s.mass[i] += volume;
          s.diagonal[i] += scale * evaluate(p.reaction, within, here) * volume;
          for (std::size_t d = 0; d < dimension; ++d) {
            const Real area = volume / (h[d] / 2);
            const unsigned end = corner >> d & 1;
            if (end == 0) {
              const Real kappa = evaluate(p.coefficient[p.isotropic ? 0 : d], centre, cell);
              s.couple(i, g.number(node(corner | 1U << d)), scale * kappa * area / h[d]);
            }
            const bool on_face = cell[d] == (end == 0 ? 0 : g.cells[d] - 1);
            if (on_face && g.kind[d][end] == BoundaryKind::robin) {
              std::array<double, 3> point = close;
              point[d] = g.nodes[d][static_cast<std::size_t>(cell[d]) + end];
              s.diagonal[i] += scale * evaluate(p.boundary[d][end].alpha, point, here) * area;
            }
          }
        }
      }
  return s;
}

/// Interpolates linearly between coarse nodes in one dimension: each row contains the hat functions at a fine node.
using Dense = std::vector<std::vector<Real>>;
inline Dense prolongation(const std::vector<double>& fine, const std::vector<double>& coarse, bool periodic) {
  const std::size_t rows = fine.size() - (periodic ? 1 : 0), columns = coarse.size() - (periodic ? 1 : 0);
  Dense P(rows, std::vector<Real>(columns, 0));
  for (std::size_t i = 0; i < rows; ++i) {
    if (coarse.size() == 1) P[i][0] = 1;
    for (std::size_t c = 0; c + 1 < coarse.size(); ++c) {
      const Real left = coarse[c], right = coarse[c + 1], x = fine[i];
      if (x < left || x > right || (x == left && c > 0)) continue;
      P[i][c] += (right - x) / (right - left);
      P[i][(c + 1) % columns] += (x - left) / (right - left);
    }
  }
  return P;
}

/// Interpolates cubically in one dimension with Lagrange's polynomial through the four coarse nodes around each fine
/// one, or the nearest four at ends, or all if there are fewer. It uses the line through two nodes if the absolute
/// weights exceed 30 in sum. A periodic axis needs at least four nodes.
inline Dense interpolation(const std::vector<double>& fine, const std::vector<double>& coarse, bool periodic) {
  const int rows = static_cast<int>(fine.size()) - (periodic ? 1 : 0);
  const int columns = static_cast<int>(coarse.size()) - (periodic ? 1 : 0);
  const auto x = [&](int c) {
    const int turn = c < 0 ? -1 : periodic && c >= columns ? 1 : 0;
    return Real{coarse[static_cast<std::size_t>(c - turn * columns)]} + turn * (Real{coarse.back()} - coarse.front());
  };
  Dense P(static_cast<std::size_t>(rows), std::vector<Real>(static_cast<std::size_t>(columns), 0));
  for (int i = 0; i < rows; ++i) {
    const Real at = fine[static_cast<std::size_t>(i)];
    int left = 0;
    while (left + 1 < columns && x(left + 1) <= at) ++left;
    const int points = std::min(4, columns);
    int start = left - 1;
    if (!periodic) start = std::max(0, std::min(start, columns - points));
    std::array<Real, 4> weight{};
    Real sum = 0;
    for (int p = 0; p < points; ++p) {
      weight[static_cast<std::size_t>(p)] = 1;
      for (int q = 0; q < points; ++q)
        if (q != p) weight[static_cast<std::size_t>(p)] *= (at - x(start + q)) / (x(start + p) - x(start + q));
      sum += std::abs(weight[static_cast<std::size_t>(p)]);
    }
    if (sum > 30) {
      start = left;
      const Real upper = (at - x(left)) / (x(left + 1) - x(left));
      weight = {1 - upper, upper};
    }
    for (int p = 0; p < points; ++p)
      P[static_cast<std::size_t>(i)][static_cast<std::size_t>((start + p + columns) % columns)] +=
          weight[static_cast<std::size_t>(p)];
  }
  return P;
}

/// Injects in one dimension. Row I selects the fine node at coarse node I if there is one. Otherwise it has Lagrange's
/// weights of the four fine nodes around it, or the nearest four at ends, or all if there are fewer.
inline Dense injection(const std::vector<double>& fine, const std::vector<double>& coarse, bool periodic) {
  const int rows = static_cast<int>(coarse.size()) - (periodic ? 1 : 0);
  const int columns = static_cast<int>(fine.size()) - (periodic ? 1 : 0);
  const auto x = [&](int c) {
    const int turn = c < 0 ? -1 : periodic && c >= columns ? 1 : 0;
    return Real{fine[static_cast<std::size_t>(c - turn * columns)]} + turn * (Real{fine.back()} - fine.front());
  };
  const Real rounding =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(Real{fine.front()}), std::abs(Real{fine.back()}));
  Dense W(static_cast<std::size_t>(rows), std::vector<Real>(static_cast<std::size_t>(columns), 0));
  for (int I = 0; I < rows; ++I) {
    auto& row = W[static_cast<std::size_t>(I)];
    const Real at = coarse[static_cast<std::size_t>(I)];
    int left = 0;
    while (left + 1 < columns && x(left + 1) <= at + rounding) ++left;
    if (std::abs(x(left) - at) <= rounding) {
      row[static_cast<std::size_t>(left)] = 1;
      continue;
    }
    const int points = std::min(4, columns);
    const int start = periodic ? left - 1 : std::max(0, std::min(left - 1, columns - points));
    for (int p = 0; p < points; ++p) {
      Real weight = 1;
      for (int q = 0; q < points; ++q)
        if (q != p) weight *= (at - x(start + q)) / (x(start + p) - x(start + q));
      row[static_cast<std::size_t>((start + p + columns) % columns)] += weight;
    }
  }
  return W;
}

/// Returns the overlaps of fine and coarse cells: row i contains the share of the width of fine cell i in each coarse
/// cell.
inline Dense shares(const std::vector<double>& fine, const std::vector<double>& coarse) {
  Dense S(fine.size() - 1, std::vector<Real>(coarse.size() - 1, 0));
  for (std::size_t i = 0; i + 1 < fine.size(); ++i)
    for (std::size_t I = 0; I + 1 < coarse.size(); ++I) {
      const Real common = Real{std::min(fine[i + 1], coarse[I + 1])} - Real{std::max(fine[i], coarse[I])};
      S[i][I] = std::max(Real{0}, common) / (Real{fine[i + 1]} - Real{fine[i]});
    }
  return S;
}

/// Transposes the matrices.
inline std::array<Dense, 3> transposed(const std::array<Dense, 3>& P) {
  std::array<Dense, 3> T;
  for (std::size_t d = 0; d < 3; ++d) {
    T[d].assign(P[d].front().size(), std::vector<Real>(P[d].size(), 0));
    for (std::size_t i = 0; i < P[d].size(); ++i)
      for (std::size_t I = 0; I < P[d][i].size(); ++I) T[d][I][i] = P[d][i][I];
  }
  return T;
}

/// Calls f(fine number, coarse number, weight) for the entries of the tensor product of three matrices.
template <class F>
void for_each_entry(const std::array<Dense, 3>& P, const F& f) {
  const auto& [x, y, z] = P;
  for (std::size_t k = 0; k < z.size(); ++k)
    for (std::size_t j = 0; j < y.size(); ++j)
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t K = 0; K < z[k].size(); ++K)
          for (std::size_t J = 0; J < y[j].size(); ++J)
            for (std::size_t I = 0; z[k][K] * y[j][J] != 0 && I < x[i].size(); ++I)
              if (x[i][I] != 0)
                f((k * y.size() + j) * x.size() + i, (K * y[j].size() + J) * x[i].size() + I,
                  x[i][I] * y[j][J] * z[k][K]);
}

/// Applies u += ω D⁻¹(b − A u) to all unknowns simultaneously.
inline void jacobi(const System& s, Real omega, const Vector& b, Vector& u) {
  const Vector old = u;
  for (std::size_t i = 0; i < u.size(); ++i)
    if (s.unknown[i]) u[i] += omega * (b[i] - s.row(i, old)) / s.diagonal[i];
}

/// Applies Chebyshev's semi-iteration as in Saad (Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1)
/// to D⁻¹A on the interval [low, high].
inline void chebyshev_first_kind(const System& s, int degree, Real low, Real high, const Vector& b, Vector& u) {
  const Real theta = (high + low) / 2, delta = (high - low) / 2, sigma = theta / delta;
  Real rho = 1 / sigma;
  Vector d(u.size(), 0);
  for (int k = 0; k < degree; ++k) {
    const Real next = k == 0 ? rho : 1 / (2 * sigma - rho);
    Vector step(u.size(), 0);
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (!s.unknown[i]) continue;
      const Real r = (b[i] - s.row(i, u)) / s.diagonal[i];
      step[i] = k == 0 ? r / theta : next * rho * d[i] + 2 * next / delta * r;
    }
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += step[i];
    d = step;
    rho = next;
  }
}

/// Applies the polynomial of the fourth kind for eigenvalues up to `high` (Lottes, Numer. Linear Algebra Appl. 30,
/// 2023, algorithm 2).
inline void chebyshev_fourth_kind(const System& s, int degree, Real high, const Vector& b, Vector& u) {
  Vector z(u.size(), 0);
  for (int k = 1; k <= degree; ++k) {
    for (std::size_t i = 0; i < u.size(); ++i)
      if (s.unknown[i])
        z[i] = Real(2 * k - 3) / (2 * k + 1) * z[i] +
               Real(8 * k - 4) / (2 * k + 1) / high * (b[i] - s.row(i, u)) / s.diagonal[i];
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += z[i];
  }
}

/// Returns the parity of the index sum. With an odd periodic axis it returns the sum modulo 3, where each axis counts
/// 0, 1, 0, 1, … and an odd periodic one ends with 2.
inline int colour(const Grid& g, Index at) {
  if (g.box) {  // combines the colours of the axes
    int number = 0, stride = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(g.dimension); ++d) {
      const bool odd = g.periodic(d) && g.size[d] % 2 == 1;
      number += stride * (odd && at[d] == g.size[d] - 1 ? 2 : at[d] % 2);
      stride *= odd ? 3 : 2;
    }
    return number;
  }
  int sum = 0, colours = 2;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool odd = g.periodic(d) && g.size[d] % 2 == 1;
    if (odd) colours = 3;
    sum += odd && at[d] == g.size[d] - 1 ? 2 : at[d] % 2;
  }
  return sum % colours;
}
inline int colours(const Grid& g) {
  if (g.box) {
    int count = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(g.dimension); ++d)
      count *= g.periodic(d) && g.size[d] % 2 == 1 ? 3 : 2;
    return count;
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (g.periodic(d) && g.size[d] % 2 == 1) return 3;
  return 2;
}

/// Visits one node after another, colour after colour.
inline void gauss_seidel(const System& s, Real omega, bool reversed, const Vector& b, Vector& u) {
  const int count = colours(s.grid);
  for (int c = 0; c < count; ++c)
    for (std::size_t i = 0; i < u.size(); ++i)
      if (s.unknown[i] && colour(s.grid, s.grid.index(i)) == (reversed ? count - 1 - c : c))
        u[i] += omega * (b[i] - s.row(i, u)) / s.diagonal[i];
}

/// Solves a dense system by Gaussian elimination with row pivoting; `a` is row-major.
inline Vector solve(std::vector<Vector> a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const Real factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

}  // namespace poisson::reference
