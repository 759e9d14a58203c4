// Finds connected floating bodies: a search on each process, and a union of the parts that meet at cuts.

#include "grids/schemes/cells/floating_bodies.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/functionals.hpp"

namespace poisson {
namespace {

using Cell = std::array<int, 3>;

// Returns the lists of all processes one after another.
template <class T>
std::vector<T> gather_lists(const Processes& processes, const std::vector<T>& own) {
  if (processes.alone()) return own;
  const std::vector<std::size_t> sizes = processes.gather(own.size());
  const std::size_t most = *std::ranges::max_element(sizes);
  std::vector<std::vector<T>> lists(sizes.size());
  for (std::size_t n = 0; n < most; ++n) {
    const std::vector<T> entries = processes.gather(n < own.size() ? own[n] : T());
    for (std::size_t p = 0; p < sizes.size(); ++p)
      if (n < sizes[p]) lists[p].push_back(entries[p]);
  }
  std::vector<T> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::size_t root(std::vector<std::size_t>& parent, std::size_t a) {
  while (parent[a] != a) a = parent[a] = parent[parent[a]];
  return a;
}

}  // namespace

bool FloatingBodies::any(const Media& media) {
  return std::ranges::any_of(media.regions,
                             [&](const MediaRegion& r) { return media.materials[r.material].floating.has_value(); });
}

FloatingBodies::FloatingBodies(const MediaCells& cells, Backend& backend, Sampler& sampler,
                               const Functionals& functionals)
    : box_(cells.box()) {
  for (std::size_t d = 0; d < 3; ++d) n_[d] = static_cast<std::size_t>(box_.last[d] - box_.first[d]);
  const std::size_t all = n_[0] * n_[1] * n_[2];
  numbers_.assign(all, -1);
  periods_.assign(all, {});
  label(cells);
  join(cells, backend, sampler, functionals);
}

// Searches the parts of this process. Cells get the number of their part.
void FloatingBodies::label(const MediaCells& cells) {
  const Block& block = cells.block();
  const Box own = block.layout().box();
  const auto floats = [&](const Cell& c) {
    return cells.media().material_of(cells.region(c[0], c[1], c[2])).floating.has_value();
  };
  std::vector<Cell> front;
  for_each_place(own, [&](int i, int j, int k) {
    const Cell start{i, j, k};
    if (!floats(start) || at(start) >= 0) return;
    const int part = static_cast<int>(local_.size());
    FloatingBody& body = local_.emplace_back();
    std::int64_t number = 0;
    for (std::size_t d = 3; d-- > 0;) {
      const Axis& axis = block.axes[d];
      number = axis.degenerate() ? number : number * axis.all_cells() + axis.global_cell(start[d]);
    }
    first_.push_back(number);
    std::set<RegionNumber> regions;
    numbers_[cells_index(start)] = part;
    front.assign(1, start);
    while (!front.empty()) {
      const Cell cell = front.back();
      front.pop_back();
      ++body.cells;
      regions.insert(cells.region(cell[0], cell[1], cell[2]));
      for (std::size_t d = 0; d < static_cast<std::size_t>(block.dimension()); ++d)
        for (const int side : {-1, 1}) {
          Cell next = cell;
          next[d] += side;
          std::array periods = periods_[cells_index(cell)];
          if (next[d] < own.first[d] || next[d] >= own.last[d]) {
            if (!block.axes[d].periodic()) continue;
            next[d] = side < 0 ? own.last[d] - 1 : own.first[d];
            periods[d] = static_cast<std::int8_t>(periods[d] + side);
          }
          if (!floats(next)) continue;
          if (at(next) < 0) {
            numbers_[cells_index(next)] = part;
            periods_[cells_index(next)] = periods;
            front.push_back(next);
          } else {
            for (std::size_t e = 0; e < 3; ++e)
              body.winds[e] = body.winds[e] || periods_[cells_index(next)][e] != periods[e];
          }
        }
    }
    body.regions.assign(regions.begin(), regions.end());
  });
}

// Joins the parts that meet at cuts, and fills the layer of neighbours.
void FloatingBodies::join(const MediaCells& cells, Backend& backend, Sampler& sampler, const Functionals& functionals) {
  const Block& block = cells.block();
  const Processes& processes = block.processes();
  const Box own = block.layout().box();
  const std::vector<std::size_t> counts = processes.gather(local_.size());
  std::vector<std::size_t> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), std::size_t{0});
  const std::vector<std::int64_t> firsts = gather_lists(processes, first_);
  std::size_t offset = 0;
  if (!processes.alone()) {
    // The number of this process follows from gathered numbers: its own list begins at its offset.
    const std::vector<int> ranks = processes.gather(processes.rank());
    offset = offsets[static_cast<std::size_t>(std::ranges::find(ranks, processes.rank()) - ranks.begin())];
  }
  std::vector<std::size_t> parent(firsts.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  std::vector<double> around;
  if (!processes.alone()) {
    Field field(backend, block.space(), Precision::fp64);
    const auto exchange = [&](const auto& value) {
      std::vector<double> values;
      for_each_place(own, [&](int i, int j, int k) {
        const int n = at({i, j, k});
        values.push_back(n < 0 ? 0 : value(static_cast<std::size_t>(n)));
      });
      backend.fill(field, 0);
      sampler.put(own, values, SampleStore::set, field);
      backend.exchange(field, 1);
      return functionals.values(field, box_);
    };
    around = exchange([&](std::size_t n) { return static_cast<double>(offset + n + 1); });
    std::set<std::pair<std::size_t, std::size_t>> met;
    for_each_place(own, [&](int i, int j, int k) {
      const Cell cell{i, j, k};
      if (at(cell) < 0) return;
      for (std::size_t d = 0; d < static_cast<std::size_t>(block.dimension()); ++d)
        for (const int side : {-1, 1}) {
          Cell next = cell;
          next[d] += side;
          if (contains(own, next) || !cells.stores(next)) continue;
          const double other = around[cells_index(next)];
          if (other > 0) met.emplace(offset + static_cast<std::size_t>(at(cell)), static_cast<std::size_t>(other) - 1);
        }
    });
    const std::vector<std::pair<std::size_t, std::size_t>> pairs(met.begin(), met.end());
    for (const auto& [a, b] : gather_lists(processes, pairs)) {
      const std::size_t x = root(parent, a), y = root(parent, b);
      parent[std::max(x, y)] = std::min(x, y);
    }
  }
  const std::vector<std::size_t> body_of = number(processes, parent, firsts, offset);
  fill_neighbours(own, around, body_of);
}

// Numbers the bodies by their first cell in the grid, whatever the processes. Returns the body of each part.
std::vector<std::size_t> FloatingBodies::number(const Processes& processes, std::vector<std::size_t>& parent,
                                                const std::vector<std::int64_t>& firsts, std::size_t offset) {
  std::vector<std::int64_t> first(firsts.size(), std::numeric_limits<std::int64_t>::max());
  for (std::size_t n = 0; n < firsts.size(); ++n) {
    std::int64_t& least = first[root(parent, n)];
    least = std::min(least, firsts[n]);
  }
  std::vector<std::size_t> roots;
  for (std::size_t n = 0; n < parent.size(); ++n)
    if (parent[n] == n) roots.push_back(n);
  std::ranges::sort(roots, {}, [&](std::size_t r) { return first[r]; });
  std::vector<std::size_t> body_of(parent.size());
  for (std::size_t n = 0; n < parent.size(); ++n)
    body_of[n] = static_cast<std::size_t>(std::ranges::find(roots, root(parent, n)) - roots.begin());
  bodies_.resize(roots.size());
  std::vector<std::pair<std::size_t, RegionNumber>> regions;
  std::vector<std::pair<std::size_t, std::int64_t>> sizes;
  for (std::size_t n = 0; n < local_.size(); ++n) {
    const std::size_t body = body_of[offset + n];
    for (const RegionNumber r : local_[n].regions) regions.emplace_back(body, r);
    sizes.emplace_back(body, local_[n].cells);
    for (std::size_t e = 0; e < 3; ++e) bodies_[body].winds[e] = bodies_[body].winds[e] || local_[n].winds[e];
  }
  for (const auto& [body, r] : gather_lists(processes, regions)) bodies_[body].regions.push_back(r);
  for (const auto& [body, cells_of] : gather_lists(processes, sizes)) bodies_[body].cells += cells_of;
  for (FloatingBody& body : bodies_) {
    std::ranges::sort(body.regions);
    body.regions.erase(std::ranges::unique(body.regions).begin(), body.regions.end());
  }
  for (int& n : numbers_)
    if (n >= 0) n = static_cast<int>(body_of[offset + static_cast<std::size_t>(n)]);
  return body_of;
}

// Fills the layer of neighbours: beyond cuts from exchanged numbers of parts, beyond periodic ends from the other end.
void FloatingBodies::fill_neighbours(const Box& own, const std::vector<double>& around,
                                     const std::vector<std::size_t>& body_of) {
  for_each_place(box_, [&](int i, int j, int k) {
    const Cell cell{i, j, k};
    if (contains(own, cell)) return;
    if (!around.empty()) {
      const double n = around[cells_index(cell)];
      numbers_[cells_index(cell)] = n > 0 ? static_cast<int>(body_of[static_cast<std::size_t>(n) - 1]) : -1;
      return;
    }
    Cell there = cell;
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = own.last[d];
      there[d] = there[d] < 0 ? there[d] + n : there[d] >= n ? there[d] - n : there[d];
    }
    numbers_[cells_index(cell)] = at(there);
    periods_[cells_index(cell)] = periods_[cells_index(there)];
  });
}

