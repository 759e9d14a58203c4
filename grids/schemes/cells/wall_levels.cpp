#include "grids/schemes/cells/wall_levels.hpp"

#include <algorithm>
#include <variant>

#include "backends/device/backend.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/gathering.hpp"
#include "grids/problem/media.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {

WallLevels::WallLevels(const SchemeContext& context, const SchemeRows& rows) {
  const auto* const faces = std::get_if<FaceRows>(&rows);
  if (!context.media || !faces || !faces->variable() || !faces->reaction) return;
  const Media& media = context.media->media();
  const auto has_value = [](const Material& m) { return m.fixed || m.floating; };
  if (std::ranges::none_of(media.materials, has_value)) return;
  alone_ = uniform_value(context.problem.reaction) == 0.0;
  if (alone_) {
    walls_ = faces->reaction;
    return;
  }
  std::vector<double> all = context.media->linked().conductance;
  for (double& value : all) value *= faces->scale;
  auto walls = context.field(context.block.space());
  context.sampler.put(context.values(), all, SampleStore::set, *walls);
  walls_ = std::move(walls);
}

SchemeRows WallLevels::moved(Backend& backend, const SchemeRows& fine, const CoarseBlock& coarse) {
  if (!walls_) return fine;
  FaceRows rows = std::get<FaceRows>(fine);
  auto farther = std::make_shared<Field>(backend, rows.block.space(), Precision::fp64);
  grid_kernels(backend).move_walls(backend, rows, coarse, *walls_, *farther);
  farther_ = farther;
  if (alone_) {
    rows.reaction = farther_;
    return rows;
  }
  auto all = std::make_shared<Field>(backend, rows.block.space(), Precision::fp64);
  const Scalar one = backend.scalar(1);
  backend.subtract(*rows.reaction, one, *walls_, *all);
  backend.axpy(one, *farther_, *all);
  rows.reaction = std::move(all);
  return rows;
}

void WallLevels::coarsen(Backend& backend, const SchemeRows& coarse, const Transfer& transfer) {
  if (!walls_) return;
  const auto& rows = std::get<FaceRows>(coarse);
  walls_ = alone_ ? rows.reaction : coarser_reaction(backend, rows.block, transfer, farther_);
  farther_ = nullptr;
}

void WallLevels::gather(Backend& backend, const SchemeRows& rows, const Block& part) {
  if (!walls_) return;
  const auto& own = std::get<FaceRows>(rows);
  walls_ = alone_ ? own.reaction : gathered(backend, walls_, part, own.block);
}

}  // namespace poisson
