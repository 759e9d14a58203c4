#include "lab/command_line.hpp"

#include <CLI/CLI.hpp>

#include "backends/memory/error.hpp"

namespace poisson::lab {

Command parse_command_line(int argc, const char* const* argv) {
  Command command;
  CLI::App program{"Studies of what the memory system of a GPU or CPU rewards: measured, verified, drawn.",
                   "poisson-lab"};
  program.set_help_flag("-h,--help", "Print this help");
  program.footer(
      "Example:  poisson-lab run copy transpose --quick\n"
      "Exit status: 0 done; 1 failed, or a variant computed something wrong; 2 usage.");
  const CLI::App* const list = program.add_subcommand("list", "Print the studies, the question of each, and its needs");
  CLI::App* const run = program.add_subcommand("run", "Run studies; print tables, write CSV files, plots and a page");
  run->set_help_flag("-h,--help", "Print this help");
  run->add_option("studies", command.studies, "Names of studies, or all")->required()->type_name("NAME");
  run->add_flag("--quick", command.quick, "Fewer places and repetitions: all studies in a minute");
  run->add_option("--device", command.device, "auto, cpu, cuda or cuda:NUMBER")->type_name("DEVICE");
  run->add_option("--output", command.output, "Where the files go (default: results/lab)")->type_name("DIRECTORY");
  run->add_flag("--break", command.broken)->group("");  // a self-test
  CLI::App* const page = program.add_subcommand("page", "Make the page of a run again, from its lab.json");
  page->set_help_flag("-h,--help", "Print this help");
  page->add_option("file", command.files, "The lab.json")->required()->expected(1)->type_name("FILE");
  page->add_option("--output", command.output, "Where the files go (default: results/lab)")->type_name("DIRECTORY");
  CLI::App* const compare = program.add_subcommand("compare", "Print what two runs conclude differently");
  compare->set_help_flag("-h,--help", "Print this help");
  compare->add_option("files", command.files, "Their lab.json")->required()->expected(2)->type_name("FILE FILE");
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* const asked : program.get_subcommands()) command.text = asked->help();
    if (command.text.empty()) command.text = program.help();
    return command;
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) + "; see poisson-lab --help");
  }
  if (list->parsed()) {
    command.action = Command::Action::list;
  } else if (run->parsed()) {
    command.action = Command::Action::run;
  } else if (page->parsed()) {
    command.action = Command::Action::page;
  } else if (compare->parsed()) {
    command.action = Command::Action::compare;
  } else {
    command.text = program.help();
    command.status = exit_status::usage;
  }
  return command;
}

}  // namespace poisson::lab
