#include "grids/cell_weights.hpp"

#include <algorithm>
#include <cstddef>

namespace poisson {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

int turns(int i, int n) {
  return i < 0 ? -1 : i / n;
}

// Where value i of an axis sits, past the ends of periodic axes too, past others on the face.
double place(const Axis& axis, int i) {
  const int n = axis.size();
  if (!axis.periodic()) return i < 0 ? axis.nodes().front() : i >= n ? axis.nodes().back() : axis.point(i);
  const int turn = turns(i, n);
  return axis.point(i - turn * n) + turn * (axis.nodes().back() - axis.nodes().front());
}

bool has_data(const Axis& axis, int end) {
  return axis.kind(end) == BoundaryKind::dirichlet;
}

// For each fine cell the coarse cell that it is part of.
std::vector<int> parents(const Axis& fine, const CoarseAxis& coarse) {
  std::vector<int> parent;
  for (int i = 0, I = 0; i < fine.size(); ++i) {
    if (index(I) + 1 < coarse.fine.size() && coarse.fine[index(I) + 1] == i) ++I;
    parent.push_back(I);
  }
  return parent;
}

}  // namespace

CellWeights cell_weights(const Axis& fine, const CoarseAxis& coarse, bool constant) {
  CellWeights w;
  const Axis& axis = coarse.axis;
  const int n = fine.size(), N = axis.size();
  w.left = parents(fine, coarse);
  w.weight.assign(index(n), 1.0);
  w.first = coarse.fine;
  for (int I = 0; I < N; ++I) {
    const int first = w.first[index(I)], next = I + 1 < N ? w.first[index(I) + 1] : n;
    w.count.push_back(next - first);
    w.share.push_back(axis.degenerate() ? 1.0 : fine.width(first) / axis.width(I));
  }
  for (int i = 0; i < n && !constant && !axis.degenerate(); ++i) {
    const int parent = w.left[index(i)];
    if (w.count[index(parent)] == 1) continue;
    const bool lower = i == w.first[index(parent)];
    const int left = lower ? parent - 1 : parent;
    const bool beyond = !axis.periodic() && ((left < 0 && !has_data(axis, 0)) || (left + 1 == N && !has_data(axis, 1)));
    if (beyond) continue;
    // The way from the coarse centre to the fine one is half the other cell of the pair.
    const double part = 0.5 * fine.width(lower ? i + 1 : i - 1) * axis.inverse_distance(left);
    w.left[index(i)] = left;
    w.weight[index(i)] = lower ? part : 1 - part;
  }
  for (int I = 0; I < N; ++I) {
    std::array<double, 4> row{};
    for (int s = 0; s < 4; ++s) {
      const int at = w.first[index(I)] - 1 + s, turn = turns(at, n);
      if (turn != 0 && !axis.periodic()) continue;
      const auto i = index(at - turn * n);
      const int left = w.left[i] + turn * N;
      if (left == I) row[index(s)] = w.weight[i];
      if (left + 1 == I) row[index(s)] = 1 - w.weight[i];
    }
    w.restriction.push_back(row);
  }
  return w;
}

CubicWeights cubic_cell_weights(const Axis& fine, const CoarseAxis& coarse) {
  CubicWeights w;
  const Axis& axis = coarse.axis;
  const int N = axis.size();
  // The values that there are: first … last.
  const int first = has_data(axis, 0) ? -1 : 0, last = has_data(axis, 1) ? N : N - 1;
  const std::vector<int> parent = parents(fine, coarse);
  for (int i = 0; i < fine.size(); ++i) {
    std::array<int, 4> at{};
    std::array<double, 4> weight{};
    const int p = parent[index(i)];
    const int children = (p + 1 < N ? coarse.fine[index(p) + 1] : fine.size()) - coarse.fine[index(p)];
    if (children == 1) {
      at.fill(p);
      weight[0] = 1;
    } else {
      const int left = i == coarse.fine[index(p)] ? p - 1 : p;
      const int points = std::min(4, axis.periodic() ? N + 1 : last - first + 1);
      const int start = axis.periodic() ? left - (points == 4 ? 1 : 0) : std::clamp(left - 1, first, last + 1 - points);
      for (int a = 0; a < points; ++a) {
        double product = 1;
        for (int b = 0; b < points; ++b)
          if (b != a)
            product *= (fine.point(i) - place(axis, start + b)) / (place(axis, start + a) - place(axis, start + b));
        at[index(a)] = axis.periodic() ? (start + a + N) % N : start + a;
        weight[index(a)] = product;
      }
      for (int a = points; a < 4; ++a) at[index(a)] = at[0];
    }
    w.at.push_back(at);
    w.weight.push_back(weight);
  }
  return w;
}

}  // namespace poisson
