#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "backends/backend.hpp"

namespace poisson {

/// What is made of contiguous values x (and y) into one number.
enum class Reduction {
  sum,          ///< Σ x
  dot,          ///< Σ x·y
  one_norm,     ///< Σ |x|
  square_norm,  ///< Σ x²
  max_norm      ///< max |x|, and NaN where any x is
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

/// Contiguous values in a backend's memory, aligned to their type.
struct Values {
  Values() = default;
  Values(const float* values, std::int64_t n) : data(values), count(n), precision(Precision::fp32) {}
  Values(const double* values, std::int64_t n) : data(values), count(n), precision(Precision::fp64) {}

  const void* data = nullptr;
  std::int64_t count = 0;
  Precision precision = Precision::fp64;
};

/// Room for the partial results of one reduction at a time, so that reductions allocate nothing and can be recorded.
class ReductionRoom {
 public:
  static constexpr int most_partials = 4096;

  explicit ReductionRoom(Backend& backend);
  double* partials() const { return static_cast<double*>(memory_.data()); }
  /// How many partial results are there already; 0 between reductions.
  unsigned* arrived() const { return reinterpret_cast<unsigned*>(partials() + most_partials); }

 private:
  Buffer memory_;
};

/// result = the reduction of x, and for dot of x and y, which is empty for the others; 0 for no values. In double
/// arithmetic whatever the precision of the values, and in an order that depends on the number of values, their
/// alignment and the device alone: the same bits every time. May run asynchronously: the result stays in the backend's
/// memory. Throws InputError where y does not match.
void reduce(Backend& backend, Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result);
inline void reduce(Backend& backend, Reduction kind, const Values& x, ReductionRoom& room, Scalar& result) {
  reduce(backend, kind, x, {}, room, result);
}

}  // namespace poisson
