// A process may own several patches in groups of one layout. Verbs, sums and exchanges on them must equal those on the
// uncut grid bit for bit, and exchanges must have the adjoint that they state.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "backends/device/unknowns.hpp"
#include "tests/device.hpp"
#include "tests/patches.hpp"
#include "tests/processes.hpp"

namespace poisson::patches_tests {
namespace {

struct Split {
  Layout layout;
  Cuts cuts;
  bool same_sums = true;  // planes are not cut
};

std::vector<Split> splits() {
  std::vector<Split> all;
  for (const bool periodic : {false, true}) {
    const Layout box{{9, 37, 112}, {false, periodic, periodic}}, plane{{21, 112, 1}, {periodic, periodic, false}};
    for (const auto& widths : {std::vector{112},
                               {60, 52},
                               {40, 32, 40},
                               {17, 64, 31},
                               {16, 16, 16, 16, 16, 16, 16},
                               {2, 30, 2, 40, 20, 16, 2}}) {
      all.push_back({box, cut_along(2, box, widths)});
      all.push_back({plane, cut_along(1, plane, widths)});
    }
    Cuts blocks = cut_along(2, box, {50, 62});
    blocks.first[0] = {0, 4};
    blocks.first[1] = {0, 12, 24};
    all.push_back({box, blocks, false});
  }
  return all;
}

Field random_field(Backend& backend, const Space& space, Precision precision, int seed) {
  Field field(backend, space, precision);
  Random random(seed);
  set_values(backend, field, random.vector(static_cast<std::size_t>(space.size())));
  return field;
}

// Sets the patches to the values of the whole grid, which the host has.
void take(const Cuts& cuts, const Field& whole, Field& patches) {
  const auto host = make_cpu_backend();
  Field staging(*host, patches.space(), patches.precision());
  dispatch(whole.precision(),
           [&]<class T>(T) { for_each_pair<T>(cuts, staging, whole, 0, [](T& own, T there) { own = there; }); });
  transfer(staging, patches);
}

testing::AssertionResult same(const Cuts& cuts, const Field& all, const Field& of_patches, int halo) {
  std::int64_t values = 0, others = 0;
  const HostRead whole(all), patches(of_patches);
  dispatch(all.precision(), [&]<class T>(T) {
    for_each_pair<T>(cuts, *patches, *whole, halo, [&](T own, T there) {
      ++values;
      others += same_bits(own, there) ? 0 : 1;
    });
  });
  if (others > 0 || values == 0) return testing::AssertionFailure() << others << " of " << values << " values differ";
  return testing::AssertionSuccess();
}

// Runs verbs on fields of a space, and stores the sums that they give.
void run_verbs(Backend& backend, Field& x, Field& y, Field& z, std::vector<double>& sums) {
  Scalar a = backend.scalar(1.0 / 3), sum = backend.scalar();
  const auto dot = [&](const Field& u, const Field& v) {
    backend.dot(u, v, sum);
    sums.push_back(backend.value(sum));
  };
  dot(x, y);
  backend.fill(z, 0.1);
  backend.axpy(a, x, z);
  backend.axmy(a, y, z);
  backend.xpay(x, a, y);
  backend.scale(a, y, x);
  dot(x, x);
  backend.subtract(z, a, y, x);
  backend.copy(z, y);
  dot(z, x);
  backend.exchange(x);
  backend.exchange(y);
  backend.convert(x, z);
  dot(z, y);
  clear_unknowns(z);
  backend.exchange(z);
}

TEST(Patches, EqualTheUncutGrid) {
  const auto backend = test_backend();
  for (const Split& split : splits())
    for (const auto& [other, at_once] : {std::pair{Precision::fp32, false}, {Precision::fp64, true}}) {
      SCOPED_TRACE(testing::Message() << split.cuts.patches() << " patches of " << split.layout.n[2] << ", periodic "
                                      << split.layout.periodic[1]);
      const Space whole(split.layout), cut = patches_of(split.cuts, one_process(), at_once);
      if (at_once) EXPECT_EQ(cut.halo().program(1).size(), 1u);
      EXPECT_EQ(cut.size(), whole.size());
      EXPECT_EQ(cut.unknown_count(), whole.unknown_count());
      Field x = random_field(*backend, whole, Precision::fp64, 1), y = random_field(*backend, whole, other, 2);
      Field z(*backend, whole, Precision::fp64);
      Field px(*backend, cut, Precision::fp64), py(*backend, cut, other), pz(*backend, cut, Precision::fp64);
      take(split.cuts, *HostRead(x), px);
      take(split.cuts, *HostRead(y), py);
      std::vector<double> sums, of_patches;
      run_verbs(*backend, x, y, z, sums);
      run_verbs(*backend, px, py, pz, of_patches);
      EXPECT_TRUE(same(split.cuts, x, px, 1));
      EXPECT_TRUE(same(split.cuts, y, py, 1));
      EXPECT_TRUE(same(split.cuts, z, pz, 1));
      for (std::size_t s = 0; s < sums.size(); ++s)
        if (split.same_sums)
          EXPECT_EQ(of_patches[s], sums[s]);
        else
          EXPECT_NEAR(of_patches[s], sums[s], 1e-14 * static_cast<double>(whole.size()));
    }
}

/// Patches of several processes must give the same bits, with one message to each neighbour and step.
class CountedMessages final : public Processes {
 public:
  explicit CountedMessages(std::shared_ptr<const Processes> all) : all_(std::move(all)) {}
  int rank() const override { return all_->rank(); }
  int count() const override { return all_->count(); }
  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    std::vector<int> partners;
    for (const Message& message : sent) partners.push_back(message.partner);
    std::ranges::sort(partners);
    EXPECT_EQ(std::ranges::adjacent_find(partners), partners.end());
    messages += std::ssize(sent);
    return all_->start(sent, received);
  }
  void gather(const void* own, std::size_t bytes, void* all) const override { all_->gather(own, bytes, all); }
  void broadcast(void* data, std::size_t bytes, int from) const override { all_->broadcast(data, bytes, from); }
  mutable std::int64_t messages = 0;

