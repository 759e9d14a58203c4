// Parts must reach the process for which they are meant, even if other processes swap meanwhile.

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/monitor.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/lines/parts_of_lines.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson::part_swap_tests {
namespace {

Cuts cuts_of(const std::array<int, 3>& parts) {
  Cuts cuts;
  for (std::size_t d = 0; d < 3; ++d) {
    cuts.n[d] = 7 * parts[d] + 3;
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(7 * p);
  }
  return cuts;
}

// Returns a word of a part, which differs for each turn and pair of processes.
std::uint64_t word(int turn, int from, int to, std::size_t at) {
  return ((std::uint64_t{static_cast<unsigned>(turn)} * 64 + static_cast<unsigned>(from)) * 64 +
          static_cast<unsigned>(to)) *
             (std::uint64_t{1} << 32) +
         at;
}

/// Swaps more often than a mailbox has slots, with the maximum number of bytes and with fewer. Gathers in between use
/// the same path on GPUs.
void expect_swapped(const std::array<int, 3>& parts, int axis, std::size_t most,
                    const std::shared_ptr<const Processes>& processes, bool replayed) {
  const auto backend = test_backend();
  const Cuts cuts = cuts_of(parts);
  const Members members = members_along(cuts, processes, axis);
  ASSERT_EQ(members.count(), static_cast<std::size_t>(parts[static_cast<std::size_t>(axis)]));
  ASSERT_EQ(members.ranks[members.own()], processes->rank());
  const auto swap = make_part_swap(*backend, members, most);
  swap->reserve_halo_buffers();
  const Space space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
  Field own(*backend, space, Precision::fp32), all(*backend, Layout{.n = cuts.n}, Precision::fp32);
  backend->reserve_gather_buffers(space);
  const Scalar one = backend->scalar(1), zero = backend->scalar(0);
  const Buffer from = backend->allocate(members.count() * most), to = backend->allocate(members.count() * most);
  for (int turn = 0; turn < 5; ++turn) {
    const std::size_t bytes = turn % 3 == 2 ? (most + 4 * part_alignment) / 5 / part_alignment * part_alignment : most;
    const std::size_t n = bytes / sizeof(std::uint64_t);
    std::vector<std::uint64_t> values(n * members.count()), found(values.size());
    for (std::size_t m = 0; m < members.count(); ++m)
      for (std::size_t i = 0; i < n; ++i) values[m * n + i] = word(turn, processes->rank(), members.ranks[m], i);
    backend->write(values.data(), from.data(), values.size() * sizeof(std::uint64_t));
    if (replayed) {
      Monitor monitor({}, {});
      std::unique_ptr<Recording> recording;
      for (int times = 0; times < 3; ++times) {
        // Recordings must remain valid after a larger buffer is allocated.
        std::unique_ptr<PartSwap> larger;
        if (times == 2) larger = make_part_swap(*backend, members, most * static_cast<std::size_t>(turn + 2));
        if (larger) larger->reserve_halo_buffers();
        const auto swaps = [&] {
          backend->begin(monitor, one, one, zero, one, zero);
          backend->repeat(
              3,
              [&] {
                swap->swap(from.data(), to.data(), bytes);
                backend->observe(monitor, one);
              },
              monitor);
        };
        backend->run(recording, swaps, monitor);
        EXPECT_EQ(monitor.state().iterations, 3);
      }
    } else {
      swap->swap(from.data(), to.data(), bytes);
    }
    if (turn == 1) backend->gather(own, all);
    backend->read(to.data(), found.data(), found.size() * sizeof(std::uint64_t));
    std::size_t wrong = 0;
    for (std::size_t m = 0; m < members.count(); ++m)
      for (std::size_t i = 0; i < n; ++i)
        wrong += found[m * n + i] == word(turn, members.ranks[m], processes->rank(), i) ? 0 : 1;
    EXPECT_EQ(wrong, 0U) << "turn " << turn << ", " << bytes << " bytes, along " << axis;
  }
}

TEST(PartSwap, DeliversEachPartToItsProcess) {
  for (const std::array parts :
       {std::array{1, 1, 2}, std::array{1, 3, 1}, std::array{2, 1, 2}, std::array{1, 3, 2}, std::array{3, 2, 1}})
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      for (int axis = 0; axis < 3; ++axis)
        for (const std::size_t most : {part_alignment, 33 * part_alignment, 3000 * part_alignment})
          for (const bool replayed : {false, true}) expect_swapped(parts, axis, most, processes, replayed);
    });
}

