#include "grids/blocks/element_records.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/plane_colours.hpp"

namespace poisson {

void add_to_bands(const ElementMatrix& element, int dimension, const std::array<int, 3>& nodes,
                  const std::array<int, 3>& cell, BlockMatrix::OfBlock& to) {
  const std::size_t n = std::size_t{1} << dimension;
  const std::int64_t sy = nodes[0], sz = std::int64_t{nodes[0]} * nodes[1], size = sz * nodes[2],
                     first = cell[0] + sy * cell[1] + sz * cell[2];
  const auto place = [&](std::size_t c) {
    return first + static_cast<std::int64_t>(c & 1) + sy * static_cast<std::int64_t>(c >> 1 & 1) +
           sz * static_cast<std::int64_t>(c >> 2);
  };
  // The offset with digits −1, 0, 1 has the number (27 or 9 of them) minus that of the centre, minus one.
  const auto digit = [](std::size_t a, std::size_t b, std::size_t d) {
    return static_cast<std::int64_t>(b >> d & 1) - static_cast<std::int64_t>(a >> d & 1);
  };
  for (std::size_t a = 0; a < n; ++a) {
    to.sums[static_cast<std::size_t>(place(a))] += element.sum[a];
    for (std::size_t b = a + 1; b < n; ++b) {
      const std::int64_t offset = digit(a, b, 0) + 3 * digit(a, b, 1) + 9 * digit(a, b, 2) - 1;
      to.bands[static_cast<std::size_t>(offset * size + place(a))] += element.a[a][b];
    }
  }
}

const std::vector<std::array<int, 3>>& forward_offsets(int dimension) {
  const auto make = [](int count) {
    std::vector<std::array<int, 3>> offsets;
    for (int code = 1; code <= count; ++code)  // balanced ternary digits
      offsets.push_back({(code + 1) % 3 - 1, (code + 4) / 3 % 3 - 1, (code + 13) / 9 - 1});
    return offsets;
  };
  static const std::vector<std::array<int, 3>> plane = make(4), space = make(13);
  return dimension == 2 ? plane : space;
}

bool takes_blocks(const BlockSpace& space) {
#ifdef _OPENMP
  return std::ssize(space.own) >= 2 * omp_get_max_threads();
#else
  return false;
#endif
}

BlockMatrix matrix_of(const BlockSpace& space, const BlockElements& elements) {
  BlockMatrix matrix;
  const int dimension = space.dimension();
  const std::size_t record = BlockElements::record(dimension), corners = std::size_t{1} << dimension;
  matrix.own.resize(space.own.size());
#pragma omp parallel for schedule(dynamic, 1) if (takes_blocks(space))
  for (std::size_t b = 0; b < space.own.size(); ++b) {
    const BlockSpace::Own& own = space.own[b];
    BlockMatrix::OfBlock& to = matrix.own[b];
    to.bands.assign(forward_offsets(dimension).size() * static_cast<std::size_t>(own.size()), 0);
    to.sums.assign(static_cast<std::size_t>(own.size()), 0);
    const std::array<int, 3> n = space.numbers->cells_of(own.block);
    for_cells_by_planes(n, dimension, unit_planes(n[static_cast<std::size_t>(dimension) - 1]),
                        [&](const std::array<int, 3>& cell, std::int64_t number) {
                          const ElementMatrix element =
                              read_record(elements.own[b].data() + static_cast<std::size_t>(number) * record, corners);
                          add_to_bands(element, dimension, own.nodes, cell, to);
                        });
  }
  return matrix;
}

BlockElements coarse_elements(const BlockSpace& fine, const BlockSpace& coarse, const BlockElements& elements) {
  BlockElements made;
  const int dimension = fine.dimension();
  const std::size_t record = BlockElements::record(dimension), corners = std::size_t{1} << dimension;
  made.own.resize(fine.own.size());
#pragma omp parallel for schedule(dynamic, 1) if (takes_blocks(fine))
  for (std::size_t b = 0; b < fine.own.size(); ++b) {
    const std::array<int, 3> n = fine.numbers->cells_of(fine.own[b].block);
    const CoarseCells places(*fine.numbers, n, coarse.numbers->cells_of(fine.own[b].block));
    std::vector<double>& to = made.own[b];
    to.assign(static_cast<std::size_t>(coarse.numbers->cell_count(fine.own[b].block)) * record, 0);
    for_cells_by_planes(n, dimension, places.planes(), [&](const std::array<int, 3>& cell, std::int64_t number) {
      ElementMatrix element = read_record(elements.own[b].data() + static_cast<std::size_t>(number) * record, corners);
      const CoarseCells::Place place = places(cell);
      restrict_element(element, dimension, place.from, place.to);
      add_to_record(element, corners, to.data() + static_cast<std::size_t>(place.number) * record);
    });
  }
  return made;
}

}  // namespace poisson
