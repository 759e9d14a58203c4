// Fields whose halos are exchanged together must get the same halos as in separate exchanges.

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#ifdef POISSON_HAVE_MPI
#include "tests/launched.hpp"
#endif
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson::exchange_fields_tests {
namespace {

Cuts cuts_of(const std::array<int, 3>& n, const std::array<int, 3>& parts, bool closed) {
  Cuts cuts;
  cuts.n = n;
  cuts.periodic = {closed, closed, closed && n[2] > 1};
  for (std::size_t d = 0; d < 3; ++d)
    for (int p = 1; p < parts[d]; ++p) cuts.first[d].push_back(n[d] * p / parts[d]);
  return cuts;
}

/// Returns a field in which no value equals one of another field, patch or time, including halos.
Field distinct(Backend& backend, const Space& space, Precision precision, int number) {
  Field x(backend, space, precision);
  dispatch(precision, [&]<class T>(T) {
    Image<T> image(backend, x);
    int next = number << 16;
    for_each_value(image.view, true, [&](int i, int j, int k) { image.view(i, j, k) = static_cast<T>(++next); });
    image.store(backend);
  });
  return x;
}

void expect_same(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, Precision precision, int width,
                 int count) {
  const auto backend = test_backend();
  const Box all{{0, 0, 0}, cuts.n};
  const Space space = processes->alone() ? Space(cuts, 0, all) : Space(Share{cuts, processes}, all);
  backend->reserve_halo_buffers(space);
  for (int times = 0; times < 3; ++times) {  // uses all slots of a mailbox
    std::vector<Field> together, alone;
    std::vector<const Field*> fields;
    for (int f = 0; f < count; ++f) {
      const int number = (times * count + f) * processes->count() + processes->rank();
      together.push_back(distinct(*backend, space, precision, number));
      alone.push_back(distinct(*backend, space, precision, number));
    }
    for (const Field& field : together) fields.push_back(&field);
    backend->exchange_fields(fields, width);
    for (int f = 0; f < count; ++f) {
      const auto at = static_cast<std::size_t>(f);
      backend->exchange(alone[at], width);
      dispatch(precision, [&]<class T>(T) {
        const Image<T> found(*backend, together[at]), expected(*backend, alone[at]);
        int differ = 0;
        for_each_value(found.view, true,
                       [&](int i, int j, int k) { differ += found.view(i, j, k) == expected.view(i, j, k) ? 0 : 1; });
        EXPECT_EQ(differ, 0) << "field " << f << " of " << count << ", time " << times;
      });
    }
  }
}

TEST(ExchangeFields, FillsTheHaloOfEach) {
  for (const std::array n : {std::array{9, 10, 11}, std::array{12, 9, 1}})
    for (const std::array parts : {std::array{1, 1, 1}, std::array{1, 1, 3}, std::array{1, 2, 1}, std::array{2, 2, 2}})
      for (const bool closed : {false, true}) {
        if (n[2] == 1 && parts[2] > 1) continue;
        const Cuts cuts = cuts_of(n, parts, closed);
        as_processes(cuts.patches(), [&](const std::shared_ptr<const Processes>& processes) {
          for (const Precision precision : {Precision::fp64, Precision::fp32})
            for (const int width : {1, 2})
              for (const int count : {1, 3}) {
                SCOPED_TRACE(testing::Message() << "parts " << parts[0] << parts[1] << parts[2] << ", closed " << closed
                                                << ", values along z " << n[2] << ", width " << width);
                expect_same(cuts, processes, precision, width, count);
              }
        });
      }
  test_backend()->exchange_fields({});
}

#ifdef POISSON_HAVE_MPI
/// Processes started by mpirun share one device or use one each. GPUs exchange only by kernels.
TEST(ExchangeFields, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const int processes = launched()->count();
  for (const std::array parts : {std::array{1, 1, processes}, std::array{1, processes, 1}})
    for (const bool closed : {false, true})
      for (const Precision precision : {Precision::fp64, Precision::fp32})
        for (const int width : {1, 2})
          for (const int count : {1, 2, 5, 20}) {
            SCOPED_TRACE(testing::Message() << "parts " << parts[1] << parts[2] << ", closed " << closed);
            expect_same(cuts_of({40, 33, 46}, parts, closed), launched(), precision, width, count);
          }
}

/// Between peers, fields that fit into a mailbox share a kernel: four fp32 fields in a mailbox for two layers of fp64.
TEST(ExchangeFields, OfLaunchedProcessesShareMessages) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto backend = test_backend();
  const int count = launched()->count();
  const Cuts cuts = cuts_of({40, 33, 46}, {1, 1, count}, false);
  const Space space(Share{cuts, launched()}, Box{{0, 0, 0}, cuts.n});
  backend->reserve_halo_buffers(space);
  if (!backend->transport().starts_with("peer")) GTEST_SKIP() << "not between peers";
  if (std::getenv("POISSON_GRAPHS")) GTEST_SKIP() << "kernels one by one are not counted";
  std::vector<Field> all;
  std::vector<const Field*> fields;
  for (int f = 0; f < 8; ++f) all.emplace_back(*backend, space, Precision::fp32);
  for (const Field& field : all) fields.push_back(&field);
  std::unique_ptr<Recording> together, alone;
  const auto kernels = [&](std::unique_ptr<Recording>& recording, const auto& verbs) {
    backend->prepare(recording, verbs);
    return recording ? recording->kernels() : 0;
  };
  EXPECT_EQ(kernels(together, [&] { backend->exchange_fields(fields); }), 2u);
  EXPECT_EQ(kernels(alone,
                    [&] {
                      for (const Field* const field : fields) backend->exchange(*field);
                    }),
            8u);
}
#endif

}  // namespace
}  // namespace poisson::exchange_fields_tests
