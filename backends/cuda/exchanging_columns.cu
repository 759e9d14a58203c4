#include "backends/cuda/exchanging_columns.cuh"

namespace poisson::cuda {

std::optional<ColumnLayers> column_layers(const Space& space, const Box& box) {
  const Cuts& cuts = space.part().cuts();
  const Box &own = space.part().unknowns(), &all = space.part().all_unknowns();
  if (cuts.count(0) > 1 || cuts.count(1) > 1 || cuts.count(2) == 1 || cuts.n[2] == 1) return {};
  if (box.first != own.first || box.last != own.last) return {};
  const std::int64_t plane = std::int64_t{1} * (box.last[0] - box.first[0]) * (box.last[1] - box.first[1]);
  const bool closed = cuts.periodic[2];
  if (closed && (all.first[2] != 0 || all.last[2] != cuts.n[2])) return {};
  for (int p = 0; p < cuts.count(2); ++p) {
    const Box patch = cuts.patch(p);
    const int first = std::max(patch.first[2], all.first[2]), last = std::min(patch.last[2], all.last[2]);
    // Both planes at a cut must consist of unknowns.
    if (p > 0 && first != patch.first[2]) return {};
    if (p + 1 < cuts.count(2) && last != patch.last[2]) return {};
    if (plane * (last - first) <= most_shared_values) return {};
  }
  const auto cut_down = [&](Exchange::Step step) {
    for (Exchange::Piece& piece : step)
      for (const std::size_t d : {0, 1})
        for (Box* const layer : {&piece.from, &piece.to}) {
          layer->first[d] = box.first[d];
          layer->last[d] = box.last[d];
        }
    return step;
  };
  const Exchange& halo = space.halo();
  return ColumnLayers{cut_down(halo.sent()[halo.in_flight()]), cut_down(halo.steps()[halo.in_flight()])};
}

}  // namespace poisson::cuda
