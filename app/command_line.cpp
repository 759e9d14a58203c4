#include "app/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/processes.hpp"
#include "backends/memory/error.hpp"
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
  throw InputError("unexpected argument " + name +
                   "; a run accepts one configuration; quote a value with blanks: --set 'KEY=VALUE'");
}

bool is_option(std::string_view word) {
  return word.starts_with("-") && word.size() > 1 &&
         std::string_view("0123456789.").find(word[1]) == std::string_view::npos;
}

bool names_file(std::string_view word) {
  return word == "-" || word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

/// Returns the number of brackets that are open at the end, without quoted ones.
int open_brackets(std::string_view text) {
  int open = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else
      open += (c == '[' || c == '{') - (c == ']' || c == '}');
  }
  return open;
}

/// Returns an assignment in quotes, so that a shell passes it as one word.
std::string in_quotes(const std::string& assignment) {
  std::string all = "'";
  for (const char c : assignment) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || word.substr(equals + 1).starts_with('=')) return false;
  return std::ranges::all_of(word.substr(0, equals), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-' || c == '+';
  });
}

/// Returns true if `word` continues the expression `before` after a blank: x + 1, 2* y, x >0. A path may begin with
/// '/'.
bool goes_on(std::string_view before, std::string_view word) {
  constexpr std::string_view operators = "+*/^<>=!&|?:,(";
  if (before.ends_with('-') || operators.find(before.back()) != std::string_view::npos) return true;
  if (word == "-") return true;
  if (word.starts_with('/'))
    return word.size() == 1 || word[1] == '(' || std::isdigit(static_cast<unsigned char>(word[1]));
  return !word.empty() && operators.find(word.front()) != std::string_view::npos;
}

/// Refuses an assignment that the shell split at blanks: --set a=[1, 2], --set a=x + 1, --set a 1, --set a = 1. `next`
/// is the index of the word after it. Throws InputError.
void check_whole(const std::string& assignment, int next, int argc, const char* const* argv) {
  const auto is_value = [&](int i) {
    const bool minus = i + 1 < argc && std::string_view(argv[i]) == "-" && !is_option(argv[i + 1]) &&
                       !names_file(argv[i + 1]) && !is_assignment(argv[i + 1]);
    return i < argc && (minus || (!is_option(argv[i]) && !names_file(argv[i])));
  };
  if (!is_value(next)) return;
  const auto refuse_cut = [&](const auto& belongs) {
    std::string whole = assignment;
    for (int i = next; is_value(i) && belongs(i, whole); ++i) whole += std::string(" ") + argv[i];
    throw InputError("--set " + assignment + " ends at a blank, where the shell split it; quote it: --set " +
                     in_quotes(whole));
  };
  if (open_brackets(assignment) > 0) refuse_cut([](int, const std::string& whole) { return open_brackets(whole) > 0; });
  const std::size_t equals = assignment.find('=');
  if (equals != std::string::npos && equals + 1 < assignment.size()) {
    if (goes_on(assignment, argv[next])) refuse_cut([&](int i, const std::string&) { return !is_assignment(argv[i]); });
    return;
  }
  const std::string key = assignment.substr(0, assignment.find_first_of(equals == std::string::npos ? ":" : "="));
  std::string value = argv[next];
  if (value == "=" && is_value(next + 1)) value = argv[next + 1];
  if (value.starts_with("=")) value.erase(0, 1);
  if (equals == std::string::npos && value.find('=') != std::string::npos)
    return;  // a key without a value, followed by another assignment
  throw InputError("--set " + assignment + " " + argv[next] + ": key and value must be one word; write --set " + key +
                   "=" + (value.find(' ') == std::string::npos ? value : in_quotes(value)));
}

/// Returns the arguments in reverse order, as CLI11 expects them. Inserts --set before every assignment that follows
/// another: --set a=1 b=2.
std::vector<std::string> expanded(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool assigning = false;  // the preceding words were --set KEY=VALUE ...
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool option = word.starts_with("-") && word != "-";
    const bool sets = word == "-s" || word == "--set";
    const bool another = assigning && !option && word.find('=') != std::string_view::npos;
    if (another) words.emplace_back("--set");
    words.emplace_back(word);
    if (sets && i + 1 < argc) words.emplace_back(argv[++i]);
    if (sets || another) check_whole(words.back(), i + 1, argc, argv);
    if (word.starts_with("--set=")) check_whole(std::string(word.substr(6)), i + 1, argc, argv);
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
  CLI::App program{"Solves -div(k grad u) + s u = f on boxes, blocks and meshes. A YAML file describes the problem.",
                   "poisson"};
  program.set_version_flag("-v,--version", "poisson " POISSON_VERSION, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  std::string file, config;
  program.add_option("FILE", file, "Configuration file; - reads standard input")->type_name("");
  program.add_option("-c,--config", config, "Configuration file, as an option")->type_name("FILE");
  program.add_option("-s,--set", arguments.overrides, "Override keys, such as solver.tolerance=1e-10")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  program.add_flag("--validate", arguments.validate, "Check the configuration and stop");
  program.add_flag("--dry-run", arguments.dry_run, "Check the configuration, print the plan and stop");
  program.add_flag("--profile", arguments.profile, "Time every operation of the solve and print a table");
  program.add_flag("-q,--quiet", arguments.quiet, "Print only errors");
  program.add_option("--threads", arguments.threads, "Number of host threads (default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, most_threads).description(""));
  program.add_flag("--schema", schema, "Print the JSON Schema of configurations");
  program.add_flag("--reference", reference, "Print the reference of configurations in Markdown");
  program.footer(
      "Example:  poisson configs/cavity.yaml --set grid.cells=[64,64,64] parameters.h=30\n"
      "Paths in the file are relative to its folder, paths in --set to the working directory.\n"
      "Exit status: 0 converged; 1 failed; 2 invalid usage or configuration; 3 tolerance not reached.");
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
    throw InputError("unexpected argument " + file + "; --config already names " + config);
  arguments.config = file.empty() ? config : file;
  if (arguments.config.empty()) throw InputError("no configuration given; add FILE");
  return {.arguments = std::move(arguments), .text = {}};
}

}  // namespace poisson