 private:
  std::shared_ptr<const Processes> all_;
};

TEST(Patches, OfSeveralProcessesEqualTheUncutGrid) {
  for (const Split& split : splits())
    for (const int count : {2, 3, 4}) {
      if (split.cuts.patches() < count) continue;
      SCOPED_TRACE(testing::Message() << split.cuts.patches() << " patches, " << count << " processes");
      const auto host = make_cpu_backend(), one = test_backend();
      Field x = random_field(*one, split.layout, Precision::fp64, 1);
      Field y = random_field(*one, split.layout, Precision::fp64, 2), z(*one, split.layout, Precision::fp64);
      const Field given_x = random_field(*host, split.layout, Precision::fp64, 1);
      const Field given_y = random_field(*host, split.layout, Precision::fp64, 2);
      std::vector<double> sums;
      run_verbs(*one, x, y, z, sums);
      const HostRead wanted_x(x), wanted_y(y);
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const auto counted = std::make_shared<const CountedMessages>(processes);
        const auto backend = test_backend();
        const Space cut = patches_of(split.cuts, counted, count != 3);
        EXPECT_EQ(cut.size(), x.space().size());
        Field px(*backend, cut, Precision::fp64), py(*backend, cut, Precision::fp64),
            pz(*backend, cut, Precision::fp64);
        take(split.cuts, given_x, px);
        take(split.cuts, given_y, py);
        std::vector<double> of_patches;
        run_verbs(*backend, px, py, pz, of_patches);
        EXPECT_GT(counted->messages, 0);
        EXPECT_TRUE(same(split.cuts, *wanted_x, px, 1));
        EXPECT_TRUE(same(split.cuts, *wanted_y, py, 1));
        if (split.same_sums) {
          EXPECT_EQ(of_patches, sums);
        }
      });
    }
}

