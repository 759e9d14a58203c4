// Is a module of its own, which the program loads for `solver.amg: hypre` only: hypre loads a BLAS whose threads take
// memory and time in every run.

#include <algorithm>
#include <memory>

#include "backends/hypre/boomer_amg.hpp"
#include "solver/external_amg.hpp"

namespace poisson {
namespace {

class Hypre final : public ExternalAmg {
 public:
  Hypre(const Processes& processes, const RowsView& A, const BoomerAmg::Settings& settings)
      : amg_(processes, A, partition_rows(processes, A), settings) {}
  int solve(const std::vector<double>& b, std::vector<double>& x) override { return amg_.solve(b, x); }

 private:
  BoomerAmg amg_;
};

}  // namespace
}  // namespace poisson

// Makes a solver, which the caller deletes. One solve reaches the tolerance in most cases, since refinement measures
// other norms.
extern "C" poisson::ExternalAmg* poisson_make_hypre(const poisson::Processes& processes,
                                                    const poisson::RowSystem& system, const poisson::Options& options) {
  poisson::BoomerAmg::Settings settings;
  settings.tolerance = options.tolerance > 0 ? std::max(1e-12, 0.1 * options.tolerance) : 1e-8;
  settings.max_iterations = std::max(100, options.max_iterations);
  settings.singular = system.singular;
  const poisson::CsrMatrix& A = system.A;
  return new poisson::Hypre(processes, poisson::RowsView{A.start, A.column, A.value}, settings);
}
