// These tests cover collective actions of processes, and which process reports an error if some fail.

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/processes.hpp"

namespace poisson::processes_tests {
namespace {

// Returns how each of three processes leaves together().
template <class F>
std::vector<std::string> left_with(const F& f) {
  std::vector<std::string> with(3);
  as_processes(3, [&](const std::shared_ptr<const Processes>& processes) {
    std::string& own = with[static_cast<std::size_t>(processes->rank())];
    try {
      together(*processes, [&] { f(*processes); });
      own = "nothing";
    } catch (const StoppedElsewhere&) {
      own = "stopped";
    } catch (const std::exception& error) {
      own = error.what();
    }
  });
  return with;
}
void fail_on(const Processes& processes, std::initializer_list<int> ranks) {
  for (const int rank : ranks)
    if (processes.rank() == rank) throw std::runtime_error("failure of " + std::to_string(rank));
}

using Words = std::vector<std::string>;

TEST(Together, ReportsNothingOnSuccess) {
  EXPECT_EQ(left_with([](const Processes&) {}), (Words{"nothing", "nothing", "nothing"}));
}

TEST(Together, ReportsTheFirstFailure) {
  EXPECT_EQ(left_with([](const Processes& p) { fail_on(p, {1, 2}); }), (Words{"stopped", "failure of 1", "stopped"}));
}

// Processes that others have stopped inside report nothing.
TEST(Together, ReportsNestedFailures) {
  const auto within = [](const Processes& p) { together(p, [&] { fail_on(p, {2}); }); };
  EXPECT_EQ(left_with(within), (Words{"stopped", "stopped", "failure of 2"}));
  EXPECT_EQ(left_with([](const Processes&) { throw StoppedElsewhere(); }), (Words{"stopped", "stopped", "stopped"}));
}

}  // namespace
}  // namespace poisson::processes_tests
