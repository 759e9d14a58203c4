#pragma once

#include <string>
#include <vector>

#include "lab/page/report.hpp"

namespace poisson::lab {

/// A sentence of one run that another run of the same studies on the same machine contradicts, or does not have.
struct Disagreement {
  std::string study, first, second;  ///< one of the sentences may be empty
};

/// So many times as large as the other may one of two bounds be that do not exclude each other: two steps of a sweep.
inline constexpr double bounds_apart = 16;

/// Whether two sentences say the same: word for word but for their figures, which may differ by the share `noise` each,
/// twice that behind "about", by a factor of 2 behind "some", and by `bounds_apart` where they are bounds, behind
/// "more than" and "at latest". A verdict of "within the noise" agrees with one of a difference that is no larger, and
/// a sentence with another that goes on where it ends.
bool agree(const std::string& first, const std::string& second, double noise);

/// What two runs say differently.
std::vector<Disagreement> disagreements(const Report& first, const Report& second);

}  // namespace poisson::lab
