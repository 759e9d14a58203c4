#include "app/run.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include "app/command_line.hpp"
#include "app/describe.hpp"
#include "app/memory.hpp"
#include "app/report.hpp"
#include "app/run_matrix.hpp"
#include "backends/device.hpp"
#include "backends/error.hpp"
#include "grids/results/integrals.hpp"
#include "grids/results/profile.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/config/config.hpp"
#include "io/config/yaml.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/output.hpp"
#include "io/files/result_folder.hpp"
#include "io/files/summary.hpp"
#include "io/terminal/console.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// Errors found on the grid, with the places in the file where their quantities stand.
[[noreturn]] void raise(const Config& config, const ValueErrors& found) {
  std::vector<std::string> lines;
  for (const ValueError& e : found.errors) {
    const std::string message = e.what();
    lines.push_back(config.describe(e.quantity) + ": the value" + message.substr(e.quantity.size()));
  }
  throw ConfigError(std::move(lines));
}

std::vector<ShownField> shown_fields(const Config& config, const Discretization& d, Solver& solver) {
  std::vector<ShownField> fields;
  for (const std::string& name : config.output.fields) {
    const FieldChoice& choice = field_choice(name);
    Pieces values = choice.of_grid(d, solver);
    fields.push_back({{name, choice.location(d.problem().centering), values.components}, std::move(values)});
  }
  return fields;
}

OutputGrid output_grid(const Config& config) {
  OutputGrid grid;
  grid.dimension = config.problem.dimension;
  grid.equidistant = config.equidistant;
  grid.nodes = config.problem.nodes;
  if (grid.dimension == 2) grid.nodes[2] = {0.0};
  return grid;
}

void write_fields(const Config& config, const Discretization& d, Solver& solver, const ResultFolder& results,
                  Summary& summary) {
  if (config.output.formats.empty() || config.output.fields.empty()) return;
  write_fields(config, output_grid(config), shown_fields(config, d, solver), results, summary);
}

// The names that the run's files will have, the summary's apart.
std::vector<std::string> file_names(const Config& config) {
  std::vector<std::string> names;
  if (config.output.fields.empty()) return names;
  OutputGrid grid;
  grid.dimension = config.problem.dimension;
  grid.equidistant = config.equidistant;
  const bool nodes = std::ranges::any_of(config.output.fields, [&](const auto& name) {
    return field_choice(name).location(config.problem.centering) == Location::node;
  });
  for (const std::string& format : config.output.formats)
    names.push_back(format == "vtk" ? vtk_name(grid) : format == "hdf5" ? hdf5_name(grid, nodes) : "solution.png");
  return names;
}

// Before the solve, whose work a value that is not finite would lose.
void check_exact(const Discretization& d, const Field& any) {
  if (!d.problem().exact) return;
  try {
    error_norms(d, any);
  } catch (const ValueError& error) {
    throw ValueErrors(std::vector{error});
  }
}

int solve(const Config& config, bool profiled, Console& console, ResultFolder& results, Summary& summary) {
  Stopwatch watch;
  std::string note;
  const auto backend = make_backend(config.device, &note);
  summary.device = backend->device();
  if (const std::string tight = check_memory(config, *backend); !tight.empty()) console.warning(tight);

  try {
    // Sampling κ is input, the hierarchy made from it is set-up.
    const Discretization d(*backend, config.problem, config.assembly);
    if (!std::ranges::all_of(config.problem.coefficient, [](const Quantity& k) { return k.constant(); }))
      check_memory(config, d);
    summary.time.setup = watch.lap() - d.sampling_seconds();
    std::optional<Profile> profile;
    if (profiled) profile.emplace(*backend);
    const auto solver = make_solver(d, config.options, profile ? &*profile : nullptr);
    summary.time.setup += watch.lap();
    const double b_norm = d.assemble_rhs(solver->rhs());
    d.initialize(solver->solution());
    check_exact(d, solver->solution());
    summary.time.input += watch.lap() + d.sampling_seconds();
    summary.unknowns = d.unknowns();
    summary.levels = solver->levels();
    RunHeader header = describe_run(config, d, *solver, summary);
    if (!note.empty()) header.device += "; " + note;
    if (!d.note().empty()) header.device += "; " + d.note();
    Report report(config, watch, console, results, summary);
    const Result result = report.iterate(
        *solver, *backend, profile ? &*profile : nullptr, header, [] { return stop_requested != 0; }, b_norm);
    const SolutionNorms norms = solution_norms(d, solver->solution());
    const auto place = [&](const std::array<double, 3>& at) {
      return std::vector<double>(at.begin(), at.begin() + config.problem.dimension);
    };
    summary.solution = {norms.min, norms.max, norms.integral, norms.l2, place(norms.min_at), place(norms.max_at)};
    if (config.problem.exact) {
      const ErrorNorms e = error_norms(d, solver->solution());
      summary.error = Summary::ErrorNorms{e.max, e.l2};
    }
    for (const auto& point : config.output.probes)
      summary.probes.push_back({point, interpolate_at(d.block(), solver->solution(), point)});
    const Balance b = balance(d, solver->A(), solver->solution(), solver->rhs(), solver->spare());
    summary.flux = b.flux;
    summary.balance.source = b.source;
    summary.balance.reaction = b.reaction;
    summary.balance.residual = b.residual;
    summary.balance.flow = throughput(b);
    // Where only rounding is left of all totals, as between Neumann faces, what the data have in magnitude.
    if (summary.balance.flow < 1e-10 * b_norm) summary.balance.flow = b_norm;
    write_fields(config, d, *solver, results, summary);
    return report.close(result, *backend);
  } catch (const ValueErrors& errors) {
    raise(config, errors);
  }
}

