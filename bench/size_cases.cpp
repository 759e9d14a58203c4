#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/cases.hpp"
#include "bench/size_problems.hpp"
#include "bench/stopwatch.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"

namespace poisson::bench {
namespace {

constexpr double tolerance = 1e-8;
constexpr double enough = 0.2, too_long = 5;  ///< seconds of measurements that suffice, and seconds after which one
                                              ///< solve suffices
constexpr std::size_t most_solves = 1000;

// Returns the seconds per cycle and unknown of complete solves.
double per_cycle_and_unknown(const Measurement& m) {
  return m.seconds / (static_cast<double>(m.unknowns) * std::max(1, *m.cycles));
}

// Times few solves if one is slow, and many if one is fast.
std::vector<double> time_solves(Backend& backend, Solver& solver, const Setting& setting, Result& result) {
  const Scalar one = backend.scalar(1);
  std::vector<double> seconds;
  double total = 0;
  do {
    backend.fill(solver.solution(), 0);
    backend.value(one);  // waits
    const Stopwatch watch;
    result = solver.solve(false);
    seconds.push_back(watch.seconds());
    total += seconds.back();
  } while (static_cast<int>(seconds.size()) < setting.repeat ? total < too_long
                                                             : total < enough && seconds.size() < most_solves);
  return seconds;
}

void measure(const SizeProblem& which, const Size& size, const Setting& setting, Measurement& m) {
  const auto backend = make_backend(setting.device);
  const Scalar one = backend->scalar(1);
  Scalar norm = backend->scalar();
  const Problem problem = problem_of(which, size);
  const Stopwatch watch;
  const Discretization d(*backend, problem);
  Options options;
  options.tolerance = tolerance;
  options.method = which.method;
  const auto solver = make_solver(d, options);
  solver->prepare(false);
  backend->value(one);
  m.setup = watch.seconds() - d.sampling_seconds();
  m.unknowns = d.unknowns();
  m.levels = solver->levels();
  d.assemble_rhs(solver->rhs());

  Result result;
  std::vector<double> seconds = time_solves(*backend, *solver, setting, result);
  solver->A().residual(solver->solution(), solver->rhs(), solver->spare(), one, norm);
  m.residual = std::sqrt(backend->value(norm)) / result.reference;
  if (!result.converged()) throw RunError(std::string(name_of(result.verdict)));
  if (!(*m.residual <= 1.02 * tolerance)) throw RunError("the true residual is " + std::to_string(*m.residual));
  summarize(seconds, m);
  m.cycles = result.iterations;
  m.bytes_per_unknown = static_cast<double>(backend->memory().peak()) / static_cast<double>(m.unknowns);
  m.per_cycle_and_unknown = per_cycle_and_unknown(m);
}

// Returns the ratio to a line in log(unknowns) and log(seconds). The line passes through the neighbouring powers of
// two, or through the last two for larger sizes.
std::optional<double> ratio_to_line(const Measurement& m, std::vector<Measurement>& powers) {
  if (powers.size() < 2) return {};
  std::sort(powers.begin(), powers.end(), [](const auto& a, const auto& b) { return a.unknowns < b.unknowns; });
  std::size_t right = 1;
  while (right + 1 < powers.size() && powers[right].unknowns < m.unknowns) ++right;
  const Measurement &a = powers[right - 1], &b = powers[right];
  const auto x = [](const Measurement& p) { return std::log(static_cast<double>(p.unknowns)); };
  const auto y = [](const Measurement& p) { return std::log(*p.per_cycle_and_unknown); };
  return std::exp(y(m) - y(a) - (y(b) - y(a)) * (x(m) - x(a)) / (x(b) - x(a)));
}

}  // namespace

bool measure_sizes(std::string_view problem, std::span<const Size> sizes, const Setting& setting,
                   const Report& report) {
  bool all_right = true;
  for (const SizeProblem& which : size_problems()) {
    if (!problem.empty() && problem != which.name) continue;
    for (const int dimension : {2, 3}) {
      std::vector<Size> order;
      std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(order),
                   [&](const Size& s) { return s.dimension == dimension; });
      // The powers of two come first, so that every other size has a line.
      std::stable_partition(order.begin(), order.end(), [](const Size& s) { return s.power_of_two(); });
      std::vector<Measurement> powers;
      for (const Size& size : order) {
        Measurement m;
        m.name = "sizes-" + std::string(which.name);
        m.size = size;
        m.cells = size.cells[0];
        try {
          measure(which, size, setting, m);
          if (size.power_of_two())
            powers.push_back(m);
          else
            m.ratio = ratio_to_line(m, powers);
        } catch (const RunError& error) {
          m.failed = error.what();
          all_right = false;
        }
        report(m);
      }
    }
  }
  return all_right;
}

}  // namespace poisson::bench
