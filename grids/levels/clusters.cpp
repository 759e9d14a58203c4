#include "grids/levels/clusters.hpp"

#include <algorithm>
#include <utility>

#include "backends/device/backend.hpp"
#include "backends/device/lists.hpp"
#include "backends/memory/places.hpp"
#include "grids/kernels/strong_cluster_steps.hpp"

namespace poisson {
namespace {

using Step = ClusterSearch::Step;

// Rows are read in batches of at most this number. A row of 27 points has 240 bytes.
constexpr std::size_t most_rows_at_a_time = std::size_t{1} << 18;

Box line_of(std::size_t count) {
  return {{0, 0, 0}, {static_cast<int>(count), 1, 1}};
}

}  // namespace

Clusters::Clusters(const Bands& bands, bool large)
    : space_(bands.space),
      backend_(bands.sum->backend()),
      diagonal_(backend_, space_, Precision::fp64),
      labels_(backend_.allocate(2 * sizeof(std::uint32_t) * static_cast<std::size_t>(space_.part().layout().size()))),
      found_(backend_.allocate(sizeof(std::uint32_t))) {
  const Layout& layout = space_.part().layout();
  for (std::size_t d = 0; d < 3; ++d) {
    search_.n[d] = layout.n[d];
    search_.origin[d] = space_.part().origin()[d];
    search_.all[d] = space_.part().all()[d];
    search_.periodic[d] = layout.periodic[d];
    search_.closed[d] = space_.part().closed()[d];
    if (space_.part().cuts().count(d) > 1) margin_[d] = 1;
  }
  if (large || std::ranges::count(search_.all, 1) > 0) search_.most_values = most_cluster_values_in_plane;
  search_.all_unknowns = space_.part().all_unknowns();
  search_.inner = {{0, 0, 0}, {1, 1, 1}};
  for (std::size_t d = 0; d < 3; ++d)
    if (space_.part().all()[d] > 1) {
      search_.inner.first[d] = std::max(0, space_.part().unknowns().first[d]) + 1;
      search_.inner.last[d] = std::min(layout.n[d], space_.part().unknowns().last[d]) - 1;
    }
  search_.sum = bands.sum->view<double>();
  search_.bands = static_cast<int>(bands.offsets.size());
  for (std::size_t b = 0; b < bands.offsets.size(); ++b) {
    search_.band[b] = bands.entries[b]->view<double>();
    std::ranges::copy(bands.offsets[b], search_.offset[b]);
  }
  search_.diagonal = diagonal_.view<double>();
  search_.parent = static_cast<std::uint32_t*>(labels_.data());
  search_.state = search_.parent + layout.size();
  search_.found = static_cast<std::uint32_t*>(found_.data());

  visit(Step::diagonal, layout.box());
  backend_.exchange(diagonal_);
}

void Clusters::join(double strong_share) {
  search_.strong_share = strong_share;
  for (const Step step : {Step::begin, Step::join, Step::count}) visit(step, space_.part().unknowns());
}

void Clusters::visit(Step step, const Box& box) {
  search_.step = step;
  search_clusters(backend_, box, search_);
}

// Returns the list that a step writes. Values are listed in one run. Ties are listed in two, of which the first one
// counts, because their number has no small bound.
Buffer Clusters::find(Step step, std::size_t bytes_each, std::uint32_t& count) {
  Buffer memory;
  count = 0;
  const int runs = step == Step::pick ? 1 : 2;
  for (int run = 0; run < runs; ++run) {
    search_.room = step == Step::pick ? static_cast<std::uint32_t>(space_.part().layout().size()) : count;
    memory = backend_.allocate(search_.room * bytes_each);
    search_.list = static_cast<std::uint64_t*>(memory.data());
    search_.ties = static_cast<ClusterTie*>(memory.data());
    const std::uint32_t none = 0;
    backend_.write(&none, found_.data(), sizeof none);
    visit(step, space_.part().unknowns());
    backend_.read(found_.data(), &count, sizeof count);
    if (count == 0) break;
  }
  return memory;
}

std::vector<Clusters::RootedTie> Clusters::ties() {
  std::uint32_t count = 0;
  const Buffer memory = find(Step::tie, sizeof(ClusterTie), count);
  std::vector<ClusterTie> found(count);
  if (count > 0) backend_.read(memory.data(), found.data(), count * sizeof(ClusterTie));
  std::vector<RootedTie> ties;
  for (const ClusterTie& t : found) ties.push_back({t.root, t.value, t.link});
  std::ranges::sort(ties, {}, [](const RootedTie& t) { return std::pair(t.value, t.link); });
  return ties;
}

ClusterList Clusters::pick(ClusterSearch::Wanted wanted) {
  search_.wanted = wanted;
  ClusterList list;
  list.memory = find(Step::pick, sizeof(std::uint64_t), list.count);
  sort(backend_, list.keys(), list.count);
  return list;
}

ClusterRows Clusters::read(const ClusterList& list) {
  ClusterRows rows;
  if (list.count == 0) return rows;
  rows.values.reserve(list.count);
  rows.couplings.reserve(list.count * links());
  const auto size = static_cast<std::size_t>(search_.record_size());
  const std::size_t at_a_time = std::min(std::size_t{list.count}, most_rows_at_a_time);
  const Buffer records = backend_.allocate(at_a_time * size * sizeof(double));
  search_.record = static_cast<double*>(records.data());
  std::vector<std::uint64_t> keys(at_a_time);
  std::vector<double> read(at_a_time * size);
  for (std::size_t first = 0; first < list.count; first += at_a_time) {
    const std::size_t count = std::min(at_a_time, list.count - first);
    search_.list = list.keys() + first;
    visit(Step::read, line_of(count));
    backend_.read(search_.list, keys.data(), count * sizeof(std::uint64_t));
    backend_.read(records.data(), read.data(), count * size * sizeof(double));
    for (std::size_t i = 0; i < count; ++i) {
      const double* const record = &read[i * size];
      rows.values.push_back({ClusterSearch::value_of(keys[i]), static_cast<std::uint32_t>(record[0]),
                             static_cast<std::uint32_t>(record[1]), record[2], record[3], rows.couplings.size()});
      rows.couplings.insert(rows.couplings.end(), record + 4, record + size);
    }
  }
  return rows;
}

void Clusters::choose(const std::vector<std::uint32_t>& roots) {
  if (roots.empty()) return;
  const std::vector<std::uint64_t> keys(roots.begin(), roots.end());
  const std::size_t bytes = keys.size() * sizeof(std::uint64_t);
  const Buffer list = backend_.allocate(bytes);
  backend_.write(keys.data(), list.data(), bytes);
  search_.list = static_cast<std::uint64_t*>(list.data());
  visit(Step::choose, line_of(keys.size()));
}

Clusters::Place Clusters::place_of(std::uint32_t value) const {
  const ClusterSearch::Place at = search_.place_of(value);
  return {at.p[0], at.p[1], at.p[2]};
}

Clusters::Place Clusters::neighbour(const Place& p, std::size_t link) const {
  Place q{};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = search_.n[d];
    q[d] = p[d] + search_.offset_along(static_cast<int>(d), static_cast<int>(link));
    if (search_.periodic[d]) q[d] = q[d] < 0 ? q[d] + n : q[d] >= n ? q[d] - n : q[d];
  }
  return q;
}

bool Clusters::is_unknown(const Place& p) const {
  return contains(space_.part().all_unknowns(), to_global(p));
}

std::int64_t Clusters::global_number(const Place& p) const {
  const Place q = to_global(p);
  return q[0] + std::int64_t{1} * space_.part().all()[0] * (q[1] + std::int64_t{1} * space_.part().all()[1] * q[2]);
}

std::int64_t Clusters::number(const Place& p) const {
  const std::int64_t nx = search_.n[0] + 2 * margin_[0], ny = search_.n[1] + 2 * margin_[1];
  return p[0] + margin_[0] + nx * (p[1] + margin_[1] + ny * (p[2] + margin_[2]));
}

Clusters::Place Clusters::to_global(const Place& p) const {
  Place q{};
  for (std::size_t d = 0; d < 3; ++d) {
    q[d] = p[d] + space_.part().origin()[d];
    const int all = space_.part().all()[d];
    if (space_.part().closed()[d]) q[d] = q[d] < 0 ? q[d] + all : q[d] >= all ? q[d] - all : q[d];
  }
  return q;
}

}  // namespace poisson
