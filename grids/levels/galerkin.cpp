#include "grids/levels/galerkin.hpp"

#include <algorithm>
#include <utility>

#include "grids/axes/coarse_places.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/cut_line_operator.hpp"
#include "grids/levels/gathering.hpp"
#include "grids/levels/strong_clusters.hpp"
#include "grids/rows/galerkin_formulas.hpp"

namespace poisson {
namespace {

// The positions of coarse values on the fine axes, in the backend's memory; `centre` refers to `memory`.
struct Centres {
  Buffer memory;
  std::array<const int*, 3> centre{};
};
Centres make_centres(Backend& backend, const Block& fine, const CoarseBlock& coarse) {
  std::vector<int> all;
  std::array<std::size_t, 3> begin{};
  for (std::size_t d = 0; d < 3; ++d) {
    begin[d] = all.size() + 1;
    const CoarsePlaces places(fine.axes[d], coarse.axes[d], GalerkinProduct::none);
    all.insert(all.end(), places.centre.begin(), places.centre.end());
  }
  Centres centres{backend.allocate(all.size() * sizeof(int)), {}};
  backend.write(all.data(), centres.memory.data(), all.size() * sizeof(int));
  for (std::size_t d = 0; d < 3; ++d) centres.centre[d] = static_cast<const int*>(centres.memory.data()) + begin[d];
  return centres;
}

using WeightFields = std::array<std::shared_ptr<Field>, 27>;

// Describes the product of these bands, without centres and the results.
GalerkinProduct product_of(const Bands& fine, const Bands& coarse, const CoarseBlock& block) {
  GalerkinProduct c{};
  for (std::size_t d = 0; d < 3; ++d) {
    c.fine_n[d] = fine.layout().n[d];
    c.coarse_n[d] = coarse.layout().n[d];
    c.periodic[d] = fine.layout().periodic[d];
    c.single[d] = coarse.space.part().all()[d] == 1;
    c.coarsened[d] = block.coarsened[d];
  }
  for (std::size_t b = 0; b < fine.offsets.size(); ++b) {
    const Offset& o = fine.offsets[b];
    const int code = code_of(o[0], o[1], o[2]);
    c.band[code - 14] = fine.entries[b]->view<double>();
    c.link[c.links++] = code;
    c.link[c.links++] = 26 - code;
  }
  c.sum = fine.sum->view<double>();
  return c;
}

// Computes the weights of the prolongation in fp64: first for values between two coarse values, then for those
// between four, then those between eight.
WeightFields weigh(Backend& backend, const Space& space, GalerkinProduct& c) {
  WeightFields weights;
  for (int stage = 1; stage <= 3; ++stage)
    for (int code = 0; code < 27; ++code) {
      int between = 0;
      bool exists = true;
      for (int d = 0; d < 3; ++d) {
        between += offset_of(code, d) != 0;
        exists = exists && (offset_of(code, d) == 0 || c.coarsened[d]);
      }
      if (!exists || between != stage) continue;
      auto& field = weights[static_cast<std::size_t>(code)];
      field = std::make_shared<Field>(backend, space, Precision::fp64);
      c.weight[code] = field->view<double>();
    }
  grid_kernels(backend).weigh(backend, c);
  std::vector<const Field*> exchanged;
  for (const auto& field : weights)
    if (field) exchanged.push_back(field.get());
  backend.exchange_fields(exchanged);
  return weights;
}

// Computes the coarse bands PᵀAP and their row sums.
void multiply(Backend& backend, GalerkinProduct& c, Bands& bands) {
  std::vector<std::shared_ptr<Field>> entries;
  for (const Offset& o : bands.offsets) {
    entries.push_back(std::make_shared<Field>(backend, bands.space, Precision::fp64));
    c.coarse_band[code_of(o[0], o[1], o[2]) - 14] = entries.back()->view<double>();
  }
  auto sum = std::make_shared<Field>(backend, bands.space, Precision::fp64);
  c.coarse_sum = sum->view<double>();
  grid_kernels(backend).galerkin_rows(backend, c);
  std::vector<const Field*> exchanged{sum.get()};
  for (const auto& band : entries) exchanged.push_back(band.get());
  backend.exchange_fields(exchanged, cut_halo);
  bands.entries.assign(entries.begin(), entries.end());
  bands.sum = std::move(sum);
}

// Returns the weights in this precision, and frees each fp64 field as soon as it is rounded.
Weights rounded(Backend& backend, WeightFields weights, Precision precision) {
  Weights kept;
  for (std::size_t code = 0; code < weights.size(); ++code) {
    if (!weights[code]) continue;
    if (precision == Precision::fp64) {
      kept[code] = weights[code];
    } else {
      auto narrow = std::make_shared<Field>(backend, weights[code]->space(), precision);
      backend.convert(*weights[code], *narrow);
      kept[code] = std::move(narrow);
      weights[code].reset();
    }
  }
  return kept;
}

Semicoarsened below_finest(Hierarchy all) {
  Semicoarsened below{std::move(all.transfers.front()), std::move(all)};
  Hierarchy& h = below.levels;
  h.operators.erase(h.operators.begin());
  h.transfers.erase(h.transfers.begin());
  h.relaxations.erase(h.relaxations.begin());
  h.nested.erase(h.nested.begin());
  return below;
}

}  // namespace

GalerkinLevel coarsen_bands(Backend& backend, const Bands& fine, const Block& block, const CoarseBlock& coarse,
                            Precision precision) {
  GalerkinLevel level;
  level.bands.space = coarse.block.space();
  level.bands.scale = fine.scale;
  level.bands.singular = fine.singular;
  level.bands.offsets = box_offsets(level.bands.layout());
  backend.reserve_halo_buffers(level.bands.space);

  const Centres centres = make_centres(backend, block, coarse);
  GalerkinProduct product = product_of(fine, level.bands, coarse);
  for (std::size_t d = 0; d < 3; ++d) product.centre[d] = centres.centre[d];
  WeightFields weights = weigh(backend, level.bands.space, product);
  multiply(backend, product, level.bands);
  level.transfer = grid_kernels(backend).make_weighted_transfer(backend, block, coarse,
                                                                rounded(backend, std::move(weights), precision));
  return level;
}

Bands gathered(Backend& backend, const Bands& parts, const Space& larger) {
  Bands bands = parts;
  bands.space = larger;
  const auto gather = [&](std::shared_ptr<const Field>& field) {
    auto all = std::make_shared<Field>(backend, bands.space, Precision::fp64);
    backend.gather(*field, *all);
    backend.exchange(*all, cut_halo);
    field = std::move(all);
  };
  for (auto& band : bands.entries) gather(band);
  gather(bands.sum);
  return bands;
}

Hierarchy make_galerkin_hierarchy(std::shared_ptr<const Operator> finest, Bands bands, Block block,
                                  const std::vector<LevelPlan>& levels, int clusters_from, const Sharing& sharing,
                                  bool large_clusters) {
  Backend& backend = finest->backend();
  const Precision precision = levels.front().precision;
  Hierarchy h;
  h.operators.push_back(std::move(finest));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelPlan& level = levels[l];
    h.relaxations.push_back(level.relaxation);
    h.nested.emplace_back();
    if (h.relaxations.size() > 1)
      h.operators.push_back(with_cut_lines(grid_kernels(backend).make_box_operator(backend, block, bands, precision),
                                           bands, block, axes_of_cut_lines(block, level.smoothed())));
    if (!level.coarser) break;
    for (const std::vector<LevelPlan>& list : level.semicoarsened)
      h.semicoarsened.push_back(
          below_finest(make_galerkin_hierarchy(h.operators.back(), bands, block, list, -1, sharing)));
    if (static_cast<int>(l) < clusters_from) {
      h.strong_clusters.push_back(nullptr);
    } else if (clusters_from >= 0) {
      auto strong_clusters = std::make_shared<const StrongClusters>(
          bands, precision, block.share ? block.share->processes : one_process(), large_clusters);
      if (strong_clusters->any())
        h.strong_clusters.push_back(std::move(strong_clusters));
      else
        clusters_from = -1;
    }
    const CoarseBlock coarser = part_of(*level.coarser, block);
    GalerkinLevel next = coarsen_bands(backend, bands, block, coarser, precision);
    bands = std::move(next.bands);
    h.transfers.push_back(std::move(next.transfer));
    block = coarser.block;
    const Block own = sharing.below(block, !levels[l + 1].coarser);
    if (own.share == block.share) continue;
    h.transfers.back() = std::make_unique<GatheringTransfer>(std::move(h.transfers.back()), backend, block, precision);
    block = own;
    bands = gathered(backend, bands, block.space());
  }
  if (std::ranges::count(h.strong_clusters, nullptr) == std::ssize(h.strong_clusters)) h.strong_clusters.clear();
  const bool alone = levels.size() == 1;
  h.coarsest = precision == Precision::fp64 ? h.operators.back()
               : alone ? grid_kernels(backend).make_banded_operator(backend, bands, Precision::fp64)
                       : grid_kernels(backend).make_box_operator(backend, block, bands, Precision::fp64);
  return h;
}

}  // namespace poisson
