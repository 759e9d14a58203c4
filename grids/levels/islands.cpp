#include "grids/levels/islands.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "backends/backend.hpp"
#include "backends/cpu/launch.hpp"
#include "backends/mailbox_layout.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/kernels/island_steps.hpp"
#include "grids/levels/island_couplings.hpp"

namespace poisson {
namespace {

struct Island {
  std::vector<std::int64_t> values;
  IslandSums sums;
};

// The island of which p is the first value; empty where p is none, or not the first. Most searches end at once, at a
// neighbour that comes before.
Island island_from(const IslandCouplings& A, const std::array<int, 3>& p) {
  const std::int64_t first = A.number(p);
  std::map<std::int64_t, std::array<int, 3>> found{{first, p}};
  std::vector<std::array<int, 3>> waiting{p};
  bool whole = true;
  while (whole && !waiting.empty()) {
    const std::array<int, 3> q = waiting.back();
    waiting.pop_back();
    A.for_each_strong(q, [&](const std::array<int, 3>& r) {
      whole = whole && A.number(r) >= first && A.is_unknown(r);
      if (whole && found.emplace(A.number(r), r).second) waiting.push_back(r);
    });
    whole = whole && found.size() <= most_island_values;
  }
  Island island;
  if (!whole || found.size() == 1) return island;

  for (const auto& [number, q] : found)
    island.sums.add(A, q, [&](const std::array<int, 3>& r) { return found.contains(A.number(r)); });
  if (!island.sums.is_slow()) return island;
  for (const auto& [number, q] : found) island.values.push_back(number);
  return island;
}

// What processes on GPUs tell each other of them has half a megabyte (MailboxLayout).
constexpr int most_at_a_time = 1 << 16;

Space space_of_shares(int shares, const std::shared_ptr<const Processes>& processes) {
  Cuts cuts;
  cuts.n[0] = shares * processes->count();
  for (int p = 1; p < processes->count(); ++p) cuts.first[0].push_back(p * shares);
  return {Share{cuts, processes}, {{}, cuts.n}};
}

}  // namespace

IslandSets find_islands(const Bands& bands) {
  const IslandCouplings A(bands);
  const Box& box = bands.unknowns();
  const int ny = std::max(0, box.last[1] - box.first[1]), nz = std::max(0, box.last[2] - box.first[2]);
  std::vector<std::vector<Island>> found(static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));  // by line
  cpu::for_each_line(box, [&](int j, int k) {
    auto& line = found[static_cast<std::size_t>(j - box.first[1]) +
                       static_cast<std::size_t>(ny) * static_cast<std::size_t>(k - box.first[2])];
    for (int i = box.first[0]; i < box.last[0]; ++i) {
      Island island = island_from(A, {i, j, k});
      if (!island.values.empty()) line.push_back(std::move(island));
    }
  });
  IslandSets sets;
  for (const auto& line : found)
    for (const Island& island : line) sets.add(island.values, island.sums.row, island.sums.energy);
  return sets;
}

void IslandSets::add(const std::vector<std::int64_t>& of, const std::map<std::int64_t, double>& sums,
                     double own_energy) {
  values.insert(values.end(), of.begin(), of.end());
  for (const auto& [value, weight] : sums) row.push_back({value, weight});
  first.push_back(std::ssize(values));
  row_first.push_back(std::ssize(row));
  energy.push_back(own_energy);
}

