#include "grids/levels/islands.hpp"

#include <algorithm>

#include "backends/backend.hpp"
#include "backends/mailbox_layout.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/kernels/island_steps.hpp"
#include "grids/levels/island_sums.hpp"

namespace poisson {
namespace {

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
  Clusters clusters(bands);
  IslandSets sets;
  add_islands(clusters, clusters.pick(ClusterSearch::Wanted::small), sets);
  return sets;
}

void IslandSets::add(const std::vector<std::int64_t>& of, const std::vector<Entry>& sums, double own_energy) {
  values.insert(values.end(), of.begin(), of.end());
  row.insert(row.end(), sums.begin(), sums.end());
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
