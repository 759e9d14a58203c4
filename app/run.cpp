#include "app/run.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include <omp.h>

#include "app/command_line.hpp"
#include "app/describe.hpp"
#include "backends/device.hpp"
#include "backends/error.hpp"
#include "backends/probe.hpp"
#include "grids/gather.hpp"
#include "grids/integrals.hpp"
#include "grids/profile.hpp"
#include "grids/sampling.hpp"
#include "io/config.hpp"
#include "io/console.hpp"
#include "io/output.hpp"
#include "io/summary.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// Seconds since the last call, or since construction.
class Stopwatch {
 public:
  double lap() {
    const auto now = clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }
  double total() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now(), last_ = start_;
};

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
      field.values = gather_gradient(block, solver.solution());
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
        field.components = problem.dimension;
        const auto n = static_cast<std::size_t>(problem.dimension);
        for (std::size_t c = 0; c < n; ++c) {
          const auto one = gather_quantity(block, problem.coefficient[c], "coefficient", Location::cell);
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
  const OutputGrid grid = output_grid(config);
  const OutputNote note{config.title, summary.converged, config.effective};
  const auto fields = output_fields(config, d, solver);
  for (const std::string& format : config.output.formats) {
    const auto& directory = config.output.directory;
    const auto path = format == "vtk"    ? write_vtk(directory, grid, fields, note)
                      : format == "hdf5" ? write_hdf5(directory, grid, fields, note)
                                         : write_png(directory, grid, fields.front(), note);
    summary.files.push_back(path.filename().string());
  }
}

// The directory exists and takes files, and holds nothing of an earlier run that could pass for a result of this one.
void prepare(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw InputError("cannot create the output directory " + directory.string() + " (" + error.message() +
                     "): choose another with output.directory");
  for (const char* name :
       {"summary.json", "solution.vti", "solution.vtr", "solution.hdf", "solution.h5", "solution.png"})
    std::filesystem::remove(directory / name, error);
  const auto probe = directory / ".writable";
  std::FILE* file = std::fopen(probe.c_str(), "w");
  if (!file)
    throw InputError("cannot write to the output directory " + directory.string() +
                     " (no permission): choose another with output.directory");
  std::fclose(file);
  std::filesystem::remove(probe, error);
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
    summary.time.input += watch.lap() + d.sampling_seconds();
    summary.unknowns = d.unknowns();
    summary.levels = solver->levels();
    RunHeader header = describe_run(config, d, *solver, summary);
    if (!note.empty()) header.device += "; " + note;
    if (!d.note().empty()) header.device += "; " + d.note();
    console.header(header);

    if (profile) profile->clear();  // of the set-up
    std::vector<CycleRecord> records;
    Stopwatch clock;
    const Result result = solver->solve(config.problem.initial.has_value(), [&](const Solver::Progress& p) {
      if (p.iteration == 0) console.floor(p.rounding_floor, config.options.tolerance);
      records.push_back({p.relative_residual, clock.total()});
      console.progress(p.iteration, config.options.max_iterations, records.back(), config.options.tolerance);
      return stop_requested == 0;
    });
    summary.time.solve = watch.lap();
    console.table(records);
    std::vector<std::string> profile_lines;
    if (profile)
      profile_lines = describe_profile(
          profile->take(),
          copy_bandwidth(*backend, solver->solution().data(), solver->spare().data(), solver->solution().bytes()),
          summary.time.solve);

    const double scale = solver->A().scale();
    summary.converged = result.converged();
    summary.reason = result.reason(solver->options());
    summary.iterations = result.iterations;
    summary.residual.initial = result.initial / std::sqrt(scale);
    summary.residual.final = result.final / std::sqrt(scale);
    summary.residual.relative = result.relative();
    summary.residual.history = result.history;
    summary.estimated_error = result.estimated_error;
    summary.balance.projected = result.projected / scale;
    if (b_norm > 0 && std::abs(result.projected / scale) > 1e-3 * b_norm)
      console.warning(describe_incompatibility(result.projected / scale, b_norm));

    if (result.verdict == Verdict::not_finite || result.verdict == Verdict::diverged) {
      write_summary(config.output.directory, summary);
      throw RunError(summary.reason);
    }
    const SolutionNorms norms = solution_norms(d.block(), solver->solution());
    summary.solution = {norms.min, norms.max, norms.integral, norms.l2};
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
    write_fields(config, d, *solver, summary);
    summary.peak_memory_bytes = static_cast<std::int64_t>(backend->memory().peak());
    summary.time.output = watch.lap();
    summary.time.total = summary.time.input + summary.time.setup + summary.time.solve + summary.time.output;
    summary.files.emplace_back("summary.json");
    write_summary(config.output.directory, summary);
    console.closing(summary, config.options.tolerance, config.output.directory.string());
    for (const std::string& line : profile_lines) console.line(line);
    const bool exact_count = config.options.tolerance == 0 && result.verdict == Verdict::running;
    return result.converged() || exact_count ? exit_status::success : exit_status::incomplete;
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
    try {
      check_values(config.problem);
    } catch (const ValueErrors& errors) {
      raise(config, errors);
    }
    if (arguments.validate) {
      console.line(arguments.config.string() + ": valid");
    } else {
      for (const std::string& line : describe_plan(config)) console.line(line);
    }
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
  summary.method = method_name(config.options);
  summary.time.input = watch.lap();
  try {
    return solve(config, arguments.profile, console, summary);
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
