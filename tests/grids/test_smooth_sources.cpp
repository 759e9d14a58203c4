// For smooth sources given as expressions, these tests compare the error of integration over control volumes with the
// error of nodal values.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "tests/oracles/manufactured.hpp"
#include "tests/solve.hpp"

namespace poisson::smooth_sources_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, R = BoundaryKind::robin;
using Kinds = std::array<std::array<BoundaryKind, 2>, 3>;
using Point = std::array<double, 3>;

/// Represents a sum of c · x^a y^b z^c e^(p·x) cos(w·x + s), a family that is closed under derivatives.
class Smooth {
 public:
  struct Term {
    double factor = 0;
    std::array<int, 3> power{};
    Point rate{}, frequency{};
    double phase = 0;
  };

  Smooth(std::vector<Term> terms) : terms_(std::move(terms)) {}

  double operator()(const Point& at) const {
    double sum = 0;
    for (const Term& t : terms_) {
      double value = t.factor, exponent = 0, angle = t.phase;
      for (std::size_t d = 0; d < 3; ++d) {
        value *= std::pow(at[d], t.power[d]);
        exponent += t.rate[d] * at[d];
        angle += t.frequency[d] * at[d];
      }
      sum += value * std::exp(exponent) * std::cos(angle);
    }
    return sum;
  }
  Smooth derivative(std::size_t d) const {
    std::vector<Term> terms;
    for (const Term& t : terms_) {
      if (t.power[d] > 0) {
        terms.push_back(t);
        terms.back().factor *= t.power[d];
        --terms.back().power[d];
      }
      if (t.rate[d] != 0) {
        terms.push_back(t);
        terms.back().factor *= t.rate[d];
      }
      if (t.frequency[d] != 0) {
        terms.push_back(t);
        terms.back().factor *= t.frequency[d];
        terms.back().phase += std::numbers::pi / 2;
      }
    }
    return terms;
  }
  Smooth laplacian(int dimension) const {
    std::vector<Term> terms;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      std::ranges::copy(derivative(d).derivative(d).terms_, std::back_inserter(terms));
    return terms;
  }
  Quantity quantity(double factor = 1) const {
    return Quantity([*this, factor](double x, double y, double z) { return factor * (*this)({x, y, z}); });
  }

 private:
  std::vector<Term> terms_;
};

struct Function {
  std::string_view name;
  Smooth u;
};
using Terms = std::vector<Smooth::Term>;
Smooth::Term power(double factor, int a, int b, int c = 0) {
  return {.factor = factor, .power = {a, b, c}};
}
const std::array<Function, 13> functions{{
    {"x²y²", Smooth(Terms{power(1, 2, 2)})},
    {"x²y² + y²z²", Smooth(Terms{power(1, 2, 2), power(1, 0, 2, 2)})},
    {"x(1-x)y(1-y)", Smooth(Terms{power(1, 1, 1), power(-1, 2, 1), power(-1, 1, 2), power(1, 2, 2)})},
    {"x⁴", Smooth(Terms{power(1, 4, 0)})},
    {"x³y", Smooth(Terms{power(1, 3, 1)})},
    {"x⁴ + y⁴ - 12x²y²", Smooth(Terms{power(1, 4, 0), power(1, 0, 4), power(-12, 2, 2)})},
    {"x⁴ - y⁴", Smooth(Terms{power(1, 4, 0), power(-1, 0, 4)})},
    {"harmonic polynomial", Smooth(Terms{power(1, 4, 0), power(1, 0, 4), power(-6, 2, 2)})},
    {"harmonic", Smooth(Terms{{.factor = 1, .rate = {2, 0, 0}, .frequency = {0, 2, 0}}})},
    {"exponential", Smooth(Terms{{.factor = 1, .rate = {1, 2, -1}}})},
    {"boundary layer", Smooth(Terms{{.factor = 1, .rate = {-6, 1, 0.5}}})},
    {"wave", Smooth(Terms{{.factor = 1, .frequency = {3, 2, 2.5}, .phase = 0.4}})},
    {"product of waves", Smooth(Terms{{.factor = 1, .frequency = {5, 4, 0}, .phase = 0.7},
                                      {.factor = 1, .frequency = {5, -4, 0}, .phase = 0.2}})},
}};

constexpr Kinds all_neumann{{{N, N}, {N, N}, {N, N}}};
constexpr std::array<Kinds, 9> all_kinds{{{{{D, D}, {D, D}, {D, D}}},
                                          {{{N, D}, {N, N}, {N, N}}},
                                          {{{D, N}, {N, N}, {N, N}}},
                                          {{{D, N}, {N, D}, {D, N}}},
                                          {{{D, D}, {N, N}, {N, N}}},
                                          {{{N, N}, {D, N}, {N, N}}},
                                          all_neumann,
                                          {{{R, R}, {R, R}, {R, R}}},
                                          {{{R, N}, {D, R}, {N, R}}}}};

