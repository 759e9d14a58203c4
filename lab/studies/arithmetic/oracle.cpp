#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lab/studies/arithmetic/study.hpp"

namespace poisson::lab {
namespace {

std::uint32_t integer(double x) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x));
}

std::uint64_t wide(double x) {
  return static_cast<std::uint64_t>(x);
}

double wrapped(std::uint64_t sum) {
  return static_cast<double>(static_cast<std::uint32_t>(sum));
}

}  // namespace

double ulp_error(float actual, double exact) {
  const double error = std::abs(static_cast<double>(actual) - exact);
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::ldexp(error, 23 - exponent);
}

double number_of(std::uint32_t word, Words words) {
  return words == Words::real ? static_cast<double>(std::bit_cast<float>(word)) : static_cast<double>(word);
}

std::uint32_t word_of(double number, Words words) {
  return words == Words::real ? std::bit_cast<std::uint32_t>(static_cast<float>(number)) : integer(number);
}

std::vector<std::uint32_t> arguments(const Operation& operation, std::int64_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t position = static_cast<std::uint64_t>(i) + (seed << 40);
    if (operation.words == Words::real) {
      const double x = operation.lower + (operation.upper - operation.lower) * noise(position) * 0x1p-32;
      all.push_back(word_of(x, Words::real));
    } else {  // all magnitudes
      all.push_back(noise(position) >> (noise(~position) % 28) | 1u);
    }
  }
  return all;
}

Accuracy accuracy(const Operation& operation, std::span<const std::uint32_t> x, std::span<const std::uint32_t> y,
                  std::span<const std::uint32_t> z) {
  Accuracy result;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double exact = operation.exact(number_of(x[i], operation.words), number_of(y[i], operation.words));
    const double actual = number_of(z[i], operation.words);
    if (operation.words == Words::integer) {
      result.ulps = std::max(result.ulps, std::abs(actual - exact));
      result.within = result.within && actual == exact;
    } else {
      const double error = ulp_error(static_cast<float>(actual), exact);
      result.ulps = std::max(result.ulps, error);
      // The reference also has rounding errors, far below a millionth of a float's.
      result.within =
          result.within && (error <= operation.ulps + 1e-6 || std::abs(actual - exact) <= operation.absolute);
    }
  }
  return result;
}

bool chain_agrees(const Operation& operation, std::span<const std::uint32_t> start,
                  std::span<const std::uint32_t> result) {
  double x[chains];
  for (std::size_t c = 0; c < chains; ++c) x[c] = number_of(start[c], operation.words);
  for (int step = 0; step < chain_steps; ++step)
    for (std::size_t c = 0; c < chains; ++c)
      x[c] = operation.exact(x[c], operation.coupled ? x[(c + 1) % chains] : operation.operand);
  for (std::size_t c = 0; c < chains; ++c) {
    const double end = number_of(result[c], operation.words);
    const double tolerance = operation.words == Words::integer ? 0 : 0.1 * std::abs(x[c]);
    if (!(std::abs(end - x[c]) <= tolerance)) return false;
  }
  return true;
}

namespace exact {

double add(double x, double y) {
  return x + y;
}
double multiply(double x, double y) {
  return x * y;
}
double multiply_add(double x, double y) {
  return std::fma(x, y, y);
}
double sine(double x, double) {
  return std::sin(x);
}
double cosine(double x, double) {
  return std::cos(x);
}
double decay(double x, double) {
  return std::exp(-x);
}
double divide(double x, double y) {
  return y / x;
}
double reciprocal(double x, double) {
  return 1 / x;
}
double reciprocal_root(double x, double) {
  return 1 / std::sqrt(x);
}
double root(double x, double) {
  return std::sqrt(x);
}
double smaller(double x, double y) {
  return std::min(wrapped(wide(x) + 1), y);
}
double larger(double x, double y) {
  return std::max(x, y);
}
double pure_exclusive_or(double x, double y) {
  return wrapped(wide(x) ^ wide(y));
}
double funnel_shift(double x, double y) {
  return wrapped(wide(y) << 7 | wide(x) >> 25);
}
double exclusive_or(double x, double y) {
  return wrapped((wide(x) ^ wide(y)) + wide(y));
}
double multiply_24(double x, double y) {
  return wrapped((wide(x) & 0xFFFFFF) * (wide(y) & 0xFFFFFF));
}
double integer_add(double x, double y) {
  return wrapped(wide(x) + wide(y));
}
double integer_multiply(double x, double y) {
  return wrapped(wide(x) * wide(y));
}
double integer_divide(double x, double y) {
  return std::floor(y / x);
}
double modulo(double x, double y) {
  return std::fmod(y, x) + 1;
}
double divide_by_10(double x, double y) {
  return wrapped(wide(x) / 10 + wide(y));
}
double modulo_10(double x, double y) {
  return wrapped(wide(x) % 10 + wide(y));
}
double divide_by_8(double x, double y) {
  return wrapped(wide(x) / 8 + wide(y));
}
double modulo_8(double x, double y) {
  return wrapped(wide(x) % 8 + wide(y));
}
double signed_divide_by_8(double x, double y) {
  const double value = x < 0x1p31 ? x : x - 0x1p32;
  return wrapped(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::trunc(value / 8))) + wide(y));
}
double high_word(double x, double) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x) >> 32));
}
double from_words(double x, double y) {
  const std::uint64_t upper = word_of(y, Words::real), lower = word_of(x, Words::real);
  return static_cast<float>(std::bit_cast<double>(upper << 32 | lower));
}
double through_half(double x, double) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), -14);  // below 2⁻¹⁴ halves are denormal and equally spaced
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, 10 - exponent)), exponent - 10);
  return std::abs(rounded) < 65520 ? rounded : std::copysign(std::numeric_limits<double>::infinity(), x);
}
double through_integer(double x, double) {
  return std::nearbyint(x);
}

}  // namespace exact

double gathered(int lane, int distinct, int rounds) {
  double sum = 0;
  for (int round = 0; round < rounds; ++round)
    for (int read = 0; read < reads_per_round; ++read) {
      const int entry = round * reads_per_round % (table_entries / 2) + read + lane % distinct;
      sum += entry % 16;
    }
  return sum;
}

std::vector<double> product_row(int n, int i) {
  std::vector<double> row(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const double a = product_entry(0, std::int64_t{i} * n + k);
    for (int j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += a * product_entry(1, std::int64_t{k} * n + j);
  }
  return row;
}

}  // namespace poisson::lab
