#include <cstdint>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "backends/processes/shared_pieces.hpp"
#include "tests/processes.hpp"

namespace poisson::shared_pieces_tests {
namespace {

TEST(SharedPieces, ShowStoresToAllProcesses) {
  as_processes(3, [](const std::shared_ptr<const Processes>& processes) {
    constexpr std::size_t bytes = 3 * 4096 + 8;
    const SharedPieces pieces(*processes, bytes);
    const int rank = processes->rank();
    for (int p = 0; p < 3; ++p)  // zero up to the last byte
      for (const std::size_t at : {std::size_t{0}, bytes - 1}) EXPECT_EQ(pieces.of(p)[at], 0);
    processes->any(false);
    // Each process writes its number into the pieces of all.
    for (int p = 0; p < 3; ++p) pieces.of(p)[rank] = static_cast<char>(rank + 1);
    processes->any(false);
    for (int p = 0; p < 3; ++p)
      for (int from = 0; from < 3; ++from) EXPECT_EQ(pieces.of(p)[from], from + 1);
    processes->any(false);
  });
}

TEST(SharedPieces, ReportErrorsOnAllProcesses) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit none{0, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  as_processes(2, [](const std::shared_ptr<const Processes>& processes) {
    if (processes->first())
      EXPECT_THROW(SharedPieces(*processes, 4096), RunError);
    else
      EXPECT_THROW(SharedPieces(*processes, 4096), StoppedElsewhere);
  });
  setrlimit(RLIMIT_NOFILE, &files);
}

// Pieces have no names. Only a process that receives the location can open one, and a piece is freed with its last
// user.
TEST(SharedPieces, AreVisibleInForkedProcesses) {
  const SharedPieces piece(*one_process(), 4096);
  const pid_t child = fork();
  if (child == 0) {
    piece.of(0)[7] = 42;
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(piece.of(0)[7], 42);
}

}  // namespace
}  // namespace poisson::shared_pieces_tests
