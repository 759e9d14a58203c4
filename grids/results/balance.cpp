#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "grids/results/integrals.hpp"
#include "grids/results/region_results.hpp"
#include "grids/schemes/balance_input.hpp"
#include "grids/schemes/constrained_nodes.hpp"

namespace poisson {

double throughput(const Balance& balance) {
  double in = 0, out = 0;
  const auto add = [&](double flow) { (flow > 0 ? in : out) += std::abs(flow); };
  for (const double flux : balance.flux) add(flux);
  for (const double flow : balance.bodies) add(flow);
  add(balance.source);
  add(-balance.reaction);
  return std::max(in, out);
}

Balance balance(const Discretization& d, const Operator& given, const Field& u, const Field& b, Field& work) {
  Balance result;
  const ConstrainedNodes constrained(d.context());
  const std::unique_ptr<Operator> unconstrained =
      constrained.some() ? unconstrained_operator(d, given.precision()) : nullptr;
  const Operator& A = unconstrained ? *unconstrained : given;
  A.residual(u, b, work);
  constrained.clear(work);  // the rest are fluxes
  result.residual =
      -d.functionals().sums(work, std::array{Region{A.space().part().unknowns(), {}}}).front() / A.scale();
  result.source = d.rhs_sums().total_source();
  const BalanceInput input{d.context(), d.scheme_rows(), d.rhs_sums(), A, u, work};
  const RowScheme& scheme = row_scheme(d.problem());
  result.reaction = scheme.reaction(input);
  const Fluxes fluxes = scheme.fluxes(input);
  for (std::size_t face = 0; face < 2 * static_cast<std::size_t>(d.problem().dimension); ++face)
    result.flux.add(std::string(face_names[face]), fluxes[face]);
  if (d.media()) result.bodies = flows_from_fixed(d, u);
  return result;
}

namespace {

// Returns the size of flows between periodic faces: a rise of u drives them, and no face or body adds them up. b
// contains the rise over one cell instead of the length of the box.
double driven_by_rise(const Discretization& d, const Operator& A, const Field& b) {
  int most = 1;
  for (const Axis& axis : d.block().axes) {
    if (!axis.closed() && !axis.degenerate()) return 0;
    most = std::max(most, axis.all_cells());
  }
  return d.sampler().sum_of_magnitudes(b, d.block().unknowns()) / A.scale() / most;
}

}  // namespace

double imbalance(const Discretization& d, const Operator& A, const Field& u, const Field& b, Field& work,
                 double enough) {
  // All flows of a singular problem are data, and the sum of its residual does not depend on u.
  if (A.singular()) return 0;
  if (!ConstrainedNodes(d.context()).some()) {
    A.residual(u, b, work);
    const double left = d.functionals().sums(work, std::array{Region{A.space().part().unknowns(), {}}}).front() /
                        A.scale(),
                 source = d.rhs_sums().total_source();
    if (source != 0 && std::abs(left) <= enough * std::abs(source)) return std::abs(left / source);
  }
  const Balance flows = balance(d, A, u, b, work);
  const double flow = std::max(throughput(flows), driven_by_rise(d, A, b));
  return flow > 0 ? std::abs(flows.residual) / flow : 0;
}

}  // namespace poisson
