#include "grids/levels/clusters.hpp"

#include <algorithm>
#include <utility>

#include "backends/backend.hpp"
#include "backends/places.hpp"
#include "grids/kernels/island_steps.hpp"

namespace poisson {
namespace {

using Step = ClusterSearch::Step;

// So many rows are read at a time: of 27 points 240 bytes each.
constexpr std::size_t most_rows_at_a_time = std::size_t{1} << 18;

Box line_of(std::size_t count) {
  return {{0, 0, 0}, {static_cast<int>(count), 1, 1}};
}

}  // namespace

Clusters::Clusters(const Bands& bands)
    : space_(bands.space),
      backend_(bands.sum->backend()),
      diagonal_(backend_, space_, Precision::fp64),
      labels_(backend_.allocate(2 * sizeof(std::uint32_t) * static_cast<std::size_t>(space_.layout().size()))),
      found_(backend_.allocate(sizeof(std::uint32_t))) {
  const Layout& layout = space_.layout();
  for (std::size_t d = 0; d < 3; ++d) {
    search_.n[d] = layout.n[d];
    search_.origin[d] = space_.origin()[d];
    search_.all[d] = space_.all()[d];
    search_.periodic[d] = layout.periodic[d];
    search_.closed[d] = space_.closed()[d];
    if (space_.cuts().count(d) > 1) margin_[d] = 1;
  }
  search_.unknowns = space_.unknowns();
  search_.all_unknowns = space_.all_unknowns();
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
  for (const Step step : {Step::begin, Step::join, Step::count}) visit(step, space_.unknowns());
}

void Clusters::visit(Step step, const Box& box) {
  search_.step = step;
  search_clusters(backend_, box, search_);
}

// What a step finds, as numbers: counted first.
std::vector<std::uint32_t> Clusters::find(Step step, std::size_t numbers_each) {
  Buffer memory;
  std::uint32_t count = 0;
  for (const bool keep : {false, true}) {
    search_.room = keep ? count : 0;
    if (keep) memory = backend_.allocate(count * numbers_each * sizeof(std::uint32_t));
    search_.list = static_cast<std::uint32_t*>(memory.data());
    search_.ties = static_cast<ClusterTie*>(memory.data());
    const std::uint32_t none = 0;
    backend_.write(&none, found_.data(), sizeof none);
    visit(step, space_.unknowns());
    backend_.read(found_.data(), &count, sizeof count);
    if (count == 0) return {};
  }
  std::vector<std::uint32_t> numbers(count * numbers_each);
  backend_.read(memory.data(), numbers.data(), numbers.size() * sizeof(std::uint32_t));
  return numbers;
}

std::vector<Clusters::RootedTie> Clusters::ties() {
  const std::vector<std::uint32_t> numbers = find(Step::tie, 3);
  std::vector<RootedTie> ties;
  for (std::size_t t = 0; t < numbers.size(); t += 3) ties.push_back({numbers[t], numbers[t + 1], numbers[t + 2]});
  std::ranges::sort(ties, {}, [](const RootedTie& t) { return std::pair(t.value, t.link); });
  return ties;
}

ClusterRows Clusters::pick(ClusterSearch::Wanted wanted) {
  search_.wanted = wanted;
  std::vector<std::uint32_t> picked = find(Step::pick, 1);
  std::ranges::sort(picked);
  ClusterRows rows;
  rows.values.reserve(picked.size());
  rows.couplings.reserve(picked.size() * links());
  const auto size = static_cast<std::size_t>(search_.record_size());
  const std::size_t at_a_time = std::min(picked.size(), most_rows_at_a_time);
  const Buffer list = backend_.allocate(at_a_time * sizeof(std::uint32_t)),
               records = backend_.allocate(at_a_time * size * sizeof(double));
  search_.list = static_cast<std::uint32_t*>(list.data());
  search_.record = static_cast<double*>(records.data());
  std::vector<double> read(at_a_time * size);
  for (std::size_t first = 0; first < picked.size(); first += at_a_time) {
    const std::size_t count = std::min(at_a_time, picked.size() - first);
    backend_.write(&picked[first], list.data(), count * sizeof(std::uint32_t));
    visit(Step::read, line_of(count));
    backend_.read(records.data(), read.data(), count * size * sizeof(double));
    for (std::size_t i = 0; i < count; ++i) {
      const double* const record = &read[i * size];
      rows.values.push_back({picked[first + i], static_cast<std::uint32_t>(record[0]),
                             static_cast<std::uint32_t>(record[1]), record[2], record[3], rows.couplings.size()});
      rows.couplings.insert(rows.couplings.end(), record + 4, record + size);
    }
  }
  std::ranges::sort(rows.values, {}, [](const ClusterRows::Value& v) { return std::pair(v.root, v.number); });
  return rows;
}

void Clusters::choose(const std::vector<std::uint32_t>& roots) {
  if (roots.empty()) return;
  const std::size_t bytes = roots.size() * sizeof(std::uint32_t);
  const Buffer list = backend_.allocate(bytes);
  backend_.write(roots.data(), list.data(), bytes);
  search_.list = static_cast<std::uint32_t*>(list.data());
  visit(Step::choose, line_of(roots.size()));
}

Clusters::Place Clusters::place_of(std::uint32_t value) const {
  const auto nx = static_cast<std::uint32_t>(search_.n[0]), ny = static_cast<std::uint32_t>(search_.n[1]);
  return {static_cast<int>(value % nx), static_cast<int>(value / nx % ny), static_cast<int>(value / nx / ny)};
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

bool Clusters::is_own(const Place& p) const {
  return contains(space_.layout().box(), p);
}
bool Clusters::is_unknown(const Place& p) const {
  return contains(space_.all_unknowns(), in_whole(p));
}

std::uint32_t Clusters::own_number(const Place& p) const {
  return search_.number({p[0], p[1], p[2]});
}

std::int64_t Clusters::number_in_whole(const Place& p) const {
  const Place q = in_whole(p);
  return q[0] + std::int64_t{1} * space_.all()[0] * (q[1] + std::int64_t{1} * space_.all()[1] * q[2]);
}

std::int64_t Clusters::number(const Place& p) const {
  const std::int64_t nx = search_.n[0] + 2 * margin_[0], ny = search_.n[1] + 2 * margin_[1];
  return p[0] + margin_[0] + nx * (p[1] + margin_[1] + ny * (p[2] + margin_[2]));
}

Clusters::Place Clusters::in_whole(const Place& p) const {
  Place q{};
  for (std::size_t d = 0; d < 3; ++d) {
    q[d] = p[d] + space_.origin()[d];
    const int all = space_.all()[d];
    if (space_.closed()[d]) q[d] = q[d] < 0 ? q[d] + all : q[d] >= all ? q[d] - all : q[d];
  }
  return q;
}

}  // namespace poisson
