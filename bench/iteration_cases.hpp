#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"

namespace poisson::bench {

/// What the unknowns of a case are.
enum class Unknowns { nodes, elements, cells };

/// The names by which results call them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> unknowns_names{"nodes", "elements", "cells"};

/// A row of the table of iterations: a problem on grids of any size.
struct IterationCase {
  std::string name, description;
  Problem (*problem)(const IterationCase&, int dimension, int cells);
  std::array<std::optional<int>, 3> bound;  ///< on the iterations, by Unknowns; without one they are only reported
  /// By how much the finest grid's may exceed the coarsest one's; without a value that is only reported.
  std::optional<int> growth = 3;
  double ratio = 1;     ///< of κ, of the sides of a cell, or of the largest cell to the smallest
  double flatness = 1;  ///< how many times as wide as high
  int stretched = 0;    ///< so many axes
  bool three = true;    ///< in three dimensions as well as in two
  bool others = true;   ///< for all kinds of unknowns, else for elements alone
};

std::vector<IterationCase> iteration_cases();

/// The case's problem, with u = 0 on all faces, for these unknowns.
Problem problem_of(const IterationCase& c, Unknowns unknowns, int dimension, int cells);

/// Numbers in [−1, 1), the same on every machine: the n-th for n = 0, 1, …
double random_number(std::uint64_t n);

}  // namespace poisson::bench
