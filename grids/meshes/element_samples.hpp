#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "grids/compact/csr.hpp"
#include "grids/meshes/mesh_data.hpp"

namespace poisson {

/// Evaluates a quantity at places of the elements that are wanted, on all threads, without a list of all places.
/// places(cell, add) calls add(place) for the places of an element, and put(element, number of the place, value) gets
/// the values. Throws ValueError for the first value that is not finite or has the wrong sign.
template <class Wanted, class Places, class Put>
void sample_elements(const Topology& topology, const Quantity& quantity, const std::string& name, Sign sign,
                     const Wanted& wanted, const Places& places, const Put& put) {
  using Place = std::array<double, 3>;
  sample_at(quantity, name, sign, {});  // throws for an array, which has no values here
  const double* const constant = quantity.constant();
  const auto suits = [sign](double value) {
    return std::isfinite(value) && (sign == Sign::any || value > 0 || (sign == Sign::nonnegative && value == 0));
  };
  const std::int64_t cells = topology.cells();
  std::vector<std::vector<Place>> wrong(static_cast<std::size_t>((cells + row_chunk - 1) / row_chunk));
  for_row_chunks(cells, [&](std::int64_t first, std::int64_t last) {
    std::array<std::vector<double>, 3> x;
    std::vector<int> ends;  // of the places of each element
    for (std::int64_t e = first; e < last; ++e) {
      const Topology::Cell cell = topology.cell(e);
      if (wanted(cell))
        places(cell, [&x](const Place& at) {
          for (std::size_t d = 0; d < 3; ++d) x[d].push_back(at[d]);
        });
      ends.push_back(static_cast<int>(x[0].size()));
    }
    std::vector<double> values(x[0].size(), constant ? *constant : 0);
    if (!constant && !values.empty()) (*quantity.function())(x[0], x[1], x[2], std::span(values));
    std::vector<Place>& own = wrong[static_cast<std::size_t>(first / row_chunk)];
    int begin = 0;
    for (std::int64_t e = first; e < last; ++e) {
      const int end = ends[static_cast<std::size_t>(e - first)];
      for (int i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (own.empty() && !suits(values[at])) own.push_back({x[0][at], x[1][at], x[2][at]});
        put(e, i - begin, values[at]);
      }
      begin = end;
    }
  });
  for (const std::vector<Place>& of_chunk : wrong)
    if (!of_chunk.empty()) sample_at(quantity, name, sign, of_chunk);  // throws
}

/// Returns the list of the centre of an element, as `places` of sample_elements.
inline auto at_centres(const Mesh& mesh) {
  return [&mesh](const Topology::Cell& cell, const auto& add) { add(centre_of(mesh, cell.corners)); };
}

}  // namespace poisson
