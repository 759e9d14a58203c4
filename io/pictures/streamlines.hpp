#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "io/pictures/strokes.hpp"

namespace poisson {

/// Returns the direction of the flow at a point of a panel, a vector of length 1; nothing where there is no flow.
using FlowDirection = std::function<std::optional<PicturePoint>(PicturePoint)>;

using Streamline = std::vector<PicturePoint>;

/// Returns streamlines in the box 0 ≤ x ≤ width, 0 ≤ y ≤ height, whose distance is about `separation` (B. Jobard,
/// W. Lefer: Creating evenly-spaced streamlines of arbitrary density, 1997). Points follow the flow. The same flow
/// gives the same lines.
std::vector<Streamline> streamlines(double width, double height, double separation, const FlowDirection& flow);

}  // namespace poisson
