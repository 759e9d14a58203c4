#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "backends/device/backend.hpp"

namespace poisson {

/// Selects the number that a reduction computes from contiguous values x (and y).
enum class Reduction {
  sum,          ///< Σ x
  dot,          ///< Σ x·y
  one_norm,     ///< Σ |x|
  square_norm,  ///< Σ x²
  max_norm      ///< max |x|; NaN if any x is
};

struct ReductionName {
  Reduction kind;
  std::string_view name;
};
inline constexpr std::array<ReductionName, 5> reductions{{{Reduction::sum, "sum"},
                                                          {Reduction::dot, "dot"},
                                                          {Reduction::one_norm, "1-norm"},
                                                          {Reduction::square_norm, "squared 2-norm"},
                                                          {Reduction::max_norm, "max-norm"}}};

/// Refers to contiguous values in a backend's memory, aligned to their type.
struct Values {
  Values() = default;
  Values(const float* values, std::int64_t n) : data(values), count(n), precision(Precision::fp32) {}
  Values(const double* values, std::int64_t n) : data(values), count(n), precision(Precision::fp64) {}

  const void* data = nullptr;
  std::int64_t count = 0;
  Precision precision = Precision::fp64;
};

/// Owns the memory for the partial results of one reduction at a time, so that reductions allocate nothing and can be
/// recorded.
class ReductionRoom {
 public:
  static constexpr int most_partials = 4096;

  explicit ReductionRoom(Backend& backend);
  double* partials() const { return static_cast<double*>(memory_.data()); }
  /// Returns the counter of finished partial results; it is 0 between reductions.
  unsigned* arrived() const { return reinterpret_cast<unsigned*>(partials() + most_partials); }

 private:
  Buffer memory_;
};

/// Computes the reduction of x, or of x and y for `dot`; y is empty for the others. The result for no values is 0.
///
/// The arithmetic is double in any precision of the values. The order of operations depends only on the number of
/// values, their alignment and the device, so the bits are the same every time. May run asynchronously: the result
/// stays in the backend's memory. Throws InputError if y does not match x.
void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);
inline void reduce(Backend& backend, Reduction kind, const Values& x, ReductionRoom& room, Scalar& result) {
  reduce(backend, kind, x, {}, room, result);
}

}  // namespace poisson
