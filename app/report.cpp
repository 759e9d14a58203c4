#include "app/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "app/command_line.hpp"
#include "app/describe.hpp"
#include "app/reasons.hpp"
#include "app/shared_profile.hpp"
#include "backends/device/probe.hpp"
#include "backends/memory/error.hpp"
#include "grids/results/cell_flux.hpp"
#include "io/files/formats.hpp"

namespace poisson {
namespace {

/// The field values in flight to the files have at most 32 MiB, summed over all processes.
constexpr std::size_t piece_values = std::size_t{1} << 22;
constexpr double patience = 0.05;  ///< seconds of a solve before the terminal shows its progress

// Splits the time of a process into computing on shared levels, computing on replicated levels, exchanges and gathers.
// The verbs of shared levels include the waits for messages, except for the waits `between` verbs.
Summary::Profile split(std::span<const Profile::Entry> entries, const Processes::Waits& waits,
                       const Processes::Waits& between) {
  const bool shared = std::ranges::any_of(entries, &Profile::Entry::shared);
  Summary::Profile all{0, waits.exchanges, 0, waits.gathers};
  for (const Profile::Entry& e : entries) (shared && !e.shared ? all.coarse : all.computing) += e.seconds;
  const Processes::Waits within = waits - between;
  all.computing = std::max(0.0, all.computing - within.exchanges - within.gathers);
  return all;
}

}  // namespace

void record(const Result& result, const Solver& solver, Summary& summary) {
  const double scale = solver.A().scale();
  summary.method = method_name(solver.options());
  summary.converged = result.converged();
  summary.reason = describe_end(result, solver.options());
  summary.iterations = result.iterations;
  summary.steps = result.steps;
  summary.residual.initial = result.initial / std::sqrt(scale);
  summary.residual.final = result.final / std::sqrt(scale);
  summary.residual.relative = result.relative();
  summary.residual.rounding_floor = result.rounding_floor;
  summary.residual.history = result.history;
  summary.estimated_error = result.estimated_error;
  summary.balance.projected = result.projected / scale;
  if (solver.options().extrapolate) summary.balance.extrapolated = result.extrapolated / scale;
}

namespace {

// Returns the name of u for people, for example "T (°C)"; empty without one.
std::string shown_name(const Config& config) {
  const std::string &name = config.output.quantity, &unit = config.output.unit;
  if (unit.empty()) return name == "u" ? "" : name;
  return name + " (" + unit + ")";
}

// Is a file, and which of the fields it receives.
struct WrittenFile {
  std::unique_ptr<FieldFile> file;
  std::vector<bool> receives;
};

// Opens the files of all formats that can contain one of the fields. A picture of a mesh shows u alone. Collective.
std::vector<WrittenFile> open_files(const Config& config, const std::filesystem::path& folder, const OutputMesh& mesh,
                                    const std::vector<FieldHead>& heads,
                                    const std::shared_ptr<const Processes>& processes, const OutputNote& note) {
  std::vector<WrittenFile> files;
  const bool grid = std::holds_alternative<OutputGrid>(mesh);
  for (const std::string& name : config.output.formats) {
    const FileFormat& format = file_format(name);
    std::vector<FieldHead> own;
    std::vector<bool> receives;
    for (const FieldHead& head : heads) {
      const bool listed = std::ranges::find(config.output.fields, head.name) != config.output.fields.end();
      receives.push_back(!grid && format.picture ? head.name == "u" : listed && (format.faces || head.face_axis < 0));
      if (receives.back()) own.push_back(head);
    }
    if (own.empty()) continue;
    files.push_back({open_file(name, folder, mesh, std::move(own), note, processes), std::move(receives)});
  }
  return files;
}

// Computes the values of fields piece by piece and writes them. One piece is written while the next is computed. After
// each piece, all processes know if one of them failed.
void write_pieces(const std::vector<Pieces>& fields, const std::vector<WrittenFile>& files,
                  const Processes& processes) {
  struct Piece {
    const Pieces* field;
    int first, last;
    std::size_t number;
  };
  std::vector<Piece> pieces;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Pieces& field = fields[f];
    const int planes = field.shape[2];
    const std::size_t values = piece_values / static_cast<std::size_t>(processes.count());
    const int step =
        static_cast<int>(std::clamp(values / field.plane(), std::size_t{1}, static_cast<std::size_t>(planes)));
    for (int first = 0; first < planes; first += step)
      pieces.push_back({&field, first, std::min(first + step, planes), f});
  }
  std::array<std::vector<double>, 2> values;
  std::future<void> writing;
  const auto most = static_cast<std::size_t>(processes.largest(static_cast<double>(pieces.size())));
  for (std::size_t turn = 0; turn <= most; ++turn)
    together(processes, [&] {
      if (turn < pieces.size()) {
        const auto& [field, first, last, number] = pieces[turn];
        auto& made = values[turn % 2];
        made.resize(field->plane() * static_cast<std::size_t>(last - first));
        field->fill(first, last, made);
      }
      if (writing.valid()) writing.get();
      if (turn < pieces.size())
        writing = std::async(std::launch::async, [&files, &made = values[turn % 2], number = pieces[turn].number] {
          for (const WrittenFile& open : files)
            if (open.receives[number]) open.file->write(made);
        });
    });
}

// Returns the data that a picture draws over its colours. Collective.
MarkSource mark_source(const Config& config, Case& work) {
  MarkSource source;
  if (config.problem.media) source.regions = config.problem.media->map;
  if (!config.output.marks.flow()) return source;
  const FieldChoice flux{
      .name = "flux",
      .doc = "",
      .on_cells = true,
      .components = [](const Problem& problem) { return problem.dimension; },
      .of_grid = [](const Discretization& d, Solver& s) { return gather_cell_flux(d, s.solution()); }};
  source.flux = work.field(flux).fill;
  return source;
}

}  // namespace

