// Groups of processes share coarse levels and act as one process each. The solutions must equal those of one process.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/spaces/groups.hpp"
#include "grids/axes/stretching.hpp"
#include "solver/plan.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"

namespace poisson::shared_groups_tests {
namespace {

// Distributes consecutive processes over `machines` machines.
std::vector<std::size_t> on_machines(int machines, int processes) {
  std::vector<std::size_t> all;
  for (int p = 0; p < processes; ++p) all.push_back(static_cast<std::size_t>(p * machines / processes));
  return all;
}

Sharing on_machines(int machines, const std::shared_ptr<const Processes>& processes, const Parts& parts,
                    std::int64_t least) {
  return {processes, parts, least, groups_on(on_machines(machines, processes->count()), processes, parts)};
}

// Returns the number of levels that groups share.
int levels_of_groups(const Hierarchy& h, const Sharing& sharing) {
  return static_cast<int>(std::ranges::count_if(h.operators, [&](const auto& A) {
    return sharing.groups && &A->space().processes() == sharing.groups->processes.get();
  }));
}

TEST(Groups, ExchangeMessagesAmongTheirMembers) {
  // With five numbers the last round of a gather is not full.
  for (const std::vector<std::vector<int>>& lists :
       {std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}, {{5, 3, 1, 0, 2}, {4}}, {{0, 2, 4}, {1, 3, 5}}})
    as_processes(6, [&](const std::shared_ptr<const Processes>& processes) {
      const auto& own = *std::ranges::find_if(
          lists, [&](const auto& list) { return std::ranges::find(list, processes->rank()) != list.end(); });
      const auto some = some_of(processes, own);
      const int count = static_cast<int>(own.size()), rank = some->rank();
      ASSERT_EQ(some->count(), count);
      EXPECT_EQ(own[static_cast<std::size_t>(rank)], processes->rank());
      EXPECT_EQ(some->gather(processes->rank()), own);
      EXPECT_EQ(some->largest(rank), count - 1);
      int sent = 100 + rank, got = -1;
      const Processes::Message out{(rank + 1) % count, 1, &sent, sizeof sent};
      const Processes::Message in{(rank + count - 1) % count, 1, &got, sizeof got};
      some->start({&out, 1}, {&in, 1})->finish();
      EXPECT_EQ(got, 100 + (rank + count - 1) % count);
      for (int from = 0; from < count; ++from) {
        int told = rank == from ? 7 + from : 0;
        some->broadcast(&told, sizeof told, from);
        EXPECT_EQ(told, 7 + from);
      }
    });
}

TEST(Groups, AreBoxesOfPartsOnOneMachine) {
  // Contains the parts into which groups cut each axis, and the representatives in the last one's set.
  using Found = std::pair<Parts, std::vector<int>>;
  const auto found = [](const std::vector<std::size_t>& machines, const Parts& parts) {
    Found of_last{{0, 0, 0}, {}};
    as_processes(static_cast<int>(machines.size()), [&](const std::shared_ptr<const Processes>& processes) {
      const auto groups = groups_on(machines, processes, parts);
      std::vector<int> beside;
      if (groups) beside = groups->processes->gather(processes->rank());
      if (groups && processes->rank() + 1 == processes->count()) of_last = {groups->parts, beside};
    });
    return of_last;
  };
  EXPECT_EQ(found(on_machines(2, 4), {1, 2, 2}), (Found{{1, 1, 2}, {1, 3}}));
  EXPECT_EQ(found(on_machines(4, 8), {2, 2, 2}), (Found{{1, 2, 2}, {1, 3, 5, 7}}));
  EXPECT_EQ(found(on_machines(2, 6), {1, 1, 6}), (Found{{1, 1, 2}, {2, 5}}));
  // Machines with alternating processes also form boxes if these lie one behind another.
  EXPECT_EQ(found({8, 9, 8, 9}, {2, 2, 1}), (Found{{2, 1, 1}, {2, 3}}));
  const Found none{{0, 0, 0}, {}};
  EXPECT_EQ(found({8, 9, 8, 9}, {1, 1, 4}), none);
  EXPECT_EQ(found({8, 9, 9, 8}, {2, 2, 1}), none);
  EXPECT_EQ(found({8, 8, 8, 9}, {1, 1, 4}), none);
  EXPECT_EQ(found({8, 8, 8, 9}, {2, 2, 1}), none);
  EXPECT_EQ(found(on_machines(2, 5), {1, 1, 5}), none);
  EXPECT_EQ(found(on_machines(3, 6), {1, 3, 2}), none);
  // One group contains everything, and groups of one process each are unnecessary.
  EXPECT_EQ(found(on_machines(1, 4), {1, 2, 2}), none);
  EXPECT_EQ(found(on_machines(4, 4), {1, 2, 2}), none);
}

TEST(Groups, TakeLevelsThatAreSmallForThemOrThinForParts) {
  Problem p;
  p.centering = Centering::cell;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, 64);
  const Block fine = make_block(p);
  const CoarseBlock coarse = coarsen(fine, {true, true, true});
  const auto parts_below = [&](const Parts& cut, int machines, std::int64_t least) {
    Parts parts;
    as_processes(cut[0] * cut[1] * cut[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Sharing sharing = on_machines(machines, processes, cut, least);
      const Block below = sharing.below(part_of(coarse, sharing.part_of(fine)).block, false);
      if (processes->first()) parts = parts_of(below.space());
    });
    return parts;
  };
  constexpr std::int64_t unknowns = 32 * 32 * 32;
  EXPECT_EQ(parts_below({1, 2, 2}, 2, unknowns / 2), (Parts{1, 2, 2}));
  EXPECT_EQ(parts_below({1, 2, 2}, 2, unknowns / 2 + 1), (Parts{1, 1, 2}));
  EXPECT_EQ(parts_below({1, 2, 2}, 2, unknowns), (Parts{1, 1, 2}));
  EXPECT_EQ(parts_below({1, 2, 2}, 2, unknowns + 1), uncut_axes);
  // Groups that cut the same number of axes save no turns.
  EXPECT_EQ(parts_below({1, 1, 4}, 2, unknowns), (Parts{1, 1, 4}));
  // Eight parts of four layers each are too thin, but four groups of eight layers are not.
  EXPECT_EQ(parts_below({1, 1, 8}, 4, 0), (Parts{1, 1, 4}));
  EXPECT_EQ(parts_below({1, 1, 8}, 1, 0), uncut_axes);
}

