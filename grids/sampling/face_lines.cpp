#include "grids/sampling/face_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace poisson {
namespace {

// κ of two materials is equal if it differs by less than this share: rounding errors of integrals.
constexpr double share_of_rounding = 1e-9;

bool exceeds(double kappa, double other) {
  return kappa > (1 + share_of_rounding) * other;
}

}  // namespace

void FaceLines::add(const Line& line) {
  const double w = line.weight;
  ++lines_;
  weight_ += w;
  if (std::isinf(line.resistance)) {
    ++blocked_;
    blocked_weight_ += w;
  }
  harmonic_ += w / line.resistance;
  resistance_ += w * line.resistance;
  at_face_ += w * line.at_face;
  moment_ += w * line.moment;
  for (std::size_t e = 0; e < 2; ++e) {
    slopes_[e] += w * line.conducting * line.across[e];
    squares_[e] += w * line.across[e] * line.across[e];
  }
  plain_ = plain_ && line.plain && std::isfinite(line.resistance) && line.resistance > 0;
  if (exceeds(line.higher, line.lower)) {
    better_ = true;
    body_ = std::max(body_, line.higher);
    around_ = around_ == 0 ? line.lower : std::min(around_, line.lower);
  } else if (exceeds(line.lower, line.higher)) {
    worse_ = true;
    body_ = body_ == 0 ? line.higher : std::min(body_, line.higher);
    around_ = std::max(around_, line.lower);
  }
}

// Returns the square of the component of the normal along the lines.
double FaceLines::normal_along(double length) const {
  const double along = moment_ / weight_ * 12 / (length * length * length);
  double all = along * along;
  for (std::size_t e = 0; e < 2; ++e)
    if (squares_[e] > 0) all += std::pow(slopes_[e] / length / squares_[e], 2);
  return all > 0 ? along * along / all : -1;
}

double FaceLines::conductance(double length, bool cut) const {
  const double mean = harmonic_ / (cut && blocked_ < lines_ ? weight_ - blocked_weight_ : weight_);
  if (!plain_ || lines_ == 1 || better_ == worse_) return mean;
  const double normal = normal_along(length);
  if (normal < 0) return mean;
  const bool known = std::isfinite(central_) && central_ > 0;
  const double resistance = (known ? central_ : resistance_ / weight_) / length, kappa = at_face_ / weight_;
  // The fluxes and the gradients for a gradient of 1 in the body: along the lines, and across them.
  const double flux = normal * body_ + (1 - normal) * kappa, gradient = normal * body_ * resistance + 1 - normal;
  const double flux_across = body_ - kappa, gradient_across = body_ * resistance - 1;
  const double reflected = (body_ - around_) / (body_ + around_);
  // The exponent balances dense square and hexagonal arrays (docs/design/materials.md).
  const double weight = std::pow(std::abs(reflected), 1.7) * normal * (1 - normal);
  const double product = flux * gradient + weight * std::max(flux_across * gradient_across, 0.0);
  return (better_ ? product / (gradient * gradient + weight * gradient_across * gradient_across)
                  : (flux * flux + weight * flux_across * flux_across) / product) /
         length;
}

}  // namespace poisson
