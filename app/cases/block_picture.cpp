// This file samples blocks of the plane on a raster for pictures.

#include "app/cases/block_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grids/problem/media.hpp"
#include "io/files/formats.hpp"

namespace poisson {
namespace {

constexpr int most_nodes = 1200;  // along the longer side of a raster

/// Is an equidistant grid over the blocks, with the block and the value at each node.
class BlockRaster {
 public:
  BlockRaster(const BlockMesh& mesh, const std::vector<double>& u) {
    std::array<double, 2> lower, upper;
    lower.fill(std::numeric_limits<double>::max());
    upper.fill(-std::numeric_limits<double>::max());
    for (const auto& x : mesh.mesh->points)
      for (std::size_t d = 0; d < 2; ++d) {
        lower[d] = std::min(lower[d], x[d]);
        upper[d] = std::max(upper[d], x[d]);
      }
    const double step = std::max(upper[0] - lower[0], upper[1] - lower[1]) / (most_nodes - 1);
    for (std::size_t d = 0; d < 2; ++d) {
      const int count = std::max(2, static_cast<int>(std::lround((upper[d] - lower[d]) / step)) + 1);
      for (int i = 0; i < count; ++i) nodes_[d].push_back(lower[d] + (upper[d] - lower[d]) * i / (count - 1));
    }
    const std::size_t size = nodes_[0].size() * nodes_[1].size();
    values_.assign(size, std::numeric_limits<double>::quiet_NaN());
    blocks_.assign(size, 0);
    const MeshCells& cells = *mesh.mesh->find(CellShape::quadrilateral);
    for (std::size_t b = 0; b + 1 < mesh.first_cell.size(); ++b)
      for (std::int64_t e = mesh.first_cell[b]; e < mesh.first_cell[b + 1]; ++e)
        fill_cell(*mesh.mesh, cells.of(e), u, static_cast<RegionNumber>(b + 1));
  }

  const std::array<std::vector<double>, 2>& nodes() const { return nodes_; }
  const std::vector<double>& values() const { return values_; }
  /// Returns the block at the node nearest to a place, counted from 1; 0: none.
  RegionNumber block(double x, double y) const {
    const auto nearest = [](const std::vector<double>& nodes, double at) {
      const double step = nodes[1] - nodes[0];
      return static_cast<std::size_t>(
          std::clamp(std::lround((at - nodes[0]) / step), 0L, static_cast<long>(nodes.size()) - 1));
    };
    return blocks_[nearest(nodes_[1], y) * nodes_[0].size() + nearest(nodes_[0], x)];
  }

 private:
  // Solves (1 − s)(1 − t) x0 + s (1 − t) x1 + s t x2 + (1 − s) t x3 = x for s and t in [0, 1]. Returns false outside.
  static bool invert(const std::array<std::array<double, 2>, 4>& corner, double x, double y, double& s, double& t) {
    s = t = 0.5;
    for (int step = 0; step < 12; ++step) {
      std::array<double, 2> gap{x, y}, along_s{}, along_t{};
      for (std::size_t d = 0; d < 2; ++d) {
        const double low = (1 - s) * corner[0][d] + s * corner[1][d], high = (1 - s) * corner[3][d] + s * corner[2][d];
        gap[d] -= (1 - t) * low + t * high;
        along_s[d] = (1 - t) * (corner[1][d] - corner[0][d]) + t * (corner[2][d] - corner[3][d]);
        along_t[d] = high - low;
      }
      const double determinant = along_s[0] * along_t[1] - along_s[1] * along_t[0];
      if (determinant == 0) return false;
      const double ds = (gap[0] * along_t[1] - gap[1] * along_t[0]) / determinant,
                   dt = (along_s[0] * gap[1] - along_s[1] * gap[0]) / determinant;
      s = std::clamp(s + ds, -1.0, 2.0);
      t = std::clamp(t + dt, -1.0, 2.0);
      if (std::abs(ds) + std::abs(dt) < 1e-9) break;
    }
    constexpr double room = 1e-6;
    return s > -room && s < 1 + room && t > -room && t < 1 + room;
  }

  void fill_cell(const Mesh& mesh, std::span<const int> corners, const std::vector<double>& u, RegionNumber block) {
    std::array<std::array<double, 2>, 4> x{};
    std::array<std::array<int, 2>, 2> range{};
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t d = 0; d < 2; ++d) x[c][d] = mesh.points[static_cast<std::size_t>(corners[c])][d];
    for (std::size_t d = 0; d < 2; ++d) {
      const auto [low, high] = std::minmax({x[0][d], x[1][d], x[2][d], x[3][d]});
      const double step = nodes_[d][1] - nodes_[d][0];
      range[d] = {std::max(0, static_cast<int>(std::floor((low - nodes_[d][0]) / step))),
                  std::min(static_cast<int>(nodes_[d].size()) - 1,
                           static_cast<int>(std::ceil((high - nodes_[d][0]) / step)))};
    }
    for (int j = range[1][0]; j <= range[1][1]; ++j)
      for (int i = range[0][0]; i <= range[0][1]; ++i) {
        double s = 0, t = 0;
        if (!invert(x, nodes_[0][static_cast<std::size_t>(i)], nodes_[1][static_cast<std::size_t>(j)], s, t)) continue;
        const auto at = static_cast<std::size_t>(j) * nodes_[0].size() + static_cast<std::size_t>(i);
        const auto value = [&](std::size_t c) { return u[static_cast<std::size_t>(corners[c])]; };
        values_[at] = (1 - t) * ((1 - s) * value(0) + s * value(1)) + t * ((1 - s) * value(3) + s * value(2));
        blocks_[at] = block;
      }
  }

  std::array<std::vector<double>, 2> nodes_;
  std::vector<double> values_;
  std::vector<RegionNumber> blocks_;
};

/// Provides blocks as the regions of a picture.
class BlockRegions final : public RegionMap {
 public:
  explicit BlockRegions(std::shared_ptr<const BlockRaster> raster) : raster_(std::move(raster)) {}
  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
            std::span<RegionNumber> numbers) const override {
    std::size_t next = 0;
    const auto middle = [](const std::vector<double>& of, int i) {
      return (of[static_cast<std::size_t>(i)] + of[static_cast<std::size_t>(i) + 1]) / 2;
    };
    for (int j = cells.first[1]; j < cells.last[1]; ++j)
      for (int i = cells.first[0]; i < cells.last[0]; ++i)
        numbers[next++] = raster_->block(middle(nodes[0], i), middle(nodes[1], j));
  }

 private:
  std::shared_ptr<const BlockRaster> raster_;
};

}  // namespace

std::filesystem::path write_block_picture(const std::filesystem::path& folder, const Config& config,
                                          const BlockMesh& mesh, const std::vector<double>& u, bool converged) {
  const auto raster = std::make_shared<const BlockRaster>(mesh, u);
  OutputGrid grid;
  grid.dimension = 2;
  grid.nodes = {raster->nodes()[0], raster->nodes()[1], {0.0}};
  FieldHead head;
  head.name = "u";
  if (!config.output.quantity.empty())
    head.title = config.output.quantity + (config.output.unit.empty() ? "" : " (" + config.output.unit + ")");
  OutputNote note;
  note.title = config.title;
  note.converged = converged;
  note.configuration = config.effective;
  note.colours = config.output.colours;
  note.mark_source.regions = std::make_shared<const BlockRegions>(raster);
  const std::unique_ptr<FieldFile> file = file_format("png").open(folder, grid, {head}, note, one_process());
  file->write(raster->values());
  return file->close().front();
}

}  // namespace poisson
