#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>

#include "backends/box.hpp"
#include "backends/memory.hpp"
#include "backends/precision.hpp"
#include "backends/view.hpp"

namespace poisson {

class Backend;

/// The shape of a field: values per axis, and which axes close on themselves. The halo is one value wide on every
/// axis of more than one value. On periodic axes Backend::exchange fills it. Beyond the ends of other axes it stays
/// what it was made: zero, but for the data on the faces that solutions of cell-centred problems hold there.
struct Layout {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> periodic{};

  std::int64_t size() const { return std::int64_t{1} * n[0] * n[1] * n[2]; }
  /// Values from one line to the next; lines start on 128-byte boundaries.
  std::int64_t pitch(Precision) const;
  /// Values in memory, halo and padding included.
  std::int64_t allocated(Precision) const;
  /// Index of the value at (0, 0, 0) in the field's memory.
  std::int64_t origin(Precision) const;
  Box box() const { return {{0, 0, 0}, n}; }
  bool operator==(const Layout&) const = default;
};

/// Values on the nodes or cells of a block, in the memory of one backend.
class Field {
 public:
  Field() = default;
  /// All zero, halo and padding included. Throws RunError where the memory cannot be had.
  Field(Backend&, const Layout&, Precision);

  Backend& backend() const { return *backend_; }
  const Layout& layout() const { return layout_; }
  Precision precision() const { return precision_; }
  std::size_t bytes() const { return buffer_.bytes(); }
  /// The field's memory, halo and padding included.
  void* data() const { return buffer_.data(); }
  explicit operator bool() const { return buffer_.data() != nullptr; }

  /// Typed access; T must be the field's precision.
  template <class T>
  View<T> view() {
    return make_view<T>();
  }
  template <class T>
  View<const T> view() const {
    return make_view<const T>();
  }

 private:
  template <class T>
  View<T> make_view() const {
    assert(precision_ == precision_of<std::remove_const_t<T>>);
    const bool flat_y = layout_.n[1] == 1, flat_z = layout_.n[2] == 1;
    const std::int64_t pitch = layout_.pitch(precision_);
    View<T> v;
    v.data = static_cast<T*>(buffer_.data()) + layout_.origin(precision_);
    for (int d = 0; d < 3; ++d) {
      v.n[d] = layout_.n[static_cast<std::size_t>(d)];
      v.halo[d] = d == 0 || v.n[d] > 1 ? 1 : 0;
    }
    v.sy = flat_y ? 0 : pitch;
    v.sz = flat_z ? 0 : pitch * (flat_y ? 1 : layout_.n[1] + 2);
    return v;
  }

  Backend* backend_ = nullptr;
  Layout layout_;
  Precision precision_ = Precision::fp64;
  Buffer buffer_;
};

/// Whether the host reads and writes the field's memory directly.
bool on_host(const Field& field);
/// to = from, halo and padding included, between fields of one layout and precision on any two backends.
void transfer(const Field& from, Field& to);

/// Read access from the host: to the field itself where the host reaches its memory, else to a copy.
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
