#include "backends/backend.hpp"

namespace poisson {

Scalar Backend::scalar(double value) {
  Scalar s(allocate(sizeof(double)));
  write(&value, s.address(), sizeof value);
  return s;
}

double Backend::value(const Scalar& s) {
  double value = 0;
  read(s.address(), &value, sizeof value);
  return value;
}

}  // namespace poisson
