#include "grids/blocks/crossing_lines.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/launch.hpp"
#include "grids/blocks/block_mesh_steps.hpp"

namespace poisson {

bool has_line(const BlockSpace& blocks, int block, std::array<int, 3> node, std::size_t axis) {
  const MacroTopology& topology = blocks.numbers->topology();
  node[axis] = 1;
  const int place = blocks.numbers->place_of(block, node), part = topology.place(block, place).part;
  if (topology.parts()[static_cast<std::size_t>(part)].blocks[0] != block) return false;
  return first_place(topology, block, part) == place;
}

bool on_interface(const BlockSpace& blocks, int block, const std::array<int, 3>& node) {
  const MacroTopology& topology = blocks.numbers->topology();
  const int place = blocks.numbers->place_of(block, node), part = topology.place(block, place).part;
  if (topology.parts()[static_cast<std::size_t>(part)].blocks.size() > 1) return true;
  int count = 0;
  for (int p = 0; p < topology.places(); ++p) count += topology.place(block, p).part == part;
  return count > 1;
}

template <class T>
CrossingLines<T>::CrossingLines(Backend& backend, const std::shared_ptr<const BlockSpace>& blocks,
                                const Field& diagonal, const LineCouplings& couplings,
                                const std::vector<NodesOfBlock>& nodes)
    : backend_(backend), blocks_(blocks) {
  std::vector<std::vector<double>> schur;
  for (std::size_t b = 0; b < blocks->own.size(); ++b) {
    const BlockSpace::Own& own = blocks->own[b];
    schur.emplace_back(static_cast<std::size_t>(own.size()), 0);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(blocks->dimension()); ++axis) {
      if (own.nodes[axis] < 3 || couplings[b][axis].empty()) continue;
      std::array<int, 3> last = own.nodes, node{};
      last[axis] = 1;
      for (node[2] = 0; node[2] < last[2]; ++node[2])
        for (node[1] = 0; node[1] < last[1]; ++node[1])
          for (node[0] = 0; node[0] < last[0]; ++node[0]) {
            if (!has_line(*blocks, own.block, node, axis)) continue;
            for (const bool upper : {false, true}) add_end(b, axis, upper, node, couplings, nodes, schur);
          }
    }
  }
  // s = a_ii − Σ of all parts that end at i; 1/s replaces it.
  Field sum(backend, blocks->space, Precision::fp64);
  put_own_blocks(schur, *blocks, sum);
  backend.run_exchange(blocks->add, sum, sum);
  inverse_ = Field(backend, blocks->space, precision_of<T>);
  double count = 0;
  blocks->for_each_part_line([&](std::size_t g, int p, int j, int k) {
    const double *const s = sum.patches<double>(g).line(p, j, k), *const d = diagonal.patches<double>(g).line(p, j, k);
    T* const inverse = inverse_.patches<T>(g).line(p, j, k);
    for (int i = 0; i < blocks->space.groups()[g].layout.n[0]; ++i) {
      if (!(s[i] > (1 - strong_crossing) * d[i])) continue;
      inverse[i] = static_cast<T>(1 / std::max(d[i] - s[i], 1e-12 * d[i]));
#pragma omp atomic
      count += 1;
    }
  });
  any_ = blocks->space.processes().largest(count) > 0;
  if (!any_) {
    for (std::vector<End>& ends : ends_) ends.clear();
    weights_.clear();
    return;
  }
  x_ = Field(backend, blocks->space, precision_of<T>);
  // Most ends are not strong.
  backend.exchange(inverse_);
  for (std::vector<End>& ends : ends_)
    std::erase_if(ends, [&](const End& end) {
      const BlockSpace::Own& own = blocks->own[end.own];
      return inverse_.patches<T>(own.group)[own.patch](end.node[0], end.node[1], end.node[2]) == T(0);
    });
}