#ifdef POISSON_HAVE_MPI
/// Processes started by mpirun share one device or use one each. GPUs exchange only by kernels, launched one by one and
/// recorded.
TEST(PartSwap, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  const int count = processes->count();
  std::vector<std::array<int, 3>> all{{1, 1, count}, {1, count, 1}};
  if (count % 2 == 0) all.push_back({2, 1, count / 2});
  for (const std::array<int, 3>& parts : all)
    for (const int axis : {2, 1, 0})
      for (const std::size_t most : {part_alignment, 1001 * part_alignment, 70001 * part_alignment})
        for (const bool replayed : {false, true}) expect_swapped(parts, axis, most, processes, replayed);
}
#endif

/// Every number of a line that is sent must have its own place among those of the process that solves the line.
TEST(PartsOfLines, HaveAPlaceForEachValueOfAMessage) {
  for (const bool gpu : {false, true})
    for (const LinesInParts& lines :
         {LinesInParts{2, 1, 1, 7}, LinesInParts{3, 7, 5, 40}, LinesInParts{5, 3, 1, 9}, LinesInParts{4, 160, 160, 40},
          LinesInParts{6, 400, 300, 8}, LinesInParts{8, 512, 512, 64}}) {
      const auto backend = make_cpu_backend();
      // Returns the bytes of a message, and of all memory, in a rehearsal.
      const auto rehearsed = [&](Precision precision) {
        RehearsalBackend rehearsal(gpu ? BackendKind::cuda : BackendKind::cpu);
        const std::size_t before = rehearsal.memory().now();
        Members members{one_process(), std::vector<int>(static_cast<std::size_t>(lines.parts))};
        PartsOfLines parts(rehearsal, precision, members, lines);
        parts.reserve_halo_buffers();
        return std::pair(rehearsal.mail().part, rehearsal.memory().now() - before);
      };
      const auto [message, bytes] = rehearsed(Precision::fp64);
      EXPECT_EQ(message % part_alignment, 0U);
      EXPECT_EQ(rehearsed(Precision::fp32).first % part_alignment, 0U);
      EXPECT_LE(message, std::size_t{8} << 20);
      EXPECT_GE(bytes, 2 * message * static_cast<std::size_t>(lines.parts));
      if (gpu) {
        EXPECT_GE(bytes, sizeof(double) * static_cast<std::size_t>(
                                              kept_of_lines(lines.values, std::int64_t{lines.lanes} * lines.slows)));
        continue;
      }
      as_processes(lines.parts, [&](const std::shared_ptr<const Processes>& processes) {
        Members members{processes, std::vector<int>(static_cast<std::size_t>(lines.parts))};
        std::iota(members.ranks.begin(), members.ranks.end(), 0);
        const PartsOfLines parts(*backend, Precision::fp64, members, lines);
        const std::int64_t at_a_time = std::int64_t{lines.lanes} * parts.slows();
        const SendBuffer<double> sent = parts.sent<double>(lines.lanes);
        const auto part = static_cast<std::ptrdiff_t>(message / sizeof(double));
        const int first = processes->rank() * sent.share;
        std::set<const double*> places;
        std::int64_t own = 0;
        for (int slow = 0; slow < parts.slows(); ++slow)
          for (int lane = 0; lane < lines.lanes; ++lane) {
            const std::ptrdiff_t at = sent.of(lane, slow) - sent.data;
            const int line = slow * lines.lanes + lane;
            EXPECT_EQ(at / part, line / sent.share);
            EXPECT_EQ(at % part, line % sent.share);
            own += line >= first && line < first + sent.share ? 1 : 0;
            for (int number = 0; number < PartOfLine::count; ++number)
              places.insert(sent.of(lane, slow) + std::int64_t{number} * sent.share);
          }
        EXPECT_EQ(places.size(), static_cast<std::size_t>(PartOfLine::count * at_a_time));
        EXPECT_LT(*places.rbegin() - sent.data, part * lines.parts);
        EXPECT_EQ(parts.systems<double>(at_a_time).lines, own);
        EXPECT_EQ(parts.systems<double>(0).lines, 0);
      });
    }
}

}  // namespace
}  // namespace poisson::part_swap_tests
