#include "solver/direct/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "grids/schemes/assembly.hpp"
#include "grids/schemes/row_scheme.hpp"
#include "solver/direct/axis_modes.hpp"
#include "solver/direct/fast_diagonalization.hpp"

namespace poisson {
namespace {

// Returns the measured seconds to load cuBLAS or OpenBLAS.
constexpr double loading(bool gpu) {
  return gpu ? 0.15 : 0.02;
}
// Matrix products run at this multiple of the fp64 rate in device_rate().
constexpr double share_of_products = 1.4;
// Bytes per unknown that a direct solve moves. In order: norms and residuals; folding to slabs and to u; lines, cut
// lines, and lines of trigonometric transforms; a fast transform in both directions. Data stored in u add `of_data`: a
// residual before the solve, the rounding norm, and an addition instead of a write.
constexpr double of_residuals = 32, of_slabs = 26, of_lines = 32, of_cut_lines = 40, of_lines_of_trig = 16,
                 of_transform = 32, of_data = 40;
// A fast transform of n values needs this multiple of n log₂ n operations.
constexpr double of_trig = 5;
// LAPACK needs these seconds for n modes over n³ with diagonal and with tridiagonal mass; seconds for sines over n².
constexpr double of_diagonal = 3e-11, of_tridiagonal = 7e-10, of_sines = 1e-8;

// Passes over a level, for a cycle without its sweeps and for the start, and digits gained per cycle.
constexpr double beside_sweeps = 3, of_start = 3, digits_of_cycle = 1.1;
// A kernel launch on a GPU needs these seconds.
constexpr double latency = 5e-6;

// Predictions are accurate to about this factor. The direct solver must be faster by more.
constexpr double clearly_faster = 0.7;
// Several processes deviate from the choice of one process only if the other method needs less than this share of the
// time and saves at least these seconds.
constexpr double much_faster = 0.5, much_time = 0.02;

// Returns the cost of a sweep in passes. Plane relaxation runs cycles in each plane, and on a GPU its launches do not
// fill the device.
constexpr double sweep_cost(Extent extent, bool gpu) {
  switch (extent) {
    case Extent::point:
      return 1;
    case Extent::line:
      return 3;
    case Extent::alternating_lines:
      return 9;
    case Extent::plane:
      break;
  }
  return gpu ? 100 : 20;
}

}  // namespace

double predicted_direct_seconds(const Problem& problem, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts, bool only) {
  const TensorInverse shape = direct_shape(problem, kappa, parts);
  const Block block = make_block(problem);
  const DeviceRate& rate = device_rate(gpu);
  const auto unknowns = static_cast<double>(shape.unknowns.size());
  const double lines = shape.slabs > 1                                            ? of_cut_lines
                       : shape.bases[static_cast<std::size_t>(shape.solved)].trig ? of_lines_of_trig
                                                                                  : of_lines;
  double seconds = (of_residuals + lines) * unknowns / rate.bytes;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!shape.transformed[d]) continue;
    const int values = shape.unknowns.last[d] - shape.unknowns.first[d];
    if (shape.bases[d].trig) {  // lines already count the solved axis
      const double bytes = static_cast<int>(d) == shape.solved ? 0 : of_transform;
      seconds += unknowns * (bytes / rate.bytes + 2 * of_trig * std::log2(values + 1) / rate.flops[1]);
      continue;
    }
    const double halves = shape.bases[d].folded ? 2 : 1, n = shape.bases[d].first_half(values);
    seconds += 4 * n * unknowns / (share_of_products * rate.flops[1]);
    if (!only) continue;
    seconds += halves * (has_closed_modes(block.axes[d])
                             ? of_sines * n * n
                             : (on_elements(problem.scheme) ? of_tridiagonal : of_diagonal) * n * n * n);
  }
  if (only && shape.multiplies()) seconds += loading(gpu);
  const double rest = (shape.multiplies() ? of_slabs : 0) + (has_zero_faces(problem) ? 0 : of_data);
  return seconds + rest * unknowns / rate.bytes;
}

double predicted_multigrid_seconds(const Plan& plan, bool gpu, const Parts& parts) {
  const Options& o = plan.options;
  const double cycles =
      o.tolerance == 0 ? o.max_iterations : std::max(1.0, std::ceil(-std::log10(o.tolerance) / digits_of_cycle));
  const double sweeps = o.smoother.pre.value_or(0) + o.smoother.post.value_or(0);
  const double shares = parts[0] * parts[1] * parts[2];
  double seconds = 0;
  for (const Plan::Level& level : plan.levels) {
    const double sweep = sweep_cost(level.relaxation.extent, gpu);
    seconds += (of_start + cycles * (sweeps * sweep + beside_sweeps)) * (level.seconds / shares + (gpu ? latency : 0));
  }
  return seconds;
}

MethodPrediction predict_method(const Problem& problem, const Plan& plan, const std::array<double, 3>& kappa, bool gpu,
                                const Parts& parts) {
  const auto predicted = [&](const Parts& cut) {
    MethodPrediction of{predicted_direct_seconds(problem, kappa, gpu, cut, !plan.options.kept),
                        predicted_multigrid_seconds(plan, gpu, cut), false, false};
    of.takes_direct = of.direct < clearly_faster * of.multigrid;
    return of;
  };
  MethodPrediction here = predicted(parts);
  if (parts == uncut_axes) return here;
  const bool direct_alone = predicted(uncut_axes).takes_direct;
  const double kept = direct_alone ? here.direct : here.multigrid, other = direct_alone ? here.multigrid : here.direct;
  here.as_one = here.takes_direct != direct_alone && !(other < much_faster * kept && kept - other > much_time);
  if (here.as_one) here.takes_direct = direct_alone;
  return here;
}

}  // namespace poisson
