#include "io/images/image_map.hpp"

#include <algorithm>
#include <utility>

namespace poisson {

ImageMap::ImageMap(std::shared_ptr<const LabelImage> image, const std::array<double, 3>& lower,
                   const std::array<double, 3>& voxel, std::vector<RegionNumber> regions, RegionNumber beyond)
    : image_(std::move(image)), lower_(lower), voxel_(voxel), regions_(std::move(regions)), beyond_(beyond) {}

// Returns the voxel of each cell of the box; −1 beyond the image.
std::vector<std::int64_t> ImageMap::voxels_along(std::size_t axis, const std::vector<double>& nodes,
                                                 const Box& cells) const {
  return voxels_of_cells(nodes, cells.first[axis], cells.last[axis], lower_[axis], voxel_[axis],
                         image_->crop().count(axis));
}

void ImageMap::fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
                    std::span<RegionNumber> numbers) const {
  std::array<std::vector<std::int64_t>, 3> voxels;
  for (std::size_t d = 0; d < 3; ++d) voxels[d] = voxels_along(d, nodes[d], cells);
  // The cells of a row that are inside the image are neighbours of each other.
  const auto inside = [](std::int64_t v) { return v >= 0; };
  const auto begin = std::ranges::find_if(voxels[0], inside), end = std::find(begin, voxels[0].end(), -1);
  const std::span<const std::int64_t> row(begin, end);
  const auto before = static_cast<std::size_t>(begin - voxels[0].begin());
  std::size_t at = 0;
  for (const std::int64_t z : voxels[2])
    for (const std::int64_t y : voxels[1]) {
      const std::span<RegionNumber> line = numbers.subspan(at, voxels[0].size());
      at += line.size();
      if (z < 0 || y < 0 || row.size() < line.size()) std::ranges::fill(line, beyond_);
      if (z < 0 || y < 0 || row.empty()) continue;
      const std::span<RegionNumber> part = line.subspan(before, row.size());
      image_->codes(y, z, row, part);
      for (RegionNumber& code : part) code = regions_[code];
    }
}

std::optional<LabelBytes> ImageMap::bytes(const std::array<std::vector<double>, 3>& nodes) const {
  const LabelImage::Bytes stored = image_->bytes_of_voxels();
  if (!stored.first) return {};
  LabelBytes bytes;
  bytes.first = stored.first;
  const std::array<std::int64_t, 3> stride{1, stored.row, stored.slice};
  bool each_once = true;
  for (std::size_t d = 0; d < 3; ++d) {
    Box all{{0, 0, 0}, {1, 1, 1}};
    if (!nodes[d].empty()) all.last[d] = static_cast<int>(nodes[d].size()) - 1;
    bytes.offset[d] = voxels_along(d, nodes[d], all);
    each_once = each_once && bytes.offset[d].size() == static_cast<std::size_t>(image_->crop().count(d)) &&
                std::ranges::adjacent_find(bytes.offset[d], std::ranges::greater_equal()) == bytes.offset[d].end();
    for (std::int64_t& voxel : bytes.offset[d]) {
      if (voxel < 0) return {};
      voxel *= stride[d];
    }
  }
  for (std::size_t b = 0; b < bytes.region.size(); ++b) {
    const std::size_t code = stored.table[b];
    // Bytes that no voxel has may have no code.
    bytes.region[b] = code < regions_.size() ? regions_[code] : beyond_;
  }
  if (!each_once) return bytes;
  // Each voxel is a cell, so the counts of the values are those of the regions.
  bytes.cells.resize(static_cast<std::size_t>(std::max(*std::ranges::max_element(regions_), beyond_)) + 1);
  const std::vector<std::int64_t>& counts = image_->counts();
  for (std::size_t value = 0; value < counts.size(); ++value) bytes.cells[regions_[value]] += counts[value];
  bytes.cells[beyond_] += image_->unlisted_count();
  return bytes;
}

}  // namespace poisson
