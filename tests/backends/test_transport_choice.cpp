// These tests cover the choice of a transport between processes, and the reasons against the others.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/transport_choice.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif
#include "tests/device.hpp"
#include "tests/processes.hpp"

namespace poisson::transport_choice_tests {
namespace {

/// Unavailable transports come last with their reasons, and all processes have the same order.
TEST(TransportChoice, SelectsAvailableTransports) {
  for (const Transport wanting : {Transport::peer, Transport::staged, Transport::mpi}) {
    std::vector<std::vector<TransportWay>> found(3);
    as_processes(3, [&](const std::shared_ptr<const Processes>& processes) {
      const auto make = [&](Transport by) {
        if (by == wanting) throw TransportError("it cannot be had (of old age): take another", "of old age");
        return make_cpu_backend();
      };
      auto& own = found[static_cast<std::size_t>(processes->rank())];
      own = compare_ways(make, processes);
      EXPECT_THROW(measure_way(wanting, make, processes), TransportError);
    });
    for (const auto& ways : found) {
      ASSERT_EQ(ways.size(), 3u);
      EXPECT_TRUE(std::ranges::is_sorted(ways, {}, &TransportWay::seconds));
      EXPECT_EQ(ways.back().transport, wanting);
      EXPECT_EQ(ways.back().obstacle, "of old age");
      EXPECT_FALSE(ways.back().can_be_had());
      EXPECT_TRUE(ways[0].can_be_had() && ways[1].can_be_had());
      EXPECT_EQ(ways[0].transport, found[0][0].transport);
      EXPECT_EQ(ways[0].speed.latency, found[0][0].speed.latency);
    }
  }
}

/// Delays by other processes must not make a link look fast.
TEST(TransportSpeed, IsFiniteForNoisyTimes) {
  const double bytes = 8 * (256. * 256 - 8 * 8);
  EXPECT_DOUBLE_EQ(TransportSpeed::of(2e-6, 1e-5).bandwidth, bytes / 8e-6);
  EXPECT_DOUBLE_EQ(TransportSpeed::of(8e-3, 2e-3).bandwidth, bytes / 5e-4);
  EXPECT_DOUBLE_EQ(TransportSpeed::of(1.6e-5, 1.6e-5).bandwidth, bytes / 1e-6);
  EXPECT_DOUBLE_EQ(TransportSpeed::of(8e-3, 2e-3).latency, 8e-3);
}

#ifdef POISSON_HAVE_MPI
/// With processes started by mpirun, exactly the transports listed as available can be requested.
TEST(TransportChoice, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  if (on_cpu()) GTEST_SKIP() << "ways between GPUs";
  const auto processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  const auto make = [](Transport by) { return make_backend(test_device(), nullptr, 0, by); };
  const std::vector<TransportWay> ways = compare_ways(make, processes);
  ASSERT_EQ(ways.size(), 3u);
  EXPECT_TRUE(ways[0].can_be_had());
  for (const TransportWay& way : ways) {
    if (!way.can_be_had()) {
      EXPECT_THROW(measure_way(way.transport, make, processes), TransportError) << way.obstacle;
      continue;
    }
    EXPECT_TRUE(measure_way(way.transport, make, processes).words.starts_with(name_of(way.transport)));
    EXPECT_GT(way.speed.latency, 0);
    EXPECT_LE(ways[0].seconds(), way.seconds());
  }
}
#endif

}  // namespace
}  // namespace poisson::transport_choice_tests
