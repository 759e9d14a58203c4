#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grids/sampling/jumps.hpp"
#include "io/config/config.hpp"

namespace poisson {

/// Return words for the equation, such as "-div(k grad u) = f", and for the kinds of faces.
std::string describe_equation(const Problem& problem);
std::string describe_boundary(const Problem& problem);
/// Returns the assembly mode and its reason.
std::string describe_assembly(const Config& config, bool gpu);
/// Appends the bytes and flops that each assembly mode needs for a row of the product A u. Also appends its predicted
/// time on the finest level, for one core or one GPU.
void describe_modes(const Config& config, std::int64_t unknowns, bool gpu, std::vector<std::string>& lines);
/// Returns advice on the centering if κ jumps between materials, else an empty string.
std::string describe_hint(const Problem& problem, const Jumps& jumps);
/// Returns text such as "0.001 to 0.0938 wide (1 : 93.8)". Equal cells from explicit nodes differ by rounding.
std::string describe_widths(const Config& config);
/// Returns the warning that an image has too little memory for the best method, and the options that replace it.
std::string describe_economy(const Options& options);

}  // namespace poisson
