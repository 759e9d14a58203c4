// This file sums diagonals and couplings along lines over the blocks that share them.

#include "grids/blocks/block_lines.hpp"

namespace poisson {

void put_own_blocks(const std::vector<std::vector<double>>& values, const BlockSpace& blocks, Field& field) {
  dispatch(field.precision(), [&]<class T>(T) {
    blocks.for_each_line<T>(field, [&](std::size_t b, const View<T>& view, int j, int k) {
      const std::array<int, 3>& n = blocks.own[b].nodes;
      const double* const from = values[b].data() + std::int64_t{n[0]} * (j + std::int64_t{n[1]} * k);
      for (int i = 0; i < n[0]; ++i) view(i, j, k) = static_cast<T>(from[i]);
    });
  });
}

Field assembled_diagonal(Backend& backend, const BlockLevel& level, double scale) {
  const BlockSpace& blocks = *level.space;
  std::vector<std::vector<double>> local(blocks.own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const std::array<int, 3>& n = blocks.own[b].nodes;
    const std::int64_t size = blocks.own[b].size();
    std::vector<double>& diagonal = local[b];
    diagonal = level.matrix->own[b].sums;
    const auto& offsets = forward_offsets(blocks.dimension());
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      const double* const band = level.matrix->own[b].bands.data() + static_cast<std::int64_t>(d) * size;
      const std::int64_t shift =
          offsets[d][0] + std::int64_t{n[0]} * (offsets[d][1] + std::int64_t{n[1]} * offsets[d][2]);
      for (std::int64_t i = 0; i < size; ++i) {  // entries that would leave the block are zero
        if (band[i] == 0) continue;
        diagonal[static_cast<std::size_t>(i)] -= band[i];
        diagonal[static_cast<std::size_t>(i + shift)] -= band[i];
      }
    }
    for (double& value : diagonal) value *= scale;
  }
  Field field(backend, blocks.space, Precision::fp64);
  put_own_blocks(local, blocks, field);
  backend.run_exchange(blocks.add, field, field);
  return field;
}

namespace {

// Lists patches and moves of the space of couplings.
struct CouplingPatches {
  std::vector<PatchOfAll> all;
  std::vector<std::array<int, 3>> of_part;  // patches by axis of the part
  std::vector<std::vector<Move>> steps{2};  // adds at parts, and copies back

  explicit CouplingPatches(const BlockSpace& blocks) {
    const BlockNumbers& numbers = *blocks.numbers;
    const MacroTopology& topology = numbers.topology();
    for (std::size_t p = 0; p < topology.parts().size(); ++p) {
      const MacroPart& part = topology.parts()[p];
      const bool block = part.dimension == topology.dimension();
      of_part.push_back({-1, -1, -1});
      for (std::size_t a = 0; a < static_cast<std::size_t>(part.dimension); ++a) {
        PatchOfAll patch;
        patch.process = blocks.process[static_cast<std::size_t>(part.blocks[0])];
        patch.layout.n = numbers.extent(static_cast<int>(p));
        for (std::size_t d = 0; d < static_cast<std::size_t>(part.dimension); ++d)
          patch.layout.n[d] += d == a ? 1 : block ? 2 : 0;
        if (patch.layout.n[0] == 0 || patch.layout.n[1] == 0 || patch.layout.n[2] == 0) continue;
        patch.layout.halo = {0, 0, 0};
        patch.patch.unknowns = patch.patch.counted = patch.layout.box();
        of_part.back()[a] = static_cast<int>(all.size());
        all.push_back(patch);
      }
    }
    for (int b = 0; b < topology.blocks(); ++b)
      for (int place = 0; place < topology.places(); ++place) add_moves(numbers, b, place);
  }

