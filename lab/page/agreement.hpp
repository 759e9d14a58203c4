#pragma once

#include <string>
#include <vector>

#include "lab/page/report.hpp"

namespace poisson::lab {

/// Contains a sentence that another run of the same studies on the same machine contradicts or lacks.
struct Disagreement {
  std::string study, first, second;  ///< one may be empty
};

/// The largest ratio of two bounds that do not exclude each other: two steps of a sweep.
inline constexpr double bounds_apart = 16;

/// Returns whether two sentences agree. Their words must be equal. Their figures may differ by the share `noise` each,
/// by twice that after "about", and by a factor of 2 after "roughly". Bounds (after "at least" and "at most") that are
/// no percentages may differ by `bounds_apart`. A verdict of "within the noise" agrees with a difference that is no
/// larger. A sentence agrees with another one that continues it.
bool agree(const std::string& first, const std::string& second, double noise);

/// Returns the sentences in which two runs differ.
std::vector<Disagreement> disagreements(const Report& first, const Report& second);

}  // namespace poisson::lab
