#include "solver/fallbacks/dissection.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "solver/fallbacks/factorization.hpp"

namespace poisson {
namespace {

// Describes a box of unknowns inside the grid. For each axis it stores the length, and whether unknowns that
// are eliminated later lie beyond its ends. It also stores whether these two layers are the same, and whether the axis
// is periodic and not cut yet.
struct Dissected {
  std::array<int, 3> length{};
  std::array<bool, 3> lower{}, upper{}, same{}, closed{};

  auto key() const { return std::tie(length, lower, upper, same, closed); }
  bool operator<(const Dissected& other) const { return key() < other.key(); }

  double size() const { return 1.0 * length[0] * length[1] * length[2]; }
  double border() const {
    double with_layers = 1;
    for (std::size_t d = 0; d < 3; ++d)
      with_layers *= length[d] + (lower[d] ? 1 : 0) + (upper[d] && !(same[d] && lower[d]) ? 1 : 0);
    return with_layers - size();
  }
};

struct Counts {
  double flops = 0, small_flops = 0, entries = 0, stored = 0;
  double most = 0;  // peak memory of fronts, without updates stored before the part begins
};

using Known = std::map<Dissected, Counts>;

void add(const Counts& more, Counts& to) {
  to.flops += more.flops;
  to.small_flops += more.small_flops;
  to.entries += more.entries;
  to.stored += more.stored;
}

// Counts the same cuts as Factorization::dissect.
const Counts& count(const Dissected& part, Known& known) {
  if (const auto found = known.find(part); found != known.end()) return found->second;
  Counts counts;
  double own = part.size(), waiting = 0;
  if (part.size() > dissection_leaf) {
    std::size_t along = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (part.length[d] > part.length[along]) along = d;
    for (std::size_t d = 0; d < 3; ++d)
      if (part.closed[d]) along = d;
    const bool closed = part.closed[along];
    Dissected below = part, above = part;
    below.closed[along] = above.closed[along] = false;
    below.same[along] = above.same[along] = false;
    below.length[along] = closed ? 0 : part.length[along] / 2;
    above.length[along] = part.length[along] - below.length[along] - 1;
    below.upper[along] = above.lower[along] = true;
    if (closed) above.upper[along] = above.same[along] = true;
    own /= part.length[along];
    for (const Dissected& child : {below, above}) {
      if (child.size() == 0) continue;
      const Counts& of_child = count(child, known);
      add(of_child, counts);
      counts.most = std::max(counts.most, waiting + of_child.most);
      waiting += sizeof(double) * child.border() * child.border();
    }
  }
  const double border = part.border(), rows = own + border;
  const double flops = (rows * rows * rows - border * border * border) / 3;
  counts.flops += flops;
  if (rows <= dissection_serial) counts.small_flops += flops;
  counts.entries += rows * rows;
  counts.stored += sizeof(double) * rows * own;
  counts.most = std::max(counts.most, sizeof(double) * (border * border + 2 * rows * rows));
  return known.emplace(part, counts).first->second;
}

}  // namespace

DissectionCost predict_dissection(const std::array<int, 3>& unknowns, const std::array<bool, 3>& periodic) {
  Dissected all;
  all.length = unknowns;
  for (std::size_t d = 0; d < 3; ++d) all.closed[d] = periodic[d] && unknowns[d] > 1;
  if (all.size() == 0) return {};
  Known known;
  const Counts counts = count(all, known);
  return {counts.flops, counts.small_flops, counts.entries, static_cast<std::size_t>(counts.stored),
          static_cast<std::size_t>(counts.stored + counts.most)};
}

}  // namespace poisson
