#include "lab/harness/selection.hpp"

#include <algorithm>

#include "backends/memory/error.hpp"
#include "io/config/spelling.hpp"

namespace poisson::lab {
namespace {

[[noreturn]] void refuse(const std::string& name, std::span<const Study> table) {
  std::vector<std::string> known{"all"};
  for (const Study& study : table) known.emplace_back(study.name);
  throw InputError("there is no study '" + name +
                   "' (poisson-lab list shows them): " + suggest(name, known, "write one of"));
}

}  // namespace

Selection select_studies(std::span<const std::string> names, std::span<const Study> table, bool on_gpu) {
  for (const std::string& name : names)
    if (name != "all" && std::ranges::find(table, name, &Study::name) == table.end()) refuse(name, table);
  const auto named = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  Selection selection;
  for (const Study& study : table) {
    if (on_gpu || !study.needs_gpu) {
      if (named("all") || named(study.name)) selection.chosen.push_back(&study);
    } else if (named(study.name)) {
      throw InputError("the study '" + std::string(study.name) +
                       "' cannot run (it needs a GPU, and the device is a CPU): leave it out, or take --device cuda");
    } else if (named("all")) {
      selection.left_out.push_back(&study);
    }
  }
  return selection;
}

}  // namespace poisson::lab
