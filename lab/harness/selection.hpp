#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// What a run is about to do.
struct Selection {
  std::vector<const Study*> chosen;    ///< in the order of the table
  std::vector<const Study*> left_out;  ///< part of `all`, but in need of a GPU that is not there
};

/// The studies of these names; "all" stands for every one that the device can run. Throws InputError where a name is
/// unknown, and where one that was named needs a GPU and there is none.
Selection select_studies(std::span<const std::string> names, std::span<const Study> table, bool on_gpu);

}  // namespace poisson::lab
