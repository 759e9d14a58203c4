#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/cell_reference.hpp"
#include "tests/oracles/reference.hpp"
#include "tests/oracles/reference_compact.hpp"
#include "tests/oracles/reference_elements.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"

/// These checks compare verbs of an operator with its oracle; tests/oracles/operator_verbs.hpp has the others.
namespace poisson {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Bounds the roundings of one row: its entries are products of up to seven factors, and it sums seven terms.
inline constexpr Real row_roundings = 5;
/// Bounds the roundings of a row of cells, whose entries contain two divisions by κ.
inline constexpr Real cell_roundings = 12;
/// Bounds the roundings of a row of elements: up to 27 entries, each a sum over four or eight cells.
inline constexpr Real element_roundings = 16;

inline reference::System oracle(const Problem& problem, double scale) {
  if (problem.centering == Centering::cell) return reference::assemble_cells(problem, scale);
  switch (problem.scheme) {
    case Scheme::q1:
      return reference::assemble_elements(problem, scale);
    case Scheme::compact4:
      return reference::assemble_compact(problem, scale);
    case Scheme::fv:
      break;
  }
  return reference::assemble(problem, scale);
}

/// Contains one operator, its oracle and fields: u and previous have data in Dirichlet nodes, b and r have zeros. A
/// solution over cells has face data in its halo.
class OperatorCase {
 public:
  OperatorCase(const Problem& problem, Precision precision, Assembly assembly = Assembly::automatic)
      : discretization(*backend, problem, assembly),
        A(discretization.make_operator(precision)),
        elements(problem.scheme != Scheme::fv),
        system(oracle(problem, A->scale())),
        eps(epsilon(precision)),
        row_roundings(elements                               ? element_roundings
                      : problem.centering == Centering::cell ? cell_roundings
                                                             : poisson::row_roundings) {
    Random random(3);
    const std::size_t n = system.mass.size();
    data = random.vector(n);
    Vector rhs = random.vector(n), before = random.vector(n);
    for (std::size_t i = 0; i < n; ++i) {
      rhs[i] *= system.unknown[i] ? system.diagonal[i] : 0;  // magnitude of A u even for small cells
      if (!system.unknown[i]) before[i] = data[i];
    }
    for (Field* f : {&u, &b, &previous, &out}) *f = Field(*backend, A->space().part().layout(), precision);
    give_u();
    bv = set_values(*backend, b, rhs);
    pv = set_values(*backend, previous, before);
    largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(uv[i]) + (system.unknown[i] ? std::abs(bv[i]) / system.diagonal[i] : 0));
  }

  /// Sets the values of u again, with stale halos if verbs exchange them.
  void give_u() {
    set_values(*backend, u, data);
    if (has_face_data()) {
      discretization.initialize(u);
      dispatch(u.precision(), [&]<class T>(T) {
        const Image<T> image(*backend, u);
        std::size_t next = 0;
        for_each_value(image.view, false,
                       [&](int i, int j, int k) { image.view(i, j, k) = static_cast<T>(data[next++]); });
        image.store(*backend);
      });
      backend->exchange(u);  // also copies data next to periodic ends
    }
    uv = values(*backend, u);
    face_data = open_halo(*backend, u);
  }
  bool has_face_data() const {
    return std::ranges::any_of(system.data, [](Real x) { return x != 0; });
  }

  /// Writes NaN where the next verb must write, and a mark in Dirichlet nodes, where it must not.
  void clear(Field& field, double mark) {
    Vector v(system.mass.size(), nan);
    for (std::size_t i = 0; i < v.size(); ++i)
      if (!system.unknown[i]) v[i] = mark;
    set_values(*backend, field, v);
  }
  void clear() { clear(out, -77); }

