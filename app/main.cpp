#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/hypre.hpp"
#include "app/processes.hpp"
#include "app/reasons.hpp"
#include "app/run.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/processes/wait_policy.hpp"
#include "io/config/diagnostics.hpp"
#include "io/files/hdf5.hpp"

namespace {

using poisson::Processes;

// Ends a run. If several processes end together, the first one with a message prints it, and all return the same
// status. If some processes do not arrive within the time limit, they are aborted.
int leave(const Processes& processes, const std::string& message, int status) {
  constexpr double patience = 2;  // seconds
  std::fflush(stdout);
  const auto say = [&] { std::fprintf(stderr, "%s\n", message.c_str()); };
  if (!processes.meet(patience)) {
    if (!message.empty()) say();
    processes.abort(status);
  }
  const std::vector<int> failed = processes.gather(message.empty() ? 0 : 1);
  if (std::ranges::find(failed, 1) - failed.begin() == processes.rank()) say();
  return std::ranges::max(processes.gather(status));
}

// Returns the prefix of messages, which names the process that failed if there are several.
std::string name(const Processes& processes) {
  return processes.alone() ? "poisson: "
                           : "poisson: process " + std::to_string(processes.rank()) + " of " +
                                 std::to_string(processes.count()) + ": ";
}

// Opens descriptors 0, 1 and 2 on /dev/null if they are closed, so that no file of the run gets their numbers. Standard
// output is opened for reading, because writing to a closed stream must fail.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace poisson;
  hold_standard_streams();
  use_one_arena();
  // With both signals ignored, a failed write returns an error.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOFBF, std::size_t{1} << 16);
  std::shared_ptr<const Processes> processes = one_process();
  try {
    const Command command = parse_command_line(argc, argv);
    if (command.arguments) {
      set_threads(command.arguments->threads);
      wait_passively();
      prepare_parallel_files();
      processes = start_processes();
      provide_hypre();
      return run(*command.arguments, processes);
    }
    errno = 0;
    if (std::fputs(command.text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
      throw RunError(std::string("cannot write to standard output (") + std::strerror(errno) + ")");
    return command.status;
  } catch (const StoppedElsewhere&) {
    return leave(*processes, "", exit_status::failure);
  } catch (const ConfigError& error) {
    // The lines begin with the place in the file, in the format of compiler messages that editors understand.
    return leave(*processes, error.what(), exit_status::usage);
  } catch (const InputError& error) {
    return leave(*processes, "poisson: " + describe_error(error), exit_status::usage);
  } catch (const std::bad_alloc&) {
    return leave(*processes,
                 name(*processes) +
                     "not enough memory (an allocation failed); use fewer cells (--dry-run prints the required memory)",
                 exit_status::failure);
  } catch (const std::exception& error) {
    return leave(*processes, name(*processes) + describe_error(error), exit_status::failure);
  }
}
