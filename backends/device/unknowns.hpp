#pragma once

#include <cstdint>

#include "backends/device/field.hpp"

namespace poisson {

/// Sets x = 0 at the unknowns of its space, in the order of the backend's verbs. Dirichlet nodes and halos keep their
/// values. Throws RunError if the build lacks the field's backend.
void clear_unknowns(Field& x);

/// Sets x at the unknowns of its space to fixed pseudo-random numbers in [−1, 1), as clear_unknowns does. The numbers
/// form one sequence over the unknowns of the global grid, x fastest, so every backend and every distribution of the
/// grid gets the same vector. On
/// other spaces the sequence goes over the unknowns of all patches in the order of their numbers, x fastest in each, so
/// it does not depend on the processes, and patches that are slabs of a grid get the vector of the grid. Collective on
/// spaces of several processes.
void set_fixed_numbers(Field& x);

/// The values of a line for the functions above: `line` starts at (i, j, k), and each call of `next` returns the value
/// of one more unknown along x.
struct Zeros {
  struct Line {
    constexpr double next() { return 0; }
  };
  constexpr Line line(int, int, int) const { return {}; }
};

/// Is a linear congruential sequence of 32 bits (Numerical Recipes, 3rd ed., section 7.1) over a grid or a patch. Every
/// line starts from its index alone.
struct FixedNumbers {
  std::int64_t nx, ny;      ///< unknowns along x and y of the grid or the patch
  std::int64_t from[3];     ///< number of the unknown with the local index 0 along each axis
  std::int64_t before = 0;  ///< unknowns of earlier patches

  static constexpr std::uint32_t multiplier = 1664525, increment = 1013904223;
  struct Line {
    std::uint32_t bits;
    constexpr double next() {
      bits = bits * multiplier + increment;
      return static_cast<double>(bits) * 0x1p-31 - 1;
    }
  };
  constexpr Line line(int i, int j, int k) const {
    std::uint32_t bits = 1, a = multiplier, c = increment;  // a and c are those of 2^n steps
    for (std::int64_t steps = before + nx * (ny * (k + from[2]) + j + from[1]) + i + from[0]; steps > 0; steps /= 2) {
      if (steps % 2 == 1) bits = bits * a + c;
      c = c * a + c;
      a = a * a;
    }
    return {bits};
  }
};

}  // namespace poisson
