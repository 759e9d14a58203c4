#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson::bench {

/// Selects the unknowns of a case.
enum class Unknowns { nodes, elements, cells };

/// Lists their names in results, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> unknowns_names{"nodes", "elements", "cells"};

/// Describes a row of the table of iterations: a problem on grids of any size.
struct IterationCase {
  std::string name, description;
  Problem (*problem)(const IterationCase&, int dimension, int cells);
  std::array<std::optional<int>, 3> bound;  ///< limit of iterations, by Unknowns; without a value they are only
                                            ///< reported
  /// Limits the difference in iterations between the finest and the coarsest grid. Without a value it is only
  /// reported.
  std::optional<int> growth = 3;
  double ratio = 1;     ///< ratio of κ, of the sides of a cell, or of the largest cell to the smallest
  double flatness = 1;  ///< width over height
  int stretched = 0;    ///< number of stretched axes
  bool three = true;    ///< also in 3-D
  bool others = true;   ///< applies to all kinds of unknowns, else only to elements
};

std::vector<IterationCase> iteration_cases();

/// Returns the case's problem for these unknowns, with u = 0 on all faces.
Problem problem_of(const IterationCase& c, Unknowns unknowns, int dimension, int cells);

/// Returns the n-th number in [−1, 1), the same on every machine, n = 0, 1, …
double random_number(std::uint64_t n);

}  // namespace poisson::bench
