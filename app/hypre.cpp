#include "app/hypre.hpp"

#ifdef POISSON_HAVE_HYPRE
#include <algorithm>
#include <memory>

#include "backends/hypre/boomer_amg.hpp"
#include "solver/external_amg.hpp"
#endif

namespace poisson {

#ifdef POISSON_HAVE_HYPRE
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

// One solve reaches the tolerance in most cases, since refinement measures other norms.
void provide_hypre() {
  provide_external_amg([](const Processes& processes, const RowSystem& system, const Options& options) {
    BoomerAmg::Settings settings;
    settings.tolerance = options.tolerance > 0 ? std::max(1e-12, 0.1 * options.tolerance) : 1e-8;
    settings.max_iterations = std::max(100, options.max_iterations);
    settings.singular = system.singular;
    const CsrMatrix& A = system.A;
    return std::make_unique<Hypre>(processes, RowsView{A.start, A.column, A.value}, settings);
  });
}
#else
void provide_hypre() {}
#endif

}  // namespace poisson
