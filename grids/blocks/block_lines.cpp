#include "grids/blocks/block_lines.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/launch.hpp"
#include "grids/blocks/crossing_lines.hpp"

namespace poisson {
namespace {

template <class F>
void for_nodes(const BlockSpace::Own& own, const F& f) {
  std::size_t number = 0;
  for (int k = 0; k < own.nodes[2]; ++k)
    for (int j = 0; j < own.nodes[1]; ++j)
      for (int i = 0; i < own.nodes[0]; ++i) f(std::array{i, j, k}, number++);
}

// Returns the diagonals of free nodes and the strengths of all directions.
std::vector<NodesOfBlock> measure_nodes(const BlockSpace& blocks, const Field& diagonal,
                                        const LineCouplings& couplings) {
  std::vector<NodesOfBlock> nodes(blocks.own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const BlockSpace::Own& own = blocks.own[b];
    const auto size = static_cast<std::size_t>(own.size());
    const std::array<std::size_t, 3> stride{
        1, static_cast<std::size_t>(own.nodes[0]),
        static_cast<std::size_t>(own.nodes[0]) * static_cast<std::size_t>(own.nodes[1])};
    const View<const double> d = diagonal.patches<double>(own.group)[own.patch];
    nodes[b].diagonal.resize(size);
    for (int axis = 0; axis < blocks.dimension(); ++axis)
      nodes[b].strength[static_cast<std::size_t>(axis)].assign(size, 0);
    for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
      const int part = blocks.numbers->topology().place(own.block, blocks.numbers->place_of(own.block, at)).part;
      nodes[b].diagonal[node] = blocks.free[static_cast<std::size_t>(part)] ? d(at[0], at[1], at[2]) : 0;
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(blocks.dimension()); ++axis) {
        const std::vector<double>& c = couplings[b][axis];
        double& s = nodes[b].strength[axis][node];
        if (at[axis] + 1 < own.nodes[axis]) s += std::max(-c[node], 0.0);
        if (at[axis] > 0) s += std::max(-c[node - stride[axis]], 0.0);
        s = s * s + 1e-12 * d(at[0], at[1], at[2]) * d(at[0], at[1], at[2]);  // some line must reach every node
      }
    });
  }
  return nodes;
}

}  // namespace

template <class T>
BlockLines<T>::BlockLines(Backend& backend, const BlockLevel& level, double scale)
    : backend_(backend), blocks_(level.space) {
  const BlockSpace& blocks = *blocks_;
  const Field diagonal = assembled_diagonal(backend, level, scale);
  backend.exchange(diagonal);
  const LineCouplings couplings = assembled_couplings(backend, level, scale);
  const std::vector<NodesOfBlock> nodes = measure_nodes(blocks, diagonal, couplings);
  std::vector<std::vector<double>> all;
  for (const NodesOfBlock& of : nodes) {
    std::vector<double>& sum = all.emplace_back(of.diagonal.size(), 0);
    for (const std::vector<double>& s : of.strength)
      for (std::size_t i = 0; i < s.size(); ++i) sum[i] += s[i];
  }
  Field total(backend, blocks.space, Precision::fp64);
  put_own_blocks(all, blocks, total);
  backend.run_exchange(blocks.add, total, total);
  backend.exchange(total);
  own_.resize(blocks.own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const BlockSpace::Own& own = blocks.own[b];
    const View<const double> sum = std::as_const(total).patches<double>(own.group)[own.patch];
    std::array<Factors, 3>& factors = own_[b];
    std::size_t stride = 1;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(blocks.dimension()); ++axis) {
      const auto size = static_cast<std::size_t>(own.size());
      factors[axis].inverse.assign(size, 0);
      factors[axis].lower.assign(size, 0);
      std::vector<double> pivot(size, 0);
      for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
        const double d = nodes[b].diagonal[node], weight = nodes[b].strength[axis][node] / sum(at[0], at[1], at[2]);
        if (!(d > 0) || !(weight > 1e-30)) return;
        pivot[node] += d / weight;
        if (!(pivot[node] > 0)) pivot[node] = 1e-14 * d / weight;  // a line that floats up to rounding
        factors[axis].inverse[node] = static_cast<T>(1 / pivot[node]);
        if (at[axis] + 1 == own.nodes[axis] || !(nodes[b].diagonal[node + stride] > 0)) return;
        std::array<int, 3> next = at;
        ++next[axis];
        const double other = nodes[b].strength[axis][node + stride] / sum(next[0], next[1], next[2]);
        if (!(other > 1e-30)) return;
        const double off = couplings[b][axis][node] / std::sqrt(weight * other), l = off / pivot[node];
        factors[axis].lower[node] = static_cast<T>(l);
        pivot[node + stride] -= l * off;
      });
      stride *= static_cast<std::size_t>(own.nodes[axis]);
    }
  }
  crossing_ = std::make_unique<CrossingLines<T>>(backend, blocks_, diagonal, couplings, nodes);
  if (!crossing_->any()) crossing_.reset();
}

