#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backends/memory/precision.hpp"

namespace poisson {

/// Counts how often a verb moves each value of its fields and of the operator's arrays at least. A value that a verb
/// reads counts once, however many neighbours need it, and once more if it is written. A mean that must be known before
/// it is subtracted costs a separate pass.
struct Traffic {
  std::string_view verb;
  std::array<int, 3> fields{};  ///< by argument
  int coefficients = 0;         ///< arrays of κ and the reaction, if an operator stores any
};

/// Is the table that --profile and the benchmarks use. Examples in bytes per unknown, without coefficients: an fp64
/// residual written in fp32 moves 8 + 8 + 4 = 20. A step of a polynomial smoother in fp32 moves 4·4 = 16 (12 if it does
/// not use the previous iterate). A restriction in fp32 moves 4 + 4/8.
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
    Traffic{"dense product", {}, 1},             // the matrix alone
    Traffic{"axis products", {2}},               // runs forward or backward along all transformed axes
    Traffic{"axis products + add", {1, 2}},      // backward; adds to u
    Traffic{"line systems", {4}},                // runs forward and backward
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
    Traffic{"line start", {1, 1}, 1},            // as polynomial start: a line is read and written once
    Traffic{"line step", {4, 1, 2}, 2},          // u, b, previous; the residual between its two passes counts as u
    Traffic{"line step 0", {4, 1, 1}, 2},
    Traffic{"gauss-seidel", {1, 2}, 1},  // b, u
    Traffic{"project rhs", {3}},
    Traffic{"project solution", {3}},
    Traffic{"restrict", {1, 1}},       // fine, coarse
    Traffic{"prolong", {1, 1}},        // coarse, fine
    Traffic{"prolong + add", {1, 2}},  // coarse, fine
    Traffic{"interpolate", {1, 1}},    // coarse, fine
    Traffic{"inject", {1, 1}},         // the fine field counts at coarse values only
};

/// Returns the row of a verb. An unknown name does not compile.
consteval const Traffic& traffic(std::string_view verb) {
  for (const Traffic& row : traffic_table)
    if (row.verb == verb) return row;
  throw "the verb has no row in traffic_table";
}

/// Counts the values of one field that a verb touches.
struct Touched {
  std::int64_t values = 0;
  Precision precision = Precision::fp64;
};

/// Returns the bytes that one call moves. `coefficients` is the size of the operator's arrays in bytes
/// (Operator::bytes).
constexpr double bytes_moved(const Traffic& t, const std::array<Touched, 3>& fields, std::size_t coefficients = 0) {
  double bytes = static_cast<double>(t.coefficients) * static_cast<double>(coefficients);
  for (std::size_t f = 0; f < 3; ++f)
    bytes += static_cast<double>(t.fields[f]) * static_cast<double>(fields[f].values) *
             static_cast<double>(bytes_of(fields[f].precision));
  return bytes;
}

}  // namespace poisson
