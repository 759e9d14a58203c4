#include "app/command_line.hpp"

#include <CLI/CLI.hpp>

#include "app/processes.hpp"
#include "backends/error.hpp"
#include "io/schema.hpp"
#include "io/spelling.hpp"

namespace poisson {

namespace {

std::vector<std::string> option_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::Option* option : program.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = program.remaining();
  if (unknown.empty()) throw InputError(std::string(error.what()) + "; see poisson --help");
  const std::string name = unknown.front().substr(0, unknown.front().find('='));
  const std::string near = name.starts_with("-") ? nearest(name, option_names(program)) : std::string();
  const std::string remedy = near.empty() ? "see poisson --help" : "did you mean '" + near + "'?";
  if (name.starts_with("-")) throw InputError("unknown option " + name + "; " + remedy);
  throw InputError("unexpected argument " + name + "; write poisson --config " + name);
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Arguments arguments;
  bool schema = false;
  bool reference = false;
  CLI::App program{"Solves -div(k grad u) + s u = f on a box, as a YAML file describes it.", "poisson"};
  program.set_version_flag("--version", "poisson " POISSON_VERSION, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program.add_option("-c,--config", arguments.config, "The configuration")->type_name("FILE");
  program.add_option("-s,--set", arguments.overrides, "Override one key, such as solver.tolerance=1e-10")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  program.add_flag("--validate", arguments.validate, "Check the configuration and stop");
  program.add_flag("--dry-run", arguments.dry_run, "Check the configuration, print the plan and stop");
  program.add_flag("--profile", arguments.profile, "Time every step of the solve and print a table");
  program.add_flag("-q,--quiet", arguments.quiet, "Print nothing but errors");
  program.add_option("--threads", arguments.threads, "Threads of the host (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, most_threads).description(""));
  program.add_flag("--schema", schema, "Print the JSON Schema of configurations");
  program.add_flag("--reference", reference, "Print the reference of configurations in Markdown");
  program.footer(
      "Example:  poisson --config configs/cavity.yaml --set grid.cells=[64,64,64]\n"
      "Exit status: 0 converged; 1 failed; 2 usage or configuration; 3 stopped before the tolerance.");
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.arguments = {}, .text = program.help()};
  } catch (const CLI::CallForVersion&) {
    return {.arguments = {}, .text = "poisson " POISSON_VERSION "\n"};
  } catch (const CLI::ParseError& error) {
    refuse(program, error);
  }
  if (schema) return {.arguments = {}, .text = json_schema()};
  if (reference) return {.arguments = {}, .text = reference_page()};
  if (argc <= 1) return {.arguments = {}, .text = program.help(), .status = exit_status::usage};
  if (arguments.config.empty()) throw InputError("no configuration is named; add --config FILE");
  return {.arguments = std::move(arguments), .text = {}};
}

}  // namespace poisson
