// These tests read the limits that end a process from file trees like the kernel's.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/memory/host_memory.hpp"

namespace poisson::host_memory_tests {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Simulates a machine with 8000 MiB whose process uses 100 MiB.
class HostMemory : public testing::Test {
 protected:
  HostMemory() {
    write("proc/meminfo", "MemTotal: 7168000 kB\nMemFree: 1 kB\nSwapTotal: 1024000 kB\n");
    write("proc/self/status",
          "Name:\tpoisson\nVmSize:\t  204800 kB\nVmRSS:\t  102400 kB\nVmData:\t 102400 kB\nThreads:\t2000\n");
  }
  ~HostMemory() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void expect(std::size_t mebibytes, const std::string& source, int here = 1) const {
    constexpr std::size_t of_libraries = 16;  // MiB, subtracted from every limit
    const MemoryLimit found = hard_memory_limit(here, root_);
    EXPECT_EQ(found.bytes, (mebibytes - std::min(mebibytes, of_libraries)) * mebibyte);
    EXPECT_EQ(found.source, source);
  }

  fs::path root_ = fs::temp_directory_path() / ("poisson-memory-" + std::to_string(getpid()));
};

std::string bytes(std::size_t mebibytes) {
  return std::to_string(mebibytes * mebibyte) + "\n";
}

TEST_F(HostMemory, OfTheMachine) {
  expect(7900, "the memory of this machine");
  expect(1900, "the memory of this machine, which 4 processes share", 4);
}

TEST_F(HostMemory, OfControlGroupsOfVersion2) {
  write("proc/self/cgroup", "0::/user/job/step\n");
  write("proc/self/mountinfo", "29 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  const std::string groups = "sys/fs/cgroup/user";
  write(groups + "/memory.max", "max\n");
  write(groups + "/job/memory.max", bytes(600));
  write(groups + "/job/memory.current", bytes(300));
  write(groups + "/job/memory.stat", "anon 1\ninactive_file " + bytes(60) + "active_file " + bytes(40));
  write(groups + "/job/step/memory.max", bytes(500));
  write(groups + "/job/step/memory.current", bytes(50));
  expect(400, "the memory limit of the control group /user/job");
  write(groups + "/job/step/memory.max", bytes(440));
  expect(390, "the memory limit of the control group /user/job/step");
  expect(130, "the memory limit of the control group /user/job/step, which 3 processes share", 3);
  write(groups + "/job/step/memory.current", bytes(450));
  expect(0, "the memory limit of the control group /user/job/step");
}

TEST_F(HostMemory, OfControlGroupsOfVersion1) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/abc/run\n0::/\n");
  write("proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "35 31 0:31 /docker/abc /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,cpu,memory\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(1000));
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(400));
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 5\ntotal_inactive_file " + bytes(100));
  write("sys/fs/cgroup/memory/run/memory.limit_in_bytes", "9223372036854771712\n");
  expect(700, "the memory limit of the control group /");
}

TEST_F(HostMemory, OfSlurm) {
  setenv("SLURM_MEM_PER_CPU", "500", 1);
  setenv("SLURM_CPUS_ON_NODE", "4", 1);
  expect(7900, "the memory of this machine");  // outside a job
  setenv("SLURM_JOB_ID", "1", 1);
  expect(1900, "SLURM_MEM_PER_CPU");
  setenv("SLURM_MEM_PER_NODE", "1000", 1);
  expect(900, "SLURM_MEM_PER_NODE");
  expect(400, "SLURM_MEM_PER_NODE, which 2 processes share", 2);
  setenv("SLURM_MEM_PER_NODE", "0", 1);  // 0 means all memory
  expect(1900, "SLURM_MEM_PER_CPU");
  for (const char* name : {"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE", "SLURM_JOB_ID", "SLURM_MEM_PER_NODE"})
    unsetenv(name);
}

TEST_F(HostMemory, OfUlimit) {
  rlimit before{};
  for (const auto& [resource, name, left] :
       {std::tuple{RLIMIT_AS, "ulimit -v", 1848}, std::tuple{RLIMIT_DATA, "ulimit -d", 1948}}) {
    getrlimit(resource, &before);
    rlimit lower = before;
    lower.rlim_cur = 2048 * mebibyte;
    setrlimit(resource, &lower);
    for (const int here : {1, 2}) expect(static_cast<std::size_t>(left), name, here);  // each process has its own limit
    setrlimit(resource, &before);
  }
}

TEST_F(HostMemory, SubtractsStacksOfFutureThreadsFromUlimit) {
  rlimit before{}, stack{};
  getrlimit(RLIMIT_AS, &before);
  getrlimit(RLIMIT_STACK, &stack);
  const rlimit lower{2048 * mebibyte, before.rlim_max}, small{4 * mebibyte, stack.rlim_max};
  setrlimit(RLIMIT_AS, &lower);
  setrlimit(RLIMIT_STACK, &small);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(5);
  for (const auto& [started, left] : {std::pair{1, 1828}, std::pair{4, 1840}, std::pair{7, 1848}}) {
    write("proc/self/status", "VmSize:\t  204800 kB\nThreads:\t" + std::to_string(started) + "\n");
    expect(static_cast<std::size_t>(left), "ulimit -v");
  }
  omp_set_num_threads(threads);
  setrlimit(RLIMIT_STACK, &stack);
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace poisson::host_memory_tests
