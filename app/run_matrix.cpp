#include "app/run_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/describe.hpp"
#include "app/memory.hpp"
#include "app/report.hpp"
#include "backends/device.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/fields/field_choices.hpp"
#include "solver/matrix.hpp"

namespace poisson {
namespace {

// Values at all points, x fastest.
std::vector<double> sampled(const Quantity& quantity, std::string_view name, const Block& block) {
  try {
    return sample(quantity, name, Sign::any, {block}, Location::node, block.layout().box());
  } catch (const ValueError& error) {
    throw ValueErrors({error});
  }
}

void put(const std::vector<double>& values, double factor, Field& field) {
  const auto host = make_cpu_backend();
  Field staging(*host, field.layout(), field.precision());
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = staging.view<T>();
    std::size_t next = 0;
    for (int k = 0; k < view.n[2]; ++k)
      for (int j = 0; j < view.n[1]; ++j)
        for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = static_cast<T>(factor * values[next++]);
  });
  transfer(staging, field);
}

OutputGrid output_grid(const BandedMatrix& matrix) {
  OutputGrid grid;
  grid.dimension = matrix.dimension();
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < matrix.shape[d]; ++i) grid.nodes[d].push_back(i);
  return grid;
}

RunHeader describe(const Config& config, const Solver& solver, const Backend& backend, const Summary& summary) {
  const BandedMatrix& matrix = *config.matrix;
  RunHeader header;
  header.title = config.title;
  header.version = summary.version;
  header.problem = "A u = b, a matrix from a file";
  header.grid = fmt::format("{} x {} x {} points", matrix.shape[0], matrix.shape[1], matrix.shape[2]);
  header.matrix = fmt::format(
      "{} bands, {}, {}", matrix.offsets.size(),
      matrix.symmetric() ? "symmetric" : fmt::format("unsymmetric (by {:.2g} of the diagonal)", matrix.asymmetry),
      matrix.dominance >= -1e-14
          ? "diagonally dominant"
          : fmt::format("not diagonally dominant (a row lacks {:.2g} of its diagonal)", -matrix.dominance));
  header.unknowns = summary.unknowns;
  header.levels = summary.levels;
  header.method = describe_method(solver.options());
  header.device = summary.device;
  header.memory_bytes = static_cast<std::int64_t>(backend.memory().peak());
  return header;
}

}  // namespace

void check_matrix_values(const Config& config) {
  const Block block = make_block(*config.matrix);
  sampled(config.problem.source, "source", block);
  if (config.problem.initial) sampled(*config.problem.initial, "initial", block);
}

int solve_matrix(const Config& config, bool profiled, const std::function<bool()>& stopped, Console& console,
                 ResultFolder& results, Summary& summary) {
  const BandedMatrix& matrix = *config.matrix;
  const Block block = make_block(matrix);
  Stopwatch watch;
  std::string note;
  const auto backend = make_backend(config.device, &note);
  summary.device = backend->device();
  if (const std::string tight = check_memory(config, *backend); !tight.empty()) console.warning(tight);
  std::optional<Profile> profile;
  if (profiled) profile.emplace(*backend);
  const auto solver = make_solver(*backend, matrix, config.options, profile ? &*profile : nullptr);
  summary.time.setup = watch.lap();
  const double scale = solver->A().scale();
  const auto rhs = matrix.rhs.empty() ? sampled(config.problem.source, "source", block) : matrix.rhs;
  put(rhs, scale, solver->rhs());
  if (config.problem.initial) put(sampled(*config.problem.initial, "initial", block), 1, solver->solution());
  summary.time.input += watch.lap();
  summary.unknowns = static_cast<std::int64_t>(matrix.points());
  summary.levels = solver->levels();
  summary.dimension = matrix.dimension();
  summary.matrix =
      Summary::Matrix{static_cast<int>(matrix.offsets.size()), matrix.symmetric(), matrix.asymmetry, matrix.dominance};
  RunHeader header = describe(config, *solver, *backend, summary);
  if (!note.empty()) header.device += "; " + note;
  double size = 0;
  for (const double b : rhs) size += std::abs(b);
  Report report(config, watch, console, results, summary);
  const Result result = report.iterate(*solver, *backend, profile ? &*profile : nullptr, header, stopped, size);

  const std::vector<double> u = gather_values(block, solver->solution()).all();
  summary.solution = {u[0], u[0], 0, 0, {}, {}};
  for (const double value : u) {
    summary.solution.min = std::min(summary.solution.min, value);
    summary.solution.max = std::max(summary.solution.max, value);
    summary.solution.integral += value;
    summary.solution.l2 += value * value;
  }
  summary.solution.l2 = std::sqrt(summary.solution.l2);
  for (const auto& point : config.output.probes)
    summary.probes.push_back({point, interpolate_at(block, solver->solution(),
                                                    std::span(point).first(matrix.shape[1] == 1 ? 1 : point.size()))});
  std::vector<ShownField> fields;
  for (const std::string& name : config.output.fields) {
    Pieces values = field_choice(name).of_matrix(block, *solver, rhs);
    fields.push_back({{name, Location::node, 1}, std::move(values)});
  }
  if (!fields.empty()) write_fields(config, output_grid(matrix), fields, results, summary);
  return report.close(result, *backend);
}

}  // namespace poisson
