#include "app/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "backends/host_memory.hpp"
#include "io/fields/field_choices.hpp"

namespace poisson {
namespace {

const char* taker(const Case& work) {
  return work.sharing().processes->alone() ? "the run" : "each process";
}

[[noreturn]] void refuse(const Case& work, double needed, const MemoryLimit& limit) {
  const auto room = static_cast<double>(limit.bytes);
  throw RunError(fmt::format("{} takes {} of memory, and {} are to be had ({}): {}", taker(work),
                             readable_bytes(needed), readable_bytes(room), limit.source, work.smaller(limit, needed)));
}

// What libraries take of a limit that counts them.
double addresses(const Plan& plan, const MemoryLimit& limit) {
  return limit.of_addresses ? static_cast<double>(plan.addresses) : 0;
}

// So many processes share what the run takes.
double parts_of(const Case& work) {
  const auto [x, y, z] = work.sharing().parts;
  return static_cast<double>(x) * y * z;
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

std::string describe_fit(const Config& config, const Case& work, const Plan& plan, const Backend& backend, int here) {
  const bool gpu = backend.on_gpu();
  const MemoryLimit limit = gpu ? MemoryLimit{backend.available(), "the device"} : available_memory(here);
  const auto own = static_cast<double>(plan_of_process(plan, work.sharing()).most());
  const double needed = gpu ? own : own + bytes_of_output(config) / parts_of(work) + addresses(plan, limit);
  const auto room = static_cast<double>(limit.bytes);
  if (needed <= room) return fmt::format("fits: {} are free ({})", readable_bytes(room), limit.source);
  return fmt::format("does not fit: {} are free ({}), {} are missing ({})", readable_bytes(room), limit.source,
                     readable_bytes(needed - room), work.smaller(limit, needed));
}

double require_memory(const Config& config, const Case& work, const Backend& backend, const Plan& plan, int here,
                      double held, double beside) {
  const bool gpu = backend.on_gpu();
  const double solve = static_cast<double>(plan_of_process(plan, work.sharing()).most()) - held;
  if (gpu && solve > static_cast<double>(backend.available()))
    refuse(work, solve, {backend.available(), "the device's that is free"});
  const MemoryLimit hard = hard_memory_limit(here);
  const double needed = (gpu ? 0 : solve) + beside + bytes_of_output(config) / parts_of(work);
  if (const double with = needed + addresses(plan, hard); with > static_cast<double>(hard.bytes))
    refuse(work, with, hard);
  return needed;
}

std::string check_memory(const Config& config, const Case& work, const Backend& backend, int here) {
  const double needed = require_memory(config, work, backend, work.plan(backend.on_gpu()), here);
  if (const auto room = static_cast<double>(available_memory(here).bytes); needed > room)
    return fmt::format("{} takes {} of memory, and {} are free now: it may be slow, or ended by the system",
                       taker(work), readable_bytes(needed), readable_bytes(room));
  return {};
}

}  // namespace poisson