void write_fields(const Config& config, Case& work, const std::filesystem::path& folder,
                  const std::shared_ptr<const Processes>& processes, Summary& summary) {
  if (config.output.formats.empty() || config.output.fields.empty()) return;
  const OutputMesh mesh = work.output_mesh();
  const bool grid = std::holds_alternative<OutputGrid>(mesh);
  const auto picture = [](const std::string& name) { return file_format(name).picture; };
  const bool draws = std::ranges::any_of(config.output.formats, picture);
  std::vector<Pieces> fields;
  std::vector<FieldHead> heads;
  std::vector<std::string> names = config.output.fields;
  if (draws && !grid && std::ranges::find(names, "u") == names.end()) names.emplace_back("u");
  for (const std::string& name : names) {
    Case::ShownField shown = work.shown(name, config.problem.centering);
    if (name == "u") shown.head.title = shown_name(config);
    heads.push_back(std::move(shown.head));
    fields.push_back(std::move(shown.values));
  }
  OutputNote note{config.title, summary.converged, config.effective, config.output.colours};
  if (draws && grid) {
    note.marks = config.output.marks;
    note.mark_source = mark_source(config, work);
  }
  std::vector<WrittenFile> files = open_files(config, folder, mesh, heads, processes, note);
  // The first field suffices for pictures.
  if (grid && std::ranges::all_of(config.output.formats, picture)) {
    const auto shown = std::ranges::find(heads, -1, &FieldHead::face_axis) - heads.begin();
    fields = {fields[static_cast<std::size_t>(shown)]};
    for (WrittenFile& file : files) file.receives = {true};
  }
  write_pieces(fields, files, *processes);
  for (const WrittenFile& open : files) {
    const std::vector<std::filesystem::path> paths = open.file->close();
    together(*processes, [&] {
      if (!processes->first()) return;
      for (const auto& path : paths)
        summary.files.push_back({path.filename().string(), std::filesystem::file_size(path)});
    });
  }
}

