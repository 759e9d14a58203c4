#pragma once

#include <utility>

#include "backends/field.hpp"

/// Kernels march along z, with what they read next under way. In two dimensions there is nothing along z: fields, boxes
/// and coefficients are handed to them with y in its place, and a plane is walked through as a body of one row is.
namespace poisson::cuda {

inline bool is_plane(const Layout& layout) {
  return layout.n[2] == 1 && layout.n[1] > 1;
}
/// Planes of a whole space across which kernels march.
inline int planes_marched(const Space& space) {
  return is_plane(space.layout()) ? space.all()[1] : space.all()[2];
}
template <class T>
View<T> marched(View<T> v) {
  if (v.n[2] != 1 || v.n[1] == 1) return v;
  std::swap(v.n[1], v.n[2]);
  std::swap(v.halo[1], v.halo[2]);
  std::swap(v.sy, v.sz);
  return v;
}
inline Box marched(Box box, const Layout& layout) {
  if (!is_plane(layout)) return box;
  std::swap(box.first[1], box.first[2]);
  std::swap(box.last[1], box.last[2]);
  return box;
}
inline Layout marched(Layout layout) {
  if (!is_plane(layout)) return layout;
  std::swap(layout.n[1], layout.n[2]);
  std::swap(layout.periodic[1], layout.periodic[2]);
  return layout;
}

}  // namespace poisson::cuda
