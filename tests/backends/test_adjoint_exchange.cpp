// ⟨E u, v⟩ = ⟨u, Eᵀ v⟩ for the exchange of halos E, over values and halos of all patches. Values are small integers, so
// that sums are exact whatever their order.

#include <array>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "backends/adjoint_exchange.hpp"
#include "backends/layer_lines.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson {
namespace {

Cuts cuts_of(const std::array<int, 3>& n, const std::array<int, 3>& parts, const std::array<bool, 3>& periodic) {
  Cuts cuts;
  cuts.n = n;
  cuts.periodic = periodic;
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(n[d] * p / parts[d]);
  return cuts;
}

/// Integers in every value and in the halo.
Field integers(Backend& backend, const Space& space, Precision precision, unsigned seed) {
  Field x(backend, space, precision);
  std::mt19937 random(seed);
  dispatch(precision, [&]<class T>(T) {
    Image<T> image(backend, x);
    for_each_value(image.view, true, [&](int i, int j, int k) {
      image.view(i, j, k) = static_cast<T>(static_cast<int>(random() % 17) - 8);
    });
    image.store(backend);
  });
  return x;
}

double product(Backend& backend, const Field& x, const Field& y) {
  return dispatch(x.precision(), [&]<class T>(T) {
    const Image<T> a(backend, x), b(backend, y);
    double sum = 0;
    for_each_value(a.view, true, [&](int i, int j, int k) {
      sum += static_cast<double>(a.view(i, j, k)) * static_cast<double>(b.view(i, j, k));
    });
    return sum;
  });
}

Field copy_of(Backend& backend, const Field& x) {
  Field y(backend, x.space(), x.precision());
  backend.convert(x, y);
  return y;
}

void expect_transposed(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, Precision precision,
                       int width) {
  const auto backend = test_backend();
  const Box all{{0, 0, 0}, cuts.n};
  const Space space = processes->alone() ? Space(cuts, 0, all) : Space(Share{cuts, processes}, all);
  backend->join(space);
  const auto adjoint = make_adjoint_exchange(*backend);
  const auto seed = static_cast<unsigned>(processes->rank());
  const Field u = integers(*backend, space, precision, 2 * seed),
              v = integers(*backend, space, precision, 2 * seed + 1);
  const Field Eu = copy_of(*backend, u);
  Field Ev = copy_of(*backend, v);
  for (int times = 0; times < 3; ++times) {  // the slots of a mailbox take turns
    backend->exchange(Eu, width);
    adjoint->start(Ev, width);
    adjoint->finish(Ev, width);
    if (times > 0) continue;
    EXPECT_EQ(processes->sum(product(*backend, Eu, v)), processes->sum(product(*backend, u, Ev)));
  }
  // What a halo holds has been added once: the next time it is zero.
  Field again = copy_of(*backend, Ev);
  adjoint->add(again, width);
  EXPECT_EQ(processes->sum(product(*backend, again, again)), processes->sum(product(*backend, Ev, Ev)));
}

TEST(AdjointExchange, IsTheTransposeOfAnExchange) {
  for (const std::array n : {std::array{9, 10, 11}, std::array{12, 9, 1}})
    for (const std::array parts :
         {std::array{1, 1, 1}, std::array{1, 1, 3}, std::array{1, 2, 1}, std::array{2, 1, 1}, std::array{2, 2, 2}})
      for (int wraps = 0; wraps < 8; ++wraps) {
        if (n[2] == 1 && (parts[2] > 1 || wraps >= 4)) continue;
        const Cuts cuts = cuts_of(n, parts, {wraps % 2 == 1, wraps / 2 % 2 == 1, wraps >= 4});
        as_processes(cuts.patches(), [&](const std::shared_ptr<const Processes>& processes) {
          for (const Precision precision : {Precision::fp64, Precision::fp32})
            for (const int width : {1, 2}) {
              SCOPED_TRACE(testing::Message() << "parts " << parts[0] << parts[1] << parts[2] << ", closed " << wraps
                                              << ", values along z " << n[2] << ", width " << width);
              expect_transposed(cuts, processes, precision, width);
            }
        });
      }
}

#ifdef POISSON_HAVE_MPI
/// Of processes that mpirun started, each with its own device or all with one: between GPUs by kernels alone.
TEST(AdjointExchange, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  const int count = processes->count();
  for (const std::array parts : {std::array{1, 1, count}, std::array{1, count, 1}, std::array{count, 1, 1}})
    for (const bool closed : {false, true})
      for (const Precision precision : {Precision::fp64, Precision::fp32})
        for (const int width : {1, 2}) {
          SCOPED_TRACE(testing::Message()
                       << "parts " << parts[0] << parts[1] << parts[2] << ", closed " << closed << ", width " << width);
          expect_transposed(cuts_of({40, 33, 46}, parts, {closed, closed, closed}), processes, precision, width);
          expect_transposed(cuts_of({3 * count, 3 * count, 3 * count}, parts, {closed, false, closed}), processes,
                            precision, width);
        }
}
#endif

/// Each value of a box is one of a line and a layer, and lines of two boxes at the ends of an axis are the same.
TEST(LayerLines, AreTheValuesOfABox) {
  const Box box{{2, -1, 5}, {5, 3, 7}}, other{{40, -1, 5}, {43, 3, 7}};
  for (int axis = 0; axis < 3; ++axis) {
    const LayerLines lines = LayerLines::of(box, axis);
    ASSERT_EQ(lines.lines() * lines.layers(), box.size());
    std::set<std::array<int, 3>> seen;
    for (int line = 0; line < lines.lines(); ++line)
      for (int layer = 0; layer < lines.layers(); ++layer) {
        const auto [x, y, z] = lines.place(line, layer);
        const std::array at{x, y, z};
        for (std::size_t d = 0; d < 3; ++d) EXPECT_TRUE(at[d] >= box.first[d] && at[d] < box.last[d]);
        EXPECT_EQ(at[static_cast<std::size_t>(axis)], box.first[static_cast<std::size_t>(axis)] + layer);
        seen.insert(at);
      }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), box.size());
  }
  const auto here = LayerLines::of(box, 0).place(5, 1), there = LayerLines::of(other, 0).place(5, 1);
  EXPECT_EQ(here.y, there.y);
  EXPECT_EQ(here.z, there.z);
}

