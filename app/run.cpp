#include "app/run.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include <omp.h>

#include "app/command_line.hpp"
#include "app/describe.hpp"
#include "app/report.hpp"
#include "app/run_matrix.hpp"
#include "backends/device.hpp"
#include "backends/error.hpp"
#include "grids/gather.hpp"
#include "grids/integrals.hpp"
#include "grids/profile.hpp"
#include "grids/sampling.hpp"
#include "io/config.hpp"
#include "io/console.hpp"
#include "io/output.hpp"
#include "io/summary.hpp"
#include "io/yaml.hpp"
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

std::vector<OutputField> output_fields(const Config& config, const Discretization& d, Solver& solver) {
  const Block& block = d.block();
  const Problem& problem = d.problem();
  std::vector<OutputField> fields;
  for (const std::string& name : config.output.fields) {
    OutputField field{name, block.location(), 1, {}};
    if (name == "u") {
      field.values = gather_values(block, solver.solution());
    } else if (name == "gradient") {
      field.components = problem.dimension;
      field.values = gather_gradient(d, solver.solution());
    } else if (name == "source") {
      field.values = gather_quantity(block, problem.source, "source", block.location());
    } else if (name == "error") {
      field.values = gather_error(d, solver.solution());
    } else if (name == "residual") {
      solver.A().residual(solver.solution(), solver.rhs(), solver.spare());
      field.values = gather_density(block, solver.spare(), 1 / solver.A().scale());
    } else if (name == "coefficient") {
      field.location = Location::cell;
      if (problem.isotropic) {
        field.values = gather_quantity(block, problem.coefficient[0], "coefficient", Location::cell);
      } else {
        std::vector<Quantity> entries(problem.coefficient.begin(), problem.coefficient.begin() + problem.dimension);
        if (problem.full_tensor)
          entries.insert(entries.end(), problem.mixed.begin(),
                         problem.mixed.begin() + (problem.dimension == 3 ? 3 : 1));
        const std::size_t n = entries.size();
        field.components = static_cast<int>(n);
        for (std::size_t c = 0; c < n; ++c) {
          const auto one = gather_quantity(block, entries[c], "coefficient", Location::cell);
          field.values.resize(one.size() * n);
          for (std::size_t i = 0; i < one.size(); ++i) field.values[i * n + c] = one[i];
        }
      }
    }
    fields.push_back(std::move(field));
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

void write_fields(const Config& config, const Discretization& d, Solver& solver, Summary& summary) {
  if (config.output.formats.empty() || config.output.fields.empty()) return;
  write_fields(config, output_grid(config), output_fields(config, d, solver), summary);
}

// The directory exists and takes files, and holds nothing of an earlier run that could pass for a result of this one.
void prepare(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw InputError("cannot create the output directory " + directory.string() + " (" + error.message() +
                     "): choose another with output.directory");
  for (const std::string_view name : result_names) std::filesystem::remove(directory / name, error);
  const auto probe = directory / ".writable";
  std::FILE* file = std::fopen(probe.c_str(), "w");
  if (!file)
    throw InputError("cannot write to the output directory " + directory.string() +
                     " (no permission): choose another with output.directory");
  std::fclose(file);
  std::filesystem::remove(probe, error);
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

int solve(const Config& config, bool profiled, Console& console, Summary& summary) {
  Stopwatch watch;
  std::string note;
  const auto backend = make_backend(config.device, &note);
  summary.device = backend->device();

  try {
    // Sampling κ is input, the hierarchy made from it is set-up.
    const Discretization d(*backend, config.problem, config.assembly);
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
    Report report(config, watch, console, summary);
    const Result result = report.iterate(
        *solver, *backend, profile ? &*profile : nullptr, header, [] { return stop_requested != 0; }, b_norm);
    const SolutionNorms norms = solution_norms(d.block(), solver->solution());
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
    write_fields(config, d, *solver, summary);
    return report.close(result, *backend);
  } catch (const ValueErrors& errors) {
    raise(config, errors);
  }
}

}  // namespace

int run(const Arguments& arguments) {
  if (arguments.threads > 0) omp_set_num_threads(arguments.threads);
  Console console(arguments.quiet);
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

  prepare(config.output.directory);
  std::signal(SIGTERM, [](int) { stop_requested = 1; });
  std::signal(SIGINT, [](int) { stop_requested = 1; });
  Summary summary;
  summary.title = config.title;
  summary.version = POISSON_VERSION;
  summary.dimension = config.problem.dimension;
  summary.configuration = config.effective;
  std::tie(summary.least_cell, summary.widest_cell) = cell_widths(config);
  summary.method = method_name(config.options);  // as asked for, until the solver has resolved it
  summary.time.input = watch.lap();
  try {
    if (!config.matrix) return solve(config, arguments.profile, console, summary);
    try {
      return solve_matrix(
          config, arguments.profile, [] { return stop_requested != 0; }, console, summary);
    } catch (const ValueErrors& errors) {
      raise(config, errors);
    }
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    // Whatever the run had found before: nothing of it may pass for a result.
    summary.reason = error.what();
    summary.converged = false;
    summary.solution = {};
    summary.error.reset();
    summary.probes.clear();
    write_summary(config.output.directory, summary);
    throw;
  }
}

}  // namespace poisson
