#include <cstdio>
#include <exception>
#include <new>

#include "app/command_line.hpp"
#include "app/run.hpp"
#include "backends/wait_policy.hpp"
#include "io/diagnostics.hpp"

namespace {

int report(const char* message, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace poisson;
  try {
    const Command command = parse_command_line(argc, argv);
    if (command.arguments) {
      wait_passively();
      return run(*command.arguments);
    }
    std::fputs(command.text.c_str(), stdout);
    return command.status;
  } catch (const ConfigError& error) {
    // Its lines begin with the place in the file, as compilers' do, so that editors find it.
    return report(error.what(), exit_status::usage);
  } catch (const InputError& error) {
    return report((std::string("poisson: ") + error.what()).c_str(), exit_status::usage);
  } catch (const std::bad_alloc&) {
    return report("poisson: not enough memory (an allocation failed); take fewer cells, or see --dry-run for the need",
                  exit_status::failure);
  } catch (const std::exception& error) {
    return report((std::string("poisson: ") + error.what()).c_str(), exit_status::failure);
  }
}
