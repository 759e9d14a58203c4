#include "app/run.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/answers/answer_files.hpp"
#include "app/answers/capacitance.hpp"
#include "app/answers/effective.hpp"
#include "app/cases/case.hpp"
#include "app/cases/media_description.hpp"
#include "app/command_line.hpp"
#include "app/describe.hpp"
#include "app/memory.hpp"
#include "app/processes.hpp"
#include "app/reasons.hpp"
#include "app/report.hpp"
#include "backends/device/arrays.hpp"
#include "backends/device/device.hpp"
#include "backends/device/transport_choice.hpp"
#include "backends/memory/error.hpp"
#include "backends/processes/machine.hpp"
#include "backends/utilities/commit.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/config/diagnostics.hpp"
#include "io/config/schema.hpp"
#include "io/config/schema_rows.hpp"
#include "io/config/yaml.hpp"
#include "io/files/formats.hpp"
#include "io/files/result_folder.hpp"

namespace poisson {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// Returns the names of the files that the run will write, except the summary's.
std::vector<std::string> file_names(const Config& config, const Case& work, int processes) {
  if (const auto own = work.own_files()) return *own;
  std::vector<std::string> names = answer_files(config);
  const bool nodes = !config.mesh && std::ranges::any_of(config.output.fields, [&](const auto& name) {
    return field_choice(name).location(config.problem.centering) == Location::node;
  });
  for (const std::string& format : config.output.formats)
    if (!config.output.fields.empty())
      std::ranges::move(names_of_files(format, work.output_mesh(), nodes, processes), std::back_inserter(names));
  return names;
}

// Sends a text from one process to all.
std::string broadcast(const Processes& processes, std::string text, int from) {
  if (processes.alone()) return text;
  std::size_t size = text.size();
  processes.broadcast(&size, sizeof size, from);
  text.resize(size);
  processes.broadcast(text.data(), size, from);
  return text;
}

// Contains the backend of this process, a note on its choice, and the measured ways of messages, the chosen one first.
struct OpenedDevice {
  std::unique_ptr<Backend> backend;
  std::string note;
  std::vector<TransportWay> ways;
};

OpenedDevice open_device(const Config& config, const std::shared_ptr<const Processes>& processes, Summary& summary) {
  if (!processes->alone() && config.device.starts_with("cuda:"))
    throw InputError(config.describe("backend.device") +
                     ": a GPU number is for one process; write cuda, and each process uses the GPU of its local rank");
  const int place = place_on_machine(*processes);
  OpenedDevice opened;
  together(*processes, [&] { opened.backend = make_backend(config.device, &opened.note, place, config.transport); });
  const bool gpu = opened.backend->on_gpu();
  const std::vector<int> on_gpu = processes->gather(gpu ? 1 : 0);
  together(*processes, [&] {
    if (std::ranges::count(on_gpu, on_gpu[0]) != processes->count())
      throw InputError(
          "some processes have a GPU and others have none: use backend.device: cpu, or start all processes on machines "
          "with GPUs");
  });
  summary.device = opened.backend->device();
  if (processes->alone()) return opened;
  // Temporary backends keep these messages out of the peak memory of the solve.
  const auto make = [&](Transport by) { return make_backend(config.device, nullptr, place, by); };
  if (gpu && config.transport == Transport::automatic) {
    opened.ways = compare_ways(make, processes);
    together(*processes, [&] { opened.backend = make(opened.ways.front().transport); });
  } else {
    opened.ways = {measure_way(config.transport, make, processes)};
  }
  for (const TransportWay& way : opened.ways)
    summary.transports.push_back(
        {gpu ? name_of(way.transport) : "messages", way.speed.latency, way.speed.bandwidth, way.obstacle});
  return opened;
}

// Warns of memory that may not suffice. One process warns for all, because the other consoles are quiet.
void warn_of_memory(const Config& config, const Case& work, const Backend& backend, const Processes& processes,
                    Console& console) {
  std::string tight;
  const int here = count_on_machine(processes);
  together(processes, [&] { tight = check_memory(config, work, backend, here); });
  const std::vector<int> warned = processes.gather(tight.empty() ? 0 : 1);
  const auto one = std::ranges::find(warned, 1);
  if (one != warned.end()) console.warning(broadcast(processes, tight, static_cast<int>(one - warned.begin())));
}

RunHeader header_of(const Config& config, const OpenedDevice& device, const Case& work, const Solver& solver,
                    bool alone, const Summary& summary) {
  RunHeader header;
  header.title = config.title;
  header.version = summary.version;
  header.unknowns = summary.unknowns;
  header.levels = summary.levels;
  header.method = describe_method(solver.options());
  header.device = summary.device + (device.note.empty() ? "" : "; " + device.note);
  header.processes = describe_processes(work.sharing());
  for (const std::string& more : {alone ? "" : describe_binding(), describe_ways(device.ways)})
    if (!more.empty()) header.processes += "; " + more;
  header.memory_bytes = static_cast<std::int64_t>(device.backend->memory().peak());
  return header;
}

int solve(const Config& config, const std::shared_ptr<const Processes>& processes, bool profiled, Console& console,
          ResultFolder* results, const std::filesystem::path& folder, Summary& summary) {
  Stopwatch watch;
  const OpenedDevice device = open_device(config, processes, summary);
  Backend& backend = *device.backend;
  std::optional<Profile> profile;
  if (profiled) profile.emplace(backend);
  std::unique_ptr<Case> owner = make_case(config, processes);  // is destroyed before its backend
  Case& work = *owner;
  if (processes->alone()) work.economize(backend);
  warn_of_memory(config, work, backend, *processes, console);

  // Sampling of κ counts as input, and construction of the levels counts as set-up.
  Solver* solver = &work.make_solver(backend, profile ? &*profile : nullptr);
  summary.time.setup = watch.lap() - work.sampling_seconds();
  double size = work.fill();
  for (const std::string& doubt : work.doubts()) console.warning(doubt);
  if (processes->first())
    for (const std::string& empty : describe_empty_parts(config)) console.warning(empty);
  summary.time.input += watch.lap() + work.sampling_seconds();
  summary.unknowns = solver->A().space().unknown_count();
  summary.levels = solver->levels();
  RunHeader header = header_of(config, device, work, *solver, processes->alone(), summary);
  work.describe(header, summary);
  Report report(config, work, *processes, watch, console, results, summary);
  const auto iterate = [&] {
    return report.iterate(
        *solver, backend, profile ? &*profile : nullptr, header, [&] { return processes->any(stop_requested != 0); },
        size);
  };
  Result result = iterate();
  if (Report::widens(result, *solver)) {
    work.widen();
    solver = &work.make_solver(backend, profile ? &*profile : nullptr);
    size = work.fill();
    summary.levels = header.levels = solver->levels();
    header.method = describe_method(solver->options());
    result = iterate();
  }
  work.observe(summary);
  const auto stopped = [&] { return processes->any(stop_requested != 0); };
  std::optional<EffectiveAnswer> effective;
  if (config.output.effective) effective.emplace(config, work, stopped, summary);
  if (work.own_files())
    together(*processes, [&] { work.write_own(folder, summary); });
  else
    write_fields(config, work, folder, processes, summary);
  // Further solves get the memory of the first one.
  const std::shared_ptr<void> kept = keep_released_memory(backend);
  if (effective || !config.output.conductors.empty()) owner.reset();
  if (effective) effective->finish(backend, processes, stopped, summary);
  if (!config.output.conductors.empty()) summary.capacitance = find_capacitance(config, backend, processes, stopped);
  write_answers(config, *processes, folder, summary);
  return report.close(result, backend);
}

// Signals stay ignored if the parent process ignored them, as nohup and shells do for background jobs.
void stop_on_request() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) std::signal(signal, [](int) { stop_requested = 1; });
  }
}

