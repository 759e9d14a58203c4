#include "solver/fallbacks/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/device/backend.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson {
namespace {

constexpr int panel = 48;   // columns eliminated before the rest of a front is updated
constexpr int tile_m = 12;  // rows and columns updated in registers
constexpr int tile_n = 4;

using Four = double __attribute__((vector_size(32)));
using FourAnywhere = double __attribute__((vector_size(32), aligned(8), may_alias));

// Updates C += W Lᵀ on a tile, from packed rows of W and L.
void update_tile(const double* w, const double* l, int depth, double* c, std::int64_t pitch) {
  Four sum[tile_n][tile_m / 4] = {};
  for (int k = 0; k < depth; ++k, w += tile_m, l += tile_n) {
    Four row[tile_m / 4];
    for (int i = 0; i < tile_m / 4; ++i) row[i] = *reinterpret_cast<const FourAnywhere*>(w + 4 * i);
    for (int j = 0; j < tile_n; ++j)
      for (int i = 0; i < tile_m / 4; ++i) sum[j][i] += row[i] * l[j];
  }
  for (int j = 0; j < tile_n; ++j)
    for (int i = 0; i < tile_m / 4; ++i) *reinterpret_cast<FourAnywhere*>(c + j * pitch + 4 * i) += sum[j][i];
}

// Stores the lower triangle of a front's couplings, column-major. The other entries may have any finite value. The
// allocation includes full tiles beyond the last row and column.
struct Front {
  std::int64_t rows, pitch;
  std::vector<double> c, sum;

  explicit Front(std::int64_t n)
      : rows(n),
        pitch(round_up(n + tile_m, 4)),
        c(static_cast<std::size_t>(pitch * (n + tile_n))),
        sum(static_cast<std::size_t>(n)) {}
  double& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i + j * pitch)]; }
  double* column(std::int64_t j) { return c.data() + j * pitch; }
};

// Eliminates the first `own` rows. Their columns become c/d.
void eliminate(Front& front, std::int64_t own, std::vector<double>& inverse) {
  const std::int64_t m = front.rows;
  inverse.resize(static_cast<std::size_t>(own));
  std::vector<double> w, l;
  for (std::int64_t begin = 0; begin < own; begin += panel) {
    const std::int64_t end = std::min(own, begin + panel);
    const int depth = static_cast<int>(end - begin);
    const std::int64_t rest = m - end;
    const std::int64_t strips = divide_up(rest, tile_m), tiles = divide_up(rest, tile_n);
    w.assign(static_cast<std::size_t>(strips * tile_m * depth), 0);
    l.assign(static_cast<std::size_t>(tiles * tile_n * depth), 0);
    for (std::int64_t k = begin; k < end; ++k) {
      double* const column = front.column(k);
      const double sum = front.sum[static_cast<std::size_t>(k)];
      double pivot = sum, size = std::abs(sum);
      for (std::int64_t i = k + 1; i < m; ++i) {
        pivot += column[i];
        size += std::abs(column[i]);
      }
      // The pivot is zero if constants are the kernel. A pivot that consists only of rounding counts as zero.
      const double q = pivot > 4 * std::numeric_limits<double>::epsilon() * size ? 1 / pivot : 0;
      inverse[static_cast<std::size_t>(k)] = q;
      for (std::int64_t i = end; i < m; ++i) {
        const std::int64_t at = i - end;
        w[static_cast<std::size_t>((at / tile_m * depth + (k - begin)) * tile_m + at % tile_m)] = column[i];
      }
      for (std::int64_t j = k + 1; j < end; ++j) {
        const double factor = column[j] * q;
        double* const other = front.column(j);
#pragma omp simd
        for (std::int64_t i = j + 1; i < m; ++i) other[i] += factor * column[i];
      }
      double* const s = front.sum.data();
      const double share = sum;
#pragma omp simd
      for (std::int64_t i = k + 1; i < m; ++i) {
        column[i] *= q;
        s[i] += column[i] * share;
      }
      for (std::int64_t j = end; j < m; ++j) {
        const std::int64_t at = j - end;
        l[static_cast<std::size_t>((at / tile_n * depth + (k - begin)) * tile_n + at % tile_n)] = column[j];
      }
    }
#pragma omp parallel for schedule(dynamic, 4) if (rest > dissection_serial)
    for (std::int64_t t = 0; t < tiles; ++t)
      for (std::int64_t strip = t * tile_n / tile_m; strip < strips; ++strip)
        update_tile(w.data() + strip * tile_m * depth, l.data() + t * tile_n * depth, depth,
                    front.column(end + t * tile_n) + end + strip * tile_m, front.pitch);
  }
}

}  // namespace

