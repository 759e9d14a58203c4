// Sessions of several processes.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/memory.hpp"
#include "app/reasons.hpp"
#include "app/session.hpp"
#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "backends/processes/machine.hpp"
#include "grids/schemes/discretization.hpp"
#include "io/config/array_parts.hpp"
#include "io/config/given_array.hpp"

namespace poisson {
namespace {

std::vector<std::int64_t> shape_of(const Box& box, int dimension) {
  std::vector<std::int64_t> shape;
  for (auto d = static_cast<std::size_t>(dimension); d-- > 0;) shape.push_back(box.last[d] - box.first[d]);
  return shape;
}

}  // namespace

Box Session::block_of(Location location) const {
  const Block& block = discretization().block();
  const bool at_nodes = block.location() == Location::node;
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    box.first[d] = axis.origin();
    box.last[d] = box.first[d] + axis.size();
    if (axis.degenerate() || !at_nodes) continue;
    if (location == Location::cell)
      box.last[d] = std::min(box.last[d], axis.all_cells());
    else if (axis.periodic())
      ++box.last[d];  // the last node repeats the first
  }
  return box;
}

std::vector<double> Session::gathered(const double* own, Location location) const {
  const Processes& all = *processes_.all;
  const std::vector<Box> boxes = all.gather(block_of(location));
  std::int64_t most = 0;
  Box grid;
  for (const Box& box : boxes) {
    most = std::max(most, box.size());
    for (std::size_t d = 0; d < 3; ++d) grid.last[d] = std::max(grid.last[d], box.last[d]);
  }
  const auto stride = static_cast<std::size_t>(most);
  std::vector<double> sent(stride), received(stride * boxes.size()), values(static_cast<std::size_t>(grid.size()));
  const auto here = static_cast<std::size_t>(boxes[static_cast<std::size_t>(all.rank())].size());
  std::copy_n(own, here, sent.begin());
  all.gather(sent.data(), stride * sizeof(double), received.data());
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const Box& box = boxes[r];
    const double* from = received.data() + r * stride;
    const int count = box.last[0] - box.first[0];
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j, from += count)
        std::copy_n(from, count, values.data() + (std::int64_t{k} * grid.last[1] + j) * grid.last[0] + box.first[0]);
  }
  return values;
}

// Makes the backend and the case. If this fails on one process, it fails on all.
void Session::make_case_together() {
  const Processes& all = *processes_.all;
  if (config_->matrix) throw InputError("several processes cannot share a matrix from a file here: use the program");
  if (config_->device.starts_with("cuda:"))
    throw InputError("a GPU number is for one process; write cuda, and each process uses the GPU of its local rank");
  const std::vector<std::size_t> hashes = all.gather(std::hash<std::string>()(config_->effective));
  together(all, [&] {
    for (const std::size_t hash : hashes)
      if (hash != hashes[0])
        throw InputError("the processes have different problems or options: give the same keys on each process");
  });
  together(all, [&] { backend_ = make_backend(config_->device, nullptr, processes_.place, config_->transport); });
  together(all, [&] {
    with_places(*config_, [&] {
      case_ = make_case(*config_, processes_.all);
      return 0;
    });
  });
  if (!config_->datasets.empty()) read_datasets(*config_, case_->output_grid().part, all);
  const int here = count_on_machine(all);
  together(all, [&] { check_memory(*config_, *case_, *backend_, here); });
}

// Returns the array of the global grid whose blocks the processes give.
std::shared_ptr<GridArray> Session::distributed(const GridArray& own, const std::string& name) const {
  const Problem& problem = config_->problem;
  const Box at_nodes = block_of(Location::node), in_cells = block_of(Location::cell);
  const bool nodes = discretization().block().location() == Location::node;
  std::vector<std::int64_t> shape;
  for (auto d = static_cast<std::size_t>(problem.dimension); d-- > 0;) shape.push_back(own.shape[d]);
  auto array = std::make_shared<GridArray>();
  Box box;
  together(*processes_.all, [&] {
    const std::vector<std::int64_t> of_values = shape_of(at_nodes, problem.dimension),
                                    of_cells = shape_of(in_cells, problem.dimension);
    const bool wants_cells = name.starts_with("coefficient") || !nodes;
    if (shape != (wants_cells ? of_cells : of_values))
      throw InputError("the array has the shape " + shape_text(shape) + "; give the " +
                       (wants_cells ? "cells" : "nodes") + " of this process's block, " +
                       shape_text(wants_cells ? of_cells : of_values));
    array->location = wants_cells ? Location::cell : Location::node;
    box = wants_cells ? in_cells : at_nodes;
  });
  const std::vector<std::int64_t> global = grid_shape(problem, array->location);
  for (std::size_t d = 0; d < global.size(); ++d) array->shape[d] = global[global.size() - 1 - d];
  distribute(*array, problem, in_cells, box, own.on_host().values, *processes_.all);
  return array;
}

}  // namespace poisson
