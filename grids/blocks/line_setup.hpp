#pragma once

#include <array>
#include <utility>
#include <vector>

#include "grids/blocks/block_assembly.hpp"
#include "grids/blocks/line_lists.hpp"
#include "grids/blocks/stacked_factors.hpp"
#include "grids/blocks/stacked_gathers.hpp"
#include "grids/blocks/stacked_space.hpp"

namespace poisson {

/// Contains what the lines of a level of stacked blocks are made from, in fp64: couplings, strong axes and the sums of
/// weights. It is needed only during set-up.
template <class Steps, int dimension>
class LineSetup {
 public:
  /// `inverse` is that of the diagonal with the same scale; its ends of blocks are up to date. Collective.
  LineSetup(Steps& steps, const StackedTables& tables, const BlockLevel& level, double scale, BlockAssembly& assembly,
            const Field& inverse)
      : steps_(steps), tables_(tables), inverse_(inverse), space_(make_coupling_space(*level.space)) {
    couplings_ = Field(steps.backend(), space_.space, Precision::fp64);
    const auto& groups = tables_.lists.groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      places_.push_back(steps.copy(coupling_places(space_, tables_.lists, g, dimension)));
      assembly.couplings(level, g, scale, memory_of<const GroupMemory>(places_[g]), memory_of<double>(couplings_));
    }
    steps.backend().run_exchange(space_.space.halo(), couplings_, couplings_);
    for (std::size_t g = 0; g < groups.size(); ++g) find_strong_axes(g);
    total_ = summed(*level.space, false);
    steps.backend().exchange(total_);
  }

  const NodesOnLines<dimension>& nodes(std::size_t g) const { return nodes_[g]; }
  const std::vector<ListedBlocks>& listed() const { return listed_; }
  const Field& inverse() const { return inverse_; }
  /// Returns Σ W of all nodes before they are divided by it.
  const Field& total() const { return total_; }

  /// Writes W₀ D⁻¹ with the signs of least_point. `reached` tells which values at interfaces lines reach.
  template <class T>
  void put_points(const BlockSpace& blocks, const std::vector<unsigned char>& reached, Field& to) const {
    const Field part = summed(blocks, true);
    const PointOfPlace<T> point{memory_of<double>(part), memory_of<double>(total_), memory_of<double>(inverse_)};
    for (std::size_t g = 0; g < nodes_.size(); ++g) {
      const StackedLists::Group& group = tables_.lists.groups[g];
      std::vector<unsigned char> lines(static_cast<std::size_t>(group.shape.patches), 0);
      for (const ListedBlocks& of : listed_)
        if (of.group == g)
          for (const int p : of.patches) lines[static_cast<std::size_t>(p)] = 1;
      const Buffer there = steps_.copy(lines);
      steps_.each(std::int64_t{group.shape.nodes} * group.shape.patches,
                  PutPointsInside<T>{group.shape, memory(g, Precision::fp64), memory(g, precision_of<T>),
                                     memory_of<const unsigned char>(there), point, memory_of<T>(to)});
    }
    const Buffer there = steps_.copy(reached);
    const InterfaceView view = tables_.view(Precision::fp64, precision_of<T>);
    steps_.each(view.free, PutPointsAtInterfaces<T>{view.place, view.result, memory_of<const unsigned char>(there),
                                                    point, memory_of<T>(to)});
  }

 private:
  const GroupMemory& memory(std::size_t g, Precision precision) const {
    return tables_.lists.groups[g].memory[static_cast<std::size_t>(precision)];
  }
  void find_strong_axes(std::size_t g) {
    const BlockShape& shape = tables_.lists.groups[g].shape;
    NodesOnLines<dimension> nodes{shape,
                                  memory(g, Precision::fp64),
                                  memory_of<double>(inverse_),
                                  memory_of<double>(std::as_const(couplings_)),
                                  memory_of<const GroupMemory>(places_[g]),
                                  nullptr};
    std::array<std::vector<float>, 3> most;
    for (int axis = 0; axis < dimension && shape.nodes > 0; ++axis) {
      const int lines = shape.nodes / shape.n[axis];
      std::vector<float>& of_axis = most[static_cast<std::size_t>(axis)];
      of_axis.resize(static_cast<std::size_t>(lines) * static_cast<std::size_t>(shape.patches));
      const Buffer there = steps_.template make<float>(std::ssize(of_axis));
      steps_.each(std::ssize(of_axis), MeasureLine<dimension>{nodes, axis, Division(lines), memory_of<float>(there)});
      steps_.backend().read(there.data(), of_axis.data(), of_axis.size() * sizeof(float));
    }
    const std::vector<unsigned char> strong = strong_axes(shape, most, dimension);
    strong_.push_back(steps_.copy(strong));
    nodes.strong = memory_of<const unsigned char>(strong_[g]);
    nodes_.push_back(nodes);
    for (ListedBlocks& listed : list_blocks(strong, g, dimension)) listed_.push_back(std::move(listed));
  }
  // Returns sums of weights over the blocks at a node, or of those of points.
  Field summed(const BlockSpace& blocks, bool points) const {
    Field sum(steps_.backend(), blocks.space, Precision::fp64);
    const ListedValues slots(steps_.backend(), tables_.slots, Precision::fp64);
    const PutValue end{memory_of<double>(sum), 1, false};
    for (std::size_t g = 0; g < nodes_.size(); ++g) {
      const BlockShape& shape = tables_.lists.groups[g].shape;
      steps_.each(std::int64_t{shape.nodes} * shape.patches,
                  MultiplyNode<double, SumStrengths<dimension>, PutValue>{shape,
                                                                          memory(g, Precision::fp64),
                                                                          memory(g, Precision::fp64),
                                                                          {nodes_[g], points},
                                                                          nullptr,
                                                                          slots.template data<double>(),
                                                                          end});
    }
    slots.exchange();
    steps_.each(tables_.count, AddSlots<double, PutValue>{tables_.view(Precision::fp64, Precision::fp64),
                                                          slots.template data<double>(), end, false});
    return sum;
  }

  Steps& steps_;
  const StackedTables& tables_;
  const Field& inverse_;
  CouplingSpace space_;
  Field couplings_, total_;
  std::vector<Buffer> places_, strong_;  // of each group
  std::vector<NodesOnLines<dimension>> nodes_;
  std::vector<ListedBlocks> listed_;
};

}  // namespace poisson
