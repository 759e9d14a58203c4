#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backends/precision.hpp"

namespace poisson {

/// How often a verb moves each value of its fields and of the operator's arrays at the least: a value that a verb reads
/// counts once however many of its neighbours need it, and once more where it is written. A mean that must be known
/// before it is taken off costs a pass of its own.
struct Traffic {
  std::string_view verb;
  std::array<int, 3> fields{};  ///< in the order of the verb's arguments
  int coefficients = 0;         ///< the arrays of κ and of the reaction, where an operator holds any
};

/// What --profile and the benchmarks count. In bytes per unknown without coefficients: a residual in fp64 written in
/// fp32 8 + 8 + 4 = 20, a step of a polynomial smoother in fp32 4·4 = 16 (12 where it does not look back), a
/// restriction in fp32 4 + 4/8.
inline constexpr std::array traffic_table{
    Traffic{"fill", {1}},
    Traffic{"copy", {1, 1}},
    Traffic{"scale", {1, 1}},
    Traffic{"axpy", {1, 2}},
    Traffic{"axmy", {1, 2}},
    Traffic{"xpay", {1, 2}},
    Traffic{"subtract", {1, 1, 1}},
    Traffic{"dot", {1, 1}},
    Traffic{"exchange", {}},                     // only the faces
    Traffic{"dense product", {}},                // the matrix, which its size gives
    Traffic{"axis products", {2}},               // there or back along all axes that are transformed
    Traffic{"axis products + add", {1, 2}},      // back, onto u
    Traffic{"line systems", {4}},                // there and back
    Traffic{"apply", {1, 1}, 1},                 // u, Au
    Traffic{"diagonal", {1}, 1},                 // d
    Traffic{"residual", {1, 1, 1}, 1},           // u, b, r
    Traffic{"residual + norm", {1, 1, 1}, 1},    // u, b, r
    Traffic{"norm", {1}, 1},                     // r
    Traffic{"rounding", {1}, 1},                 // u
    Traffic{"polynomial start", {1, 1}, 1},      // b, u
    Traffic{"polynomial step", {1, 1, 2}, 1},    // u, b, previous
    Traffic{"polynomial step 0", {1, 1, 1}, 1},  // beta = 0: the previous iterate is only overwritten
    Traffic{"jacobi pass", {1, 1, 1}},           // u, b, next of all its sweeps; κ is not counted
    Traffic{"line start", {1, 1}, 1},            // as the polynomial's: a line is read and written once
    Traffic{"line step", {4, 1, 2}, 2},          // u, b, previous; the residual between its two passes counts with u
    Traffic{"line step 0", {4, 1, 1}, 2},
    Traffic{"gauss-seidel", {1, 2}, 1},  // b, u
    Traffic{"project rhs", {3}},
    Traffic{"project solution", {3}},
    Traffic{"restrict", {1, 1}},       // fine, coarse
    Traffic{"prolong", {1, 1}},        // coarse, fine
    Traffic{"prolong + add", {1, 2}},  // coarse, fine
    Traffic{"interpolate", {1, 1}},    // coarse, fine
    Traffic{"inject", {1, 1}},         // fine in the coarse values alone, coarse
};

/// The row of a verb; a name that is not there does not compile.
consteval const Traffic& traffic(std::string_view verb) {
  for (const Traffic& row : traffic_table)
    if (row.verb == verb) return row;
  throw "the verb has no row in traffic_table";
}

/// Values of one field that a verb touches.
struct Touched {
  std::int64_t values = 0;
  Precision precision = Precision::fp64;
};

/// Bytes of one call. `coefficients`: what the operator's arrays hold (Operator::bytes).
constexpr double bytes_moved(const Traffic& t, const std::array<Touched, 3>& fields, std::size_t coefficients = 0) {
  double bytes = static_cast<double>(t.coefficients) * static_cast<double>(coefficients);
  for (std::size_t f = 0; f < 3; ++f)
    bytes += static_cast<double>(t.fields[f]) * static_cast<double>(fields[f].values) *
             static_cast<double>(bytes_of(fields[f].precision));
  return bytes;
}

}  // namespace poisson
