#include "app/command_line.hpp"

#include <filesystem>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/processes.hpp"
#include "backends/error.hpp"
#include "io/config/schema.hpp"
#include "io/config/spelling.hpp"

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
  if (const std::string& word = unknown.front(); word.find('=') != std::string::npos)
    throw InputError("unexpected argument " + word + "; write --set " + word);
  throw InputError("unexpected argument " + name + "; a run takes one configuration");
}

/// The arguments, the last first as CLI11 takes them, with --set before every assignment that follows one:
/// --set a=1 b=2.
std::vector<std::string> expanded(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool assigning = false;  // the words before were --set KEY=VALUE ...
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool option = word.starts_with("-") && word != "-";
    const bool sets = word == "-s" || word == "--set";
    if (assigning && !option && word.find('=') != std::string_view::npos) words.emplace_back("--set");
    words.emplace_back(word);
    if (sets && i + 1 < argc) words.emplace_back(argv[++i]);
    assigning = sets || word.starts_with("--set=") || (word.starts_with("-s") && word.size() > 2) ||
                (assigning && !option && word.find('=') != std::string_view::npos);
  }
  std::ranges::reverse(words);
  return words;
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Arguments arguments;
  bool schema = false;
  bool reference = false;
  CLI::App program{"Solves -div(k grad u) + s u = f on a box, as a YAML file describes it.", "poisson"};
  program.set_version_flag("-v,--version", "poisson " POISSON_VERSION, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  std::string file, config;
  program.add_option("FILE", file, "The configuration; -: standard input")->type_name("");
  program.add_option("-c,--config", config, "The configuration, by an option")->type_name("FILE");
  program.add_option("-s,--set", arguments.overrides, "Override keys, such as solver.tolerance=1e-10")
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
      "Example:  poisson configs/cavity.yaml --set grid.cells=[64,64,64] parameters.h=30\n"
      "Paths in the file start at its folder, those of --set at the working directory.\n"
      "Exit status: 0 converged; 1 failed; 2 usage or configuration; 3 stopped before the tolerance.");
  try {
    std::error_code none;
    if (argc == 2 && std::string_view(argv[1]) == "help" && !std::filesystem::exists(argv[1], none))
      return {.arguments = {}, .text = program.help()};
    program.parse(expanded(argc, argv));
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
  if (!file.empty() && !config.empty())
    throw InputError("unexpected argument " + file + "; --config names " + config + " already");
  arguments.config = file.empty() ? config : file;
  if (arguments.config.empty()) throw InputError("no configuration is named; add its FILE");
  return {.arguments = std::move(arguments), .text = {}};
}

}  // namespace poisson
