#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Lists the studies of a run.
struct Selection {
  std::vector<const Study*> chosen;    ///< in table order
  std::vector<const Study*> left_out;  ///< in `all`, but they need a GPU
};

/// Returns the studies of these names; "all" selects every study that the device can run. Throws InputError if a name
/// is unknown, or if a named study needs a GPU and there is none.
Selection select_studies(std::span<const std::string> names, std::span<const Study> table, bool on_gpu);

}  // namespace poisson::lab
