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
#include "app/processes.hpp"
#include "app/reasons.hpp"
#include "app/run.hpp"
#include "backends/host_memory.hpp"
#include "backends/wait_policy.hpp"
#include "io/config/diagnostics.hpp"
#include "io/files/hdf5.hpp"

namespace {

using poisson::Processes;

// The end of a run: of several processes the first that has a message says it, and all end with one status. Where some
// do not come here by themselves, they are ended by force.
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

// Of several processes the one that has failed.
std::string name(const Processes& processes) {
  return processes.alone() ? "poisson: "
                           : "poisson: process " + std::to_string(processes.rank()) + " of " +
                                 std::to_string(processes.count()) + ": ";
}

// Descriptors 0, 1 and 2, which files of the run would take if they were closed. What is then written to standard
// output fails, as it should.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace poisson;
  hold_standard_streams();
  use_one_arena();
  // Writing answers with an error instead.
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
      return run(*command.arguments, processes);
    }
    errno = 0;
    if (std::fputs(command.text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
      throw RunError(std::string("standard output cannot be written (") + std::strerror(errno) + ")");
    return command.status;
  } catch (const StoppedElsewhere&) {
    return leave(*processes, "", exit_status::failure);
  } catch (const ConfigError& error) {
    // Its lines begin with the place in the file, as compilers' do, so that editors find it.
    return leave(*processes, error.what(), exit_status::usage);
  } catch (const InputError& error) {
    return leave(*processes, "poisson: " + describe_error(error), exit_status::usage);
  } catch (const std::bad_alloc&) {
    return leave(
        *processes,
        name(*processes) + "not enough memory (an allocation failed); take fewer cells, or see --dry-run for the need",
        exit_status::failure);
  } catch (const std::exception& error) {
    return leave(*processes, name(*processes) + describe_error(error), exit_status::failure);
  }
}
