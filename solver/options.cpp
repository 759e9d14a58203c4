#include "solver/options.hpp"

#include <algorithm>

namespace poisson {
namespace {

// Ratio of κ in neighbouring cells from which a coefficient counts as jumping.
constexpr double steep_jump = 4;

}  // namespace

Options Options::resolved(double coefficient_jump) const {
  Options o = *this;
  if (o.method == Method::automatic) {
    o.method = Method::multigrid;
    if (coefficient_jump >= steep_jump) o.krylov = Krylov::cg;
  }
  SmootherOptions& s = o.smoother;
  if (o.method != Method::multigrid) {
    s.type = SmootherType::jacobi;
    o.krylov = o.method == Method::cg ? Krylov::cg : Krylov::none;
    o.full_multigrid = false;
  }
  // Smoothing after the correction alone contracts as well as smoothing on both sides and reads less, but not under a
  // Krylov method or across jumps of the coefficient.
  const bool one_sided = o.krylov == Krylov::none && coefficient_jump < steep_jump;
  if (!s.extent)
    s.extent = s.type == SmootherType::automatic ? RelaxationChoice::automatic
               : s.type == SmootherType::line    ? RelaxationChoice::lines
               : s.type == SmootherType::plane   ? RelaxationChoice::planes
                                                 : RelaxationChoice::points;
  if (s.type == SmootherType::line || s.type == SmootherType::plane) s.type = SmootherType::chebyshev;
  if (s.type == SmootherType::automatic) s.type = one_sided ? SmootherType::chebyshev : SmootherType::red_black;
  if (!s.pre) s.pre = one_sided ? 0 : s.post.value_or(2);
  if (!s.post)
    s.post = !one_sided || *s.pre > 0                                               ? std::max(*s.pre, 1)
             : s.type == SmootherType::red_black                                    ? 3
             : s.type == SmootherType::chebyshev && s.kind == ChebyshevKind::fourth ? 4
                                                                                    : 5;
  if (!s.relaxation) s.relaxation = s.type == SmootherType::jacobi ? 6.0 / 7 : *s.pre == 0 ? 1.15 : 1.0;
  if (!s.interval) {
    const int most = std::max(*s.pre, *s.post);
    s.interval = most <= 2 ? 4 : most <= 4 ? 8 : 12;
  }
  return o;
}

}  // namespace poisson
