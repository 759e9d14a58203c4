#pragma once

#include "backends/memory.hpp"

namespace poisson {

/// A double in a backend's memory: the result of a reduction, an argument of the verbs that follow it. Solvers hand
/// scalars from verb to verb without ever looking at them; Backend::value is for set-up and reports.
class Scalar {
 public:
  Scalar() = default;
  explicit Scalar(Buffer buffer) : buffer_(std::move(buffer)) {}

  /// Address in the backend's memory.
  double* address() const { return static_cast<double*>(buffer_.data()); }

 private:
  Buffer buffer_;
};

}  // namespace poisson
