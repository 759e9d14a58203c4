#pragma once

#include "io/pictures/canvas.hpp"

namespace poisson {

/// Returns a colour for 0 ≤ t ≤ 1, from dark blue over green to yellow. Its lightness rises evenly, so equal steps of t
/// look equal, also in grey and to colour-blind readers. (Viridis of S. van der Walt and N. Smith, CC0, from ten
/// anchors.)
Colour colour_map(double t);

/// Returns the lightness of a colour between 0 and 1 (Rec. 709 luma).
double lightness(Colour);

/// Values that are not finite have this red, which the map does not contain.
inline constexpr Colour not_finite{226, 60, 86};
/// Cells of insulators, and cells without contact to a fixed value, are light grey.
inline constexpr Colour no_solution{216, 218, 222};

}  // namespace poisson