  /// Expects f(i) within bound(i) in the unknowns of a result, the mark in other nodes, and a valid halo.
  template <class F, class B>
  void expect(const char* verb, const Field& field, const F& f, const B& bound, const Vector& elsewhere = {}) {
    const std::size_t n = system.mass.size();
    Vector expected(n), bounds(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = system.unknown[i] ? f(i) : elsewhere.empty() ? -77 : elsewhere[i];
      if (system.unknown[i]) bounds[i] = bound(i);
    }
    EXPECT_TRUE(within(values(*backend, field), expected, bounds)) << verb;
    EXPECT_TRUE(&field == &u || open_halo_is_zero(*backend, field)) << verb;
    EXPECT_EQ(open_halo(*backend, u), face_data) << verb;
    EXPECT_EQ(values(*backend, b), bv) << verb << " writes b";
  }

  Real row_bound(std::size_t i) const { return row_roundings * eps * system.magnitude(i, uv); }
  Real residual_bound(std::size_t i) const { return row_bound(i) + eps * std::abs(bv[i]); }
  Real residual(std::size_t i) const { return bv[i] - system.row(i, uv); }

  void expect_properties();
  void expect_products();
  void expect_residuals();
  void expect_norms();
  void expect_polynomial_steps();
  void expect_smoothers();
  void expect_gauss_seidel();
  void expect_lines(int decoupled = -1);
  void expect_planes();
  void expect_projections();
  void expect_measured_projection(const Field& projected);
  void expect_rhs();
  std::unique_ptr<Operator> within_planes(int axis);

  std::unique_ptr<Backend> backend = test_backend();
  Discretization discretization;
  std::unique_ptr<Operator> A;
  bool elements;
  reference::System system;
  Real eps, row_roundings, largest;
  Field u, b, previous, out;
  Vector data, uv, bv, pv, face_data;
};

inline void OperatorCase::expect_properties() {
  const double bound = A->split()->largest_eigenvalue();
  int exponent = 0;
  EXPECT_EQ(std::frexp(A->scale(), &exponent), 0.5) << "the scale is no power of two";
  EXPECT_EQ(A->singular(), system.singular());
  Real unknowns = 0;
  for (std::size_t i = 0; i < system.mass.size(); ++i) {
    if (!system.unknown[i]) continue;
    unknowns += 1;
    Real row = system.diagonal[i];
    for (const auto& e : system.neighbours[i]) row += std::abs(e.value);
    if (!elements) {
      ASSERT_LE(row, bound * system.diagonal[i] * (1 + 1e-15L)) << "Gershgorin's bound at " << i;
    }
  }
  if (elements) {
    const Real largest_eigenvalue = system.largest_eigenvalue(60);
    EXPECT_GE(bound, largest_eigenvalue * (1 - 1e-6L));
    EXPECT_LE(bound, std::max<Real>(system.grid.dimension == 3 ? 4.51 : 3.01, 1.25L * largest_eigenvalue));
  }
  EXPECT_EQ(static_cast<Real>(A->space().part().unknowns().size()), unknowns);
}

inline void OperatorCase::expect_products() {
  clear();
  A->apply(u, out);
  expect(
      "apply", out, [&](std::size_t i) { return system.row(i, uv); }, [&](std::size_t i) { return row_bound(i); });

  clear();
  A->diagonal(out);
  expect(
      "diagonal", out, [&](std::size_t i) { return system.diagonal[i]; },
      [&](std::size_t i) { return row_roundings * eps * system.gross_diagonal(i); });

  give_u();
  set_values(*backend, out, Vector(uv.size(), nan));
  A->apply_everywhere(u, out);
  Vector expected(uv.size()), bound(uv.size());
  for (std::size_t i = 0; i < uv.size(); ++i) {
    expected[i] = system.row(i, uv);
    bound[i] = row_bound(i);
  }
  EXPECT_TRUE(within(values(*backend, out), expected, bound)) << "apply_everywhere";
}

