// This file moves corrections and residuals between levels of blocks.

#include <algorithm>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "grids/blocks/block_coarsening.hpp"
#include "grids/blocks/block_operator.hpp"

namespace poisson {
namespace {

template <class T>
class BlockTransfer final : public Transfer {
 public:
  BlockTransfer(Backend& backend, std::shared_ptr<const BlockSpace> fine, std::shared_ptr<const BlockSpace> coarse)
      : backend_(backend), fine_(std::move(fine)), coarse_(std::move(coarse)) {
    const MacroTopology& topology = fine_->numbers->topology();
    std::vector<bool> taken(topology.parts().size(), false);
    std::vector<std::vector<T>> owns;
    for (int b = 0; b < topology.blocks(); ++b) {
      std::vector<T>& mask = owns.emplace_back();
      for (int place = 0; place < topology.places(); ++place) {
        const auto part = static_cast<std::size_t>(topology.place(b, place).part);
        mask.push_back(taken[part] ? T(0) : T(1));
        taken[part] = true;
      }
    }
    for (const BlockSpace::Own& own : fine_->own) {
      const std::array<int, 3> n = fine_->numbers->cells_of(own.block), to = coarse_->numbers->cells_of(own.block);
      OfBlock& of = of_block_.emplace_back();
      for (std::size_t d = 0; d < 3; ++d) of.axis[d] = interpolate_axis(fine_->numbers->widths(n[d]), to[d]);
      of.owns = owns[static_cast<std::size_t>(own.block)];
      of.coarse = *std::ranges::find(coarse_->own, own.block, &BlockSpace::Own::block);
    }
  }

 private:
  struct OfBlock {
    std::array<AxisInterpolation, 3> axis;
    std::vector<T> owns;     // of each place: 1 if the block owns the part there
    BlockSpace::Own coarse;  // the coarse level may have blocks of other processes, too
  };

  // Interpolates a line of a block.
  void interpolate_line(const OfBlock& of, const View<const T>& from, int j, int k, T factor, T* to) const {
    const auto [J, tj] = of.axis[1].nodes[static_cast<std::size_t>(j)];
    const auto [K, tk] = of.axis[2].nodes[static_cast<std::size_t>(k)];
    thread_local std::vector<T> sum;
    sum.assign(static_cast<std::size_t>(from.n[0]), T(0));
    for (int c = 0; c < 4; ++c) {
      const double w = (c & 1 ? tj : 1 - tj) * (c & 2 ? tk : 1 - tk);
      if (w == 0) continue;
      const T* const line = from.line(J + (c & 1), K + (c >> 1));
      const T weight = factor * static_cast<T>(w);
      for (int i = 0; i < from.n[0]; ++i) sum[static_cast<std::size_t>(i)] += weight * line[i];
    }
    const auto& nodes = of.axis[0].nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto index = static_cast<std::size_t>(nodes[i].index);
      const T t = static_cast<T>(nodes[i].t);
      to[i] = (T(1) - t) * sum[index] + t * sum[index + 1];
    }
  }

  void prolong(const Field& coarse, Field& fine, bool adds, T factor) const {
    backend_.exchange(coarse);
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      const BlockSpace::Own &own = fine_->own[b], &below = of_block_[b].coarse;
      const View<const T> from = coarse.patches<T>(below.group)[below.patch];
      const View<T> to = fine.patches<T>(own.group)[own.patch];
      const Box inner = fine_->space.groups()[own.group].values;
      cpu::for_each_line(Box{{}, own.nodes}, cpu::heavy_threshold, [&](int j, int k) {
        thread_local std::vector<T> values;
        values.resize(static_cast<std::size_t>(own.nodes[0]));
        interpolate_line(of_block_[b], from, j, k, factor, values.data());
        const bool inside = j >= inner.first[1] && j < inner.last[1] && k >= inner.first[2] && k < inner.last[2];
        T* const line = to.line(j, k);
        for (int i = 0; i < own.nodes[0]; ++i) {
          const bool value = adds && inside && i >= inner.first[0] && i < inner.last[0];
          line[i] = (value ? line[i] : T(0)) + values[static_cast<std::size_t>(i)];
        }
      });
    }
    backend_.run_exchange(adds ? fine_->collect_and_add : fine_->collect, fine, fine);
  }

