#pragma once

#include "backends/lines/cut_lines.hpp"

namespace poisson::cuda {

/// Returns the CUDA implementation of CutLines.
std::unique_ptr<CutLines> make_cut_lines(LineRows rows);

}  // namespace poisson::cuda
