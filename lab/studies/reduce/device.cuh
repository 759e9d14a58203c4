#pragma once

#include "lab/harness/stream.cuh"
#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {

inline const double* doubles(const Values& x) {
  return static_cast<const double*>(x.data);
}

}  // namespace poisson::lab