Result Report::iterate(Solver& solver, Backend& backend, Profile* profile, const RunHeader& header,
                       const std::function<bool()>& stopped, double size) {
  console_.header(header);
  summary_.time.output += watch_.lap();
  const bool given_guess = config_.problem.initial.has_value();
  solver.prepare(given_guess);
  if (profile) profile->clear();  // discards the set-up
  const Processes::Waits waited = processes_.waits();
  Processes::Waits between;
  const double tolerance = config_.options.tolerance;
  std::vector<CycleRecord> records;
  records.reserve(static_cast<std::size_t>(std::min(config_.options.max_iterations, 1000)) + 1);
  std::optional<double> floor;  // set until the console has shown it
  const auto show_floor = [&] {
    if (floor) console_.floor(*std::exchange(floor, std::nullopt), tolerance);
  };
  solver.on_fallback([&](const std::string& line) {
    show_floor();
    console_.fallback(line);
  });
  summary_.time.setup += watch_.lap();
  const Stopwatch clock;
  const Result result = work_.solve(given_guess, [&](const Solver::Progress& p) {
    if (p.iteration == 0) floor = p.rounding_floor;
    records.push_back({p.relative_residual, clock.total()});
    // Writing to a terminal can take longer than a short solve, and would count as solve time.
    if (records.back().elapsed > patience) {
      show_floor();
      console_.progress(p.iteration, config_.options.max_iterations, records.back(), tolerance);
    }
    const Processes::Waits before = processes_.waits();
    const bool stops = stopped();
    between = between + (processes_.waits() - before);
    return !stops;
  });
  summary_.time.solve += watch_.lap();
  solver.on_fallback({});
  show_floor();
  console_.table(records);
  if (profile) {
    const std::vector<Profile::Entry> own = profile->take();
    summary_.profiles = processes_.gather(split(own, profile->waits() + (processes_.waits() - waited), between));
    const Field& from = solver.solution();
    Field& to = solver.spare();  // which may be in fp32
    const double copy =
        processes_.sum(copy_bandwidth(backend, from.data(), to.data(), std::min(from.bytes(), to.bytes())));
    profile_lines_ = describe_profile(of_all(own, processes_), summary_.profiles, copy, summary_.time.solve);
  }
  record(result, solver, summary_);
  summary_.steps.insert(summary_.steps.begin(), before_.begin(), before_.end());
  if (widens(result, solver)) {
    before_.push_back(describe_widening(result));
    console_.fallback(before_.back());
    return result;
  }
  const double projected = result.projected / solver.A().scale();
  if (size > 0 && std::abs(projected) > 1e-3 * size) console_.warning(describe_incompatibility(projected, size));
  if (result.start_given_up)
    console_.warning(
        "the cycles diverged, so the full multigrid start was replaced by zero: solver.full_multigrid: false saves its "
        "time; another solver.smoother may converge");
  if (result.verdict == Verdict::not_finite || result.verdict == Verdict::diverged) {
    summary_.reason += work_.demand();
    throw RunError(summary_.reason);
  }
  return result;
}

bool Report::widens(const Result& result, const Solver& solver) {
  return solver.options().precision == SolvePrecision::single &&
         (result.verdict == Verdict::not_finite || result.verdict == Verdict::diverged);
}

int Report::close(const Result& result, const Backend& backend) {
  auto& time = summary_.time;
  const std::string unbalanced = describe_imbalance(summary_, config_.options);
  const bool allowed = config_.flow_tolerance > 0 && summary_.balance.relative() <= config_.flow_tolerance;
  if (!unbalanced.empty() && !allowed) console_.warning(unbalanced);
  summary_.warnings = console_.warnings();
  summary_.peak_memory_bytes = static_cast<std::int64_t>(backend.memory().peak());
  time.output += watch_.lap();
  time.total = time.input + time.setup + time.solve + time.output;
  together(processes_, [&] {
    if (results_) results_->publish(summary_);
  });
  console_.closing(summary_, config_.options.tolerance, config_.output.directory.string());
  for (const std::string& line : profile_lines_) console_.line(line);
  const bool exact_count = config_.options.tolerance == 0 && result.verdict == Verdict::running;
  return summary_.converged || exact_count ? exit_status::success : exit_status::incomplete;
}

}  // namespace poisson