// What started the program may have had a signal ignored, as nohup and the background of shells do.
void stop_on(int signal) {
  if (std::signal(signal, SIG_IGN) != SIG_IGN) std::signal(signal, [](int) { stop_requested = 1; });
}

// The end of a run that failed, in words that stand alone.
std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return "not enough memory (an allocation failed)";
  return error.what();
}

// Whatever the run had found before: nothing of it may pass for a result.
void record_failure(ResultFolder& results, Summary summary, const std::string& reason, Console& console) {
  summary.reason = reason;
  summary.converged = false;
  summary.solution = {};
  summary.error.reset();
  summary.probes.clear();
  summary.flux = Summary().flux;
  summary.balance = Summary().balance;
  summary.files.clear();
  try {
    results.fail(summary);
  } catch (const std::exception& error) {
    console.error(error.what());
  }
}

int run(const Arguments& arguments, Console& console) {
  Stopwatch watch;
  const Config config = load_config(arguments.config, arguments.overrides);
  if (arguments.validate || arguments.dry_run) {
    // Before the values, of which what does not fit has too many.
    if (!arguments.validate)
      for (const std::string& line : describe_plan(config)) console.line(line);
    try {
      if (config.matrix)
        check_matrix_values(config);
      else
        check_values(config.problem);
    } catch (const ValueErrors& errors) {
      raise(config, errors);
    }
    const bool piped = is_standard_input(arguments.config);
    if (arguments.validate) console.line((piped ? "standard input" : arguments.config.string()) + ": valid");
    return exit_status::success;
  }

  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) stop_on(signal);
  ResultFolder results(config.output.directory);
  if (!results.note().empty()) console.warning(results.note());
  Summary summary;
  summary.title = config.title;
  summary.version = POISSON_VERSION;
  summary.dimension = config.problem.dimension;
  summary.configuration = config.effective;
  std::tie(summary.least_cell, summary.widest_cell) = cell_widths(config);
  summary.method = method_name(config.options);  // as asked for, until the solver has resolved it
  summary.time.input = watch.lap();
  try {
    results.check_names(file_names(config));
    const auto copies = std::ranges::count_if(config.output.formats, [](const auto& name) { return name != "png"; });
    results.check_space(static_cast<double>(copies) * bytes_of_output(config));
    if (!config.matrix) return solve(config, arguments.profile, console, results, summary);
    try {
      return solve_matrix(
          config, arguments.profile, [] { return stop_requested != 0; }, console, results, summary);
    } catch (const ValueErrors& errors) {
      raise(config, errors);
    }
  } catch (const std::exception& error) {
    record_failure(results, summary, reason_of(error), console);
    throw;
  }
}

}  // namespace

int run(const Arguments& arguments) {
  Console console(arguments.quiet);
  const int status = run(arguments, console);
  const std::string lost = console.lost();
  if (lost.empty()) return status;
  const bool results = !arguments.validate && !arguments.dry_run;
  console.error("standard output cannot be written (" + lost + ")" + (results ? "; the results are complete" : ""));
  return status == exit_status::success ? exit_status::failure : status;
}

}  // namespace poisson
