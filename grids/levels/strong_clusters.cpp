#include "grids/levels/strong_clusters.hpp"

#include <algorithm>
#include <limits>

#include "backends/device/backend.hpp"
#include "backends/device/lists.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/round_up.hpp"
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

// Temporary lists over the values of candidate clusters.
struct ValueLists {
  List<std::uint32_t> before, entries;
  List<double> energy, diagonals, group_energy, group_diagonals;

  ValueLists(Backend& backend, std::size_t values, std::size_t groups, StrongClusterBuild& build)
      : before(backend, values + 1),
        entries(backend, values + 1),
        energy(backend, values),
        diagonals(backend, values),
        group_energy(backend, groups),
        group_diagonals(backend, groups) {
    build.before = before.data();
    build.entries = entries.data();
    build.energy = energy.data();
    build.diagonals = diagonals.data();
    build.group_energy = group_energy.data();
    build.group_diagonals = group_diagonals.data();
  }
};

// Temporary lists over the candidate clusters.
struct ClusterLists {
  List<std::uint32_t> first, kept, at, row;
  List<double> energy;

  ClusterLists(Backend& backend, std::size_t clusters, StrongClusterBuild& build)
      : first(backend, clusters + 1),
        kept(backend, clusters + 1),
        at(backend, clusters + 1),
        row(backend, clusters + 1),
        energy(backend, clusters) {
    build.first = first.data();
    build.kept = kept.data();
    build.at = at.data();
    build.row = row.data();
    build.cluster_energy = energy.data();
  }
};

// Returns the description of the listed values, for fields of this precision.
StrongClusterBuild build_of(const Clusters& clusters, const ClusterList& list, Precision precision) {
  const Layout& layout = clusters.space().part().layout();
  const std::int64_t pitch = layout.pitch(precision);
  StrongClusterBuild build;
  build.search = clusters.search();
  build.keys = list.keys();
  build.count = list.count;
  build.origin = layout.origin(precision);
  build.pitch[1] = layout.n[1] == 1 ? 0 : pitch;
  build.pitch[2] = layout.n[2] == 1 ? 0 : pitch * (layout.n[1] == 1 ? 1 : layout.n[1] + 2 * layout.halo[1]);
  return build;
}

// Only values decide how many clusters there are. Bounds their tables, and the temporary lists of the search, in bytes
// per value of a level. The largest tables among 14 random media (2 to 8 decades from cell to cell; 5 to 50 % of the
// cells with 10⁴ times the κ of the others) had 34 bytes for rows of 5 and 7 points, and 53 bytes for rows of 9 and 27
// points; lists had 54. In space, tables are smaller unless cells are flat. The bounds are a quarter larger. A GPU also
// stores pieces of clusters, and sorts lists into others.
struct MostBytes {
  std::size_t stored, passing;
};
MostBytes most_bytes(const Bands& bands, bool gpu) {
  const std::size_t stored = is_star(bands.offsets) ? 43 : 67;
  return {stored + (gpu ? 8 : 0), gpu ? std::size_t{84} : 68};
}

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
  std::vector<std::uint32_t> values, cluster, row_places;
  std::vector<float> weights;
  std::vector<double> inverse;
  for (const std::int64_t v : sets.values) values.push_back(place(v));
  for (std::uint32_t s = 0; s < sets.size(); ++s) cluster.resize(static_cast<std::size_t>(sets.first[s + 1]), s);
  for (const auto& entry : sets.row) {
    row_places.push_back(place(entry.value));
    weights.push_back(static_cast<float>(entry.weight));
  }
  for (const double energy : sets.energy) inverse.push_back(1 / energy);
  StrongClusterBuild build;
  allocate(backend, static_cast<std::uint32_t>(sets.size()), static_cast<std::uint32_t>(values.size()),
           static_cast<std::uint32_t>(row_places.size()), build);
  const auto write = [&]<class T>(const std::vector<T>& from, T* to) {
    if (!from.empty()) backend.write(from.data(), to, from.size() * sizeof(T));
  };
  write(std::vector<std::uint32_t>(sets.first.begin(), sets.first.end()), build.cluster_first);
  write(std::vector<std::uint32_t>(sets.row_first.begin(), sets.row_first.end()), build.cluster_row);
  write(inverse, build.inverse);
  write(values, build.value_places);
  write(cluster, build.value_cluster);
  write(row_places, build.row_places);
  write(weights, build.weights);
  if (backend.on_gpu() && sets.size() > 0) add_pieces(backend, build);
}