inline void OperatorCase::expect_residuals() {
  const double factor = 3 * 0x1p40;
  const Scalar scale = backend->scalar(factor);
  Real square = 0, square_bound = 0;
  for (std::size_t i = 0; i < uv.size(); ++i) {
    if (!system.unknown[i]) continue;
    const Real r = residual(i), e = residual_bound(i), D = system.diagonal[i];
    square += r * r / D;
    square_bound += (2 * std::abs(r) * e + e * e + row_roundings * eps * r * r) / D;
  }
  for (const Precision p : {Precision::fp32, Precision::fp64}) {
    if (p == Precision::fp64 && A->precision() == Precision::fp32) continue;
    Field r(*backend, A->space().part().layout(), p);
    give_u();
    clear(r, -77);
    A->residual(u, b, r);
    expect(
        "residual", r, [&](std::size_t i) { return residual(i); },
        [&](std::size_t i) { return residual_bound(i) + epsilon(p) * std::abs(residual(i)); });

    clear(r, -77);
    Scalar norm = backend->scalar(nan);
    A->residual(u, b, r, scale, norm);
    expect(
        "scaled residual", r, [&](std::size_t i) { return factor * residual(i); },
        [&](std::size_t i) { return factor * (residual_bound(i) + (epsilon(p) + eps) * std::abs(residual(i))); });
    EXPECT_TRUE(within(backend->value(norm), square, square_bound)) << "norm of the residual";
  }
  // The residual may overwrite b.
  Field r(*backend, A->space().part().layout(), A->precision());
  Scalar norm = backend->scalar();
  set_values(*backend, r, bv);
  A->residual(u, r, r, scale, norm);
  expect(
      "residual in place", r, [&](std::size_t i) { return factor * residual(i); },
      [&](std::size_t i) { return factor * (residual_bound(i) + 2 * eps * std::abs(residual(i))); },
      Vector(bv.size(), 0));
  EXPECT_TRUE(within(backend->value(norm), square, square_bound));
}

inline void OperatorCase::expect_norms() {
  Real norm = 0, energy = 0;
  for (std::size_t i = 0; i < uv.size(); ++i) {
    if (!system.unknown[i]) continue;
    norm += bv[i] * bv[i] / system.diagonal[i];
    energy += uv[i] * uv[i] * system.diagonal[i];
  }
  Scalar result = backend->scalar(nan);
  A->norm(b, result);
  EXPECT_TRUE(within(backend->value(result), norm, row_roundings * eps * norm)) << "norm";
  A->rounding(u, result);
  EXPECT_TRUE(within(backend->value(result), energy, row_roundings * eps * energy)) << "rounding";
}

inline void OperatorCase::expect_polynomial_steps() {
  clear();
  A->split()->start(0.6, b, out);
  expect(
      "polynomial_start", out, [&](std::size_t i) { return 0.6L * bv[i] / system.diagonal[i]; },
      [&](std::size_t i) { return row_roundings * eps * std::abs(bv[i]) / system.diagonal[i]; });

  for (const PolynomialStep step : {PolynomialStep{0.8, 0}, PolynomialStep{1.7, 0.45}}) {
    give_u();
    if (step.beta == 0) {
      clear();  // a step without memory ignores the previous iterate
    } else {
      Vector before = pv;
      for (std::size_t i = 0; i < pv.size(); ++i)
        if (!system.unknown[i]) before[i] = -77;
      set_values(*backend, out, before);
    }
    A->split()->step(step, u, b, out);
    const auto back = [&](std::size_t i) { return step.beta == 0 ? Real{0} : step.beta * (uv[i] - pv[i]); };
    expect(
        "polynomial_step", out,
        [&](std::size_t i) { return uv[i] + step.alpha * residual(i) / system.diagonal[i] + back(i); },
        [&](std::size_t i) {
          return eps * (std::abs(uv[i]) + std::abs(back(i)) + step.beta * (std::abs(uv[i]) + std::abs(pv[i]))) +
                 step.alpha * (residual_bound(i) + row_roundings * eps * std::abs(residual(i))) / system.diagonal[i];
        });
    EXPECT_EQ(values(*backend, u), uv) << "polynomial_step writes u";
  }
}