template <class T>
void CrossingLines<T>::add_end(std::size_t b, std::size_t axis, bool upper, const std::array<int, 3>& first,
                               const LineCouplings& couplings, const std::vector<NodesOfBlock>& nodes,
                               std::vector<std::vector<double>>& schur) {
  const BlockSpace::Own& own = blocks_->own[b];
  const int n = own.nodes[axis];
  const auto at = [&](int i) {  // counted from this end
    std::array<int, 3> node = first;
    node[axis] = upper ? n - 1 - i : i;
    return node;
  };
  const auto number = [&](const std::array<int, 3>& node) {
    return static_cast<std::size_t>(node[0] +
                                    std::int64_t{own.nodes[0]} * (node[1] + std::int64_t{own.nodes[1]} * node[2]));
  };
  const auto diagonal = [&](int i) { return nodes[b].diagonal[number(at(i))]; };
  const auto coupling = [&](int i) { return couplings[b][axis][number(at(upper ? i + 1 : i))]; };  // of i and i + 1
  if (!(diagonal(0) > 0) || !(coupling(0) < 0) || !on_interface(*blocks_, own.block, at(0))) return;
  // The part ends before a constrained node, and before its other end if that is on an interface.
  int count = 0;
  while (count + 1 < n && diagonal(count + 1) > 0 &&
         (count + 2 < n || !on_interface(*blocks_, own.block, at(count + 1))))
    ++count;
  if (count == 0) return;
  // Elimination from the far end: h_i = −a_(i−1)/p_i h_(i−1).
  std::vector<double> ratio(static_cast<std::size_t>(count) + 1, 0);
  double pivot = 0;
  for (int i = count; i > 0; --i) {
    pivot = diagonal(i);
    if (i < count) pivot += coupling(i) * ratio[static_cast<std::size_t>(i) + 1];
    if (!(pivot > 0)) pivot = 1e-14 * diagonal(i);
    ratio[static_cast<std::size_t>(i)] = -coupling(i - 1) / pivot;
  }
  schur[b][number(at(0))] += -coupling(0) * ratio[1];
  End end{b, at(0), {}, std::ssize(weights_), 0};
  end.step[axis] = upper ? -1 : 1;
  double h = 1;
  for (int i = 1; i <= count; ++i) {
    h *= ratio[static_cast<std::size_t>(i)];
    if (std::abs(h) < least_h) break;
    weights_.push_back(static_cast<T>(h));
    ++end.count;
  }
  ends_[2 * axis + (upper ? 1 : 0)].push_back(end);
}

template <class T>
void CrossingLines<T>::add(const Field& r, Field& z) const {
  const BlockSpace& blocks = *blocks_;
  backend_.fill(x_, 0);
  // The last exchange has copied x to the ends of blocks.
  blocks.for_each_line<T>(x_, [&](std::size_t b, const View<T>& x, int j, int k) {
    const std::array<int, 3>& n = blocks.own[b].nodes;
    const bool end = j == 0 || j == n[1] - 1 || (n[2] > 1 && (k == 0 || k == n[2] - 1));
    if (end)
      std::fill_n(x.line(j, k), n[0], T(0));
    else
      x(0, j, k) = x(n[0] - 1, j, k) = T(0);
  });
  std::vector<T> sums;
  for (std::size_t list = 0; list < ends_.size(); ++list) {
    const std::vector<End>& ends = ends_[list];
    sums.assign(ends.size(), T(0));
#pragma omp parallel for schedule(static) if (ends.size() > 64)
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const End& end = ends[e];
      const View<const T> from = r.patches<T>(blocks.own[end.own].group)[blocks.own[end.own].patch];
      const T* const h = weights_.data() + end.first;
      T sum = 0;
      for (int i = 0; i < end.count; ++i)
        sum += h[i] * from(end.node[0] + (i + 1) * end.step[0], end.node[1] + (i + 1) * end.step[1],
                           end.node[2] + (i + 1) * end.step[2]);
      sums[e] = sum;
    }
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const BlockSpace::Own& own = blocks.own[ends[e].own];
      x_.patches<T>(own.group)[own.patch](ends[e].node[0], ends[e].node[1], ends[e].node[2]) += sums[e];
    }
  }
  backend_.run_exchange(blocks.add, x_, x_);
  blocks.for_each_part_line([&](std::size_t g, int p, int j, int k) {
    T *const x = x_.patches<T>(g).line(p, j, k), *const to = z.patches<T>(g).line(p, j, k);
    const T *const from = r.patches<T>(g).line(p, j, k), *const s = inverse_.patches<T>(g).line(p, j, k);
    for (int i = 0; i < blocks.space.groups()[g].layout.n[0]; ++i) {
      x[i] = s[i] * (x[i] + from[i]);
      to[i] += x[i];
    }
  });
  backend_.exchange(x_);
  for (const std::vector<End>& ends : ends_)
#pragma omp parallel for schedule(static) if (ends.size() > 64)
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const End& end = ends[e];
      const BlockSpace::Own& own = blocks.own[end.own];
      const View<T> to = z.patches<T>(own.group)[own.patch];
      const T x = x_.patches<T>(own.group)[own.patch](end.node[0], end.node[1], end.node[2]);
      const T* const h = weights_.data() + end.first;
      for (int i = 0; i < end.count; ++i)
        to(end.node[0] + (i + 1) * end.step[0], end.node[1] + (i + 1) * end.step[1],
           end.node[2] + (i + 1) * end.step[2]) += h[i] * x;
    }
}

template class CrossingLines<float>;
template class CrossingLines<double>;

}  // namespace poisson
