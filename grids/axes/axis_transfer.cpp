#include "grids/axes/axis_transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "backends/spaces/exchange.hpp"

namespace poisson {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// Returns how often an index has passed the end of a periodic axis.
int turns(int i, int n) {
  return i < 0 ? -((n - 1 - i) / n) : i / n;
}

// Contains the positions of the values of both axes: coordinates or, if all cells are equal, multiples of the fine cell
// width. In these units coarse values that coincide with fine ones do so exactly. Values of periodic axes continue
// beyond the ends.
class Places {
 public:
  Places(const Axis& fine, const CoarseAxis& coarse)
      : at_nodes_(fine.centering() == Centering::node),
        in_cells_(fine.equidistant() && coarse.axis.equidistant()),
        periodic_(fine.periodic()) {
    const double period = in_cells_ ? fine.cells() : fine.nodes().back() - fine.nodes().front();
    const int n = fine.size(), N = coarse.axis.size();
    for (int i = -beyond; i < n + beyond; ++i) {
      const int turn = periodic_ ? turns(i, n) : 0, own = i - turn * n;
      fine_.push_back(own < 0 || own >= n ? 0 : fine_value(fine, own) + turn * period);
    }
    const auto value = [&](int I) {
      return at_nodes_ ? coarse_node(coarse, I) : 0.5 * (coarse_node(coarse, I) + coarse_node(coarse, I + 1));
    };
    for (int I = -beyond; I < N + beyond; ++I) {
      const int turn = periodic_ ? turns(I, N) : 0, own = I - turn * N;
      if (own >= 0 && own < N)
        coarse_.push_back(periodic_ ? value(own) + turn * period : value(own));
      else
        coarse_.push_back(at_nodes_ ? 0 : coarse_node(coarse, own < 0 ? 0 : N));
    }
  }

  double fine(int i) const { return fine_[index(i + beyond)]; }
  /// Returns the position of the face past the ends of cell-centred axes that are not periodic.
  double coarse(int I) const { return coarse_[index(I + beyond)]; }

 private:
  static constexpr int beyond = 3;
  double fine_value(const Axis& fine, int i) const {
    if (!in_cells_) return fine.point(i);
    return at_nodes_ ? i : i + 0.5;
  }
  double coarse_node(const CoarseAxis& coarse, int I) const {
    return in_cells_ ? coarse.place[index(I)] : coarse.axis.nodes()[index(I)];
  }

  bool at_nodes_, in_cells_, periodic_;
  std::vector<double> fine_, coarse_;
};

// Contains the first and the last coarse value that interpolation can use.
struct Ends {
  int first, last;
};
Ends ends_of(const Axis& coarse) {
  const int N = coarse.size();
  const auto on_face = [&](int end) {
    return coarse.centering() == Centering::cell && coarse.kind(end) == BoundaryKind::dirichlet;
  };
  return {on_face(0) ? -1 : 0, on_face(1) ? N : N - 1};
}

// Returns the last coarse value at or before each fine one. On periodic axes coarse values begin at −1.
std::vector<int> coarse_at_or_before(const Axis& fine, const CoarseAxis& coarse, const Places& places) {
  const Ends ends = ends_of(coarse.axis);
  const int most = coarse.axis.periodic() ? coarse.axis.size() - 1 : ends.last;
  std::vector<int> left;
  int at = coarse.axis.periodic() ? -1 : ends.first;
  for (int i = 0; i < fine.size(); ++i) {
    while (at < most && places.coarse(at + 1) <= places.fine(i)) ++at;
    left.push_back(at);
  }
  return left;
}

// Interpolation may amplify errors of the coarse values by at most this factor. Equidistant nodes have 1.25, or 1.63
// next to an end. If a wide cell follows a cell of 1/r of its width, the factor is about r/5, and larger next to an
// end.
constexpr double largest_amplification = 30;

struct Row {
  std::array<int, 4> at{};
  std::array<double, 4> weight{};
  int count = 0;

