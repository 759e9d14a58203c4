#pragma once

#include "backends/lines/cut_lines.hpp"

namespace poisson::cpu {

std::unique_ptr<CutLines> make_cut_lines(LineRows rows);

}  // namespace poisson::cpu
