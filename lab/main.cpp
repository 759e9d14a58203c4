#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "backends/memory/error.hpp"
#include "lab/command_line.hpp"
#include "lab/run.hpp"

namespace {

int report(const std::string& message, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "poisson-lab: %s\n", message.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace poisson;
  using namespace poisson::lab;
  try {
    const Command command = parse_command_line(argc, argv);
    switch (command.action) {
      case Command::Action::list:
        list();
        return exit_status::success;
      case Command::Action::run:
        return run(command);
      case Command::Action::page:
        return page(command);
      case Command::Action::compare:
        return compare(command);
      case Command::Action::print:
        std::fputs(command.text.c_str(), stdout);
        return command.status;
    }
  } catch (const InputError& error) {
    return report(error.what(), exit_status::usage);
  } catch (const std::bad_alloc&) {
    return report("not enough memory (an allocation failed): run fewer studies, or add --quick", exit_status::failure);
  } catch (const std::exception& error) {
    return report(error.what(), exit_status::failure);
  }
  return exit_status::failure;
}