  void put(int i, double w) {
    at[index(count)] = i;
    weight[index(count++)] = w;
  }
  double amplification() const {
    double sum = 0;
    for (const double w : weight) sum += std::abs(w);
    return sum;
  }
};

// Returns Lagrange's weights at x for the values start … start + points − 1, which lie at place(value).
template <class Place>
Row lagrange(double x, int start, int points, const Place& place) {
  std::array<double, 4> at{};
  for (int p = 0; p < points; ++p) at[index(p)] = place(start + p);
  Row row;
  for (int p = 0; p < points; ++p) {
    double product = 1;
    for (int q = 0; q < points; ++q)
      if (q != p) product *= (x - at[index(q)]) / (at[index(p)] - at[index(q)]);
    row.put(start + p, product);
  }
  return row;
}

int turned(int i, const Axis& axis) {
  const int n = axis.size();
  return axis.periodic() ? i - turns(i, n) * n : i;
}

void add(AxisRows& rows, Row row, const Axis& from) {
  for (int s = 0; s < row.count; ++s) row.at[index(s)] = turned(row.at[index(s)], from);
  rows.add(row.at, row.weight, row.count);
}

// Returns the fractions of fine cells that lie in coarse cell I.
Row parts(const CoarseAxis& coarse, int I) {
  Row row;
  const double begin = coarse.place[index(I)], end = coarse.place[index(I) + 1];
  for (int i = static_cast<int>(begin); i < end; ++i)
    row.put(i, std::min(end, i + 1.0) - std::max(begin, static_cast<double>(i)));
  return row;
}

// Returns the same for control volumes of nodes between equal cells. Volumes at ends are halved.
Row parts_of_volume(const Axis& fine, const CoarseAxis& coarse, int I) {
  const int n = fine.cells();
  const double half = 0.5 * n / coarse.axis.cells();
  const auto inside = [&](double x) { return fine.periodic() ? x : std::clamp(x, 0.0, static_cast<double>(n)); };
  const double middle = coarse.place[index(I)], begin = inside(middle - half), end = inside(middle + half);
  Row row;
  for (int i = static_cast<int>(std::floor(begin + 0.5)); inside(i - 0.5) < end; ++i) {
    const double from = inside(i - 0.5), to = inside(i + 0.5);
    if (std::min(end, to) > std::max(begin, from))
      row.put(i, (std::min(end, to) - std::max(begin, from)) / (to - from));
  }
  return row;
}

CoarseAxis to_global(const CoarseAxis& coarse) {
  return {coarse.axis.global(), coarse.place};
}

// Selects the rows of a window from the rows of a global axis, in which row i is stored at i + shift. The result
// includes up to `shift` rows beyond each end. Indices are converted to the window `from`.
AxisRows rows_of_window(const AxisRows& all, const Axis& to, const Axis& from, int shift) {
  const int values = from.global().size(), n = from.size();
  const bool closed = from.global().periodic();
  AxisRows own;
  for (int row = to.origin(); row < to.origin() + to.size() + 2 * shift && index(row) < all.size(); ++row) {
    std::array<int, 4> at = all.at[index(row)];
    for (int& i : at) {
      i -= from.origin();
      if (closed && i < -cut_halo) i += values;
      if (closed && i >= n + cut_halo) i -= values;
      i = std::clamp(i, -cut_halo, n + cut_halo - 1);  // only in rows past the window's ends
    }
    own.add(at, all.weight[index(row)], 4);
  }
  return own;
}

}  // namespace

void AxisRows::add(const std::array<int, 4>& from, const std::array<double, 4>& weights, int count) {
  at.push_back(from);
  weight.push_back(weights);
  for (int s = count; s < 4; ++s) {
    at.back()[index(s)] = from[0];
    weight.back()[index(s)] = 0;
  }
}

LinearRows linear_rows(const Axis& fine, const CoarseAxis& coarse, bool constant) {
  if (!fine.is_global()) {
    const LinearRows all = linear_rows(fine.global(), to_global(coarse), constant);
    LinearRows own;
    for (int i = fine.origin(); i < fine.origin() + fine.size(); ++i) {
      own.left.push_back(all.left[index(i)] - coarse.axis.origin());
      own.weight.push_back(all.weight[index(i)]);
    }
    return own;
  }
  LinearRows rows;
  if (fine.degenerate()) return {{0}, {1}};
  if (constant) {
    if (!coarse.nested()) throw std::logic_error("a piecewise constant prolongation needs cells that are unions");
    for (int i = 0, I = 0; i < fine.size(); ++i) {
      if (coarse.node(I + 1) == i) ++I;
      rows.left.push_back(I);
      rows.weight.push_back(1);
    }
    return rows;
  }
  const Places places(fine, coarse);
  const Ends ends = ends_of(coarse.axis);
  const std::vector<int> left = coarse_at_or_before(fine, coarse, places);
  for (int i = 0; i < fine.size(); ++i) {
    int l = left[index(i)];
    double w = 1;
    if (!coarse.axis.periodic() && l == ends.last) {
      // The fine value coincides with the last coarse value or lies past it.
    } else if (!coarse.axis.periodic() && places.fine(i) < places.coarse(l)) {
      --l;  // the fine value lies before the first coarse one
      w = 0;
    } else {
      const double from = places.coarse(l), to = places.coarse(l + 1);
      w = (to - places.fine(i)) / (to - from);
    }
    rows.left.push_back(l);
    rows.weight.push_back(w);
  }
  return rows;
}

namespace {

AxisRows transposed(const LinearRows& P, const Axis& fine, const CoarseAxis& coarse) {
  const int N = coarse.axis.size();
  std::vector<Row> rows(index(N));
  const auto put = [&](int I, int i, double w) {
    if (w == 0) return;
    I = turned(I, coarse.axis);
    if (I < 0 || I >= N) return;  // on a face, where corrections are zero
    Row& row = rows[index(I)];
    for (int s = 0; s < row.count; ++s)
      if (row.at[index(s)] == i) {  // both neighbours of fine value i are coarse value I
        row.weight[index(s)] += w;
        return;
      }
    if (row.count == 4) throw std::logic_error("a coarse value is wider than four fine ones");
    row.put(i, w);
  };
  for (int i = 0; i < fine.size(); ++i) {
    put(P.left[index(i)], i, P.weight[index(i)]);
    put(P.left[index(i)] + 1, i, 1 - P.weight[index(i)]);
  }
  AxisRows all;
  for (const Row& row : rows) all.add(row.at, row.weight, row.count);
  return all;
}

}  // namespace