inline void OperatorCase::expect_smoothers() {
  constexpr int sweeps = 4;
  const double high = A->split()->largest_eigenvalue();
  struct Sequence {
    const char* name;
    std::vector<PolynomialStep> steps;
    std::function<void(const Vector&, Vector&)> oracle;
  };
  const std::array<Sequence, 3> sequences{{
      {"Jacobi", std::vector<PolynomialStep>(static_cast<std::size_t>(sweeps), {0.8, 0}),
       [&](const Vector& f, Vector& x) {
         for (int s = 0; s < sweeps; ++s) reference::jacobi(system, 0.8L, f, x);
       }},
      {"Chebyshev, first kind", chebyshev_first_kind(sweeps, high, 8),
       [&](const Vector& f, Vector& x) { reference::chebyshev_first_kind(system, sweeps, high / 8, high, f, x); }},
      {"Chebyshev, fourth kind", chebyshev_fourth_kind(sweeps, high),
       [&](const Vector& f, Vector& x) { reference::chebyshev_fourth_kind(system, sweeps, high, f, x); }},
  }};
  for (const Sequence& sequence : sequences)
    for (const bool zero : {true, false}) {
      // From a zero guess both fields are corrections; otherwise both contain the Dirichlet data.
      Vector start = data, other(data.size(), nan);
      for (std::size_t i = 0; i < data.size(); ++i) {
        if (zero) start[i] = system.unknown[i] ? nan : 0;
        if (!system.unknown[i]) other[i] = start[i];
      }
      Vector expected = set_values(*backend, u, start);
      set_values(*backend, out, other);
      Iterate iterate{&u, &out, zero};
      A->split()->take(sequence.steps, false, b, iterate);
      if (zero) expected.assign(expected.size(), 0);
      const Vector elsewhere = expected;
      sequence.oracle(bv, expected);
      EXPECT_FALSE(iterate.zero);
      // Jacobi sweeps amplify rounding on flat elements, where λ(D⁻¹A) is up to 9/2.
      const Real bound = std::max(Real{16}, 2 * row_roundings) * sweeps * eps * largest;
      expect(
          sequence.name, *iterate.now, [&](std::size_t i) { return expected[i]; }, [&](std::size_t) { return bound; },
          elsewhere);
    }
  give_u();
}

inline void OperatorCase::expect_gauss_seidel() {
  for (const bool reversed : {false, true})
    for (const double omega : {1.0, 1.3}) {
      give_u();
      Vector expected = uv;
      relax_colours(*A, omega, reversed, b, u);
      reference::gauss_seidel(system, omega, reversed, bv, expected);
      const Real bound = 2 * row_roundings * eps * largest;
      expect(
          reversed ? "gauss_seidel, reversed" : "gauss_seidel", u, [&](std::size_t i) { return expected[i]; },
          [&](std::size_t) { return bound; }, uv);
    }
  give_u();
}