// Returns the reason why a run failed, as a complete sentence.
std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return "not enough memory (an allocation failed)";
  return describe_error(error);
}

// Returns the common reason if all processes end here: the reason of the first process that failed itself.
std::string common_reason(const Processes& processes, const std::exception& error) {
  constexpr double patience = 2;  // seconds
  const std::string own = reason_of(error);
  if (!processes.meet(patience)) return own;
  const std::vector<int> failed = processes.gather(dynamic_cast<const StoppedElsewhere*>(&error) ? 0 : 1);
  const auto first = std::ranges::find(failed, 1);
  return first == failed.end() ? own : broadcast(processes, own, static_cast<int>(first - failed.begin()));
}

// Records the failure and removes all values found so far, so that none of them passes for a result.
void record_failure(ResultFolder& results, Summary summary, const std::string& reason, const Console& console) {
  summary.reason = reason;
  summary.warnings = console.warnings();
  summary.converged = false;
  summary.solution = {};
  summary.error.reset();
  summary.probes.clear();
  summary.bodies.clear();
  summary.floating_bodies.clear();
  summary.materials.clear();
  summary.faces.clear();
  summary.flux.fill(unknown);
  summary.balance = Summary().balance;
  summary.files.clear();
  try {
    results.fail(summary);
  } catch (const std::exception&) {
    // The write may fail as well, for instance on a full disk. The original reason is still reported.
  }
}

