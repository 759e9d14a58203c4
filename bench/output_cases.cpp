#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/cases.hpp"
#include "bench/stopwatch.hpp"
#include "grids/results/cell_interpolation.hpp"
#include "grids/results/integrals.hpp"

namespace poisson::bench {
namespace {

// Returns a problem with Dirichlet data on every face and constant σ: the summary of a simple problem.
Problem plain(int cells) {
  Problem p;
  for (auto& nodes : p.nodes)
    for (int i = 0; i <= cells; ++i) nodes.push_back(static_cast<double>(i) / cells);
  p.source = 1.0;
  p.reaction = 1.0;
  return p;
}

Problem cells_of(int cells) {
  Problem p = plain(cells);
  p.centering = Centering::cell;
  return p;
}

Problem elements(int cells) {
  Problem p = plain(cells);
  p.scheme = Scheme::q1;
  return p;
}

// Returns a problem with Robin and Neumann faces and a σ that varies by node.
Problem varying(int cells) {
  Problem p = plain(cells);
  const Quantity reaction([](double x, double y, double) { return 1 + x * y; });
  p.reaction = Quantity(*reaction.function(), "(1+x*y)");  // as if read from a configuration
  p.boundary[0][1] = {BoundaryKind::robin, 1.0, 2.0};
  p.boundary[1][0] = {BoundaryKind::neumann, 0.5};
  return p;
}

// Times norms, three probes and the balance, for values that do not solve the problem; the balance includes the
// residual.
Measurement measure(const char* name, Problem (*problem)(int cells), int cells, const Setting& setting) {
  const auto backend = make_backend(setting.device);
  Measurement m;
  m.name = name;
  m.cells = cells;
  const Stopwatch setup;
  const Discretization d(*backend, problem(cells));
  const auto A = d.make_operator(Precision::fp64);
  const Layout layout = d.block().layout();
  Field u(*backend, layout, Precision::fp64), b(*backend, layout, Precision::fp64),
      work(*backend, layout, Precision::fp64);
  d.initialize(u);
  d.assemble_rhs(b);
  backend->axpy(backend->scalar(1), b, u);
  m.setup = setup.seconds();
  m.unknowns = d.unknowns();
  std::vector<double> seconds;
  for (int run = 0; run <= setting.repeat; ++run) {
    const Stopwatch watch;
    const SolutionNorms norms = solution_norms(d, u);
    for (const double at : {0.1, 0.5, 0.77}) interpolate_at(d, u, std::array{at, 0.3, at});
    const Balance found = balance(d, *A, u, b, work);
    if (run > 0) seconds.push_back(watch.seconds());
    double sum = found.source - found.reaction + found.residual,
           size = std::abs(found.source) + std::abs(found.residual);
    for (const double flux : found.flux) {
      sum += flux;
      size += std::abs(flux);
    }
    if (!(std::abs(sum) <= 1e-11 * size) || !(norms.min <= norms.max))
      throw RunError("the balance of output does not close (" + std::to_string(sum) + " of " + std::to_string(size) +
                     "): no time of wrong numbers is worth printing; run the tests");
  }
  summarize(seconds, m);
  return m;
}

constexpr std::array table{
    Case{"output", "norms, three probes and balance, Dirichlet faces", nullptr, nullptr,
         [](int n, const Setting& s) { return measure("output", plain, n, s); }},
    Case{"output-cells", "the same of unknowns in cells", nullptr, nullptr,
         [](int n, const Setting& s) { return measure("output-cells", cells_of, n, s); }},
    Case{"output-q1", "the same of elements", nullptr, nullptr,
         [](int n, const Setting& s) { return measure("output-q1", elements, n, s); }},
    Case{"output-varying", "the same with a reaction of each node, a Robin and a Neumann face", nullptr, nullptr,
         [](int n, const Setting& s) { return measure("output-varying", varying, n, s); }},
};

}  // namespace

std::span<const Case> output_cases() {
  return table;
}

}  // namespace poisson::bench
