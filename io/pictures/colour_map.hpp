#pragma once

#include "io/pictures/canvas.hpp"

namespace poisson {

/// A colour for 0 ≤ t ≤ 1 from dark blue over green to yellow. Lightness rises evenly, so that equal steps of t look
/// equal, in grey and to colour-blind eyes too. (Viridis of S. van der Walt and N. Smith, CC0, from ten anchors.)
Colour colour_map(double t);

/// Lightness of a colour between 0 and 1 (Rec. 709 luma).
double lightness(Colour);

/// For values that are not finite: a red that the map does not have.
inline constexpr Colour not_finite{226, 60, 86};

}  // namespace poisson
