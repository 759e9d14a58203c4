#include "grids/levels/strong_clusters.hpp"

#include <algorithm>
#include <limits>

#include "backends/device/backend.hpp"
#include "backends/device/lists.hpp"
#include "backends/spaces/mailbox_layout.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/kernels/strong_cluster_steps.hpp"
#include "grids/levels/shared_strong_clusters.hpp"

namespace poisson {
namespace {

using Step = StrongClusterBuild::Step;

// A message with this number of shares between processes on GPUs has half a megabyte (MailboxLayout).
constexpr int most_at_a_time = 1 << 16;

Space space_of_shares(int shares, const std::shared_ptr<const Processes>& processes) {
  Cuts cuts;
  cuts.n[0] = shares * processes->count();
  for (int p = 1; p < processes->count(); ++p) cuts.first[0].push_back(p * shares);
  return {Share{cuts, processes}, {{}, cuts.n}};
}

// `List` owns numbers in the memory of a backend.
template <class T>
struct List {
  Backend* from;
  Buffer memory;

  List(Backend& backend, std::size_t count) : from(&backend), memory(backend.allocate(count * sizeof(T))) {}
  List(Backend& backend, const std::vector<T>& numbers) : List(backend, numbers.size()) {
    if (!numbers.empty()) backend.write(numbers.data(), memory.data(), numbers.size() * sizeof(T));
  }
  T* data() const { return static_cast<T*>(memory.data()); }
  T at(std::size_t i) const {
    T number{};
    from->read(data() + i, &number, sizeof number);
    return number;
  }
};

}  // namespace

void StrongClusterSets::add(const std::vector<std::int64_t>& of, const std::vector<Entry>& sums, double own_energy) {
  values.insert(values.end(), of.begin(), of.end());
  row.insert(row.end(), sums.begin(), sums.end());
  first.push_back(std::ssize(values));
  row_first.push_back(std::ssize(row));
  energy.push_back(own_energy);
}

StrongClusterTable::StrongClusterTable(Backend& backend, const StrongClusterSets& sets, const Layout& layout,
                                       Precision precision) {
  const std::array<std::int64_t, 3> n{layout.n[0] + 2 * sets.margin[0], layout.n[1] + 2 * sets.margin[1],
                                      layout.n[2] + 2 * sets.margin[2]};
  const std::int64_t sy = layout.pitch(precision), sz = sy * (layout.n[1] == 1 ? 1 : layout.n[1] + 2 * layout.halo[1]);
  const auto place = [&](std::int64_t number) {
    const std::int64_t x = number % n[0] - sets.margin[0], y = number / n[0] % n[1] - sets.margin[1],
                       z = number / n[0] / n[1] - sets.margin[2];
    return static_cast<std::uint32_t>(layout.origin(precision) + x + y * sy + z * sz);
  };
  std::vector<std::uint32_t> values, row_places;
  std::vector<float> weights;
  std::vector<double> inverse;
  for (const std::int64_t v : sets.values) values.push_back(place(v));
  for (const auto& entry : sets.row) {
    row_places.push_back(place(entry.value));
    weights.push_back(static_cast<float>(entry.weight));
  }
  for (const double energy : sets.energy) inverse.push_back(1 / energy);
  const auto keep = [&]<class T>(List<T> list) {
    memory_.push_back(std::move(list.memory));
    return static_cast<T*>(memory_.back().data());
  };
  views = {static_cast<std::int64_t>(sets.size()),
           keep(List(backend, std::vector<std::uint32_t>(sets.first.begin(), sets.first.end()))),
           keep(List(backend, values)),
           keep(List(backend, std::vector<std::uint32_t>(sets.row_first.begin(), sets.row_first.end()))),
           keep(List(backend, row_places)),
           keep(List(backend, weights)),
           keep(List(backend, inverse)),
           keep(List<double>(backend, sets.size()))};
}

StrongClusterTable::StrongClusterTable(Clusters& clusters, double slow, Precision precision) {
  Backend& backend = clusters.backend();
  const Layout& layout = clusters.space().layout();
  const ClusterList list = clusters.pick(ClusterSearch::Wanted::small);
  const std::uint32_t n = list.count;
  if (n == 0) return;

  StrongClusterBuild build;
  build.search = clusters.search();
  build.slow = slow;
  build.keys = list.keys();
  build.count = n;
  build.origin = layout.origin(precision);
  build.pitch[1] = layout.n[1] == 1 ? 0 : layout.pitch(precision);
  build.pitch[2] =
      layout.n[2] == 1 ? 0 : layout.pitch(precision) * (layout.n[1] == 1 ? 1 : layout.n[1] + 2 * layout.halo[1]);
  const auto take = [&](Step step, std::uint32_t count) {
    build.step = step;
    build_strong_clusters(backend, count, build);
  };
  const List<std::uint32_t> before(backend, std::size_t{n} + 1), entries(backend, n);
  const List<double> energy(backend, n), diagonals(backend, n);
  build.before = before.data();
  build.entries = entries.data();
  build.energy = energy.data();
  build.diagonals = diagonals.data();
  take(Step::heads, n);
  sum_before(backend, build.before, std::size_t{n} + 1);
  const std::uint32_t count = build.clusters = before.at(n);

  const List<std::uint32_t> first(backend, std::size_t{count} + 1), kept(backend, std::size_t{count} + 1),
      at(backend, std::size_t{count} + 1), row(backend, std::size_t{count} + 1);
  build.first = first.data();
  build.kept = kept.data();
  build.at = at.data();
  build.row = row.data();
  take(Step::firsts, n);
  take(Step::values, n);
  take(Step::sizes, count);
  for (std::uint32_t* const sizes : {build.kept, build.at, build.row})
    sum_before(backend, sizes, std::size_t{count} + 1);
  const std::uint32_t strong_clusters = kept.at(count);
  if (strong_clusters == 0) return;

  const auto keep = [&]<class T>(T*& numbers, std::size_t size) {
    memory_.push_back(backend.allocate(size * sizeof(T)));
    numbers = static_cast<T*>(memory_.back().data());
  };
  keep(build.cluster_first, std::size_t{strong_clusters} + 1);
  keep(build.cluster_row, std::size_t{strong_clusters} + 1);
  keep(build.inverse, strong_clusters);
  keep(build.value_places, at.at(count));
  keep(build.row_places, row.at(count));
  keep(build.weights, row.at(count));
  keep(views.shift, strong_clusters);
  take(Step::bounds, count);
  take(Step::rows, n);
  views = {strong_clusters,  build.cluster_first, build.value_places, build.cluster_row,
           build.row_places, build.weights,       build.inverse,      views.shift};
}

CrossingClusters::CrossingClusters(Backend& backend, const StrongClusterSets& sets, const Space& space,
                                   Precision precision, const std::shared_ptr<const Processes>& processes)
    : table_(backend, sets, space.layout(), precision),
      at_a_time_(std::clamp<std::int64_t>(table_.views.count, 1, most_at_a_time)) {
  const Space shares = space_of_shares(static_cast<int>(at_a_time_), processes);
  Layout whole;
  whole.n = shares.all();
  own_ = Field(backend, shares, Precision::fp64);
  all_ = Field(backend, whole, Precision::fp64);
  backend.reserve_gather_buffers(shares);
}

std::size_t CrossingClusters::bytes_of_message() {
  return MailSizes::of_gathered(space_of_shares(most_at_a_time, one_process())).part;
}

void CrossingClusters::find_shifts(const Field& b, const Field& u) const {
  Backend& backend = own_.backend();
  for (std::int64_t first = 0; first < views().count; first += at_a_time_) {
    StrongClusterViews some = views();
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

StrongClusters::StrongClusters(const Bands& bands, Precision precision,
                               const std::shared_ptr<const Processes>& processes)
    : backend_(bands.sum->backend()) {
  constexpr std::int64_t numbered = std::numeric_limits<std::uint32_t>::max();
  const bool found = bands.layout().allocated(Precision::fp32) < numbered;
  for (const StrongClusterRule& rule : strong_cluster_rules) {
    if (!found) break;
    Clusters clusters(bands, rule.strong);
    Family family{{clusters, rule.slow, precision}, nullptr};
    bool some = family.own.views.count > 0;
    if (!bands.space.is_global()) {
      const StrongClusterSets crossing = find_crossing_clusters(clusters, rule.slow);
      some = bands.space.processes().any(some || crossing.size() > 0);
      if (some)
        family.crossing = std::make_unique<CrossingClusters>(backend_, crossing, bands.space, precision, processes);
    }
    any_ = any_ || some;
    families_.push_back(std::move(family));
  }
}

std::int64_t StrongClusters::crossing_count(std::size_t rule) const {
  return families_[rule].crossing ? families_[rule].crossing->views().count : 0;
}

void StrongClusters::correct(std::size_t rule, const Field& b, Field& u) const {
  const Family& family = families_[rule];
  const StrongClusterViews& own = family.own.views;
  if (!family.crossing) {
    if (own.count > 0) grid_kernels(backend_).correct_strong_clusters(backend_, own, b, u);
    return;
  }
  backend_.exchange(u);
  find_shifts(backend_, own, b, u);
  family.crossing->find_shifts(b, u);
  shift_values(backend_, own, u);
  shift_values(backend_, family.crossing->views(), u);
}

void StrongClusters::correct(const Field& b, Field& u) const {
  for (std::size_t rule = 0; rule < families_.size(); ++rule) correct(rule, b, u);
}

}  // namespace poisson