StrongClusterTable::StrongClusterTable(Clusters& clusters, double slow, Precision precision, std::uint32_t* taken) {
  Backend& backend = clusters.backend();
  const ClusterList list = clusters.pick(ClusterSearch::Wanted::small);
  if (list.count == 0) return;
  StrongClusterBuild build = build_of(clusters, list, precision);
  build.slow = slow;
  build.taken = taken;
  const auto take = [&](Step step, std::uint32_t count) {
    build.step = step;
    build_strong_clusters(backend, count, build);
  };

  const std::uint32_t n = list.count, groups = divide_up(n, StrongClusterBuild::values_of_group);
  const ValueLists of_values(backend, n, groups, build);
  take(Step::heads, n);
  sum_before(backend, build.before, std::size_t{n} + 1);
  const std::uint32_t count = build.clusters = of_values.before.at(n);

  const ClusterLists of_clusters(backend, count, build);
  take(Step::firsts, n);
  take(Step::values, n);
  sum_before(backend, build.entries, std::size_t{n} + 1);
  take(Step::groups, groups);
  take(Step::sizes, count);
  for (std::uint32_t* const sizes : {build.kept, build.at, build.row})
    sum_before(backend, sizes, std::size_t{count} + 1);
  const std::uint32_t strong_clusters = of_clusters.kept.at(count);
  if (strong_clusters == 0) return;

  allocate(backend, strong_clusters, of_clusters.at.at(count), of_clusters.row.at(count), build);
  take(Step::bounds, count);
  take(Step::rows, n);
  take(Step::mark, count);
  if (backend.on_gpu()) add_pieces(backend, build);
}

void StrongClusterTable::allocate(Backend& backend, std::uint32_t clusters, std::uint32_t values, std::uint32_t entries,
                                  StrongClusterBuild& build) {
  const auto keep = [&]<class T>(T*& numbers, std::size_t size) {
    memory_.push_back(backend.allocate(size * sizeof(T)));
    numbers = static_cast<T*>(memory_.back().data());
  };
  keep(build.cluster_first, std::size_t{clusters} + 1);
  keep(build.cluster_row, std::size_t{clusters} + 1);
  keep(build.inverse, clusters);
  keep(build.value_places, values);
  keep(build.value_cluster, values);
  keep(build.row_places, entries);
  keep(build.weights, entries);
  keep(tables.rhs, clusters);
  keep(tables.shift, clusters);
  tables.count = clusters;
  tables.value_count = values;
  tables.first = build.cluster_first;
  tables.values = build.value_places;
  tables.cluster = build.value_cluster;
  tables.row_first = build.cluster_row;
  tables.row_places = build.row_places;
  tables.weights = build.weights;
  tables.inverse = build.inverse;
}

void StrongClusterTable::add_pieces(Backend& backend, StrongClusterBuild& build) {
  const auto clusters = static_cast<std::uint32_t>(tables.count);
  const auto take = [&](Step step) {
    build.step = step;
    build_strong_clusters(backend, clusters, build);
  };
  List<std::uint32_t> first(backend, std::size_t{clusters} + 1);
  build.piece_first = first.data();
  take(Step::pieces);
  sum_before(backend, first.data(), std::size_t{clusters} + 1);
  const std::uint32_t count = first.at(clusters);
  if (count == 0) return;
  List<std::uint32_t> cluster(backend, count);
  List<double> sum(backend, count);
  List<std::uint32_t> done(backend, std::vector<std::uint32_t>(count));
  build.piece_cluster = cluster.data();
  take(Step::list_pieces);
  tables.pieces = count;
  tables.piece_first = first.data();
  tables.piece_cluster = cluster.data();
  tables.piece_sum = sum.data();
  tables.piece_done = done.data();
  memory_.push_back(std::move(first.memory));
  memory_.push_back(std::move(cluster.memory));
  memory_.push_back(std::move(sum.memory));
  memory_.push_back(std::move(done.memory));
}

