// Tests the study `cache`: its check and its sentences.

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/studies/cache/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"
#include "tests/lab/panels.hpp"

namespace poisson::lab {
namespace {

TEST(Cache, FailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(cache_study.measure(session), WrongResult);
}

TEST(Cache, FindsWhatIsHeld) {
  const auto cached =
      conclude_cache({synthetic_panel("working-set", {16384, 1 << 20, 1 << 25, 1 << 30},
                                      {{"past it", [](double x) { return x <= 1 << 25 ? 9000.0 : 4000.0; }}})});
  EXPECT_TRUE(says(cached, "comes at 9000 GB/s, one of 1 GiB at 4000 GB/s, 2.2 times as much in caches; up to 32 MiB"))
      << joined(cached);
  Panel panel = synthetic_panel("working-set", {16384, 1 << 30}, {{"past it", [](double) { return 20.0; }}});
  const auto flat = conclude_cache({panel});
  EXPECT_TRUE(says(flat, "no cache shows")) << joined(flat);
  EXPECT_FALSE(says(flat, "belongs into a set that a cache holds")) << joined(flat);
  EXPECT_TRUE(says(cached, "belongs into a set that a cache holds")) << joined(cached);
  panel.noise = Panel::host_noise;
  EXPECT_EQ(conclude_cache({panel}).size(), 1U) << "a host's rates are its moment's";
}

}  // namespace
}  // namespace poisson::lab
