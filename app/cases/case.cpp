#include "app/cases/case.hpp"

#include <fmt/format.h>

#include "app/processes.hpp"
#include "backends/memory/error.hpp"

namespace poisson {

std::unique_ptr<Case> make_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (config.mesh) return make_mesh_case(config, processes);
  if (config.rows) return make_rows_case(config, processes);
  return config.matrix ? make_matrix_case(config, processes) : make_grid_case(config, processes);
}

Parts given_parts(const Config& config, const Block& block, int processes) {
  Parts parts = uncut_axes;
  int product = 1;
  for (std::size_t d = 0; d < config.blocks.size(); ++d) {
    parts[d] = config.blocks[d];
    product *= config.blocks[d];
    const int n = block.layout().n[d];
    if (config.blocks[d] > 1 && n / config.blocks[d] < least_part)
      throw InputError(config.describe("backend.blocks") +
                       fmt::format(": {} parts of {} values along {} have fewer than {} values each: use fewer parts",
                                   config.blocks[d], n, "xyz"[d], least_part));
  }
  if (product != processes)
    throw InputError(config.describe("backend.blocks") +
                     fmt::format(": these are {} blocks, but {} processes were started: use one block per process",
                                 product, processes));
  return parts;
}

Sharing in_groups(const std::shared_ptr<const Processes>& processes, const Parts& parts) {
  Sharing sharing{processes, parts};
  sharing.groups = groups_on(machines_of(*processes), processes, parts);
  return sharing;
}

Case::ShownField Case::shown(const std::string& name, Centering centering) {
  const FieldChoice& choice = field_choice(name);
  Pieces values = field(choice);
  FieldHead head{name, choice.location(centering), values.components, "", values.on_plane, choice.face_axis};
  return {std::move(head), std::move(values)};
}

}  // namespace poisson