template <class T>
BlockLines<T>::~BlockLines() = default;

template <class T>
std::size_t BlockLines<T>::bytes() const {
  std::size_t values = 0;
  for (const auto& factors : own_)
    for (const Factors& of : factors) values += of.inverse.size() + of.lower.size();
  return values * sizeof(T) + (crossing_ ? crossing_->bytes() : 0);
}

template <class T>
template <bool adds>
void BlockLines<T>::along_x(std::size_t b, const View<const T>& r, const View<T>& z) const {
  const std::array<int, 3>& n = blocks_->own[b].nodes;
  const Factors& factors = own_[b][0];
  cpu::for_each_line(Box{{}, n}, cpu::heavy_threshold, [&](int j, int k) {
    thread_local std::vector<T> y;
    y.resize(static_cast<std::size_t>(n[0]));
    const std::int64_t line = std::int64_t{n[0]} * (j + std::int64_t{n[1]} * k);
    const T *const lower = factors.lower.data() + line, *const inverse = factors.inverse.data() + line;
    const T* const from = r.line(j, k);
    T* const to = z.line(j, k);
    T last = 0;
    for (int i = 0; i < n[0]; ++i) {
      last = from[i] - (i > 0 ? lower[i - 1] * last : T(0));
      y[static_cast<std::size_t>(i)] = last;
    }
    T next = 0;
    for (int i = n[0] - 1; i >= 0; --i) {
      next = y[static_cast<std::size_t>(i)] * inverse[i] - lower[i] * next;
      to[i] = adds ? to[i] + next : next;
    }
  });
}

template <class T>
template <bool adds>
void BlockLines<T>::across(std::size_t b, std::size_t axis, const View<const T>& r, const View<T>& z) const {
  constexpr int width = 64;
  const std::array<int, 3>& n = blocks_->own[b].nodes;
  const Factors& factors = own_[b][axis];
  const int count = n[axis], pieces = (n[0] + width - 1) / width, others = n[3 - axis];
  const std::int64_t stride = axis == 1 ? n[0] : std::int64_t{n[0]} * n[1];
#pragma omp parallel for collapse(2) schedule(static) if (blocks_->own[b].size() > cpu::heavy_threshold)
  for (int other = 0; other < others; ++other)
    for (int piece = 0; piece < pieces; ++piece) {
      thread_local std::vector<T> y;
      y.resize(static_cast<std::size_t>(count) * width);
      const int first = piece * width, size = std::min(width, n[0] - first);
      const auto line = [&](int m) { return axis == 1 ? std::array{m, other} : std::array{other, m}; };
      const std::int64_t start = first + (axis == 1 ? std::int64_t{n[0]} * n[1] * other : std::int64_t{n[0]} * other);
      for (int m = 0; m < count; ++m) {
        const auto [j, k] = line(m);
        const T* const from = r.line(j, k) + first;
        T* const now = y.data() + static_cast<std::ptrdiff_t>(m) * width;
        if (m == 0) {
          std::copy_n(from, size, now);
          continue;
        }
        const T* const lower = factors.lower.data() + start + (m - 1) * stride;
        for (int i = 0; i < size; ++i) now[i] = from[i] - lower[i] * now[i - width];
      }
      for (int m = count - 1; m >= 0; --m) {
        const auto [j, k] = line(m);
        T* const to = z.line(j, k) + first;
        T* const now = y.data() + static_cast<std::ptrdiff_t>(m) * width;
        const T *const lower = factors.lower.data() + start + m * stride, *const inverse = factors.inverse.data() +
                                                                                           start + m * stride;
        for (int i = 0; i < size; ++i) {
          now[i] = now[i] * inverse[i] - (m + 1 < count ? lower[i] * now[i + width] : T(0));
          to[i] = adds ? to[i] + now[i] : now[i];
        }
      }
    }
}

template <class T>
void BlockLines<T>::solve(const Field& r, Field& z) const {
  const BlockSpace& blocks = *blocks_;
  backend_.exchange(r);
  blocks.for_each_part_line([&](std::size_t g, int p, int j, int k) {
    std::fill_n(z.patches<T>(g).line(p, j, k), blocks.space.groups()[g].layout.n[0], T(0));
  });
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const BlockSpace::Own& own = blocks.own[b];
    const View<const T> from = r.patches<T>(own.group)[own.patch];
    const View<T> to = z.patches<T>(own.group)[own.patch];
    along_x<false>(b, from, to);
    across<true>(b, 1, from, to);
    if (blocks.dimension() == 3) across<true>(b, 2, from, to);
  }
  if (crossing_) crossing_->add(r, z);
  backend_.run_exchange(blocks.add, z, z);
}

template class BlockLines<float>;
template class BlockLines<double>;

}  // namespace poisson