AxisRows restriction_rows(const Axis& fine, const CoarseAxis& coarse, bool constant) {
  if (!fine.is_global())
    return rows_of_window(restriction_rows(fine.global(), to_global(coarse), constant), coarse.axis, fine, 0);
  return transposed(linear_rows(fine, coarse, constant), fine, coarse);
}

AxisRows cubic_rows(const Axis& fine, const CoarseAxis& coarse) {
  if (!fine.is_global()) return rows_of_window(cubic_rows(fine.global(), to_global(coarse)), fine, coarse.axis, 0);
  AxisRows rows;
  if (fine.degenerate()) {
    rows.add({0, 0, 0, 0}, {1, 0, 0, 0}, 1);
    return rows;
  }
  const Places places(fine, coarse);
  const Axis& axis = coarse.axis;
  const int N = axis.size();
  const Ends ends = ends_of(axis);
  const std::vector<int> left = coarse_at_or_before(fine, coarse, places);
  const auto place = [&](int I) { return places.coarse(I); };
  for (int i = 0; i < fine.size(); ++i) {
    const int l = left[index(i)];
    const int points = std::min(4, axis.periodic() ? N + 1 : ends.last - ends.first + 1);
    const auto from = [&](int before, int count) {
      return axis.periodic() ? l - before : std::clamp(l - before, ends.first, ends.last + 1 - count);
    };
    Row row = lagrange(places.fine(i), from(points == 4 ? 1 : 0, points), points, place);
    if (row.amplification() > largest_amplification) row = lagrange(places.fine(i), from(0, 2), 2, place);
    add(rows, row, axis);
  }
  return rows;
}

AxisRows cell_means(const Axis& fine, const CoarseAxis& coarse) {
  if (!fine.is_global()) return rows_of_window(cell_means(fine.global(), to_global(coarse)), coarse.axis, fine, 1);
  AxisRows rows;
  const int n = std::max(1, fine.cells()), N = std::max(1, coarse.axis.cells());
  const auto mean = [&](int I) {
    Row row = parts(coarse, I);
    double length = 0;
    for (int s = 0; s < row.count; ++s) {
      if (!fine.degenerate()) row.weight[index(s)] *= fine.width(row.at[index(s)]);
      length += row.weight[index(s)];
    }
    for (double& w : row.weight) w /= length;
    rows.add(row.at, row.weight, row.count);
  };
  const auto beyond = [&](int I, int i) {
    if (fine.periodic()) return mean((I + N) % N);
    rows.add({i, i, i, i}, {1, 0, 0, 0}, 1);
  };
  beyond(-1, -1);
  for (int I = 0; I < N; ++I) mean(I);
  beyond(N, n);
  return rows;
}

AxisRows injection_rows(const Axis& fine, const CoarseAxis& coarse) {
  if (fine.centering() == Centering::cell) return cell_means(fine, coarse);
  if (!fine.is_global()) return rows_of_window(injection_rows(fine.global(), to_global(coarse)), coarse.axis, fine, 1);
  AxisRows rows;
  const int n = fine.size(), N = coarse.axis.size();
  if (fine.degenerate()) {
    for (int I = -1; I <= N; ++I) rows.add({0, 0, 0, 0}, {1, 0, 0, 0}, 1);
    return rows;
  }
  const Places places(fine, coarse);
  const auto place = [&](int i) { return places.fine(i); };
  for (int I = -1; I <= N; ++I) {
    const double at = I < 0 ? 0 : coarse.place[index(std::min(I, N - 1))];
    const int below = static_cast<int>(at);
    if (below == at) {
      rows.add({below, below, below, below}, {1, 0, 0, 0}, 1);
      continue;
    }
    const int points = std::min(4, fine.periodic() ? n + 1 : n);
    const int start = fine.periodic() ? below - 1 : std::clamp(below - 1, 0, n - points);
    add(rows, lagrange(places.coarse(I), start, points, place), fine);
  }
  return rows;
}

AxisRows sum_rows(const Axis& fine, const CoarseAxis& coarse) {
  if (!fine.is_global()) return rows_of_window(sum_rows(fine.global(), to_global(coarse)), coarse.axis, fine, 0);
  const bool nodes = fine.centering() == Centering::node;
  if (nodes && coarse.nested()) return restriction_rows(fine, coarse);
  const int N = coarse.axis.size();
  AxisRows rows;
  for (int I = 0; I < N; ++I) add(rows, nodes ? parts_of_volume(fine, coarse, I) : parts(coarse, I), fine);
  return rows;
}

}  // namespace poisson
