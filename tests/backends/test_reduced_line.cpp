// These tests cut lines into parts, reduce each to two nodes, and compare with the solution from which their right-hand
// sides were computed.

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/lines/reduced_line.hpp"

namespace poisson::reduced_line_tests {
namespace {

constexpr auto inverse = [](double x) { return x != 0 ? 1 / x : 0.0; };

struct Ring {
  std::vector<double> sum, coupling, u, b;
};

// Returns rows with couplings of many magnitudes. The last coupling closes the line or is 0.
Ring random_ring(int n, bool closed, bool singular, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> any(0, 1);
  Ring r;
  for (int i = 0; i < n; ++i) {
    r.coupling.push_back(std::pow(10, 4 * any(engine)));
    r.sum.push_back(singular ? 0 : any(engine));
    r.u.push_back(any(engine) - 0.5);
  }
  if (!closed) r.coupling.back() = 0;
  for (double shift = singular ? r.u[0] : 0; double& value : r.u) value -= shift;
  const auto at = [&](int i) { return r.u[static_cast<std::size_t>((i + n) % n)]; };
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i), before = static_cast<std::size_t>((i + n - 1) % n);
    r.b.push_back(r.sum[k] * at(i) + r.coupling[k] * (at(i) - at(i + 1)) + r.coupling[before] * (at(i) - at(i - 1)));
  }
  return r;
}

TEST(ReducedLine, GivesTheEndsOfEveryPart) {
  for (const bool closed : {false, true})
    for (const bool singular : {false, true})
      for (const int parts : {1, 2, 3, 5, 8}) {
        const int n = 5 * parts + parts / 2;
        const Ring ring = random_ring(n, closed, singular, static_cast<unsigned>(n));
        const std::vector<double> no_mass(static_cast<std::size_t>(n));
        std::vector<double> sent(static_cast<std::size_t>(parts * PartOfLine::count));
        const auto first = [&](int p) { return p * n / parts; };
        for (int p = 0; p < parts; ++p) {
          Lines<double> line;
          line.step = 1;
          line.n = first(p + 1) - first(p);
          line.sum = ring.sum.data() + first(p);
          line.coupling = ring.coupling.data() + first(p);
          line.mass_sum = line.mass_off = no_mass.data();
          const double* b = ring.b.data() + first(p);
          ReducedLine<double> reduced = beginning(line, b, 0.0);
          for (int k = 1; k + 1 < line.n; ++k) go_on(reduced, line, k, b[k + 1], 0.0, inverse);
          if (singular) {
            EXPECT_EQ(reduced.first, 0);
            EXPECT_EQ(reduced.last, 0);
          }
          visit_sent(reduced, line.onwards(line.n - 1, 0.0), [&](int number, double value) {
            sent[static_cast<std::size_t>(p * PartOfLine::count + number)] = value;
          });
        }
        std::vector<double> ends(static_cast<std::size_t>(parts * PartOfLine::ends));
        EndSystems<double>{sent.data(), ends.data(), 1, parts, 1}.solve(0, inverse);
        for (int p = 0; p < parts; ++p) {
          const double* const found = &ends[static_cast<std::size_t>(p * PartOfLine::ends)];
          EXPECT_NEAR(found[0], ring.u[static_cast<std::size_t>(first(p))], 1e-11) << p << " of " << parts;
          EXPECT_NEAR(found[1], ring.u[static_cast<std::size_t>(first(p + 1) - 1)], 1e-11) << p << " of " << parts;
        }
      }
}

}  // namespace
}  // namespace poisson::reduced_line_tests
