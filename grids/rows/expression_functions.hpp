#pragma once

#include <cmath>

/// The functions of expressions are formulas that a device and the host round in the same way. They do not use the
/// containers of the standard library. Code that is compiled at run time calls them from the source text of a Quantity.
namespace poisson::expression {

/// Returns a product that no compiler fuses with the sum around it, as if the expression were computed step by step.
inline double product(double a, double b) {
#ifdef __CUDACC_RTC__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

inline double sin(double v) {
  return ::sin(v);
}
inline double cos(double v) {
  return ::cos(v);
}
inline double tan(double v) {
  return ::tan(v);
}
inline double asin(double v) {
  return ::asin(v);
}
inline double acos(double v) {
  return ::acos(v);
}
inline double atan(double v) {
  return ::atan(v);
}
inline double atan2(double a, double b) {
  return ::atan2(a, b);
}
inline double sinh(double v) {
  return ::sinh(v);
}
inline double cosh(double v) {
  return ::cosh(v);
}
inline double tanh(double v) {
  return ::tanh(v);
}
inline double asinh(double v) {
  return ::log(v + ::sqrt(product(v, v) + 1));
}
inline double acosh(double v) {
  return ::log(v + ::sqrt(product(v, v) - 1));
}
inline double atanh(double v) {
  return product(0.5, ::log((1 + v) / (1 - v)));
}
inline double exp(double v) {
  return ::exp(v);
}
inline double ln(double v) {
  return ::log(v);
}
inline double log2(double v) {
  return ::log(v) / 0.69314718055994530942;
}
inline double log10(double v) {
  return ::log10(v);
}
inline double sqrt(double v) {
  return ::sqrt(v);
}
inline double floor(double v) {
  return ::floor(v);
}
inline double ceil(double v) {
  return ::ceil(v);
}
/// Returns the remainder of a / b with the sign of a.
inline double fmod(double a, double b) {
  return ::fmod(a, b);
}
/// Halves round up.
inline double rint(double v) {
  return ::floor(v + 0.5);
}
inline double sign(double v) {
  return v < 0 ? -1 : v > 0 ? 1 : 0;
}
inline double abs(double v) {
  return v >= 0 ? v : -v;
}
inline double min(double a, double b) {
  return b < a ? b : a;
}
inline double max(double a, double b) {
  return a < b ? b : a;
}

inline double pow(double a, double b) {
  return ::pow(a, b);
}
/// These powers are products, which take less time.
inline double pow2(double v) {
  return product(v, v);
}
inline double pow3(double v) {
  return product(product(v, v), v);
}
inline double pow4(double v) {
  return product(product(v, v), product(v, v));
}

}  // namespace poisson::expression
