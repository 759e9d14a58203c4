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

// Returns −a over the negative entries of a node along an axis.
double strength_along(const BlockSpace::Own& own, std::size_t axis, std::size_t stride,
                      const std::vector<double>& couplings, const std::array<int, 3>& at, std::size_t node) {
  double sum = 0;
  if (at[axis] > 0) sum += std::max(-couplings[node - stride], 0.0);
  if (at[axis] + 1 < own.nodes[axis]) sum += std::max(-couplings[node], 0.0);
  return sum;
}

// Measures the nodes of a block. Couplings of axes that are not strong are cleared.
NodesOfBlock measure_block(const BlockSpace& blocks, const BlockSpace::Own& own, const View<const double>& d,
                           std::array<std::vector<double>, 3>& couplings) {
  NodesOfBlock nodes;
  const auto size = static_cast<std::size_t>(own.size());
  const MacroTopology& topology = blocks.numbers->topology();
  nodes.diagonal.resize(size);
  for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
    const int part = topology.place(own.block, blocks.numbers->place_of(own.block, at)).part;
    nodes.diagonal[node] = blocks.free[static_cast<std::size_t>(part)] ? d(at[0], at[1], at[2]) : 0;
  });
  std::size_t stride = 1;
  bool lines = false;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(blocks.dimension()); ++axis) {
    std::vector<double>& c = couplings[axis];
    const int n = own.nodes[axis];
    bool strong = false;
    for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
      // The nodes at ends of a line have one coupling of two.
      const bool inside = at[axis] > 0 && at[axis] + 1 < n;
      if (strong || !(nodes.diagonal[node] > 0) || (!inside && n > 2)) return;
      strong = (inside ? 1 : 2) * strength_along(own, axis, stride, c, at, node) > strong_axis * nodes.diagonal[node];
    });
    if (strong) {
      nodes.strength[axis].resize(size);
      for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
        const double s = strength_along(own, axis, stride, c, at, node), diagonal = nodes.diagonal[node];
        nodes.strength[axis][node] = strength_of_line(s, diagonal);
      });
    } else {
      c.clear();
    }
    lines = lines || strong;
    stride *= static_cast<std::size_t>(n);
  }
  nodes.points.assign(size, 0);
  if (!lines)
    std::ranges::transform(nodes.diagonal, nodes.points.begin(), [](double diagonal) { return diagonal * diagonal; });
  return nodes;
}

// Returns values of the nodes of all blocks, summed at interfaces.
Field summed(Backend& backend, const BlockSpace& blocks, const std::vector<std::vector<double>>& values) {
  Field sum(backend, blocks.space, Precision::fp64);
  put_own_blocks(values, blocks, sum);
  backend.run_exchange(blocks.add, sum, sum);
  return sum;
}

}  // namespace

template <class T>
BlockLines<T>::BlockLines(Backend& backend, const BlockLevel& level, double scale)
    : backend_(backend), blocks_(level.space), points_(backend, level.space->space, precision_of<T>) {
  const BlockSpace& blocks = *blocks_;
  const Field diagonal = assembled_diagonal(backend, level, scale);
  backend.exchange(diagonal);
  LineCouplings couplings = assembled_couplings(backend, level, scale);
  std::vector<NodesOfBlock> nodes(blocks.own.size());
  std::vector<std::vector<double>> all(blocks.own.size()), points(blocks.own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const BlockSpace::Own& own = blocks.own[b];
    nodes[b] = measure_block(blocks, own, diagonal.patches<double>(own.group)[own.patch], couplings[b]);
    all[b] = points[b] = nodes[b].points;
    for (const std::vector<double>& s : nodes[b].strength)
      for (std::size_t i = 0; i < s.size(); ++i) all[b][i] += s[i];
  }
  const Field total = summed(backend, blocks, all);
  backend.exchange(total);
  take_points(summed(backend, blocks, points), total, diagonal);
  own_.resize(blocks.own.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t b = 0; b < blocks.own.size(); ++b)
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(blocks.dimension()); ++axis)
      if (!couplings[b][axis].empty()) factor(b, axis, nodes[b], couplings[b][axis], total);
  crossing_ = std::make_unique<CrossingLines<T>>(backend, blocks_, diagonal, couplings, nodes);
  if (!crossing_->any()) crossing_.reset();
}