/// One step must fill the halos as the exchange of boxes does, data past the ends of the grid included.
TEST(Patches, FillHalosInOneStep) {
  const auto backend = test_backend();
  for (const Split& split : splits()) {
    const Space by_axes = patches_of(split.cuts, one_process()), at_once = patches_of(split.cuts, one_process(), true);
    Field x(*backend, by_axes, Precision::fp64), y(*backend, at_once, Precision::fp64);
    const auto host = make_cpu_backend();
    Field staging(*host, by_axes, Precision::fp64);
    double next = 1;
    int patches = 0;
    for (const PatchGroup& group : by_axes.groups()) patches += static_cast<int>(group.patches.size());
    for (int p = 0; p < patches; ++p)
      for_each_value(staging.patch<double>(p), true, [&](int i, int j, int k) {
        // Edges and corners of halos are zero: where no patch owns a value, both exchanges keep some zero.
        const View<double> v = staging.patch<double>(p);
        int outside = 0;
        for (std::size_t d = 0; d < 3; ++d) outside += std::array{i, j, k}[d] < 0 || std::array{i, j, k}[d] >= v.n[d];
        v(i, j, k) = outside > 1 ? 0 : next++;
      });
    transfer(staging, x);
    Field given(*host, at_once, Precision::fp64);
    for (int p = 0; p < patches; ++p)
      for_each_value(given.patch<double>(p), true,
                     [&](int i, int j, int k) { given.patch<double>(p)(i, j, k) = staging.patch<double>(p)(i, j, k); });
    transfer(given, y);
    backend->exchange(x);
    backend->exchange(y);
    const HostRead by_steps(x), in_one(y);
    std::int64_t others = 0;
    for (int p = 0; p < patches; ++p) {
      const View<const double> a = (*by_steps).patch<double>(p), b = (*in_one).patch<double>(p);
      for_each_value(a, true, [&](int i, int j, int k) {
        for (std::size_t d = 0; d < 3; ++d) {
          const int at = std::array{i, j, k}[d];
          if (at < -1 || at > a.n[d]) return;
        }
        others += a(i, j, k) == b(i, j, k) ? 0 : 1;
      });
    }
    EXPECT_EQ(others, 0) << split.cuts.patches() << " patches of " << split.layout.n[2];
  }
}

/// The numbers must form one sequence over the patches, whatever processes have them; slabs have those of the grid.
TEST(Patches, HaveOneSequenceOfFixedNumbers) {
  const Layout layout{{5, 4, 12}};
  const Cuts cuts = cut_along(2, layout, {3, 5, 4});
  const auto backend = test_backend();
  Field whole(*backend, layout, Precision::fp64);
  set_fixed_numbers(whole);
  const HostRead wanted(whole);
  for (const int count : {1, 2, 3})
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const auto own = test_backend();
      Field x(*own, patches_of(cuts, processes), Precision::fp64);
      set_fixed_numbers(x);
      EXPECT_TRUE(same(cuts, *wanted, x, 0)) << count;
    });
}

/// A box whose two neighbours are one process must send it one message, too.
TEST(Patches, BoxesSendOneMessageToAProcess) {
  Cuts cuts;
  cuts.n = {5, 6, 8};
  cuts.periodic = {true, true, true};
  cuts.first[2] = {0, 4};
  as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
    const auto counted = std::make_shared<const CountedMessages>(processes);
    const auto backend = make_cpu_backend();
    Field x(*backend, Space(Share{cuts, counted}, Box{{}, cuts.n}), Precision::fp32);
    backend->exchange(x, 2);
    EXPECT_EQ(counted->messages, 1);
  });
}

/// The bits of a sum must not depend on the number of threads.
TEST(Patches, SumsDoNotDependOnThreads) {
  const auto backend = make_cpu_backend();
  const Layout layout{{64, 64, 112}, {}};
  const Space space = patches_of(cut_along(2, layout, {17, 64, 31}), one_process());
  Field x(*backend, space, Precision::fp64);
  Random random(3);
  for (int p = 0; p < 3; ++p) {
    const auto v = x.patch<double>(p);
    const auto values = random.vector(static_cast<std::size_t>(v.n[0]) * 64 * static_cast<std::size_t>(v.n[2]));
    std::size_t at = 0;
    for_each_value(v, false, [&](int i, int j, int k) { v(i, j, k) = static_cast<double>(values[at++]); });
  }
  Scalar sum = backend->scalar();
  std::vector<double> sums;
  const int threads = omp_get_max_threads();
  for (const int count : {1, 2, 3, 7}) {
    omp_set_num_threads(count);
    backend->dot(x, x, sum);
    sums.push_back(backend->value(sum));
  }
  omp_set_num_threads(threads);
  EXPECT_GT(sums[0], 0);
  EXPECT_EQ(sums, std::vector(4, sums[0]));
}

