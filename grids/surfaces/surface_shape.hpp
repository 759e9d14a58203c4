#pragma once

#include "grids/problem/shapes.hpp"
#include "grids/surfaces/triangles.hpp"

namespace poisson {

/// Makes the shape inside triangles: the places whose generalized winding number exceeds 1/2. For a closed surface it
/// is the number of crossings of a ray inwards, minus those outwards. A hole in no plane is closed by a cap; the
/// winding number then is that of the closed surface without the solid angle of the cap. Flat holes are closed by their
/// plane, on which the winding number of the hole alone is 1/2.
ShapePtr make_surface_shape(ClosedSurface surface);

}  // namespace poisson
