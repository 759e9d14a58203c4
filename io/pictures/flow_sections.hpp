#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/memory/per_axis.hpp"
#include "backends/processes/processes.hpp"
#include "io/files/output.hpp"
#include "io/pictures/picture_choice.hpp"
#include "io/pictures/shown_field.hpp"

namespace poisson {

/// Stores the two components of the flux in the plane of each section, one vector for each cell. On a plane between two
/// layers of cells it is their mean.
class FlowSections {
 public:
  explicit FlowSections(const OutputGrid& grid);

  /// Computes the flux and gathers it on the first process. Collective.
  void collect(const CellVectors& flux, const Processes& processes);
  /// Returns the flux at a point of a section, interpolated between the centres of cells. Returns nothing in cells
  /// without flux.
  std::optional<std::array<double, 2>> at(std::size_t section, double across, double up) const;
  /// Returns the largest magnitude in all sections.
  double largest() const;

 private:
  struct Layer {
    Section section;
    std::size_t number = 0;   ///< of the section
    std::int64_t normal = 0;  ///< the layer of cells
    std::vector<double> values;
  };
  struct Neighbours {
    std::array<std::int64_t, 2> cells{};  ///< the one with the point is first
    double weight = 0;                    ///< of the second
  };
  Neighbours neighbours(int axis, double x) const;
  void add_plane(int k, const std::vector<double>& values);
  void join_layers();
  template <class F>
  void for_each_cell(const Box& box, const F& f);

  int dimension_;
  Box part_;  ///< the cells of this process
  PerAxis<std::vector<double>> nodes_;
  PerAxis<std::int64_t> shape_;
  std::vector<Layer> layers_;  ///< after collect, one for each section
};

}  // namespace poisson