/// Values that move to another patch and back must not change, in each of the 48 orientations.
TEST(Orientations, ReturnTheValues) {
  const auto backend = test_backend();
  const std::array<int, 3> n{3, 4, 5};
  std::vector<Orientation> seen;
  for (int number = 0; number < Orientation::count; ++number) {
    const Orientation turn = Orientation::number(number);
    EXPECT_EQ(std::ranges::find(seen, turn), seen.end());
    seen.push_back(turn);
    EXPECT_EQ(turn.inverse().inverse(), turn);
    Box turned;
    for (std::size_t d = 0; d < 3; ++d) turned.last[d] = n[static_cast<std::size_t>(turn.axis[d])];
    const Box box{{}, n};
    const Move there{0, box, 1, turned, turn}, back{1, turned, 2, box, turn.inverse()};
    const Layout other{turned.last};
    const std::vector<PatchOfAll> all{
        {0, {n}, {box, box, 0}}, {0, other, {turned, turned, 5}}, {0, {n}, {box, box, 10}}};
    const Space space(all, {{there}, {back}}, one_process());
    // Patches of equal layouts are numbered first.
    const bool alike = other.n == n;
    const int source = 0, target = alike ? 1 : 2, last = alike ? 2 : 1;
    const auto host = make_cpu_backend();
    Field staging(*host, space, Precision::fp32), x(*backend, space, Precision::fp32);
    const auto v = staging.patch<float>(source);
    for_each_value(v, false, [&](int i, int j, int k) { v(i, j, k) = static_cast<float>(1 + i + 10 * j + 100 * k); });
    transfer(staging, x);
    backend->exchange(x);
    const HostRead read(x);
    const auto middle = (*read).patch<float>(target), end = (*read).patch<float>(last);
    for_each_value(v, false, [&](int i, int j, int k) {
      ASSERT_EQ(end(i, j, k), v(i, j, k)) << number;
      const std::array at{i, j, k};
      std::array<int, 3> to{};
      for (std::size_t d = 0; d < 3; ++d) {
        const auto a = static_cast<std::size_t>(turn.axis[d]);
        to[d] = turn.flipped[d] ? n[a] - 1 - at[a] : at[a];
      }
      ASSERT_EQ(middle(to[0], to[1], to[2]), v(i, j, k)) << number;
    });
  }
}

// Calls f(value) for all values of a field of the host, halos included.
template <class F>
void for_each_stored(Field& field, const F& f) {
  int count = 0;
  for (const PatchGroup& group : field.space().groups()) count += static_cast<int>(group.patches.size());
  for (int p = 0; p < count; ++p) {
    const auto v = field.patch<double>(p);
    for_each_value(v, true, [&](int i, int j, int k) { f(v(i, j, k)); });
  }
}

double inner_product(Field& u, Field& v) {
  std::vector<double> values;
  for_each_stored(u, [&](double value) { values.push_back(value); });
  double sum = 0;
  std::size_t at = 0;
  for_each_stored(v, [&](double value) { sum += value * values[at++]; });
  return u.space().processes().sum(sum);
}

// Runs an exchange on a field of the host, as the halo of a field of the backend.
void exchange_on(Backend& backend, const Exchange& exchange, Field& x) {
  const auto groups = x.space().groups();
  const std::shared_ptr<const Processes> processes(std::shared_ptr<const Processes>(), &x.space().processes());
  Field there(backend, Space({groups.begin(), groups.end()}, exchange, processes), x.precision());
  transfer(x, there);
  backend.exchange(there);
  if (on_host(there))
    x.backend().convert(there, x);
  else
    transfer(there, x);
}

// Checks ⟨Eu, v⟩ = ⟨u, Eᵗv⟩. With integers both sides are exact.
void expect_adjoint(const Space& space, const Exchange& exchange) {
  const auto host = make_cpu_backend(), backend = test_backend();
  Field u(*host, space, Precision::fp64), v(*host, space, Precision::fp64), Eu(*host, space, Precision::fp64);
  Random random(7 + space.processes().rank());
  for (Field* const field : {&u, &v})
    for_each_stored(*field, [&](double& value) { value = std::round(50 * static_cast<double>(random.vector(1)[0])); });
  host->convert(u, Eu);
  exchange_on(*backend, exchange, Eu);
  const double forward = inner_product(Eu, v), unchanged = inner_product(u, v);
  exchange_on(*backend, exchange.transposed(), v);
  if (!exchange.empty()) {
    EXPECT_NE(forward, unchanged);
  }
  EXPECT_EQ(forward, inner_product(u, v));
}

TEST(Exchange, HasTheAdjointThatItStates) {
  for (const Split& split : splits())
    for (const int count : {1, 3}) {
      if (split.cuts.patches() < count) continue;
      SCOPED_TRACE(testing::Message() << split.cuts.patches() << " patches, " << count << " processes");
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const Space space = patches_of(split.cuts, processes);
        expect_adjoint(space, space.halo());
      });
    }
  const Layout box{{7, 8, 9}, {true, false, true}};
  expect_adjoint(Space(box), Space(box).halo());
}