void eliminate_front(std::int64_t rows) {
  Front front(rows);
  std::fill(front.c.begin(), front.c.end(), 1.0);
  std::fill(front.sum.begin(), front.sum.end(), 1.0);
  std::vector<double> inverse;
  eliminate(front, rows, inverse);
}

Factorization::Factorization(std::shared_ptr<const Operator> A)
    : A_(std::move(A)),
      box_(*A_),
      rhs_(A_->backend(), A_->space().part().layout(), A_->precision()),
      e_(A_->backend(), A_->space().part().layout(), A_->precision()) {
  order_.resize(static_cast<std::size_t>(box_.box.size()));
  unknowns_.reserve(order_.size());
  dissect({0, 0, 0}, box_.n, box_.periodic);
  find_borders();
}

// Numbers the unknowns of a box, each separator after the parts that it separates. A periodic axis is cut first.
int Factorization::dissect(std::array<int, 3> from, std::array<int, 3> to, std::array<bool, 3> closed) {
  const auto length = [&](std::size_t d) { return to[d] - from[d]; };
  const std::int64_t size = std::int64_t{1} * length(0) * length(1) * length(2);
  if (size == 0) return -1;
  std::size_t along = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (length(d) > length(along)) along = d;
  Node node;
  std::array<int, 3> own_from = from, own_to = to;
  if (size > dissection_leaf) {
    for (std::size_t d = 0; d < 3; ++d)
      if (closed[d]) along = d;
    const int cut = closed[along] ? from[along] : (from[along] + to[along]) / 2;
    closed[along] = false;
    auto below = to, above = from;
    below[along] = cut;
    above[along] = cut + 1;
    for (const int child : {dissect(from, below, closed), dissect(above, to, closed)})
      if (child >= 0) node.children.push_back(child);
    own_from[along] = cut;
    own_to[along] = cut + 1;
  }
  node.first = static_cast<std::int64_t>(unknowns_.size());
  for (int k = own_from[2]; k < own_to[2]; ++k)
    for (int j = own_from[1]; j < own_to[1]; ++j)
      for (int i = own_from[0]; i < own_to[0]; ++i) {
        const std::int64_t unknown = box_.number(i, j, k);
        order_[static_cast<std::size_t>(unknown)] = static_cast<std::int64_t>(unknowns_.size());
        unknowns_.push_back(unknown);
      }
  node.last = static_cast<std::int64_t>(unknowns_.size());
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

void Factorization::find_borders() {
  std::size_t stored = 0, most = 0, waiting = 0;
  for (Node& node : nodes_) {
    std::vector<std::int64_t>& border = node.border;
    for (const int child : node.children)
      for (const std::int64_t at : nodes_[static_cast<std::size_t>(child)].border)
        if (at >= node.last) border.push_back(at);
    for (std::int64_t at = node.first; at < node.last; ++at) {
      const std::array<int, 3> p = box_.place(unknowns_[static_cast<std::size_t>(at)]);
      for (int k = -1; k <= 1; ++k)
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i) {
            std::array<int, 3> q{p[0] + i, p[1] + j, p[2] + k};
            bool exists = true;
            for (std::size_t d = 0; d < 3; ++d) {
              if (box_.periodic[d]) q[d] = (q[d] + box_.n[d]) % box_.n[d];
              exists = exists && q[d] >= 0 && q[d] < box_.n[d];
            }
            if (!exists) continue;
            const std::int64_t other = order_[static_cast<std::size_t>(box_.number(q[0], q[1], q[2]))];
            if (other >= node.last) border.push_back(other);
          }
    }
    std::sort(border.begin(), border.end());
    border.erase(std::unique(border.begin(), border.end()), border.end());
    const auto own = static_cast<double>(node.own()), rows = static_cast<double>(node.rows());
    cost_.flops += (rows * rows * rows - (rows - own) * (rows - own) * (rows - own)) / 3;
    const std::size_t front = sizeof(double) * static_cast<std::size_t>(node.rows() * node.rows());
    for (const int child : node.children) {
      const std::size_t b = nodes_[static_cast<std::size_t>(child)].border.size();
      waiting -= sizeof(double) * b * b;
    }
    waiting += sizeof(double) * border.size() * border.size();
    stored += sizeof(double) * static_cast<std::size_t>(node.rows() * node.own());
    most = std::max(most, waiting + 2 * front);
  }
  cost_.bytes = stored + most;
}

