#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/memory/box.hpp"
#include "backends/spaces/exchange_program.hpp"
#include "backends/spaces/layout.hpp"

namespace poisson {

/// Describes patches of one layout. They are adjacent in memory, and a verb on them is one launch.
struct PatchGroup {
  /// Describes a patch in its own indices.
  struct Patch {
    Box unknowns;         ///< what operators write
    Box counted;          ///< what sums count: of a value that several patches store, one counts it
    int first_plane = 0;  ///< number of plane 0 among all patches: sums add planes in this order
    int number = 0;       ///< of the patch among those of all processes
  };
  Layout layout{};
  std::vector<Patch> patches{};
  Box values{};  ///< what verbs on fields write; other values are written by exchanges alone
};

/// Lists a patch of any process.
struct PatchOfAll {
  int process = 0;
  Layout layout{};
  PatchGroup::Patch patch{};
};

/// Returns the groups of a process, whose patches of one layout form a group. Sets the patches' numbers, which are
/// those of the list.
std::vector<PatchGroup> groups_of(const std::vector<PatchOfAll>& all, int process);

/// Returns a process's part of an exchange between patches of all processes: each step lists moves between numbers of
/// this list. Messages between two processes contain their moves in the order of the step.
ExchangeProgram program_of(const std::vector<PatchOfAll>& all, const std::vector<std::vector<Move>>& steps,
                           int process);

/// Returns groups for `rows` rows of a matrix and, behind them, `received` values of other processes that they need:
/// full memory lines, and a line of the rest. All are adjacent in memory: row i is value i.
std::vector<PatchGroup> groups_of_rows(std::int64_t rows, std::int64_t received = 0);

/// Returns the common places of two boxes.
constexpr Box intersection(const Box& a, const Box& b) {
  Box common;
  for (std::size_t d = 0; d < 3; ++d) {
    common.first[d] = a.first[d] > b.first[d] ? a.first[d] : b.first[d];
    common.last[d] = a.last[d] < b.last[d] ? a.last[d] : b.last[d];
  }
  return common;
}

/// Returns the planes of a patch that sums count. In spaces of one plane, `flat`, memory lines are planes.
inline int counted_planes(const PatchGroup::Patch& patch, bool flat) {
  const std::size_t across = flat ? 1 : 2;
  return patch.counted.size() == 0 ? 0 : patch.counted.last[across] - patch.counted.first[across];
}

}  // namespace poisson