std::array<std::vector<double>, 3> grid(int dimension, int n, bool stretched) {
  std::array<std::vector<double>, 3> nodes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    nodes[d] = stretched ? tanh_nodes(0, 1, n, 1.5,
                                      d == 0   ? StretchedEnd::lower
                                      : d == 1 ? StretchedEnd::both
                                               : StretchedEnd::upper)
                         : uniform_nodes(0, 1, n);
  return nodes;
}

Problem problem(const Smooth& u, int dimension, const Kinds& kinds, const std::array<std::vector<double>, 3>& nodes) {
  Problem p;
  p.dimension = dimension;
  p.nodes = nodes;
  p.source = u.laplacian(dimension).quantity(-1);
  p.exact = u.quantity();
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      const Smooth slope = u.derivative(d);
      const BoundaryKind kind = kinds[d][end];
      p.boundary[d][end] = {kind,
                            [=](double x, double y, double z) {
                              const Point at{x, y, z};
                              const double flux = (end == 0 ? -1 : 1) * slope(at);
                              return kind == D ? u(at) : kind == N ? flux : flux + 2 * u(at);
                            },
                            2.0};
    }
  return p;
}

double error_of(const Problem& p) {
  Options o{.method = Method::multigrid};
  o.tolerance = 1e-12;
  o.precision = SolvePrecision::double_;
  Solve s(p, o);
  const Result r = s.run();
  EXPECT_TRUE(r.converged()) << r.relative();
  return error_norms(s.discretization(), s.solution()).max;
}

/// Returns the maximum increase of u by a constant source.
double raised_by(double source, const Problem& like) {
  Problem p = like;
  p.source = source;
  p.exact = 0.0;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.value = 0.0;
  return error_of(p);
}

// Returns the maximum of h²|Δf|/32, where h is the widest cell at a node.
double perturbation(const Smooth& u, const Problem& p) {
  const Smooth laplacian = u.laplacian(p.dimension).laplacian(p.dimension);
  const auto width = [&](std::size_t d, std::size_t i) {
    const auto& x = p.nodes[d];
    if (x.empty()) return 0.0;
    return std::max(i > 0 ? x[i] - x[i - 1] : 0, i + 1 < x.size() ? x[i + 1] - x[i] : 0);
  };
  double largest = 0;
  for (std::size_t k = 0; k < std::max<std::size_t>(1, p.nodes[2].size()); ++k)
    for (std::size_t j = 0; j < p.nodes[1].size(); ++j)
      for (std::size_t i = 0; i < p.nodes[0].size(); ++i) {
        const double h = std::max({width(0, i), width(1, j), width(2, k)}), z = p.dimension == 3 ? p.nodes[2][k] : 0;
        largest = std::max(largest, h * h / 32 * std::abs(laplacian({p.nodes[0][i], p.nodes[1][j], z})));
      }
  return largest;
}

/// The error is at most 1.1 times the error of nodal values, or the effect on u of adding h²|Δf|/32 to f. The second
/// check uses the number h²|Δf|/32 itself instead of its effect.
TEST(SmoothSources, LoseATenthAtMost) {
  for (const int dimension : {2, 3})
    for (const bool stretched : {false, true}) {
      double worst = 0, worst_itself = 0;
      for (const Function& function : functions)
        for (const Kinds& kinds : all_kinds) {
          SCOPED_TRACE(testing::Message() << function.name << ", " << dimension << "-D, stretched " << stretched
                                          << ", faces " << &kinds - all_kinds.data());
          const Problem p = problem(function.u, dimension, kinds, grid(dimension, dimension == 2 ? 32 : 12, stretched));
          Problem at_nodes = p;
          at_nodes.source = on_nodes(p.source, p);
          const bool regular = kinds != all_neumann;
          constexpr double rounding = 1e-9;
          const double error = error_of(p), nodal = std::max(rounding, 1.1 * error_of(at_nodes));
          const double more = perturbation(function.u, p);
          const double raised = regular && more > 0 ? raised_by(more, p) : more;
          EXPECT_LE(error, std::max(nodal, raised));
          EXPECT_LE(error, std::max(nodal, more));
          worst = std::max(worst, error / std::max(nodal, raised));
          worst_itself = std::max(worst_itself, error / std::max(nodal, more));
        }
      const std::string name = std::to_string(dimension) + (stretched ? "d_stretched" : "d_equal");
      RecordProperty(name, std::to_string(worst));
      RecordProperty(name + "_itself", std::to_string(worst_itself));
    }
}

}  // namespace
}  // namespace poisson::smooth_sources_tests
