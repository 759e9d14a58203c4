#include "app/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "backends/host_memory.hpp"
#include "io/fields/field_choices.hpp"
#include "solver/matrix.hpp"

namespace poisson {
namespace {

/// "take 40 % of the cells per axis, 400 x 400 x 200 at most, or precision: single", with some room for what does not
/// grow with the cells.
std::string remedy(const Config& config, const MemoryLimit& limit, double needed) {
  if (config.matrix) return "take a machine with more, or precision: single";
  constexpr double margin = 0.95;
  const int dimension = config.problem.dimension;
  const auto room = static_cast<double>(limit.bytes - std::min(limit.bytes, limit.reserve));
  const double share = std::pow(margin * room / needed, 1.0 / dimension);
  std::string cells;
  for (int d = 0; d < dimension; ++d) {
    const auto now = static_cast<double>(config.problem.nodes[static_cast<std::size_t>(d)].size() - 1);
    cells += fmt::format("{}{:.0f}", d == 0 ? "" : " x ", std::max(2.0, std::floor(now * share)));
  }
  const double percent = std::floor(100 * share);
  return fmt::format("take {} of the cells per axis, {} at most, or precision: single",
                     percent < 1 ? "less than 1 %" : fmt::format("{:.0f} %", percent), cells);
}

[[noreturn]] void refuse(const Config& config, double needed, const MemoryLimit& limit) {
  const auto room = static_cast<double>(limit.bytes);
  throw RunError(fmt::format("the run takes {} of memory, and {} are to be had ({}): {}", readable_bytes(needed),
                             readable_bytes(room), limit.source, remedy(config, limit, needed)));
}

}  // namespace

double bytes_of_output(const Config& config) {
  double nodes = 1, cells = 1;
  const Problem& problem = config.problem;
  for (const auto& axis : problem.nodes) {
    nodes *= std::max<double>(1, static_cast<double>(axis.size()));
    cells *= std::max<double>(1, static_cast<double>(axis.size()) - 1);
  }
  double values = 0;
  for (const std::string& name : config.output.fields) {
    const FieldChoice& choice = field_choice(name);
    values += choice.components(problem) * (choice.location(problem.centering) == Location::cell ? cells : nodes);
  }
  return config.output.formats.empty() ? 0 : values * sizeof(double);
}

std::string describe_fit(const Config& config, std::size_t bytes, const Backend& backend) {
  const bool gpu = backend.name() != "cpu";
  const MemoryLimit limit = gpu ? MemoryLimit{backend.available(), "the device"} : available_memory();
  const double needed = static_cast<double>(bytes) + (gpu ? 0 : bytes_of_output(config));
  const auto room = static_cast<double>(limit.bytes);
  if (needed <= room) return fmt::format("fits: {} are free ({})", readable_bytes(room), limit.source);
  return fmt::format("does not fit: {} are free ({}), {} are missing ({})", readable_bytes(room), limit.source,
                     readable_bytes(needed - room), remedy(config, limit, needed));
}

std::string check_memory(const Config& config, const Backend& backend) {
  const bool gpu = backend.name() != "cpu";
  const Plan plan = config.matrix ? make_plan(*config.matrix, config.options, gpu)
                                  : make_plan(config.problem, config.options, config.assembly, gpu);
  const auto solve = static_cast<double>(plan.most());
  if (gpu && solve > static_cast<double>(backend.available()))
    refuse(config, solve, {backend.available(), "the device's that is free"});
  const double needed = (gpu ? 0 : solve) + bytes_of_output(config);
  if (const MemoryLimit hard = hard_memory_limit(); needed > static_cast<double>(hard.bytes))
    refuse(config, needed, hard);
  if (const auto room = static_cast<double>(available_memory().bytes); needed > room)
    return fmt::format("the run takes {} of memory, and {} are free now: it may be slow, or ended by the system",
                       readable_bytes(needed), readable_bytes(room));
  return {};
}

void check_memory(const Config& config, const Discretization& d) {
  const bool gpu = d.backend().name() != "cpu";
  const Plan plan =
      make_plan(config.problem, config.options, config.assembly, gpu, KappaSummary{d.rows().kappa, d.jumps()});
  const double more = static_cast<double>(plan.most()) - static_cast<double>(d.bytes());
  if (gpu && more > static_cast<double>(d.backend().available()))
    refuse(config, more, {d.backend().available(), "the device's that is free"});
  // Islands of strong couplings are looked for on the host.
  constexpr double bytes_of_islands = 4;
  const double needed =
      (gpu ? 0 : more) + bytes_of_islands * static_cast<double>(d.unknowns()) + bytes_of_output(config);
  if (const MemoryLimit hard = hard_memory_limit(); needed > static_cast<double>(hard.bytes))
    refuse(config, needed, hard);
}

}  // namespace poisson
