#include "app/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "backends/memory/host_memory.hpp"
#include "io/fields/field_choices.hpp"

namespace poisson {
namespace {

const char* taker(const Case& work) {
  return work.sharing().processes->alone() ? "the run" : "each process";
}

// Returns the number of processes that share the memory need.
double parts_of(const Case& work) {
  const auto [x, y, z] = work.sharing().parts;
  return static_cast<double>(x) * y * z;
}

// Returns the bytes of one copy of all output fields.
double bytes_of_output(const Config& config, const Problem& problem) {
  if (config.mesh || config.rows) return 0;  // their fields are written one by one
  double nodes = 1, cells = 1;
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

// Contains a memory limit, the bytes needed under it, and the function that computes this need for other plans.
struct Fit {
  MemoryLimit limit;
  double room, needed;  ///< bytes; both include memory that the run has allocated already
  Claim claim;
};

Fit fit(const Config& config, const Case& work, const Plan& plan, const MemoryLimit& limit, bool device, double used) {
  const Claim claim = [&config, &work, addresses = limit.of_addresses, gpu = plan.gpu, device](const Plan& p,
                                                                                               const Problem& problem) {
    const auto own = static_cast<double>(p.most());
    if (device) return own;
    return (gpu ? work.host_bytes() : own) + bytes_of_output(config, problem) / parts_of(work) +
           (addresses ? static_cast<double>(p.addresses) : 0);
  };
  return {limit, static_cast<double>(limit.bytes) + used, claim(plan, config.problem), claim};
}

// Returns the first limit that a plan exceeds: GPU memory, then the host memory that the process can get.
std::optional<Fit> what_does_not_fit(const Config& config, const Case& work, const Backend& backend, const Plan& plan,
                                     int here, double used, Fit& host) {
  host = fit(config, work, plan, hard_memory_limit(here), false, plan.gpu ? 0 : used);
  if (plan.gpu) {
    Fit device = fit(config, work, plan, {backend.available(), "the free memory of the device"}, true, used);
    if (device.needed > device.room) return device;
  }
  return host.needed > host.room ? std::optional(host) : std::nullopt;
}

}  // namespace

double bytes_of_output(const Config& config) {
  return bytes_of_output(config, config.problem);
}

std::string describe_fit(const Config& config, const Case& work, const Plan& plan, const Backend& backend, int here) {
  Fit host;
  const auto found = what_does_not_fit(config, work, backend, plan, here, 0, host);
  if (found)
    return fmt::format("does not fit: {} are available ({}), {} are missing ({})", readable_bytes(found->room),
                       found->limit.source, readable_bytes(found->needed - found->room),
                       work.smaller(plan.gpu, found->room, found->claim));
  const MemoryLimit free = plan.gpu ? MemoryLimit{backend.available(), "the device"} : available_memory(here);
  const auto room = static_cast<double>(free.bytes);
  if (plan.gpu || host.needed <= room) return fmt::format("fits: {} are free ({})", readable_bytes(room), free.source);
  return fmt::format("fits if other programs free memory: {} are free now ({}), {} are missing", readable_bytes(room),
                     free.source, readable_bytes(host.needed - room));
}

double require_memory(const Config& config, const Case& work, const Backend& backend, const Plan& plan, int here,
                      double used) {
  Fit host;
  if (const auto found = what_does_not_fit(config, work, backend, plan, here, used, host))
    throw RunError(fmt::format("{} needs {} of memory, but only {} are available ({}): {}", taker(work),
                               readable_bytes(found->needed), readable_bytes(found->room), found->limit.source,
                               work.smaller(plan.gpu, found->room, found->claim)));
  return host.needed;
}

std::string check_memory(const Config& config, const Case& work, const Backend& backend, int here) {
  const double needed = require_memory(config, work, backend, work.plan(backend.on_gpu()), here);
  if (const auto room = static_cast<double>(available_memory(here).bytes); needed > room)
    return fmt::format("{} needs {} of memory, but only {} are free now: it may be slow, or be killed by the system",
                       taker(work), readable_bytes(needed), readable_bytes(room));
  return {};
}

}  // namespace poisson
