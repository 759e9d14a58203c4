#pragma once

#include <memory>

#include "grids/operators/patched_operator.hpp"

namespace poisson::cuda {

/// Returns the operator of finite volumes with these rows on patches, one launch a group and verb.
template <class T, class Own>
std::unique_ptr<Operator> make_stacked_operator(const Own& rows, const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of);

}  // namespace poisson::cuda
