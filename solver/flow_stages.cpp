#include "solver/flow_stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "grids/results/face_flows.hpp"
#include "grids/results/integrals.hpp"
#include "grids/results/mean_flux.hpp"

namespace poisson {
namespace {

// A field `flux` is written when no cell keeps more than this share of the largest flow.
constexpr double balanced_flows = 1e-10;

// Contains the flows of a solution, and what they are relative to.
struct Flows {
  std::vector<double> values;
  double throughput = 0, unbalanced = 0;
};

Flows flows_of(const std::array<double, 3>& rise, const Discretization& d, Solver& solver) {
  Flows flows;
  if (rise != std::array<double, 3>{}) {
    const auto mean = mean_flux(d, solver.solution(), rise);
    flows.values.assign(mean.begin(), mean.end());
    for (const double value : mean) flows.throughput = std::max(flows.throughput, std::abs(value));
    return flows;
  }
  const Balance b = balance(d, solver.A(), solver.solution(), solver.rhs(), solver.spare());
  flows.values.assign(b.flux.begin(), b.flux.end());
  flows.values.insert(flows.values.end(), b.bodies.begin(), b.bodies.end());
  flows.throughput = throughput(b);
  flows.unbalanced = std::abs(b.residual);
  if (solver.solution().precision() == Precision::fp32) {  // the rows are rounded, their totals are not
    const double in = std::accumulate(flows.values.begin(), flows.values.end(), b.source);
    flows.unbalanced = std::abs(in - b.reaction);
  }
  return flows;
}

// Compares the flows of stages, each of which is ten times as accurate as the one before.
class Settling {
 public:
  Settling(double share, double strictest, const std::array<double, 3>& rise, const Discretization& d, Solver& solver)
      : share_(share), rise_(rise), d_(d), solver_(solver), strictest_(strictest) {}

  double operator()(const Solver::Progress& progress) {
    constexpr double gain = 0.1, share_of_left = 0.3, most_shrinking = 10;
    if (progress.relative_residual <= strictest_) return 0;
    if (progress.iteration < seen_) last_ = {};  // another solve
    seen_ = progress.iteration;
    const Flows now = flows_of(rise_, d_, solver_);
    const double enough = share_ * now.throughput;
    // The changes that are left shrink at least as the residual does, by this factor in all.
    const double left = progress.relative_residual / std::max(residual_ - progress.relative_residual, 0.0);
    const double most = progress.limited ? enough : enough * std::clamp(share_of_left / left, 1.0, most_shrinking);
    bool settled = !last_.empty() && now.unbalanced <= enough;
    for (std::size_t i = 0; settled && i < last_.size(); ++i) settled = std::abs(now.values[i] - last_[i]) <= most;
    residual_ = progress.relative_residual;
    last_ = now.values;
    if (progress.limited) return settled ? 0 : strictest_;
    const double floor = 2 * progress.rounding_floor;
    const double next = gain * progress.relative_residual;
    const bool at_floor = next < floor && progress.relative_residual > 1.5 * floor;
    return settled ? 0 : std::max(strictest_, at_floor ? floor : next);
  }

 private:
  double share_;
  std::array<double, 3> rise_;
  const Discretization& d_;
  Solver& solver_;
  double strictest_;
  int seen_ = 0;
  double residual_ = 0;  // of the stage before
  std::vector<double> last_;
};

}  // namespace

double unbalanced_share(const std::array<double, 3>& rise, const Discretization& d, Solver& solver) {
  solver.A().residual(solver.solution(), solver.rhs(), solver.spare());
  const Functionals::Moments r = d.functionals().moments(solver.spare());
  const double most = std::max(std::abs(r.low.value), std::abs(r.high.value)) / solver.A().scale();
  const double flow = FaceFlows(d, solver.solution(), rise).largest();
  return flow > 0 ? most / flow : 0;
}

Solver::Stages settling_stages(double share, double tolerance, const std::array<double, 3>& rise,
                               const Discretization& d, Solver& solver) {
  const double first = std::max(tolerance, std::min(0.1, 10 * share));
  return {first, [settling = std::make_shared<Settling>(share, tolerance, rise, d, solver)](
                     const Solver::Progress& progress) { return (*settling)(progress); }};
}

Solver::Stages balancing_stages(double tolerance, const std::array<double, 3>& rise, const Discretization& d,
                                Solver& solver) {
  return {tolerance, [rise, &d, &solver](const Solver::Progress& progress) {
            const double share = unbalanced_share(rise, d, solver), least = 2 * progress.rounding_floor;
            if (progress.limited) return least;  // the residual is above the tolerance
            if (share <= balanced_flows || progress.relative_residual <= least) return 0.0;
            return std::max(least, progress.relative_residual * std::clamp(0.3 * balanced_flows / share, 1e-4, 0.3));
          }};
}

}  // namespace poisson
