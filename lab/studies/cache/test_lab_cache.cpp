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

}  // namespace
}  // namespace poisson::lab
