#include "solver/ladder/cost.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "backends/memory.hpp"
#include "solver/ladder/dissection.hpp"
#include "solver/ladder/ladder.hpp"

namespace poisson {
namespace {

// Bytes that one thread moves, as fitted to measured times (docs/design/solver.md). Reading rows takes a product and
// the copies of a field on either side of it for each colour of unknowns.
constexpr double bytes_of_colour = 350, bytes_of_neighbour = 90;
constexpr double bytes_of_order = 400;       // of one of the places around an unknown, when unknowns are ordered
constexpr double bytes_of_front_entry = 60;  // allocated, filled, added up and stored
constexpr double bytes_of_pairing = 160;     // of a coupling, on all levels together
constexpr double bytes_of_cycle = 160;
constexpr int iterations_of_factors = 4, iterations_of_aggregates = 30;

double colours(const UnknownGrid& grid) {
  double count = 1;
  for (std::size_t d = 0; d < 3; ++d) count *= grid.n[d] > 1 ? 3 : 1;
  return count;
}

// Of reading the rows.
double bytes_of_rows(const UnknownGrid& grid) {
  const double products = colours(grid) + 1;
  return static_cast<double>(grid.count()) * products * (bytes_of_colour + bytes_of_neighbour * grid.neighbours / 6);
}

}  // namespace

UnknownGrid::UnknownGrid(const Space& space, bool box) {
  const Box& all = space.all_unknowns();
  int axes = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    n[d] = all.last[d] - all.first[d];
    periodic[d] = space.closed()[d] && n[d] > 1;
    if (n[d] > 1) ++axes;
  }
  neighbours = box ? static_cast<int>(std::pow(3, axes)) - 1 : 2 * axes;
}

std::string FallbackCost::text() const {
  std::array<char, 32> time{};
  const double s = seconds();
  if (s < 120)
    std::snprintf(time.data(), time.size(), "%.2g s", s < 0.01 ? 0.01 : s < 99.5 ? s : std::round(s / 10) * 10);
  else if (s < 7200)
    std::snprintf(time.data(), time.size(), "%.0f min", s / 60);
  else
    std::snprintf(time.data(), time.size(), "%.2g h", s / 3600);
  return std::to_string(unknowns) + " unknowns, predicted " + time.data() + " and " +
         readable_bytes(static_cast<double>(bytes));
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
               (bytes_of_rows(grid) + count * colours(grid) * bytes_of_order +
                work.entries * bytes_of_front_entry) / speed.bytes;
  cost.iteration = (2.0 * static_cast<double>(work.factors) + count * colours(grid) * bytes_of_order) / speed.bytes;
  return cost;
}

FallbackCost cost_of_aggregation(const UnknownGrid& grid, const HostSpeed& speed) {
  const double couplings = static_cast<double>(grid.count()) * grid.neighbours;
  FallbackCost cost;
  cost.unknowns = grid.count();
  cost.bytes = bytes_of_aggregates(grid.count(), grid.neighbours > 6);
  cost.iterations = iterations_of_aggregates;
  cost.setup = (bytes_of_rows(grid) + couplings * bytes_of_pairing) / speed.bytes;
  cost.iteration = couplings * bytes_of_cycle / speed.bytes;
  return cost;
}

}  // namespace poisson