// Starts the device that a file with an image names, beside the reading of the image. Errors are reported when the
// configuration is read.
std::jthread start_device_early(const Arguments& arguments) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  std::error_code failure;
  if (arguments.validate || !std::filesystem::is_regular_file(arguments.config, failure) ||
      std::filesystem::file_size(arguments.config, failure) > most_bytes)
    return {};
  std::string device = "auto";
  try {
    Diagnostics errors;
    Value raw = read_yaml(arguments.config, errors);
    for (const std::string& assignment : arguments.overrides) apply_override(raw, schema_of(raw), assignment, errors);
    if (!raw.find("image")) return {};
    if (const Value* given = raw.at("backend.device"); given && given->kind == Value::Kind::string)
      device = given->text;
  } catch (const InputError&) {
    return {};
  }
  return std::jthread([device] { prepare_device(device); });
}

// Reads the configuration on every process. Its content must be the same on all processes.
Config load(const Arguments& arguments, const Processes& processes) {
  std::optional<Config> config;
  read_together(processes, [&] {
    if (!processes.alone() && is_standard_input(arguments.config))
      throw InputError("several processes cannot read standard input: give a file");
    config.emplace(state_config(arguments.config, arguments.overrides));
  });
  // The options must agree as well, because collective operations wait for all processes.
  const auto option = [](bool given, const char* name) { return given ? std::string(name) : std::string(); };
  const std::string own = std::string(POISSON_VERSION) + " " + commit() + "\n" +
                          option(arguments.validate, "--validate ") + option(arguments.dry_run, "--dry-run ") +
                          option(arguments.profile, "--profile ") + config->effective;
  const std::vector<std::size_t> hashes = processes.gather(std::hash<std::string>()(own));
  together(processes, [&] {
    const auto other = std::ranges::find_if(hashes, [&](std::size_t hash) { return hash != hashes[0]; });
    if (other != hashes.end())
      throw InputError(
          fmt::format("process {} has a different configuration, options or program version than process 0: {} must be "
                      "the same file on every machine, and --set, --validate, --dry-run and --profile must be equal",
                      other - hashes.begin(), arguments.config.string()));
  });
  return std::move(*config);
}

