#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"
#include "lab/studies/copy/kernels.hpp"

namespace poisson::lab {

/// Conclusions from the panel of bandwidth against bytes (each variant one width, named "N B") and, where a second one
/// is there, against elements per thread.
std::vector<std::string> conclude_copy(const Panels& panels, const Machine& machine);

/// What a variant gets wrong in an array of so many bytes between poisoned neighbours: empty where nothing.
std::string wrong_copy(Backend& backend, const CopyVariant& variant, std::size_t bytes);

/// Sizes in bytes, multiples of the variant's width, at which no block, warp or word is full.
std::vector<std::size_t> awkward_sizes(const CopyVariant& variant);

}  // namespace poisson::lab
