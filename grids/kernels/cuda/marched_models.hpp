#pragma once

#include <utility>

#include "backends/cuda/marched.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/box_stencil.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/face_coefficients.hpp"

/// These functions exchange the tables of y and z in models of 5- and 7-point stencils, for kernels in two dimensions.
/// Rows of 9 points are accessed by their original y (line_of) and stay unchanged.
namespace poisson::cuda {

inline int exchanged_axis(int axis) {
  return axis == 1 ? 2 : axis == 2 ? 1 : axis;
}

template <class T>
Equidistant<T> exchanged(Equidistant<T> c) {
  std::swap(c.y, c.z);
  return c;
}
template <class T>
TensorProduct<T> exchanged(TensorProduct<T> c) {
  std::swap(c.y, c.z);
  c.decoupled = exchanged_axis(c.decoupled);
  return c;
}
template <class T, bool Isotropic>
Partial<T, Isotropic> exchanged(Partial<T, Isotropic> c) {
  std::swap(c.y, c.z);
  for (auto& kappa : c.kappa) kappa = marched(kappa);
  if constexpr (!Isotropic) std::swap(c.kappa[1], c.kappa[2]);
  if (c.reaction.data) c.reaction = marched(c.reaction);
  c.decoupled = exchanged_axis(c.decoupled);
  return c;
}
template <class T>
Faces<T> exchanged(Faces<T> c) {
  std::swap(c.y, c.z);
  for (auto& kappa : c.kappa) kappa = marched(kappa);
  std::swap(c.kappa[1], c.kappa[2]);
  if (c.reaction.data) c.reaction = marched(c.reaction);
  c.decoupled = exchanged_axis(c.decoupled);
  return c;
}
template <class T>
StarBands<T> exchanged(StarBands<T> c) {
  c.bands.shape = marched(c.bands.shape);
  std::swap(c.bands.band[2], c.bands.band[3]);
  std::swap(c.axes.y, c.axes.z);
  return c;
}

/// These models have rows that are accessed by their original y, or can be exchanged.
template <class Coefficients>
concept Marched = requires(const Coefficients c) {
  decltype(c.line(0, 0).row(0))::dimension;
}
|| requires(const Coefficients c) {
  exchanged(c);
};

/// Returns the model in the form that kernels expect on a block of this layout.
template <class Coefficients>
Coefficients marched_model(const Coefficients& c, const Layout& layout) {
  if constexpr (requires { exchanged(c); })
    return is_plane(layout) ? exchanged(c) : c;
  else
    return c;
}

}  // namespace poisson::cuda
