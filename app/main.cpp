#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/processes.hpp"
#include "app/reasons.hpp"
#include "app/run.hpp"
#include "backends/wait_policy.hpp"
#include "io/config/diagnostics.hpp"

namespace {

int report(const char* message, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", message);
  return status;
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
  // Writing answers with an error instead.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOFBF, std::size_t{1} << 16);
  try {
    const Command command = parse_command_line(argc, argv);
    if (command.arguments) {
      refuse_several_processes();
      set_threads(command.arguments->threads);
      wait_passively();
      return run(*command.arguments);
    }
    errno = 0;
    if (std::fputs(command.text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
      throw RunError(std::string("standard output cannot be written (") + std::strerror(errno) + ")");
    return command.status;
  } catch (const ConfigError& error) {
    // Its lines begin with the place in the file, as compilers' do, so that editors find it.
    return report(error.what(), exit_status::usage);
  } catch (const InputError& error) {
    return report(("poisson: " + describe_error(error)).c_str(), exit_status::usage);
  } catch (const std::bad_alloc&) {
    return report("poisson: not enough memory (an allocation failed); take fewer cells, or see --dry-run for the need",
                  exit_status::failure);
  } catch (const std::exception& error) {
    return report(("poisson: " + describe_error(error)).c_str(), exit_status::failure);
  }
}
