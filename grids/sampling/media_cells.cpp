#include "grids/sampling/media_cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "backends/cpu/launch.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

namespace {

Box with_neighbours(const Block& block) {
  Box box = block.layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) continue;
    if (!axis.open(0)) --box.first[d];
    if (!axis.open(1)) ++box.last[d];
  }
  return box;
}

}  // namespace

MediaCells::MediaCells(const Problem& problem, const Block& block)
    : MediaCells(problem, block, with_neighbours(block)) {}

MediaCells::MediaCells(const Problem& problem, const Block& block, const Box& box)
    : media_(problem.media), block_(block), box_(box) {
  nx_ = static_cast<std::size_t>(box_.last[0] - box_.first[0]);
  ny_ = static_cast<std::size_t>(box_.last[1] - box_.first[1]);
  for (std::size_t r = 0; r < media_->regions.size(); ++r) {
    const Material& m = media_->material_of(static_cast<RegionNumber>(r));
    conducts_.push_back(m.conducts() ? 1 : 0);
    fixed_.push_back(m.fixed ? 1 : 0);
    std::array<double, 3> kappa{};
    if (m.conducts())
      for (std::size_t d = 0; d < 3; ++d)
        if (const double* number = media_->kappa(static_cast<RegionNumber>(r), d).constant()) kappa[d] = *number;
    kappa_.push_back(kappa);
  }
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < block.layout().n[d]; ++i) widths_[d].push_back(block.axes[d].width(i));
  find_regions(problem.nodes);
  check_kappa();
}

bool MediaCells::kappa_is_constant() const {
  for (std::size_t r = 0; r < kappa_.size(); ++r)
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
      if (conducts_[r] != 0 && !(kappa_[r][d] > 0)) return false;
  return true;
}

bool MediaCells::stores(const std::array<int, 3>& cell) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (cell[d] < box_.first[d] || cell[d] >= box_.last[d]) return false;
  return true;
}

Point MediaCells::centre(int i, int j, int k) const {
  const std::array cell{i, j, k};
  Point p{};
  for (std::size_t d = 0; d < 3; ++d)
    if (!block_.axes[d].degenerate()) p[d] = block_.axes[d].point_in_cell(cell[d], 0.5);
  return p;
}

double MediaCells::kappa(RegionNumber region, std::size_t axis, int i, int j, int k) const {
  if (kappa_[region][axis] > 0) return kappa_[region][axis];
  const Point p = centre(i, j, k);
  double value = 0;
  (*media_->kappa(region, axis).function())({p.data(), 1}, {p.data() + 1, 1}, {p.data() + 2, 1}, {&value, 1});
  return value;
}

void MediaCells::find_regions(const std::array<std::vector<double>, 3>& nodes) {
  regions_.resize(static_cast<std::size_t>(box_.size()));
  const Bodies* bodies = media_->bodies.get();
  if (bodies && bodies->below()) below_.resize(regions_.size());
  const auto global = [&](std::size_t d, int i) {
    return block_.axes[d].degenerate() ? 0 : block_.axes[d].global_cell(i);
  };
  // Beyond periodic ends the cells of a line continue at its other end.
  const auto fill = [&](const RegionMap& map, UnsetVector<RegionNumber>& to, int j, int k) {
    const int gj = global(1, j), gk = global(2, k);
    for (int i = box_.first[0]; i < box_.last[0];) {
      int count = 1;
      while (i + count < box_.last[0] && global(0, i + count) == global(0, i) + count) ++count;
      const int gi = global(0, i);
      map.fill(nodes, {{gi, gj, gk}, {gi + count, gj + 1, gk + 1}},
               {&to[index(i, j, k)], static_cast<std::size_t>(count)});
      i += count;
    }
  };
  cpu::for_each_line(box_, cpu::heavy_threshold, [&](int j, int k) {
    fill(*media_->map, regions_, j, k);
    if (!below_.empty()) fill(*bodies->below(), below_, j, k);
  });
}

// Expressions are checked in the cells of their region. Averaged surfaces may use them one cell beyond.
void MediaCells::check_kappa() const {
  std::vector<char> varies(kappa_.size());
  const auto axes = static_cast<std::size_t>(block_.dimension());
  for (std::size_t r = 0; r < kappa_.size(); ++r)
    for (std::size_t d = 0; d < axes; ++d)
      if (conducts_[r] && media_->kappa(static_cast<RegionNumber>(r), d).function()) varies[r] = 1;
  if (std::ranges::none_of(varies, [](char v) { return v != 0; })) return;
  Box own = block_.layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    own.first[d] = std::max(own.first[d], box_.first[d]);
    own.last[d] = std::min(own.last[d], box_.last[d]);
  }
  for (int k = own.first[2]; k < own.last[2]; ++k)
    for (int j = own.first[1]; j < own.last[1]; ++j)
      for (int i = own.first[0]; i < own.last[0]; ++i) {
        const RegionNumber r = region(i, j, k);
        if (!varies[r]) continue;
        for (std::size_t d = 0; d < axes; ++d) {
          const double value = kappa(r, d, i, j, k);
          if (!std::isfinite(value) || value <= 0)
            throw ValueError("materials." + media_->material_of(r).name + ".coefficient", centre(i, j, k), value,
                             std::isfinite(value) ? "must be greater than 0" : "must be finite in its bodies");
        }
      }
}

}  // namespace poisson