CrossingClusters::CrossingClusters(Backend& backend, const StrongClusterSets& sets, const Space& space,
                                   Precision precision, const std::shared_ptr<const Processes>& processes)
    : table_(backend, sets, space.part().layout(), precision),
      at_a_time_(std::clamp<std::int64_t>(table_.tables.count, 1, most_at_a_time)) {
  const Space shares = space_of_shares(static_cast<int>(at_a_time_), processes);
  Layout whole;
  whole.n = shares.part().all();
  own_ = Field(backend, shares, Precision::fp64);
  all_ = Field(backend, whole, Precision::fp64);
  backend.reserve_gather_buffers(shares);
}

std::size_t CrossingClusters::bytes_of_message() {
  return MailSizes::of_gathered(space_of_shares(most_at_a_time, one_process())).part;
}

void CrossingClusters::find_shifts(const Field& u) const {
  Backend& backend = own_.backend();
  for (std::int64_t first = 0; first < tables().count; first += at_a_time_) {
    StrongClusterTables some = tables().part(first, std::min(first + at_a_time_, tables().count));
    some.shift = own_.view<double>().data;
    poisson::find_shifts(backend, some, u);
    backend.gather(own_, all_);
    add_shifts(backend, all_.view<double>().data, at_a_time_, own_.space().part().cuts().count(0), some.count,
               tables().shift + first);
  }
}

StrongClusters::StrongClusters(const Bands& bands, Precision precision,
                               const std::shared_ptr<const Processes>& processes, bool large)
    : backend_(bands.sum->backend()) {
  constexpr std::int64_t numbered = std::numeric_limits<std::uint32_t>::max();
  if (bands.layout().allocated(Precision::fp32) >= numbered) return;
  if (rehearses(backend_)) {
    rehearse(bands, processes);
    return;
  }
  const auto values = static_cast<std::uint32_t>(bands.layout().size());
  const List<std::uint32_t> taken(backend_, values);
  StrongClusterBuild build;
  build.step = Step::forget;
  build.taken = taken.data();
  build_strong_clusters(backend_, values, build);
  TakenCrossing taken_crossing;
  Clusters clusters(bands, large);
  for (const StrongClusterRule& rule : strong_cluster_rules) {
    clusters.join(rule.strong);
    Family family{{clusters, rule.slow, precision, taken.data()}, nullptr};
    bool some = family.own.tables.count > 0;
    if (!bands.space.is_global()) {
      const StrongClusterSets crossing = find_crossing_clusters(clusters, rule.slow, taken_crossing);
      some = bands.space.processes().any(some || crossing.size() > 0);
      if (some)
        family.crossing = std::make_unique<CrossingClusters>(backend_, crossing, bands.space, precision, processes);
    }
    any_ = any_ || some;
    families_.push_back(std::move(family));
  }
}

void StrongClusters::rehearse(const Bands& bands, const std::shared_ptr<const Processes>& processes) {
  const Space& space = bands.space;
  const auto values = static_cast<std::size_t>(space.part().layout().size());
  const MostBytes most = most_bytes(bands, backend_.on_gpu());
  const Buffer passing = backend_.allocate(values * most.passing);
  rehearsed_ = backend_.allocate(values * most.stored);
  any_ = true;
  if (!space.is_global()) backend_.reserve_gather_buffers(space_of_shares(most_at_a_time, processes));
}

std::int64_t StrongClusters::crossing_count(std::size_t rule) const {
  return families_[rule].crossing ? families_[rule].crossing->tables().count : 0;
}

void StrongClusters::begin(const Field& b) const {
  for (const Family& family : families_) {
    sum_rhs(backend_, family.own.tables, b);
    if (family.crossing) sum_rhs(backend_, family.crossing->tables(), b);
  }
}

void StrongClusters::correct(std::size_t rule, Field& u) const {
  const Family& family = families_[rule];
  const StrongClusterTables& own = family.own.tables;
  if (!family.crossing) return correct_clusters(backend_, own, u);
  backend_.exchange(u);
  find_shifts(backend_, own, u);
  family.crossing->find_shifts(u);
  shift_values(backend_, own, u);
  shift_values(backend_, family.crossing->tables(), u);
}

void StrongClusters::correct(Field& u) const {
  for (std::size_t rule = 0; rule < families_.size(); ++rule) correct(rule, u);
}

}  // namespace poisson