// Handles --validate and --dry-run without a solve. Prints the plan before it checks values, because a problem that
// does not fit has too many values to check. Throws RunError if the run would not fit into memory.
void look_at(const Arguments& arguments, const Config& config, const Case& work, int processes, int here,
             Console& console) {
  read_datasets(config);
  for (const std::string& line : work.table()) console.line(line);
  if (!arguments.validate) {
    const auto backend = make_backend(config.device);
    for (const std::string& line : describe_plan(config, work, *backend, processes, here)) console.line(line);
    require_memory(config, work, *backend, work.plan(backend->on_gpu()), here);
  }
  try {
    work.check_values();
  } catch (const ValueErrors& errors) {
    throw located(config, errors);
  }
  for (const std::string& doubt : work.doubts()) console.warning(doubt);
  for (const std::string& empty : describe_empty_parts(config)) console.warning(empty);
  const bool piped = is_standard_input(arguments.config);
  if (arguments.validate) console.line((piped ? "standard input" : arguments.config.string()) + ": valid");
}

int run(const Arguments& arguments, const std::shared_ptr<const Processes>& processes, Console& console) {
  Stopwatch watch;
  // A launcher sends a signal before it kills the other processes; in that time a process can report which one is lost.
  if (!processes->alone()) stop_on_request();
  const std::jthread starting = processes->alone() ? start_device_early(arguments) : std::jthread();
  const Config config = load(arguments, *processes);
  std::unique_ptr<Case> work;
  together(*processes, [&] {
    try {
      work = make_case(config, processes);
    } catch (const ValueError& error) {  // a value that the prediction samples
      throw located(config, ValueErrors({error}));
    }
  });
  if (arguments.validate || arguments.dry_run) {
    const int here = count_on_machine(*processes);
    together(*processes, [&] {
      if (processes->first()) look_at(arguments, config, *work, processes->count(), here, console);
    });
    return exit_status::success;
  }
  if (processes->alone()) stop_on_request();
  {
    const std::jthread preparing([&] {
      if (processes->alone() && !config.datasets.empty()) prepare_device(config.device);
    });
    read_datasets(config, work->output_grid().part, *processes);
  }
  std::optional<ResultFolder> folder;  // exists only on the first process
  together(*processes, [&] {
    if (processes->first()) folder.emplace(config.output.directory);
  });
  ResultFolder* const results = folder ? &*folder : nullptr;
  if (results && !results->note().empty()) console.warning(results->note());
  const std::filesystem::path place =
      broadcast(*processes, results ? std::filesystem::absolute(results->staging()).string() : "", 0);
  Summary summary;
  summary.ranks = processes->count();
  summary.machines = count_machines(*processes);
  summary.cuts = work->cuts();
  summary.title = config.title;
  summary.quantity = config.output.quantity;
  summary.unit = config.output.unit;
  summary.version = POISSON_VERSION;
  summary.dimension = config.problem.dimension;
  summary.configuration = config.effective;
  std::tie(summary.least_cell, summary.widest_cell) = cell_widths(config);
  summary.method = method_name(config.options);  // as requested, until the solver resolves it
  summary.time.input = watch.lap();
  try {
    together(*processes, [&] {
      if (!results) return check_shared(place, processes->rank());
      results->check_names(file_names(config, *work, processes->count()));
      if (work->own_files() || config.mesh) return;  // bytes_of_output is that of boxes
      const auto copies =
          std::ranges::count_if(config.output.formats, [](const auto& name) { return !file_format(name).picture; });
      results->check_space(static_cast<double>(copies) * bytes_of_output(config));
    });
    return with_places(config,
                       [&] { return solve(config, processes, arguments.profile, console, results, place, summary); });
  } catch (const std::exception& error) {
    // The files of other processes stay in the folder until all processes arrive here.
    const std::string reason = common_reason(*processes, error);
    if (results) record_failure(*results, summary, reason, console);
    throw;
  }
}

}  // namespace

int run(const Arguments& arguments, const std::shared_ptr<const Processes>& processes) {
  Console console(arguments.quiet || !processes->first());
  const int status = run(arguments, processes, console);
  const std::string lost = console.lost();
  if (lost.empty()) return status;
  const bool results = !arguments.validate && !arguments.dry_run;
  console.error("cannot write to standard output (" + lost + ")" + (results ? "; the results are complete" : ""));
  return status == exit_status::success ? exit_status::failure : status;
}

}  // namespace poisson