/// Counts how often one process sends, the messages to other machines, and their bytes.
class Counting final : public Processes {
 public:
  struct Sent {
    double rounds = 0, between = 0, bytes = 0;  ///< simultaneous sends, and messages between machines with their bytes
  };

  Counting(std::shared_ptr<const Processes> all, std::vector<std::size_t> machines)
      : all_(std::move(all)), machines_(std::move(machines)) {}
  int rank() const override { return all_->rank(); }
  int count() const override { return all_->count(); }
  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    ++sent_.rounds;
    for (const Message& m : sent) {
      if (machines_[static_cast<std::size_t>(m.partner)] == machines_[static_cast<std::size_t>(rank())]) continue;
      ++sent_.between;
      sent_.bytes += static_cast<double>(m.bytes);
    }
    return all_->start(sent, received);
  }
  void gather(const void* own, std::size_t bytes, void* all) const override { all_->gather(own, bytes, all); }
  void broadcast(void* data, std::size_t bytes, int from) const override { all_->broadcast(data, bytes, from); }
  const Sent& sent() const { return sent_; }

 private:
  std::shared_ptr<const Processes> all_;
  std::vector<std::size_t> machines_;
  mutable Sent sent_;
};

// Returns the maximum number of sends of a process per cycle, the difference of two cycles and one, for a grid of 64³
// cells with shared levels down to 16³.
Counting::Sent sent_in_a_cycle(const Parts& parts, int machines, bool grouped) {
  Case c;
  c.problem.centering = Centering::cell;
  for (auto& nodes : c.problem.nodes) nodes = uniform_nodes(0, 1, 64);
  c.problem.source = [](double x, double y, double z) { return std::sin(5 * x + 3 * y) + z; };
  c.options.tolerance = 0;
  std::array<Counting::Sent, 2> sent;
  for (const int cycles : {1, 2}) {
    c.options.max_iterations = cycles;
    std::vector<double> u(std::size_t{1} << 18);
    const int count = parts[0] * parts[1] * parts[2];
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const auto counting = std::make_shared<const Counting>(processes, on_machines(machines, count));
      std::vector<int> everyone(static_cast<std::size_t>(count));
      std::iota(everyone.begin(), everyone.end(), 0);
      // Gathers are counted as messages.
      const Sharing sharing = on_machines(grouped ? machines : 1, some_of(counting, everyone), parts, 16 * 16 * 16);
      solve(c, sharing, u);
      const Counting::Sent own = counting->sent();
      const Counting::Sent most{processes->largest(own.rounds), processes->largest(own.between),
                                processes->largest(own.bytes)};
      if (processes->first()) sent[static_cast<std::size_t>(cycles) - 1] = most;
    });
  }
  return {sent[1].rounds - sent[0].rounds, sent[1].between - sent[0].between, sent[1].bytes - sent[0].bytes};
}

