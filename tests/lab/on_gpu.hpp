#pragma once

// This test is shared by studies that need a GPU: a study must run quickly, verify the work that it times, and print
// conclusions.

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"
#include "tests/device.hpp"

namespace poisson::lab {

inline void expect_complete(const Study& study) {
  Session session(test_device(), true);
  const Findings findings = findings_of(study, study.measure(session), session.machine());
  EXPECT_FALSE(findings.conclusions.empty());
  std::set<std::string> names;
  for (const Panel& panel : findings.panels) {
    SCOPED_TRACE(panel.name);
    EXPECT_TRUE(names.insert(panel.name).second);
    EXPECT_FALSE(panel.points.empty());
    for (const Point& point : panel.points) {
      EXPECT_TRUE(std::isfinite(point.x)) << point.variant;
      EXPECT_TRUE(std::isfinite(point.value) && point.value > 0) << point.variant << " at " << point.x;
      EXPECT_GT(point.seconds, 0) << point.variant << " at " << point.x;
      EXPECT_GE(point.spread(), 0) << point.variant << " at " << point.x;
    }
  }
  for (std::size_t i = 0; i < study.history.size(); ++i)
    EXPECT_TRUE(std::isfinite(findings.today[i])) << study.history[i].what << " has nothing beside it";
  EXPECT_EQ(session.backend().memory().now(), Session(test_device(), true).backend().memory().now());
}

}  // namespace poisson::lab