template <class T>
void BlockLines<T>::take_points(const Field& points, const Field& total, const Field& diagonal) {
  const BlockSpace& blocks = *blocks_;
  const auto put = [](double p, double sum, double d) { return static_cast<T>(d > 0 && sum > 0 ? p / sum / d : 0); };
  blocks.for_each_line<T>(points_, [&](std::size_t b, const View<T>& to, int j, int k) {
    const BlockSpace::Own& own = blocks.own[b];
    const auto of = [&](const Field& field) { return field.patches<double>(own.group)[own.patch].line(j, k); };
    const double *const p = of(points), *const sum = of(total), *const d = of(diagonal);
    const bool end = j == 0 || j == own.nodes[1] - 1 || (own.nodes[2] > 1 && (k == 0 || k == own.nodes[2] - 1));
    const int whole = blocks.numbers->topology().place(own.block, blocks.numbers->topology().places() / 2).part;
    const bool free = blocks.free[static_cast<std::size_t>(whole)];
    for (int i = 0; i < own.nodes[0]; ++i)
      to(i, j, k) = end || i == 0 || i == own.nodes[0] - 1 || !free ? T(0) : put(p[i], sum[i], d[i]);
  });
  blocks.for_each_part_line([&](std::size_t g, int patch, int j, int k) {
    const auto of = [&](const Field& field) { return field.patches<double>(g).line(patch, j, k); };
    const double *const p = of(points), *const sum = of(total), *const d = of(diagonal);
    T* const to = points_.patches<T>(g).line(patch, j, k);
    for (int i = 0; i < blocks.space.groups()[g].layout.n[0]; ++i) to[i] = put(p[i], sum[i], d[i]);
  });
}

template <class T>
void BlockLines<T>::factor(std::size_t b, std::size_t axis, const NodesOfBlock& nodes,
                           const std::vector<double>& couplings, const Field& total) {
  const BlockSpace::Own& own = blocks_->own[b];
  const View<const double> sum = total.patches<double>(own.group)[own.patch];
  const std::size_t size = nodes.diagonal.size(),
                    stride = static_cast<std::size_t>(axis == 0   ? 1
                                                      : axis == 1 ? own.nodes[0]
                                                                  : own.nodes[0] * own.nodes[1]);
  Factors& to = own_[b][axis];
  to.inverse.assign(size, 0);
  to.lower.assign(size, 0);
  std::vector<double> carried(size, 0);
  const auto of = [&](const std::array<int, 3>& at, std::size_t node) {
    return NodeOfLine{nodes.diagonal[node], nodes.strength[axis][node] / sum(at[0], at[1], at[2])};
  };
  for_nodes(own, [&](const std::array<int, 3>& at, std::size_t node) {
    std::array<int, 3> next = at;
    const bool ends = ++next[axis] == own.nodes[axis];
    const LineFactor made = factor_node(carried[node], of(at, node), ends ? NodeOfLine{} : of(next, node + stride),
                                        ends ? 0 : couplings[node]);
    to.inverse[node] = static_cast<T>(made.inverse);
    to.lower[node] = static_cast<T>(made.lower);
    if (!ends) carried[node + stride] = made.carried;
  });
}

template <class T>
BlockLines<T>::~BlockLines() = default;

template <class T>
std::size_t BlockLines<T>::bytes() const {
  std::size_t values = 0;
  for (const auto& factors : own_)
    for (const Factors& of : factors) values += of.inverse.size() + of.lower.size();
  return points_.bytes() + values * sizeof(T) + (crossing_ ? crossing_->bytes() : 0);
}

template <class T>
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
      to[i] += next;
    }
  });
}

template <class T>
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
          to[i] += now[i];
        }
      }
    }
}

template <class T>
void BlockLines<T>::solve(const Field& r, Field& z) const {
  const BlockSpace& blocks = *blocks_;
  backend_.exchange(r);
  blocks.for_each_part_line([&](std::size_t g, int p, int j, int k) {
    const T *const from = r.patches<T>(g).line(p, j, k), *const points = points_.patches<T>(g).line(p, j, k);
    T* const to = z.patches<T>(g).line(p, j, k);
    for (int i = 0; i < blocks.space.groups()[g].layout.n[0]; ++i) to[i] = points[i] * from[i];
  });
  // The ends of blocks have no points of their own.
  blocks.for_each_line<T>(z, [&](std::size_t b, const View<T>& view, int j, int k) {
    const BlockSpace::Own& own = blocks.own[b];
    const T *const from = r.patches<T>(own.group)[own.patch].line(j, k), *const points =
                                                                             points_.patches<T>(own.group)[own.patch]
                                                                                 .line(j, k);
    T* const to = view.line(j, k);
    for (int i = 0; i < own.nodes[0]; ++i) to[i] = points[i] * from[i];
  });
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    const BlockSpace::Own& own = blocks.own[b];
    const View<const T> from = r.patches<T>(own.group)[own.patch];
    const View<T> to = z.patches<T>(own.group)[own.patch];
    if (strong(b, 0)) along_x(b, from, to);
    for (std::size_t axis = 1; axis < static_cast<std::size_t>(blocks.dimension()); ++axis)
      if (strong(b, axis)) across(b, axis, from, to);
  }
  if (crossing_) crossing_->add(r, z);
  backend_.run_exchange(blocks.add, z, z);
}

template class BlockLines<float>;
template class BlockLines<double>;

}  // namespace poisson