  void do_prolong(const Field& coarse, Field& fine) const override { prolong(coarse, fine, false, T(1)); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { prolong(coarse, fine, true, T(1)); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    prolong(coarse, fine, false, scale ? static_cast<T>(*scale->address()) : T(1));
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }

  // Adds a fine line, of whose ends those count that the block owns.
  void add_line(const OfBlock& of, const View<const T>& from, int j, int k, T weight, std::vector<T>& sum) const {
    const auto side = [](int i, int n) { return i == 0 ? 0 : i == n - 1 ? 2 : 1; };
    const bool plane = of.owns.size() == 9;
    const std::size_t line = static_cast<std::size_t>(3 * side(j, from.n[1]) + (plane ? 0 : 9 * side(k, from.n[2])));
    const T* const values = from.line(j, k);
    const int n = from.n[0];
    sum[0] += weight * of.owns[line] * values[0];
    if (const T inside = weight * of.owns[line + 1]; inside != T(0))
      for (int i = 1; i + 1 < n; ++i) sum[static_cast<std::size_t>(i)] += inside * values[i];
    sum[static_cast<std::size_t>(n) - 1] += weight * of.owns[line + 2] * values[n - 1];
  }

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    const T factor = scale ? static_cast<T>(*scale->address()) : T(1);
    backend_.exchange(fine);
    coarse_->for_each_part_line([&](std::size_t g, int p, int j, int k) {
      std::fill_n(coarse.patches<T>(g).line(p, j, k), coarse_->space.groups()[g].layout.n[0], T(0));
    });
    for (std::size_t b = 0; b < of_block_.size(); ++b) {
      const BlockSpace::Own &own = fine_->own[b], &below = of_block_[b].coarse;
      const OfBlock& of = of_block_[b];
      const View<const T> from = fine.patches<T>(own.group)[own.patch];
      const View<T> to = coarse.patches<T>(below.group)[below.patch];
      cpu::for_each_line(Box{{}, below.nodes}, cpu::heavy_threshold / 8, [&](int J, int K) {
        thread_local std::vector<T> sum;
        sum.assign(static_cast<std::size_t>(own.nodes[0]), T(0));
        for (const auto [k, wk] : of.axis[2].shares[static_cast<std::size_t>(K)])
          for (const auto [j, wj] : of.axis[1].shares[static_cast<std::size_t>(J)])
            add_line(of, from, j, k, factor * static_cast<T>(wj * wk), sum);
        T* const line = to.line(J, K);
        for (int I = 0; I < below.nodes[0]; ++I) {
          T value = 0;
          for (const auto [i, w] : of.axis[0].shares[static_cast<std::size_t>(I)])
            value += static_cast<T>(w) * sum[static_cast<std::size_t>(i)];
          line[I] = value;
        }
      });
    }
    backend_.run_exchange(coarse_->add, coarse, coarse);
    clear_held(coarse);
  }

  void clear_held(Field& field) const {
    for (std::size_t g = 0; g < coarse_->space.groups().size(); ++g) {
      const PatchGroup& group = coarse_->space.groups()[g];
      cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) {
        if (group.patches[static_cast<std::size_t>(p)].unknowns.size() > 0) return;
        T* const line = field.patches<T>(g).line(p, j, k);
        std::fill(line + group.values.first[0], line + group.values.last[0], T(0));
      });
    }
  }

  Backend& backend_;
  std::shared_ptr<const BlockSpace> fine_, coarse_;
  std::vector<OfBlock> of_block_;
};

}  // namespace

std::unique_ptr<Transfer> make_block_transfer(Backend& backend, std::shared_ptr<const BlockSpace> fine,
                                              std::shared_ptr<const BlockSpace> coarse, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
    return std::make_unique<BlockTransfer<T>>(backend, std::move(fine), std::move(coarse));
  });
}

}  // namespace poisson
