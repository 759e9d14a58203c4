#pragma once

namespace poisson {

/// Is a vector in memory that one load or two fetch.
template <class S, int width>
struct alignas(sizeof(S) * width < 16 ? sizeof(S) * width : 16) Pack {
  S value[width];
};
template <int width, class S>
constexpr Pack<S, width> load_pack(const S* from) {
  return *reinterpret_cast<const Pack<S, width>*>(from);
}
template <int width, class S>
constexpr void store_pack(S* to, const Pack<S, width>& values) {
  *reinterpret_cast<Pack<S, width>*>(to) = values;
}

}  // namespace poisson