IslandTable::IslandTable(Backend& backend, const IslandSets& sets, const Layout& layout, Precision precision) {
  const std::array<std::int64_t, 3> n{layout.n[0] + 2 * sets.margin[0], layout.n[1] + 2 * sets.margin[1],
                                      layout.n[2] + 2 * sets.margin[2]};
  const std::int64_t sy = layout.pitch(precision), sz = sy * (layout.n[1] == 1 ? 1 : layout.n[1] + 2 * layout.halo[1]);
  const auto place = [&](std::int64_t number) {
    const std::int64_t x = number % n[0] - sets.margin[0], y = number / n[0] % n[1] - sets.margin[1],
                       z = number / n[0] / n[1] - sets.margin[2];
    return x + y * sy + z * sz;
  };
  std::vector<std::int64_t> whole(sets.first);
  const std::size_t values = whole.size();
  for (const std::int64_t v : sets.values) whole.push_back(place(v));
  const std::size_t row_first = whole.size();
  whole.insert(whole.end(), sets.row_first.begin(), sets.row_first.end());
  const std::size_t row_values = whole.size();
  for (const auto& entry : sets.row) whole.push_back(place(entry.value));
  std::vector<double> real;
  for (const auto& entry : sets.row) real.push_back(entry.weight);
  for (const double energy : sets.energy) real.push_back(1 / energy);

  const std::size_t integers = whole.size() * sizeof(std::int64_t), reals = real.size() * sizeof(double);
  memory_ = backend.allocate(integers + reals + sets.size() * sizeof(double));
  auto* const at = static_cast<char*>(memory_.data());
  backend.write(whole.data(), at, integers);
  backend.write(real.data(), at + integers, reals);
  const auto* const numbers = static_cast<const std::int64_t*>(memory_.data());
  auto* const weights = reinterpret_cast<double*>(at + integers);
  views = {static_cast<std::int64_t>(sets.size()),
           numbers,
           numbers + values,
           numbers + row_first,
           numbers + row_values,
           weights,
           weights + sets.row.size(),
           weights + real.size()};
}

Islands::Islands(Backend& backend, const IslandSets& sets, const Layout& layout, Precision precision)
    : backend_(backend), own_(backend, sets, layout, precision) {}

CrossingIslands::CrossingIslands(Backend& backend, const IslandSets& sets, const Space& space, Precision precision,
                                 const std::shared_ptr<const Processes>& processes)
    : table_(backend, sets, space.layout(), precision),
      at_a_time_(std::clamp<std::int64_t>(table_.views.count, 1, most_at_a_time)) {
  const Space shares = space_of_shares(static_cast<int>(at_a_time_), processes);
  Layout whole;
  whole.n = shares.all();
  own_ = Field(backend, shares, Precision::fp64);
  all_ = Field(backend, whole, Precision::fp64);
  backend.make_room_to_gather(shares);
}

std::size_t CrossingIslands::bytes_of_message() {
  return MailSizes::of_gathered(space_of_shares(most_at_a_time, one_process())).part;
}

void CrossingIslands::find_shifts(const Field& b, const Field& u) const {
  Backend& backend = own_.backend();
  for (std::int64_t first = 0; first < views().count; first += at_a_time_) {
    IslandViews some = views();
    some.count = std::min(at_a_time_, some.count - first);
    some.first += first;
    some.row_first += first;
    some.inverse += first;
    some.shift = own_.view<double>().data;
    poisson::find_shifts(backend, some, b, u);
    backend.gather(own_, all_);
    add_shifts(backend, all_.view<double>().data, at_a_time_, own_.space().cuts().count(0), some.count,
               views().shift + first);
  }
}

Islands::Islands(Backend& backend, const IslandSets& own, const IslandSets& crossing, const Space& space,
                 Precision precision, const std::shared_ptr<const Processes>& processes)
    : backend_(backend),
      own_(backend, own, space.layout(), precision),
      crossing_(std::in_place, backend, crossing, space, precision, processes) {}

void Islands::correct(const Field& b, Field& u) const {
  if (!crossing_) return grid_kernels(backend_).correct_islands(backend_, own_.views, b, u);
  backend_.exchange(u);
  find_shifts(backend_, own_.views, b, u);
  crossing_->find_shifts(b, u);
  shift_values(backend_, own_.views, u);
  shift_values(backend_, crossing_->views(), u);
}

}  // namespace poisson
