#pragma once

#include "backends/memory/memory.hpp"

namespace poisson {

/// Owns a double in a backend's memory: the result of a reduction, or an argument of later verbs. Solvers pass scalars
/// from verb to verb and never read them; Backend::value is for set-up and reports.
class Scalar {
 public:
  Scalar() = default;
  explicit Scalar(Buffer buffer) : buffer_(std::move(buffer)) {}

  /// Returns the address in the backend's memory.
  double* address() const { return static_cast<double*>(buffer_.data()); }

 private:
  Buffer buffer_;
};

}  // namespace poisson
