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

/// What variants of a reduction of up to so many values may use, and where they leave their results.
struct ReduceSpace {
  ReduceSpace(Backend& backend, std::int64_t most_values);

  ReductionRoom room;
  Buffer partials, more_partials;  ///< doubles, one for every 256 values
  Buffer libraries;                ///< of other libraries, as large as they asked for
  Scalar result;
  std::optional<double> on_host;  ///< the result of variants that hand it to the host
};

/// One way to reduce doubles in a backend's memory that begin on a 16-byte boundary.
struct ReduceVariant {
  std::string name;
  Reduction kind = Reduction::sum;
  std::function<void(Backend&, const Values& x, const Values& y, ReduceSpace&)> launch = {};
  bool always_the_same = true;  ///< the same bits every time
};

/// The names that conclusions look for.
namespace reduce_names {
inline constexpr std::string_view neighbouring = "neighbouring pairs",
                                  packed = "neighbouring pairs by the first threads", interleaved = "interleaved pairs",
                                  first_add = "first add on load", unrolled = "unrolled", many = "many per thread",
                                  shuffle = "warp shuffle", cooperative = "cooperative", atomics = "atomics",
                                  two_pass = "deterministic two-pass", thrust = "Thrust", cub = "CUB",
                                  library = "library", chain = "one chain of additions", chains = "16 chains",
                                  threads = "all threads";
}  // namespace reduce_names

/// The ways of a CPU to a sum.
std::vector<ReduceVariant> cpu_reduce_variants();
/// The library's own, for sum, dot and max-norm on every backend.
std::vector<ReduceVariant> library_reduce_variants();
/// A sum that forgets the last value, to show that no such thing passes for a result.
ReduceVariant broken_reduce_variant();
/// In builds with CUDA, like what follows: the ways of a GPU to a sum.
std::vector<ReduceVariant> gpu_reduce_variants();
/// Thrust and CUB, for sum, dot and max-norm.
std::vector<ReduceVariant> gpu_reduce_libraries();
/// Bytes that they want for so many values.
std::size_t library_space(std::int64_t most_values);

/// Value number i of the study's arrays: a multiple of 2⁻¹⁰ in [−1, 1). Sums of up to 2³⁰ of them, and of products of
/// two, are exact in double arithmetic in whatever order: every variant has the same right answer.
double reduce_value(std::uint64_t seed, std::int64_t i);
/// Fills memory with the first values of a seed.
void fill_values(Backend& backend, double* values, std::int64_t count, std::uint64_t seed);
/// The exact answers over the first values of the seeds x (and y), for each of the ascending numbers of values.
std::vector<double> exact_reductions(Reduction kind, std::span<const std::int64_t> counts, std::uint64_t x,
                                     std::uint64_t y);
/// What the variant makes of so many values.
double reduced(Backend& backend, const ReduceVariant& variant, const Values& x, const Values& y, ReduceSpace& space);
/// What a variant gets wrong over awkward numbers of values: empty where nothing.
std::string wrong_reduction(Backend& backend, const ReduceVariant& variant);

/// Conclusions from the panels "sum", "dot" and "max-norm": GB/s over the number of values.
std::vector<std::string> conclude_reduce(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