/// Linear elements: a process adds up the elements between its nodes alone, each of the others by its own, and has the
/// row sums of the whole.
TEST(AdjointExchange, AddsUpElementsAcrossCuts) {
  const Cuts cuts = cuts_of({8, 9, 10}, {2, 1, 2}, {true, false, true});
  as_processes(cuts.patches(), [&](const std::shared_ptr<const Processes>& processes) {
    const auto backend = test_backend();
    const Space space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
    backend->join(space);
    Field load(*backend, space, Precision::fp64);
    Image<double> image(*backend, load);
    const auto& n = space.layout().n;
    const auto weight = [&](int i, int j, int k) {  // of the element above a node of the whole
      return 1.0 + i % 8 + 8 * (j + 9 * (k % 10));
    };
    const auto& o = space.origin();
    // Elements above the nodes of the patch; across y, which is open, those inside alone.
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1] - 1; ++j)
        for (int i = 0; i < n[0]; ++i)
          for (int corner = 0; corner < 8; ++corner)
            image.view(i + corner % 2, j + corner / 2 % 2, k + corner / 4) += weight(i + o[0], j + o[1], k + o[2]);
    image.store(*backend);
    make_adjoint_exchange(*backend)->add(load);
    const Image<double> sums(*backend, load);
    for_each_value(sums.view, false, [&](int i, int j, int k) {
      double expected = 0;
      for (int corner = 0; corner < 8; ++corner) {
        const int below = j - corner / 2 % 2;
        if (below < 0 || below >= n[1] - 1) continue;
        expected += weight(i + o[0] - corner % 2 + 8, below, k + o[2] - corner / 4 + 10);
      }
      ASSERT_EQ(sums.view(i, j, k), expected) << i << " " << j << " " << k;
    });
  });
}

}  // namespace
}  // namespace poisson
