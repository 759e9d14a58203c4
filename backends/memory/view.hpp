#pragma once

#include <cstdint>
#include <type_traits>
#ifdef POISSON_CHECK_BOUNDS
#include <cassert>
#endif

namespace poisson {

/// Indexes a field's memory in three dimensions, x fastest; valid on the device that owns the memory. Along an axis of
/// n values the indices −halo … n−1+halo may be read. An axis of one value without halo (z in two dimensions) has
/// stride 0: it is its own neighbour, so stencils need no special case.
///
/// The class uses no containers of the standard library, so point formulas that use it compile for every backend.
template <class T>
struct View {
  T* data = nullptr;  ///< value at (0, 0, 0)
  int n[3] = {};
  int halo[3] = {};
  std::int64_t sy = 0, sz = 0;  ///< strides along y and z, counted in values

  constexpr T& operator()(int i, int j, int k) const {
#ifdef POISSON_CHECK_BOUNDS
    assert(i >= -halo[0] && i < n[0] + halo[0] && "x index outside the field and its halo");
    assert((sy == 0 || (j >= -halo[1] && j < n[1] + halo[1])) && "y index outside the field and its halo");
    assert((sz == 0 || (k >= -halo[2] && k < n[2] + halo[2])) && "z index outside the field and its halo");
#endif
    return data[i + j * sy + k * sz];
  }
  /// Returns the line of values with fixed y and z; line(j, k)[i] is (i, j, k).
  constexpr T* line(int j, int k) const {
    return &(*this)(0, j, k);
  }

  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) constexpr operator View<U>() const {
    View<const T> v;
    v.data = data;
    for (int d = 0; d < 3; ++d) {
      v.n[d] = n[d];
      v.halo[d] = halo[d];
    }
    v.sy = sy;
    v.sz = sz;
    return v;
  }
};

}  // namespace poisson
