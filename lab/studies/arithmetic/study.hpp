#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "lab/harness/block_time.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Selects the format of an operation's 32-bit words.
enum class Words { real, integer };

/// These are the variants of the panel "operands".
namespace operand {
inline constexpr std::string_view registers = "a + b", plus_constant = "a + c[i], c in constant memory",
                                  plus_shared = "a + s[i]", plus_indexed = "a + s[r + i], r in a register",
                                  twice_shared = "a + a * s[i]", product_shared = "a + b * s[i]",
                                  three_registers = "a * b + c", immediate = "a * 0.5 + c",
                                  in_order = "t + h * u, tuples of 4", swizzled = "t + h * u.zzyx",
                                  indexed = "t + h * u[i], i not known to the compiler";
}

/// Returns the component of u that is component c of u.zzyx: (1, 2, 3, 4) becomes (3, 3, 2, 1).
constexpr int zzyx(int c) {
  return c < 2 ? 2 : 3 - c;
}

/// Returns |actual − exact| in units in the last place of a float near `exact`; infinity for NaN.
double ulp_error(float actual, double exact);

/// Defines one operation z = f(x, y) on words, which is timed as a chain x ← f(x, y) and compared with its exact
/// function.
struct Operation {
  std::string_view name;
  std::string_view panel;  ///< functions, integers, conversions
  Words words;
  int results;                          ///< per step: a round trip through another format has two
  double (*exact)(double x, double y);  ///< maps the words' values; integers modulo 2³²
  double lower, upper;                  ///< range of reals
  double ulps, absolute;                ///< documented error bounds; either one suffices
  double operand;                       ///< the chain's y
  bool coupled;                         ///< the next chain's value replaces y
  int unroll;                           ///< steps per round of the chain's kernel
  // Kernels, which evaluate() and run_chain() launch.
  void (*evaluate)(const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z, std::int64_t count);
  void (*chain)(const std::uint32_t* start, std::uint32_t operand, int rounds, std::uint32_t* result, BlockTime* times);
};

inline constexpr int chains = 4, chain_threads = 512, chain_steps = 4096;

/// Convert words to numbers and back; reals are rounded to float.
double number_of(std::uint32_t word, Words words);
std::uint32_t word_of(double number, Words words);

/// Returns `count` arguments of an operation, which depend on `seed`. Integers are odd and therefore never zero.
std::vector<std::uint32_t> arguments(const Operation& operation, std::int64_t count, std::uint64_t seed);

/// Contains the errors of results against exact values.
struct Accuracy {
  double ulps = 0;     ///< is the largest error in ulp, for integers the largest difference
  bool within = true;  ///< every error is within the operation's bound; integers are equal
};
Accuracy accuracy(const Operation& operation, std::span<const std::uint32_t> x, std::span<const std::uint32_t> y,
                  std::span<const std::uint32_t> z);

/// Returns whether one thread's chains, stepped exactly, end at `result`. Integers must be equal; reals must agree
/// within 10 %, because errors of thousands of steps accumulate. Both spans contain `chains` words.
bool chain_agrees(const Operation& operation, std::span<const std::uint32_t> start,
                  std::span<const std::uint32_t> result);

/// These are the exact functions: mathematical ones in double, integers modulo 2³², conversions to the nearest value.
namespace exact {
double add(double x, double y);
double smaller(double x, double y);  ///< min(x + 1, y)
double larger(double x, double y);
double pure_exclusive_or(double x, double y);
double funnel_shift(double x, double y);  ///< the upper word of (y, x) shifted left by 7
double exclusive_or(double x, double y);  ///< (x ^ y) + y
double multiply_24(double x, double y);   ///< lower 24 bits
double multiply(double x, double y);
double multiply_add(double x, double y);  ///< x·y + y
double sine(double x, double y);
double cosine(double x, double y);
double decay(double x, double y);   ///< exp(−x)
double divide(double x, double y);  ///< y/x
double reciprocal(double x, double y);
double reciprocal_root(double x, double y);
double root(double x, double y);
double integer_add(double x, double y);
double integer_multiply(double x, double y);
double integer_divide(double x, double y);  ///< y/x
double modulo(double x, double y);          ///< (y mod x) + 1
double divide_by_10(double x, double y);    ///< x/10 + y
double modulo_10(double x, double y);
double divide_by_8(double x, double y);
double modulo_8(double x, double y);
double signed_divide_by_8(double x, double y);  ///< reads the bits as a signed number, rounds towards zero, adds y
double high_word(double x, double y);           ///< reads the upper word of x in double as a float
double from_words(double x, double y);          ///< reads the double with upper word y and lower word x as a float
double through_half(double x, double y);
double through_integer(double x, double y);  ///< rounds x to the nearest integer
}  // namespace exact

/// Returns the sum that lane `lane` of a warp gathers from a table whose entry i is i mod 16, in `rounds` rounds of 16
/// reads. Lanes that are equal modulo `distinct` read equal entries.
double gathered(int lane, int distinct, int rounds);
inline constexpr int table_entries = 512, reads_per_round = 16;

/// Returns row i of the product of the n × n matrices with entries product_entry(0, …) and product_entry(1, …).
std::vector<double> product_row(int n, int i);
/// Returns a multiple of 2⁻⁸ in [−1, 1).
constexpr float product_entry(int matrix, std::int64_t position) {
  const std::uint32_t word = noise(static_cast<std::uint64_t>(position) + (static_cast<std::uint64_t>(matrix) << 40));
  return (static_cast<float>(word >> 23) - 256) * 0x1p-8f;
}

/// Derives conclusions from the panels functions, accuracy, integers, conversions, unroll, constant, product, operands,
/// doubles and barrier.
std::vector<std::string> conclude_arithmetic(const std::vector<Panel>& panels);

}  // namespace poisson::lab
