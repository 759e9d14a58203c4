#include "grids/sampling/face_lines.hpp"

#include <cmath>
#include <cstddef>

namespace poisson {

void FaceLines::add(const Line& line) {
  ++lines_;
  if (std::isinf(line.resistance)) ++blocked_;
  harmonic_ += 1 / line.resistance;
  resistance_ += line.resistance;
  conducting_ += line.conducting;
  moment_ += line.moment;
  for (std::size_t e = 0; e < 2; ++e) {
    slopes_[e] += line.conducting * line.across[e];
    squares_[e] += line.across[e] * line.across[e];
  }
  plain_ = plain_ && line.plain && std::isfinite(line.resistance) && line.resistance > 0;
  better_ = better_ || line.higher > line.lower;
  worse_ = worse_ || line.higher < line.lower;
}

double FaceLines::conductance(double length, bool cut) const {
  const double mean = harmonic_ / (cut && blocked_ < lines_ ? lines_ - blocked_ : lines_);
  if (!plain_ || lines_ == 1 || better_ == worse_) return mean;
  const double along = moment_ / lines_ * 12 / (length * length * length);
  double normal = along * along, all = normal;
  for (std::size_t e = 0; e < 2; ++e)
    if (squares_[e] > 0) all += std::pow(slopes_[e] / length / squares_[e], 2);
  if (!(all > 0)) return mean;
  normal /= all;
  // The exponents of the weights are measured (docs/design/materials.md).
  return better_ ? normal * lines_ / resistance_ + (1 - normal) * mean
                 : normal * normal * mean + (1 - normal * normal) * conducting_ / lines_ / (length * length);
}

}  // namespace poisson