 private:
  void add_moves(const BlockNumbers& numbers, int b, int place) {
    const MacroTopology& topology = numbers.topology();
    const PartInBlock& in = topology.place(b, place);
    const MacroPart& part = topology.parts()[static_cast<std::size_t>(in.part)];
    if (part.dimension == topology.dimension() || part.dimension == 0) return;
    const int whole = topology.place(b, topology.places() / 2).part;
    for (std::size_t d = 0; d < static_cast<std::size_t>(topology.dimension()); ++d) {
      if (MacroTopology::position(place)[d] != 1) continue;
      const int patch = of_part[static_cast<std::size_t>(in.part)][static_cast<std::size_t>(in.axis[d])];
      if (patch < 0) continue;
      Move copy;
      copy.patch = patch;
      copy.from = all[static_cast<std::size_t>(patch)].layout.box();
      copy.to_patch = of_part[static_cast<std::size_t>(whole)][d];
      copy.to = numbers.box_of(b, place);
      copy.to.first[d] = 0;
      copy.to.last[d] = numbers.cells_of(b)[d];
      copy.turn = {in.axis, in.flipped};
      steps[1].push_back(copy);
      Move sum = copy.transposed();
      sum.clears = false;
      steps[0].push_back(sum);
    }
  }
};

}  // namespace

CouplingSpace make_coupling_space(const BlockSpace& blocks) {
  const CouplingPatches made(blocks);
  CouplingSpace couplings{{made.all, made.steps, blocks.shared_processes}, {}};
  std::vector<std::array<int, 2>> local(made.all.size(), {-1, -1});
  const auto groups = couplings.space.groups();
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t p = 0; p < groups[g].patches.size(); ++p)
      local[static_cast<std::size_t>(groups[g].patches[p].number)] = {static_cast<int>(g), static_cast<int>(p)};
  for (const BlockSpace::Own& own : blocks.own) {
    std::array<std::array<int, 2>, 3>& of = couplings.own.emplace_back();
    for (std::size_t d = 0; d < static_cast<std::size_t>(blocks.dimension()); ++d)
      of[d] = local[static_cast<std::size_t>(made.of_part[static_cast<std::size_t>(own.block)][d])];
  }
  return couplings;
}

LineCouplings assembled_couplings(Backend& backend, const BlockLevel& level, double scale) {
  const BlockSpace& blocks = *level.space;
  const CouplingSpace made = make_coupling_space(blocks);
  Field field(backend, made.space, Precision::fp64);
  LineCouplings couplings(blocks.own.size());
  const auto visit = [&](const auto& f) {
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t b = 0; b < blocks.own.size(); ++b)
      for (std::size_t d = 0; d < static_cast<std::size_t>(blocks.dimension()); ++d) {
        const std::array<int, 3>& n = blocks.own[b].nodes;
        const auto [group, patch] = made.own[b][d];
        const View<double> view = field.patches<double>(static_cast<std::size_t>(group))[patch];
        for (int k = 0; k < view.n[2]; ++k)
          for (int j = 0; j < view.n[1]; ++j)
            for (int i = 0; i < view.n[0]; ++i)
              f(b, d, view(i, j, k), static_cast<std::size_t>(i + std::int64_t{n[0]} * (j + std::int64_t{n[1]} * k)));
      }
  };
  constexpr std::array<std::size_t, 3> offset_along{0, 2, 8};
  visit([&](std::size_t b, std::size_t d, double& value, std::size_t node) {
    value = scale * level.matrix->own[b].bands[offset_along[d] * static_cast<std::size_t>(blocks.own[b].size()) + node];
  });
  backend.run_exchange(made.space.halo(), field, field);
  for (std::size_t b = 0; b < blocks.own.size(); ++b)
    for (std::size_t d = 0; d < static_cast<std::size_t>(blocks.dimension()); ++d)
      couplings[b][d].assign(static_cast<std::size_t>(blocks.own[b].size()), 0);
  visit([&](std::size_t b, std::size_t d, double& value, std::size_t node) { couplings[b][d][node] = value; });
  return couplings;
}

}  // namespace poisson
