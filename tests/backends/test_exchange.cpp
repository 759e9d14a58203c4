// These tests cover an exchange in two halves with work between them, and its requirements.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/transport_speed.hpp"
#include "backends/device/unknowns.hpp"
#include "backends/memory/ordered_sum.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson::exchange_tests {
namespace {

Cuts cuts_of(std::array<int, 3> parts, std::array<bool, 3> periodic) {
  Cuts cuts;
  cuts.n = {12, 13, 14};
  cuts.periodic = periodic;
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(cuts.n[d] * p / parts[d]);
  return cuts;
}

/// The inner box and the boxes around it must cover each value once. Halo values that arrive during the overlap must
/// not border on the inner box.
TEST(Exchange, LeavesAnInnerPart) {
  for (const std::array parts : {std::array{1, 1, 3}, std::array{1, 2, 2}, std::array{2, 1, 1}, std::array{2, 2, 2}})
    for (const bool periodic : {false, true}) {
      const Cuts cuts = cuts_of(parts, {periodic, false, periodic});
      for (int p = 0; p < cuts.patches(); ++p) {
        SCOPED_TRACE(testing::Message() << parts[0] << parts[1] << parts[2] << ", periodic " << periodic << ", " << p);
        const Exchange exchange(cuts, p);
        const Layout layout = cuts.layout(p);
        ASSERT_LT(exchange.in_flight(), exchange.steps().size());
        ASSERT_FALSE(exchange.sent()[exchange.in_flight()].empty());
        for (std::size_t t = exchange.in_flight() + 1; t < exchange.steps().size(); ++t)
          EXPECT_TRUE(exchange.sent()[t].empty());
        for (Box box : {layout.box(), Box{{1, 0, 1}, layout.n}, Box{{2, 2, 2}, {3, 3, 3}}}) {
          const Box inner = exchange.inner(box);
          std::vector<int> taken(static_cast<std::size_t>(layout.size()));
          std::vector<Box> all = around(box, inner);
          all.push_back(inner);
          for (const Box& part : all)
            for (int k = part.first[2]; k < part.last[2]; ++k)
              for (int j = part.first[1]; j < part.last[1]; ++j)
                for (int i = part.first[0]; i < part.last[0]; ++i)
                  ++taken[static_cast<std::size_t>((k * layout.n[1] + j) * layout.n[0] + i)];
          std::int64_t once = 0;
          for (const int times : taken) once += times == 1 ? 1 : times == 0 ? 0 : 1000000;
          EXPECT_EQ(once, box.size());
          for (std::size_t t = exchange.in_flight(); t < exchange.steps().size(); ++t)
            for (const Exchange::Piece& piece : exchange.steps()[t])
              for (std::size_t d = 0; d < 3; ++d)
                if (piece.to.first[d] >= layout.n[d] || piece.to.last[d] <= 0) {  // across this axis
                  EXPECT_TRUE(piece.side < 0 ? inner.first[d] > 0 : inner.last[d] < layout.n[d]);
                }
        }
      }
    }
}

/// The halo must not depend on the work between the two halves.
TEST(Exchange, FillsHalosBesideWork) {
  for (const std::array parts : {std::array{1, 1, 3}, std::array{1, 2, 2}, std::array{3, 1, 1}})
    for (const bool beside : {false, true}) {
      const Cuts cuts = cuts_of(parts, {true, false, true});
      as_processes(cuts.patches(), [&](const std::shared_ptr<const Processes>& processes) {
        const auto backend = test_backend();
        backend->set_least_beside(beside ? 1 : 0);
        const Space space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
        backend->reserve_halo_buffers(space);
        const auto host = make_cpu_backend();
        Field there(*host, space, Precision::fp64), x(*backend, space, Precision::fp64);
        const auto value = [&](int i, int j, int k) {
          const std::array at{(i + cuts.n[0]) % cuts.n[0], j, (k + cuts.n[2]) % cuts.n[2]};
          return 1.0 + at[0] + 100 * at[1] + 10000 * at[2];
        };
        const auto& o = space.part().origin();
        for_each_value(there.view<double>(), false, [&](int i, int j, int k) {
          there.view<double>()(i, j, k) = value(i + o[0], j + o[1], k + o[2]);
        });
        transfer(there, x);
        int parts_seen = 0;
        backend->exchange_overlapped(x, space.part().layout().box(), [&](const Box&) { ++parts_seen; });
        EXPECT_EQ(parts_seen > 1, beside);
        const HostRead read(x);
        const auto v = (*read).view<double>();
        for (int k = -1; k <= v.n[2]; ++k)
          for (int j = -1; j <= v.n[1]; ++j)
            for (int i = -1; i <= v.n[0]; ++i) {
              const bool open = j + o[1] < 0 || j + o[1] >= cuts.n[1];
              ASSERT_EQ(v(i, j, k), open ? 0 : value(i + o[0], j + o[1], k + o[2])) << i << " " << j << " " << k;
            }
      });
    }
}

/// Every patch must get its share of one sequence over the unknowns of the grid, and nothing else may change.
TEST(FixedNumbers, AreOneSequenceOverThePatches) {
  const Cuts cuts = cuts_of({2, 3, 2}, {true, false, true});
  const Box all{{1, 0, 2}, {cuts.n[0], cuts.n[1] - 1, cuts.n[2] - 1}};
  std::vector<double> sequence;
  for (std::uint32_t bits = 1; std::ssize(sequence) < all.size();)
    sequence.push_back(std::ldexp(static_cast<double>(bits = bits * 1664525 + 1013904223), -31) - 1);
  const auto backend = test_backend();
  for (const Precision precision : {Precision::fp32, Precision::fp64})
    for (int patch = 0; patch < cuts.patches(); ++patch) {
      const Space space(cuts, patch, all);
      Field x(*backend, space, precision);
      backend->fill(x, 7);
      set_fixed_numbers(x);
      const HostRead read(x);
      dispatch(precision, [&]<class T>(T) {
        const auto v = (*read).view<T>();
        for_each_value(v, false, [&](int i, int j, int k) {
          const std::array at{i + space.part().origin()[0], j + space.part().origin()[1], k + space.part().origin()[2]};
          std::int64_t number = 0;
          bool inside = true;
          for (std::size_t d = 3; d-- > 0;) {
            inside = inside && at[d] >= all.first[d] && at[d] < all.last[d];
            number = number * (all.last[d] - all.first[d]) + at[d] - all.first[d];
          }
          const T wanted = inside ? static_cast<T>(sequence[static_cast<std::size_t>(number)]) : T{7};
          ASSERT_EQ(v(i, j, k), wanted) << patch << ": " << i << " " << j << " " << k;
        });
      });
    }
}

/// A dot product must have the same bits for any number of slabs.
TEST(Exchange, SumsHaveTheSameBits) {
  std::vector<double> sums;
  for (const int count : {1, 2, 3, 4}) {
    const Cuts cuts = cuts_of({1, 1, count}, {});
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const auto backend = test_backend();
      const Space space =
          count == 1 ? Space(cuts, 0, Box{{0, 0, 0}, cuts.n}) : Space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
      backend->reserve_halo_buffers(space);
      const auto host = make_cpu_backend();
      Field there(*host, space, Precision::fp64), x(*backend, space, Precision::fp64);
      for_each_value(there.view<double>(), false, [&](int i, int j, int k) {
        there.view<double>()(i, j, k) = std::sin(1 + i + 12 * (j + 13 * (k + space.part().origin()[2])));
      });
      transfer(there, x);
      Scalar sum = backend->scalar();
      backend->dot(x, x, sum);
      const double value = backend->value(sum);
      if (processes->first()) sums.push_back(value);
    });
  }
  for (const double sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(OrderedSum, AddsEveryValueOnce) {
  for (const int count : {0, 1, 255, 256, 257, 5000}) {
    std::vector<int> seen(static_cast<std::size_t>(count));
    const double sum = ordered_sum(count, [&](int i) {
      ++seen[static_cast<std::size_t>(i)];
      return static_cast<double>(i);
    });
    EXPECT_EQ(sum, 0.5 * count * (count - 1.0) + 0.0);
    for (const int times : seen) EXPECT_EQ(times, 1);
  }
}

TEST(TransportSpeed, IsMeasured) {
  as_processes(2, [](const std::shared_ptr<const Processes>& processes) {
    const auto backend = test_backend();
    const TransportSpeed speed = measure_transport(*backend, processes);
    EXPECT_GT(speed.latency, 0);
    EXPECT_LT(speed.latency, 10);
    EXPECT_GT(speed.bandwidth, 0);
    EXPECT_TRUE(std::isfinite(speed.bandwidth));
  });
}

}  // namespace
}  // namespace poisson::exchange_tests
