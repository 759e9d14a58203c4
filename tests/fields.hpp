#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/backend.hpp"
#include "tests/oracles/reference.hpp"

namespace poisson {

using reference::Real;
using reference::Vector;

inline Real epsilon(Precision p) {
  return p == Precision::fp32 ? Real{std::numeric_limits<float>::epsilon()}
                              : Real{std::numeric_limits<double>::epsilon()};
}

/// Generates uniform numbers in [−1, 1) that are the same with every standard library.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_()) / 2147483648.0 - 1; }
  Vector vector(std::size_t size) {
    Vector v(size);
    for (Real& x : v) x = (*this)();
    return v;
  }

 private:
  std::mt19937 engine_;
};

/// Copies a field's memory, from the first to the last value of its halo, to the host.
template <class T>
struct Image {
  std::vector<T> memory;
  View<T> view;
  T* address;  ///< device address of memory.front()

  Image(Backend& backend, const Field& field) {
    view = const_cast<Field&>(field).template view<T>();
    const std::int64_t before = view.halo[0] + view.halo[1] * view.sy + view.halo[2] * view.sz;
    const std::int64_t after = view.n[0] - 1 + view.halo[0] + (view.n[1] - 1 + view.halo[1]) * view.sy +
                               (view.n[2] - 1 + view.halo[2]) * view.sz;
    address = view.data - before;
    memory.resize(static_cast<std::size_t>(before + after + 1));
    backend.read(address, memory.data(), memory.size() * sizeof(T));
    view.data = memory.data() + before;
  }
  void store(Backend& backend) const { backend.write(memory.data(), address, memory.size() * sizeof(T)); }
};

/// Calls f(i, j, k) for all values, x fastest. If requested, each axis includes its halo.
template <class T, class F>
void for_each_value(const View<T>& v, bool with_halo, const F& f) {
  std::array<int, 3> h{};
  if (with_halo) h = {v.halo[0], v.halo[1], v.halo[2]};
  for (int k = -h[2]; k < v.n[2] + h[2]; ++k)
    for (int j = -h[1]; j < v.n[1] + h[1]; ++j)
      for (int i = -h[0]; i < v.n[0] + h[0]; ++i) f(i, j, k);
}

inline Vector values(Backend& backend, const Field& field) {
  Vector result;
  dispatch(field.precision(), [&]<class T>(T) {
    const Image<T> image(backend, field);
    for_each_value(image.view, false, [&](int i, int j, int k) { result.push_back(image.view(i, j, k)); });
  });
  return result;
}

/// Sets the field values, rounded to the field's precision, and returns them. The padding and the halo of periodic
/// axes, which no verb may read into a result, become NaN.
inline Vector set_values(Backend& backend, Field& field, const Vector& v) {
  dispatch(field.precision(), [&]<class T>(T) {
    Image<T> image(backend, field);
    const auto beyond_open_end = [&](int i, int j, int k) {
      const std::array at{i, j, k};
      for (std::size_t d = 0; d < 3; ++d)
        if (!field.layout().periodic[d] && (at[d] < 0 || at[d] >= image.view.n[d])) return true;
      return false;
    };
    std::fill(image.memory.begin(), image.memory.end(), std::numeric_limits<T>::quiet_NaN());
    for_each_value(image.view, true, [&](int i, int j, int k) {
      if (beyond_open_end(i, j, k)) image.view(i, j, k) = 0;
    });
    std::size_t next = 0;
    for_each_value(image.view, false, [&](int i, int j, int k) { image.view(i, j, k) = static_cast<T>(v[next++]); });
    image.store(backend);
  });
  return values(backend, field);
}

/// Returns the halo values beyond the ends of axes that are not periodic.
inline Vector open_halo(Backend& backend, const Field& field) {
  Vector halo;
  dispatch(field.precision(), [&]<class T>(T) {
    const Image<T> image(backend, field);
    for_each_value(image.view, true, [&](int i, int j, int k) {
      const std::array at{i, j, k};
      bool open = false;
      for (std::size_t d = 0; d < 3; ++d)
        open = open || (!field.layout().periodic[d] && (at[d] < 0 || at[d] >= image.view.n[d]));
      if (open) halo.push_back(image.view(i, j, k));
    });
  });
  return halo;
}
inline bool open_halo_is_zero(Backend& backend, const Field& field) {
  return std::ranges::all_of(open_halo(backend, field), [](Real x) { return x == 0; });
}

/// Checks |actual − expected| ≤ bound for each value; NaN never passes. A failure names the worst value.
inline testing::AssertionResult within(const Vector& actual, const Vector& expected, const Vector& bound) {
  if (actual.size() != expected.size() || actual.size() != bound.size())
    return testing::AssertionFailure() << "sizes differ: " << actual.size() << " and " << expected.size();
  std::size_t failures = 0, worst = 0;
  Real ratio = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Real difference = std::abs(actual[i] - expected[i]);
    if (difference <= bound[i]) continue;
    ++failures;
    const Real here = std::isnan(difference) ? std::numeric_limits<Real>::infinity() : difference / bound[i];
    if (here >= ratio) {
      ratio = here;
      worst = i;
    }
  }
  if (failures == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << failures << " of " << actual.size() << " values are off, the worst is "
                                     << actual[worst] << " at " << worst << " instead of " << expected[worst] << ": "
                                     << ratio << " times the bound " << bound[worst];
}

inline testing::AssertionResult within(Real actual, Real expected, Real bound) {
  return within(Vector{actual}, Vector{expected}, Vector{bound});
}

/// Compares two values bit by bit, except that any NaN equals any other.
inline bool same_bits(Real a, Real b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace poisson
