#pragma once

#include "backends/cut_lines.hpp"

namespace poisson::cuda {

std::unique_ptr<CutLines> make_cut_lines(LineRows rows);
/// Values that elimination keeps of a field of this layout.
std::size_t kept_of_cut_lines(const Layout& layout, int axis);

}  // namespace poisson::cuda
