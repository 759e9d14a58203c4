#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"
#include "lab/studies/copy/kernels.hpp"

namespace poisson::lab {

/// Derives conclusions from the panel of bandwidth against bytes, in which each variant is one width, named "N B". A
/// second panel, bandwidth against elements per thread, is optional.
std::vector<std::string> conclude_copy(const Panels& panels, const Machine& machine);

/// Describes the error of a variant that copies `bytes` bytes between poisoned neighbours. Empty if there is none.
std::string wrong_copy(Backend& backend, const CopyVariant& variant, std::size_t bytes);

/// Returns sizes in bytes, multiples of the variant's width, at which no block, warp or word is full.
std::vector<std::size_t> awkward_sizes(const CopyVariant& variant);

}  // namespace poisson::lab