// Groups must send less often in total, and at most as often to other machines.
TEST(Groups, SendFewerMessages) {
  if (!on_cpu()) GTEST_SKIP() << "messages of the host";
  for (const auto& [parts, machines] : {std::pair{Parts{1, 2, 2}, 2}, {Parts{2, 2, 2}, 4}, {Parts{2, 2, 2}, 2}}) {
    SCOPED_TRACE(testing::Message() << parts[0] << parts[1] << parts[2] << " on " << machines);
    const Counting::Sent all = sent_in_a_cycle(parts, machines, false);
    const Counting::Sent groups = sent_in_a_cycle(parts, machines, true);
    EXPECT_LT(groups.rounds, all.rounds);
    EXPECT_LE(groups.between, all.between);
  }
}

struct Grouped {
  std::array<int, 3> parts;
  int machines;
  bool thin = false;  // groups need thin parts
};

class SharedGroups : public testing::TestWithParam<Case> {};

TEST_P(SharedGroups, SolveAsOneProcess) {
  const Case& c = GetParam();
  const auto values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values);
  const Solved one = solve(c, {}, wanted);
  const auto host = make_cpu_backend();
  const Discretization whole(*host, c.problem);
  const Plan plan =
      make_plan(c.problem, c.options, whole.assembly(), false, KappaSummary{whole.rows().kappa, whole.jumps()});
  const std::int64_t coarser = plan.hierarchy.at(1).block.unknowns().size();
  const std::vector<Grouped> in_space{{{1, 1, 4}, 2, true}, {{1, 1, 6}, 3, true}, {{1, 1, 8}, 2, true}, {{1, 2, 2}, 2},
                                      {{3, 2, 1}, 2},       {{2, 2, 2}, 4},       {{2, 2, 2}, 2}};
  const std::vector<Grouped> in_plane{{{1, 4, 1}, 2, true}, {{1, 6, 1}, 3, true}, {{1, 8, 1}, 2, true},
                                      {{4, 2, 1}, 4, true}, {{2, 2, 1}, 2},       {{3, 2, 1}, 2},
                                      {{2, 4, 1}, 4}};
  for (const auto& [parts, machines, thin] : c.problem.dimension == 3 ? in_space : in_plane) {
    SCOPED_TRACE(testing::Message() << parts[0] << parts[1] << parts[2] << " on " << machines);
    std::vector<double> found(values);
    std::vector<double> history;
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Sharing sharing = on_machines(machines, processes, parts, thin ? 1 : coarser / machines + 1);
      ASSERT_TRUE(sharing.groups);
      {
        const auto backend = test_backend();
        const Discretization d(*backend, c.problem, Assembly::automatic, Sampling::automatic, sharing);
        EXPECT_GT(levels_of_groups(d.make_hierarchy(plan.hierarchy), sharing), 0);
      }
      const Solved own = solve(c, sharing, found);
      EXPECT_EQ(own.result.iterations, one.result.iterations);
      if (processes->first()) history = own.result.history;
    });
    // All processes solve lines across cuts together, up to rounding. Kernels of a GPU process planes in batches from
    // the start of each part.
    const bool slabs = parts[static_cast<std::size_t>(c.problem.dimension - 1)] == parts[0] * parts[1] * parts[2];
    if (on_cpu() && slabs && !c.options.smoother.lines_or_planes()) {
      EXPECT_EQ(history, one.result.history);
      EXPECT_EQ(largest_difference(found, wanted), 0);
    } else {
      // Corrections on strong clusters of κ are sums over their pieces.
      EXPECT_LE(largest_difference(found, wanted),
                (c.name.ends_with("islands") ? 1e-11 : 1e-12) * largest_magnitude(wanted));
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int dimension : {2, 3})
    for (const char* scheme : {"nodes", "cells", "q1"})
      for (const char* kind : {"dirichlet", "robin", "periodic", "varying", "galerkin", "islands", "lines", "planes"}) {
        const std::string_view of(kind);
        const bool cells = std::string_view(scheme) == "cells";
        if (of == "planes" && (dimension == 2 || cells)) continue;
        if ((of == "galerkin" || of == "islands") && cells) continue;
        Case c;
        c.name = std::string(scheme) + "_" + std::to_string(dimension) + "d_" + kind;
        Problem& p = c.problem;
        p.dimension = dimension;
        if (std::string_view(scheme) == "q1") p.scheme = Scheme::q1;
        if (cells) p.centering = Centering::cell;
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
          // Galerkin levels of at most 300 values are not shared. With 80 cells, parts are too thin above that.
          const int plane = of == "galerkin" || of == "islands" ? 80 : 96;
          const int n = dimension == 2 ? plane + 2 * static_cast<int>(d) : std::array{36, 38, 56}[d];
          // The strong couplings are along the last axis, which is cut.
          const bool flat = (of == "lines" || of == "planes") && d + 1 == static_cast<std::size_t>(dimension);
          const bool flat_too = of == "planes" && d == 1;
          p.nodes[d] = uniform_nodes(0, flat ? 0.1 : flat_too ? 0.1 : 1, n);
          for (Boundary& face : p.boundary[d]) {
            face.kind = of == "periodic"          ? BoundaryKind::periodic
                        : of == "robin" && d != 1 ? BoundaryKind::robin
                        : of == "robin"           ? BoundaryKind::neumann
                                                  : BoundaryKind::dirichlet;
            if (face.kind == BoundaryKind::robin) face.alpha = 0.7;
            if (face.kind != BoundaryKind::periodic)
              face.value = [](double x, double y, double z) { return 1 + x * y - z; };
          }
        }
        if (of == "varying" || of == "galerkin" || of == "robin") {
          p.coefficient[0] = [](double x, double y, double z) { return 2 + std::sin(3 * x + y) * std::cos(2 * z - y); };
          p.reaction = [](double x, double y, double z) { return 1 + x * x + y + z; };
        }
        p.source = [](double x, double y, double z) { return std::sin(5 * x + 3 * y) + z; };
        if (of == "periodic") p.reaction = 1.0;
        c.options.precision = SolvePrecision::double_;
        c.options.tolerance = 0;
        c.options.max_iterations = 2;
        if (of == "islands")
          p.coefficient[0] = [](double x, double y, double z) {
            return std::fmod(std::floor(9 * x) + std::floor(7 * y) + std::floor(8 * z), 3) == 0 ? 1e4 : 1;
          };
        if (of == "galerkin" || of == "islands") c.options.coarse_operator = CoarseOperator::galerkin;
        if (of == "lines") c.options.smoother.extent = RelaxationChoice::lines;
        if (of == "planes") c.options.smoother.extent = RelaxationChoice::planes;
        all.push_back(std::move(c));
      }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, SharedGroups, testing::ValuesIn(cases()), [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace poisson::shared_groups_tests
