// What an MPI is asked and told, beside the messages themselves.
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/groups.hpp"
#include "backends/mpi/mpi_processes.hpp"

namespace poisson {
namespace {

/// A variable of the environment, for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Mpi, IsHandedMemoryOfDevicesWhereItSaysSoOrIsVouchedFor) {
  const char* const name = "POISSON_MPI_DEVICE_MEMORY";
  unsetenv(name);
  const std::string of_mpi = device_memory_obstacle();
  if (!of_mpi.empty()) {
    EXPECT_NE(of_mpi.find("CUDA"), std::string::npos) << of_mpi;
  }
  const auto obstacle_with = [&](const char* value) {
    const Variable set(name, value);
    return device_memory_obstacle();
  };
  for (const char* const value : {"", "0", "yes"}) EXPECT_EQ(obstacle_with(value), of_mpi);
  EXPECT_EQ(obstacle_with("1"), "");
}

/// Seconds of messages by which some gather are not those of exchanges.
TEST(Mpi, OfLaunchedProcessesSomeGather) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto all = mpi_processes([](Moment, std::span<const LostProcess>) {});
  ASSERT_GT(all->count(), 1);
  std::vector<int> everyone(static_cast<std::size_t>(all->count()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const auto some = some_of(all, everyone);
  const Processes::Waits before = all->waits();
  EXPECT_EQ(some->gather(some->rank()), everyone);
  int told = some->first() ? 7 : 0;
  some->broadcast(&told, sizeof told, 0);
  EXPECT_EQ(told, 7);
  Processes::Waits waits = all->waits() - before;
  EXPECT_EQ(waits.exchanges, 0);
  EXPECT_GT(waits.gathers, 0);
  const int next = (all->rank() + 1) % all->count(), last = (all->rank() + all->count() - 1) % all->count();
  int own = all->rank(), come = -1;
  const std::array sent{Processes::Message{next, 1, &own, sizeof own}};
  const std::array received{Processes::Message{last, 1, &come, sizeof come}};
  some->start(sent, received)->finish();
  EXPECT_EQ(come, last);
  EXPECT_GT((all->waits() - before).exchanges, 0);
}

}  // namespace
}  // namespace poisson