// Checks e = B⁻¹ r by B e = r, where B consists of the diagonal and the entries along an axis. If an axis is decoupled,
// r has no entries along it.
inline void OperatorCase::expect_lines(int decoupled) {
  const std::size_t n = system.mass.size();
  const auto differ = [&](std::size_t i, std::size_t j, int axis) {
    const auto d = static_cast<std::size_t>(axis);
    return system.grid.index(i)[d] != system.grid.index(j)[d];
  };
  // Returns whether j is on the line of i.
  const auto beside = [&](std::size_t i, std::size_t j, int axis) {
    return !differ(i, j, (axis + 1) % 3) && !differ(i, j, (axis + 2) % 3);
  };
  const auto right = [&](std::size_t i) {
    Real sum = residual(i);
    for (const auto& entry : system.neighbours[i])
      if (decoupled >= 0 && differ(i, entry.column, decoupled)) sum += entry.value * uv[entry.column];
    return sum;
  };
  for (int axis = 0; axis < system.grid.dimension; ++axis) {
    if (axis == decoupled) continue;
    const auto planes = decoupled < 0 ? nullptr : within_planes(decoupled);
    const auto lines = (planes ? *planes : *A).split(Relaxation::of_lines(axis));
    for (const auto& [alpha, beta, from_zero] :
         {std::tuple{1.5, 0.45, false}, std::tuple{0.5, 0.0, true}, std::tuple{0.5, 0.0, false}}) {
      SCOPED_TRACE(testing::Message() << "lines along axis " << axis << ", decoupled " << decoupled << ", beta "
                                      << beta);
      give_u();
      Vector before = pv;
      if (beta == 0) {
        clear();  // a step without memory ignores the previous iterate
        before.assign(n, 0);
      } else {
        set_values(*backend, out, pv);
      }
      if (from_zero)
        lines->start(alpha, b, out);
      else
        lines->step({alpha, beta}, u, b, out);
      const Vector next = values(*backend, out);
      Vector e(n, 0), size(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (!system.unknown[i]) {
          EXPECT_EQ(next[i], beta == 0 ? Real{-77} : pv[i]) << "Dirichlet node " << i;
          continue;
        }
        const Real base = from_zero ? 0 : uv[i] + beta * (uv[i] - before[i]);
        e[i] = (next[i] - base) / alpha;
        size[i] = std::abs(e[i]) + std::abs(next[i]) + (from_zero ? 0 : std::abs(uv[i]) + std::abs(before[i]));
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (!system.unknown[i]) continue;
        Real product = system.diagonal[i] * e[i], bound = system.diagonal[i] * size[i] + std::abs(bv[i]);
        for (const auto& entry : system.neighbours[i]) {
          bound += entry.gross * (size[entry.column] + std::abs(uv[entry.column]));
          if (beside(i, entry.column, axis)) product += entry.value * e[entry.column];
        }
        ASSERT_LE(std::abs(product - (from_zero ? bv[i] : right(i))), 8 * row_roundings * eps * bound) << "at " << i;
      }
      EXPECT_TRUE(open_halo_is_zero(*backend, out));
      if (decoupled >= 0) break;  // the other steps differ in the same way as along all lines
    }
  }
  give_u();
}

// Returns the operator within the planes across an axis: their couplings and the unchanged diagonal.
inline std::unique_ptr<Operator> OperatorCase::within_planes(int axis) {
  SchemeRows rows = discretization.scheme_rows();
  level_rows(rows).decoupled = axis;
  level_rows(rows).singular = false;
  return grid_kernels(*backend).make_operator(*backend, rows, A->precision(), discretization.stored_assembly()).A;
}

inline void OperatorCase::expect_planes() {
  if (system.grid.dimension == 2) return;
  for (int axis = 0; axis < 3; ++axis) {
    give_u();
    clear();
    within_planes(axis)->apply(u, out);
    const auto d = static_cast<std::size_t>(axis);
    expect(
        "planes", out,
        [&](std::size_t i) {
          Real sum = system.diagonal[i] * uv[i];
          for (const auto& entry : system.neighbours[i])
            if (system.grid.index(entry.column)[d] == system.grid.index(i)[d]) sum += entry.value * uv[entry.column];
          return sum;
        },
        [&](std::size_t i) { return row_bound(i) + row_roundings * eps * system.gross_diagonal(i) * std::abs(uv[i]); });
    expect_lines(axis);
  }
}

// Checks b as the discretization of cells assembles it.
inline void OperatorCase::expect_rhs() {
  const reference::CellSystem cells = reference::assemble_cells(discretization.problem(), A->scale());
  discretization.assemble_rhs(out);
  Vector bound(cells.rhs.size());
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] = 40 * eps * (std::abs(cells.rhs[i]) + cells.diagonal[i]);
  EXPECT_TRUE(within(values(*backend, out), cells.rhs, bound)) << "right-hand side";
}

}  // namespace poisson
