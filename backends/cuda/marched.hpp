#pragma once

#include <utility>

#include "backends/device/field.hpp"

/// Kernels march along z while they prefetch the values that they read next. Two-dimensional fields have nothing along
/// z. Their views, boxes and layouts exchange y and z for these kernels, so that a plane is treated like a body with
/// one row.
namespace poisson::cuda {

inline bool is_plane(const Layout& layout) {
  return layout.n[2] == 1 && layout.n[1] > 1;
}
/// Returns the number of planes of the global grid in the marching direction.
inline int planes_marched(const Space& space) {
  return is_plane(space.part().layout()) ? space.part().all()[1] : space.part().all()[2];
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