int FloatingBodies::beside(const MediaCells& cells, const Cell& cell, int axis, int side, RegionNumber region) const {
  Cell next = cell;
  next[static_cast<std::size_t>(axis)] += side;
  if (cells.stores(next) && at(next) >= 0) return at(next);
  for (std::size_t d = 0; d < static_cast<std::size_t>(cells.block().dimension()); ++d)
    for (const int way : {-1, 1}) {
      Cell other = cell;
      other[d] += way;
      if (cells.stores(other) && at(other) >= 0 && cells.region(other[0], other[1], other[2]) == region)
        return at(other);
    }
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    if (std::ranges::find(bodies_[b].regions, region) != bodies_[b].regions.end()) return static_cast<int>(b);
  return -1;
}

void FloatingBodies::add_thin(const Processes& processes, const std::vector<char>& regions) {
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (!processes.any(regions[r] != 0)) continue;
    FloatingBody& body = bodies_.emplace_back();
    body.regions.push_back(static_cast<RegionNumber>(r));
  }
}

std::shared_ptr<const Media> with_strong_conductors(const Media& media, const std::vector<std::size_t>& count) {
  auto changed = std::make_shared<Media>(media);
  double most = 0;
  for (const MediaRegion& r : media.regions) {
    const Material& m = media.materials[r.material];
    if (!m.conducts()) continue;
    for (const Quantity& kappa : m.coefficient)
      if (const double* number = kappa.constant()) most = std::max(most, *number);
  }
  if (most == 0) most = 1;
  for (std::size_t m = 0; m < changed->materials.size(); ++m) {
    Material& material = changed->materials[m];
    if (!material.floating) continue;
    std::size_t bodies = 1;
    for (std::size_t r = 0; r < media.regions.size(); ++r)
      if (media.regions[r].material == m) bodies = std::max(bodies, count[r]);
    material.coefficient.fill(strong_kappa * most);
    material.isotropic = true;
    if (*material.floating != 0) material.power = *material.floating * static_cast<double>(bodies);
    material.floating.reset();
  }
  return changed;
}

}  // namespace poisson
