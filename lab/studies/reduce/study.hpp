#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/utilities/reduce.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Owns the scratch memory and the results of variants that reduce up to `most_values` values.
struct ReduceSpace {
  ReduceSpace(Backend& backend, std::int64_t most_values);

  ReductionRoom room;
  Buffer partials, more_partials;  ///< doubles, one per 256 values
  Buffer libraries;                ///< scratch of libraries
  Scalar result;
  std::optional<double> on_host;  ///< is set by variants that return the result to the host
};

/// Defines a way to reduce doubles in a backend's memory. The values must begin on a 16-byte boundary.
struct ReduceVariant {
  std::string name;
  Reduction kind = Reduction::sum;
  std::function<void(Backend&, const Values& x, const Values& y, ReduceSpace&)> launch = {};
  bool always_the_same = true;  ///< bitwise reproducible
};

/// Conclusions look up these names.
namespace reduce_names {
inline constexpr std::string_view neighbouring = "neighbouring pairs",
                                  packed = "neighbouring pairs by the first threads", interleaved = "interleaved pairs",
                                  first_add = "first add on load", unrolled = "unrolled", many = "many per thread",
                                  shuffle = "warp shuffle", cooperative = "cooperative", atomics = "atomics",
                                  two_pass = "deterministic two-pass", thrust = "Thrust", cub = "CUB",
                                  library = "library", chain = "one chain of additions", chains = "16 chains",
                                  threads = "all threads";
}  // namespace reduce_names

/// Returns the ways of a CPU to compute a sum.
std::vector<ReduceVariant> cpu_reduce_variants();
/// Returns the library's own reductions: sum, dot and max-norm on every backend.
std::vector<ReduceVariant> library_reduce_variants();
/// Returns a sum that omits the last value, to prove that the checks reject a wrong sum.
ReduceVariant broken_reduce_variant();
/// Returns the ways of a GPU to compute a sum. This and the next functions exist in builds with CUDA only.
std::vector<ReduceVariant> gpu_reduce_variants();
/// Returns Thrust and CUB, for sum, dot and max-norm.
std::vector<ReduceVariant> gpu_reduce_libraries();
/// Returns the bytes that these libraries need.
std::size_t library_space(std::int64_t most_values);

/// Returns value i of the study's arrays: a multiple of 2⁻¹⁰ in [−1, 1). Sums of up to 2³⁰ values, or of products of
/// two, are exact in double arithmetic in any order, so every variant has the same right answer.
double reduce_value(std::uint64_t seed, std::int64_t i);
/// Fills memory with the first values of a seed.
void fill_values(Backend& backend, double* values, std::int64_t count, std::uint64_t seed);
/// Returns the exact answers over the first values of the seeds x (and y), for each of the ascending counts.
std::vector<double> exact_reductions(Reduction kind, std::span<const std::int64_t> counts, std::uint64_t x,
                                     std::uint64_t y);
/// Returns the result of a variant.
double reduced(Backend& backend, const ReduceVariant& variant, const Values& x, const Values& y, ReduceSpace& space);
/// Describes the error of a variant over awkward numbers of values. Empty if there is none.
std::string wrong_reduction(Backend& backend, const ReduceVariant& variant);

/// Derives conclusions from the panels "sum", "dot" and "max-norm": GB/s over the number of values.
std::vector<std::string> conclude_reduce(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
