#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "backends/memory/memory.hpp"
#include "backends/memory/patch_view.hpp"
#include "backends/memory/precision.hpp"
#include "backends/spaces/space.hpp"

namespace poisson {

class Backend;

/// Owns the values at the nodes or cells of a sub-block, in the memory of one backend.
class Field {
 public:
  Field() = default;
  /// Allocates a field. All values are zero, including halo and padding. Throws RunError if the memory is not
  /// available.
  Field(Backend&, const Space&, Precision);

  Backend& backend() const { return *backend_; }
  const Space& space() const { return space_; }
  const Layout& layout() const { return space_.groups().front().layout; }
  Precision precision() const { return precision_; }
  std::size_t bytes() const { return buffer_.bytes(); }
  /// Returns the field's memory, including halo and padding.
  void* data() const { return buffer_.data(); }
  explicit operator bool() const { return buffer_.data() != nullptr; }

  /// Returns typed access to a field of one patch, or to the first one; T must be the field's precision.
  template <class T>
  View<T> view() {
    return make_view<T>();
  }
  template <class T>
  View<const T> view() const {
    return make_view<const T>();
  }
  /// Returns typed access to the patches of a group of the space.
  template <class T>
  PatchView<T> patches(std::size_t group) {
    return make_patches<T>(group);
  }
  template <class T>
  PatchView<const T> patches(std::size_t group) const {
    return make_patches<const T>(group);
  }
  /// Returns typed access to a patch by its number among all groups.
  template <class T>
  View<T> patch(int number) {
    return make_patch<T>(number);
  }
  template <class T>
  View<const T> patch(int number) const {
    return make_patch<const T>(number);
  }

 private:
  template <class T>
  View<T> make_view() const {
    return make_view<T>(layout(), 0);
  }
  template <class T>
  PatchView<T> make_patches(std::size_t group) const {
    const auto groups = space_.groups();
    std::int64_t before = 0;
    for (const PatchGroup& g : groups.first(group)) before += g.layout.allocated(precision_, std::ssize(g.patches));
    const PatchGroup& own = groups[group];
    return {make_view<T>(own.layout, before), own.layout.stride(precision_), static_cast<int>(own.patches.size())};
  }
  template <class T>
  View<T> make_patch(int number) const {
    std::size_t group = 0;
    for (const PatchGroup& g : space_.groups()) {
      const int count = static_cast<int>(g.patches.size());
      if (number < count) return make_patches<T>(group)[number];
      number -= count;
      ++group;
    }
    throw std::out_of_range("a space has no patch of this number");
  }
  // Returns the view of the first patch of a group; `before` counts the values in front of it in memory.
  template <class T>
  View<T> make_view(const Layout& layout, std::int64_t before) const {
    assert(precision_ == precision_of<std::remove_const_t<T>>);
    const bool flat_y = layout.n[1] == 1, flat_z = layout.n[2] == 1;
    const std::int64_t pitch = layout.pitch(precision_);
    View<T> v;
    v.data = static_cast<T*>(buffer_.data()) + before + layout.origin(precision_);
    for (int d = 0; d < 3; ++d) {
      v.n[d] = layout.n[static_cast<std::size_t>(d)];
      v.halo[d] = d == 0 || v.n[d] > 1 ? layout.halo[static_cast<std::size_t>(d)] : 0;
    }
    v.sy = flat_y ? 0 : pitch;
    v.sz = flat_z ? 0 : pitch * (flat_y ? 1 : layout.n[1] + 2 * layout.halo[1]);
    return v;
  }

  Backend* backend_ = nullptr;
  Space space_{Layout{}};
  Precision precision_ = Precision::fp64;
  Buffer buffer_;
};

/// Returns whether the host accesses the field's memory directly.
bool on_host(const Field& field);
/// Copies `from` to `to`, including halo and padding. Both have the same layout and precision; their backends may
/// differ.
void transfer(const Field& from, Field& to);

/// Gives the host read access to a field: directly if the host can access its memory, otherwise through a copy.
class HostRead {
 public:
  explicit HostRead(const Field& field);
  const Field& operator*() const { return copy_ ? *copy_ : *field_; }

 private:
  const Field* field_;
  std::unique_ptr<Backend> host_;
  std::unique_ptr<Field> copy_;
};

/// Calls f with a value of the C++ type of the precision: dispatch(p, [&]<class T>(T) { … }).
template <class F>
decltype(auto) dispatch(Precision p, F&& f) {
  return p == Precision::fp32 ? f(float{}) : f(double{});
}

}  // namespace poisson
