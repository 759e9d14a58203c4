#pragma once

#include <span>

#include "backends/memory/box.hpp"
#include "backends/processes/processes.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Returns the part of an array that a process with these cells needs.
GridArray::Part part_of(const GridArray& array, const Problem& problem, const Box& cells);

/// Computes the mean, the minimum and the maximum of all values of a distributed array, whose part and values are set.
/// `cells` are those of this process. Collective.
void note_spread(GridArray& array, const Box& cells, const Processes& processes);

/// Distributes an array of which each process has the values in its own box of global indices, x fastest. The shape and
/// the location of the array are set; its part and values become those that a process with these cells needs. The boxes
/// cover the array but for the last node of a periodic axis, which repeats the first. Collective.
void distribute(GridArray& array, const Problem& problem, const Box& cells, const Box& own,
                std::span<const double> values, const Processes& processes);

}  // namespace poisson