void Factorization::factorize() {
  const Rows rows = read_rows(*A_, rhs_, e_);
  std::vector<std::vector<double>> updates(nodes_.size());
  for (Node& node : nodes_) eliminate(node, rows, updates);
}

void Factorization::eliminate(Node& node, const Rows& matrix, std::vector<std::vector<double>>& updates) {
  const std::int64_t own = node.own(), rows = node.rows();
  Front front(rows);
  const auto place = [&](std::int64_t at) {
    if (at < node.last) return at - node.first;
    return own + (std::lower_bound(node.border.begin(), node.border.end(), at) - node.border.begin());
  };
  for (std::int64_t at = node.first; at < node.last; ++at) {
    const auto row = static_cast<std::size_t>(unknowns_[static_cast<std::size_t>(at)]);
    front.sum[static_cast<std::size_t>(at - node.first)] = matrix.sum[row];
    for (std::int64_t e = matrix.first[row]; e < matrix.first[row + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const std::int64_t other = order_[static_cast<std::size_t>(matrix.to[entry])];
      if (other > at) front.at(place(other), at - node.first) += matrix.coupling[entry];
    }
  }
  for (const int child : node.children) {
    const std::vector<std::int64_t>& border = nodes_[static_cast<std::size_t>(child)].border;
    std::vector<double>& update = updates[static_cast<std::size_t>(child)];  // lower triangle by columns, then the sums
    std::vector<std::int64_t> to;
    to.reserve(border.size());
    for (const std::int64_t at : border) to.push_back(place(at));
    const double* value = update.data();
    for (std::size_t j = 0; j < to.size(); ++j)
      for (std::size_t i = j + 1; i < to.size(); ++i) front.at(to[i], to[j]) += *value++;
    for (const std::int64_t i : to) front.sum[static_cast<std::size_t>(i)] += *value++;
    update = {};
  }
  poisson::eliminate(front, own, node.inverse);
  node.columns.reserve(static_cast<std::size_t>(own * rows));
  for (std::int64_t j = 0; j < own; ++j)
    node.columns.insert(node.columns.end(), front.column(j), front.column(j) + rows);
  std::vector<double>& update = updates[static_cast<std::size_t>(&node - nodes_.data())];
  const std::int64_t b = rows - own;
  update.reserve(static_cast<std::size_t>(b * (b - 1) / 2 + b));
  for (std::int64_t j = own; j < rows; ++j)
    update.insert(update.end(), front.column(j) + j + 1, front.column(j) + rows);
  update.insert(update.end(), front.sum.begin() + own, front.sum.end());
}

void Factorization::solve() {
  std::vector<double> given, part;
  gather(box_, rhs_, given);
  const std::size_t size = order_.size();
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = given[static_cast<std::size_t>(unknowns_[i])];
  const auto take = [&](const Node& node) {
    part.assign(x.begin() + node.first, x.begin() + node.last);
    for (const std::int64_t other : node.border) part.push_back(x[static_cast<std::size_t>(other)]);
  };
  for (const Node& node : nodes_) {
    take(node);
    const std::int64_t own = node.own(), rows = node.rows();
    for (std::int64_t k = 0; k < own; ++k) {
      const double* const column = node.columns.data() + k * rows;
      const double value = part[static_cast<std::size_t>(k)];
#pragma omp simd
      for (std::int64_t i = k + 1; i < rows; ++i) part[static_cast<std::size_t>(i)] += column[i] * value;
    }
    std::copy_n(part.begin(), own, x.begin() + node.first);
    for (std::size_t i = 0; i < node.border.size(); ++i)
      x[static_cast<std::size_t>(node.border[i])] = part[static_cast<std::size_t>(own) + i];
  }
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    take(*node);
    const std::int64_t own = node->own(), rows = node->rows();
    for (std::int64_t k = own; k-- > 0;) {
      const double* const column = node->columns.data() + k * rows;
      double sum = part[static_cast<std::size_t>(k)] * node->inverse[static_cast<std::size_t>(k)];
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = k + 1; i < rows; ++i) sum += column[i] * part[static_cast<std::size_t>(i)];
      part[static_cast<std::size_t>(k)] = sum;
    }
    std::copy_n(part.begin(), own, x.begin() + node->first);
  }
  for (std::size_t i = 0; i < size; ++i) given[static_cast<std::size_t>(unknowns_[i])] = x[i];
  scatter(box_, given, e_);
  if (A_->singular()) A_->project_solution(e_);
}

}  // namespace poisson