/// The values that two patches add to each other over a turned seam must arrive once. The transposed exchange must be
/// the adjoint.
TEST(Exchange, AddsOverASeam) {
  const auto host = make_cpu_backend();
  const Box box{{}, {3, 4, 2}}, face{{2, 0, 0}, {3, 4, 2}}, turned{{0, 0, 0}, {4, 1, 2}};
  const Box other{{}, {4, 3, 2}};
  Orientation turn;
  turn.axis = {1, 0, 2};
  turn.flipped = {true, false, false};
  const std::vector<PatchOfAll> all{{0, {{3, 4, 2}}, {box, box, 0}}, {0, {{4, 3, 2}}, {other, other, 2}}};
  const Space space(all, {{{0, face, 1, turned, turn, true}, {1, turned, 0, face, turn.inverse(), true}}},
                    one_process());
  Field x(*host, space, Precision::fp64);
  const auto a = x.patch<double>(0), b = x.patch<double>(1);
  for_each_value(a, false, [&](int i, int j, int k) { a(i, j, k) = 1 + i + 10 * j + 100 * k; });
  for_each_value(b, false, [&](int i, int j, int k) { b(i, j, k) = 1000 * (1 + i + 10 * j + 100 * k); });
  exchange_on(*test_backend(), space.halo(), x);
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(a(2, j, k), 3 + 10 * j + 100 * k + 1000 * (1 + 3 - j + 100 * k));
      EXPECT_EQ(a(2, j, k), b(3 - j, 0, k));
      EXPECT_EQ(a(1, j, k), 2 + 10 * j + 100 * k);
    }
  expect_adjoint(space, space.halo());
}

// Returns a space of rows in which process p has rows + p rows, and needs each third row of the next process.
Space rows_of(const std::shared_ptr<const Processes>& processes, std::int64_t rows) {
  const int rank = processes->rank(), count = processes->count();
  std::vector<RowList> lists;
  std::int64_t received = 0;
  const auto wanted = [&](int of) { return (rows + of + 2) / 3; };
  if (count > 1) received = wanted((rank + 1) % count);
  const auto list_of = [&](int process) -> RowList& {
    for (RowList& list : lists)
      if (list.process == process) return list;
    return lists.emplace_back(RowList{process});
  };
  for (std::int64_t n = 0; n < received; ++n) list_of((rank + 1) % count).received.push_back(rows + rank + n);
  for (std::int64_t n = 0; count > 1 && n < wanted(rank); ++n)
    list_of((rank + count - 1) % count).sent.push_back(3 * n);
  return {groups_of_rows(rows + rank, received), Exchange::of_lists(lists), processes};
}

TEST(Rows, AreAdjacentAndExchangeLists) {
  for (const std::int64_t rows : {5, 4096, 10007})
    for (const int count : {1, 2, 3})
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const auto backend = test_backend(), host = make_cpu_backend();
        const Space space = rows_of(processes, rows);
        const int rank = processes->rank(), next = (rank + 1) % count;
        std::int64_t all = 0;
        for (int p = 0; p < count; ++p) all += rows + p;
        EXPECT_EQ(space.size(), all);
        EXPECT_EQ(space.unknown_count(), all);
        const std::int64_t own = rows + rank;
        for (const Precision precision : {Precision::fp32, Precision::fp64})
          dispatch(precision, [&]<class T>(T) {
            Field x(*backend, space, precision), staging(*host, space, precision);
            T* const row = staging.view<T>().data;
            for (std::int64_t n = 0; n < own; ++n) row[n] = static_cast<T>(n % 101 + 1000 * rank);
            transfer(staging, x);
            backend->exchange(x);
            const std::int64_t received = count > 1 ? (rows + next + 2) / 3 : 0;
            const auto arrived = [&] {
              const HostRead read(x);
              const T* const there = (*read).view<T>().data;
              for (std::int64_t n = 0; n < received; ++n)
                ASSERT_EQ(there[own + n], static_cast<T>(3 * n % 101 + 1000 * next)) << rows << " " << n;
            };
            arrived();
            Scalar sum = backend->scalar();
            backend->fill(x, 1);
            backend->dot(x, x, sum);
            EXPECT_EQ(backend->value(sum), static_cast<double>(all));  // received rows count where they are unknowns
            arrived();                                                 // verbs do not touch them
          });
        if (count > 1) expect_adjoint(space, space.halo());
      });
}

}  // namespace
}  // namespace poisson::patches_tests
