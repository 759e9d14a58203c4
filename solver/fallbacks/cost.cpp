#include "solver/fallbacks/cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "backends/memory/memory.hpp"
#include "solver/fallbacks/dissection.hpp"
#include "solver/fallbacks/fallback_chain.hpp"

namespace poisson {
namespace {

// These are bytes moved by one thread, fitted to measured times (docs/design/solver.md). For each colour of unknowns,
// reading the rows needs one product and a copy of a field before and after it.
constexpr double bytes_of_colour = 600, bytes_of_neighbour = 25;
constexpr double bytes_of_order = 200;        // per neighbour of an unknown, during ordering
constexpr double bytes_of_front_entry = 60;   // to allocate, fill, assemble and store
constexpr double bytes_of_factor = 3.5;       // per stored byte, in a solution
constexpr double bytes_of_coarsening = 2500;  // per coupling, over all levels
constexpr int iterations_of_factors = 4, iterations_of_levels = 20;

// Bytes that a cycle moves per unknown.
double bytes_of_cycle(const UnknownGrid& grid) {
  const bool box = grid.neighbours > 6;
  if (grid.axes < 3) return box ? 2200 : 1600;
  return box ? 4000 : 2400;
}

std::array<int, 3> extents(const Space& space) {
  const Box& all = space.part().all_unknowns();
  return {all.last[0] - all.first[0], all.last[1] - all.first[1], all.last[2] - all.first[2]};
}

double colours(const UnknownGrid& grid) {
  double count = 1;
  for (std::size_t d = 0; d < 3; ++d) count *= grid.n[d] > 1 ? 3 : 1;
  return count;
}

// Returns the bytes moved to read the rows.
double bytes_of_rows(const UnknownGrid& grid) {
  const double products = colours(grid) + 1;
  return static_cast<double>(grid.count()) * products * (bytes_of_colour + bytes_of_neighbour * grid.neighbours);
}

}  // namespace

UnknownGrid::UnknownGrid(const Space& space, bool box) : UnknownGrid(extents(space), space.part().closed(), box) {}

UnknownGrid::UnknownGrid(const std::array<int, 3>& unknowns, const std::array<bool, 3>& closed, bool box)
    : n(unknowns) {
  for (std::size_t d = 0; d < 3; ++d) {
    periodic[d] = closed[d] && n[d] > 1;
    if (n[d] > 1) ++axes;
  }
  neighbours = box ? static_cast<int>(std::pow(3, axes)) - 1 : 2 * axes;
}

std::string FallbackCost::text() const {
  return std::to_string(unknowns) + " unknowns, predicted " + time_text() + " and " +
         readable_bytes(static_cast<double>(bytes));
}

std::string FallbackCost::time_text() const {
  std::array<char, 32> time{};
  const double s = seconds();
  if (s < 120)
    std::snprintf(time.data(), time.size(), "%.2g s", s < 0.01 ? 0.01 : s < 99.5 ? s : std::round(s / 10) * 10);
  else if (s < 7200)
    std::snprintf(time.data(), time.size(), "%.0f min", s / 60);
  else
    std::snprintf(time.data(), time.size(), "%.2g h", s / 3600);
  return time.data();
}

FallbackCost cost_of_factorization(const UnknownGrid& grid, const HostSpeed& speed) {
  const DissectionCost work = predict_dissection(grid.n, grid.periodic);
  const auto count = static_cast<double>(grid.count());
  FallbackCost cost;
  cost.unknowns = grid.count();
  cost.flops = work.flops;
  cost.bytes = work.bytes;
  cost.iterations = iterations_of_factors;
  cost.setup = work.small_flops / speed.small_flops + (work.flops - work.small_flops) / speed.flops +
               (bytes_of_rows(grid) + count * colours(grid) * bytes_of_order + work.entries * bytes_of_front_entry) /
                   speed.bytes;
  cost.iteration =
      (bytes_of_factor * static_cast<double>(work.factors) + count * colours(grid) * bytes_of_order) / speed.bytes;
  return cost;
}

FallbackCost cost_of_algebraic_multigrid(const UnknownGrid& grid, const HostSpeed& speed) {
  const double couplings = static_cast<double>(grid.count()) * grid.neighbours;
  FallbackCost cost;
  cost.unknowns = grid.count();
  cost.bytes = bytes_of_algebraic_multigrid(grid.count(), grid.neighbours > 6);
  cost.iterations = iterations_of_levels;
  cost.setup = (bytes_of_rows(grid) + couplings * bytes_of_coarsening) / speed.bytes;
  cost.iteration = static_cast<double>(grid.count()) * bytes_of_cycle(grid) / speed.bytes;
  return cost;
}

}  // namespace poisson
