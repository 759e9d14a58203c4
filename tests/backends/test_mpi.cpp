// These tests cover the requests to MPI that are not messages.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/mpi/mpi_processes.hpp"
#include "backends/mpi/signs_of_life.hpp"
#include "backends/spaces/groups.hpp"

namespace poisson::mpi_tests {
namespace {

/// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Mpi, ReceivesDeviceMemoryIfSupportedOrRequested) {
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

using std::chrono::seconds;

TEST(SignsOfLife, AProcessThatWaitsForACoreIsAlive) {
  SignsOfLife starved;
  for (int s = 0; s < 1000; ++s) EXPECT_EQ(starved.judge({true, false, true, 5}, seconds(s)), Fate::alive) << s;
  SignsOfLife working;  // progresses rarely, unobserved
  for (int s = 0; s < 1000; ++s)
    EXPECT_EQ(working.judge({true, false, false, 5 + static_cast<std::uint64_t>(s / 50)}, seconds(s)), Fate::alive)
        << s;
}

TEST(SignsOfLife, AProcessThatDoesNothingForAMinuteIsLost) {
  SignsOfLife idle;
  for (int s = 0; s < 60; ++s) EXPECT_EQ(idle.judge({true, false, false, 5}, seconds(s)), Fate::alive) << s;
  EXPECT_EQ(idle.judge({true, false, false, 5}, seconds(60)), Fate::silent);
  EXPECT_EQ(idle.judge({true, false, false, 6}, seconds(61)), Fate::alive);
}

TEST(SignsOfLife, AProcessThatStaysStoppedIsLost) {
  SignsOfLife stopped;
  EXPECT_EQ(stopped.judge({true, false, true, 5}, seconds(1)), Fate::alive);
  for (int s = 2; s < 7; ++s) EXPECT_EQ(stopped.judge({true, true, false, 5}, seconds(s)), Fate::alive) << s;
  EXPECT_EQ(stopped.judge({true, true, false, 5}, seconds(7)), Fate::stopped);
  EXPECT_EQ(stopped.judge({true, false, false, 6}, seconds(8)), Fate::alive);
}

TEST(SignsOfLife, TheKernelShowsThem) {
  const auto own = state_of(getpid());
  EXPECT_TRUE(own.exists && own.active && !own.stopped);
  volatile double x = 1;
  for (int n = 0; n < 20'000'000; ++n) x = x * 1.0000001;
  EXPECT_GT(state_of(getpid()).time, own.time);
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  waitpid(child, nullptr, WUNTRACED);
  EXPECT_TRUE(state_of(child).exists && state_of(child).stopped);
  kill(child, SIGKILL);
  siginfo_t found;
  waitid(P_PID, static_cast<id_t>(child), &found, WEXITED | WNOWAIT);
  EXPECT_FALSE(state_of(child).exists) << "nobody has asked for its status yet";
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(state_of(child).exists);
}

/// The launcher's variables identify the other processes before MPI does.
TEST(SignsOfLife, OfLaunchedProcessesAllAreFound) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto all = mpi_processes([](Moment, std::span<const LostProcess>) {});
  EXPECT_EQ(launched_rank(), all->rank());
  EXPECT_EQ(launched_count(), all->count());
  const std::vector<std::int64_t> numbers = all->gather(static_cast<std::int64_t>(getpid()));
  const std::vector<LaunchedProcess> others = launched_here();
  ASSERT_EQ(others.size() + 1, numbers.size());
  for (const LaunchedProcess& other : others) {
    EXPECT_NE(other.rank, all->rank());
    EXPECT_EQ(other.number, numbers[static_cast<std::size_t>(other.rank)]);
  }
  all->gather(0);  // waits for all observers
}

/// The seconds of messages in a gather of some processes do not count as exchanges.
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
}  // namespace poisson::mpi_tests
