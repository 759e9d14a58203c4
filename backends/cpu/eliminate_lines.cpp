#include "backends/cpu/eliminate_lines.hpp"

#include <algorithm>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/transforms/fold.hpp"

namespace poisson::cpu {
namespace {

// This many lines are solved together in one vector loop.
constexpr int side_by_side = 32;

constexpr auto inverse = [](auto x) { return x != 0 ? 1 / x : decltype(x)(0); };

bool worth_threads(std::int64_t values) {
  return values > heavy_threshold;
}

// Calls f(own, slow, first lane, lanes) for groups of lines on all threads. `make` makes the `own` data of each thread.
template <class T, class Make, class F>
void for_groups(const PlacesOfLines<T>& lines, const Make& make, const F& f) {
  const int groups = divide_up(lines.lanes, side_by_side);
#pragma omp parallel if (worth_threads(lines.n * lines.count()))
  {
    auto own = make();
#pragma omp for collapse(2) schedule(static)
    for (int slow = 0; slow < lines.slows; ++slow)
      for (int group = 0; group < groups; ++group) {
        const int first = group * side_by_side;
        f(own, slow, first, std::min(side_by_side, lines.lanes - first));
      }
  }
}

template <class T>
struct Factors {
  std::vector<T> inverse, gain;
};

// Folds or unfolds lines; `lane` contains their offsets from the first one.
template <bool back, class T>
void fold_between(const PlacesOfLines<T>& lines, const std::int64_t* lane, int lanes) {
  const auto at = [&](int k) { return lines.values + k * lines.step; };
  for (int k = 0; k < lines.n / 2; ++k) {
    T *lower = at(k), *upper = at(lines.n - 1 - k);
    for (int l = 0; l < lanes; ++l) fold_pair<back>(lower[lane[l]], upper[lane[l]]);
  }
  if (lines.n % 2 == 0) return;
  T* const middle = at(lines.n / 2);
  for (int l = 0; l < lanes; ++l) fold_middle(middle[lane[l]]);
}

// Gaussian elimination whose pivots are the sum of a row and of its couplings to values that are not eliminated yet, so
// nothing cancels. A known value before the first row counts as eliminated with pivot 1 and with its coupling as the
// gain.
template <bool ends, bool folded, class AnyLines>
void eliminate_between(const AnyLines& lines) {
  using T = typename AnyLines::Value;
  const int n = lines.n;
  const std::int64_t step = lines.step;
  const auto make = [&] {
    const auto size = static_cast<std::size_t>(n) * side_by_side;
    return Factors<T>{std::vector<T>(size), std::vector<T>(size)};
  };
  for_groups(lines, make, [&](Factors<T>& factors, int slow, int first, int lanes) {
    std::int64_t lane[side_by_side];  // offset of line
    typename AnyLines::Own own[side_by_side];
    T left[side_by_side], before[side_by_side];  // previous row's pivot without its coupling, and gain
    for (int l = 0; l < lanes; ++l) {
      lane[l] = lines.at(first + l, slow) - lines.values;
      own[l] = lines.own(first + l, slow);
      left[l] = ends ? 1 : 0;
      before[l] = ends ? lines.onwards(-1, own[l]) : 0;
    }
    if (folded) fold_between<false>(lines, lane, lanes);
    for (int k = 0; k < n; ++k) {
      T* inv = &factors.inverse[static_cast<std::size_t>(k) * side_by_side];
      T* gain = &factors.gain[static_cast<std::size_t>(k) * side_by_side];
      T* value = lines.values + k * step;
      for (int l = 0; l < lanes; ++l) {
        const T onwards = lines.onwards(k, own[l]);
        left[l] = lines.row(k, own[l]) + before[l] * left[l];
        inv[l] = inverse(left[l] + onwards);
        gain[l] = onwards * inv[l];
        if (k > 0 || ends) value[lane[l]] += before[l] * value[lane[l] - step];
        before[l] = gain[l];
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      const T* inv = &factors.inverse[static_cast<std::size_t>(k) * side_by_side];
      const T* gain = &factors.gain[static_cast<std::size_t>(k) * side_by_side];
      T* value = lines.values + k * step;
      for (int l = 0; l < lanes; ++l)
        value[lane[l]] = value[lane[l]] * inv[l] + (k + 1 < n || ends ? gain[l] * value[lane[l] + step] : T(0));
    }
    if (folded) fold_between<true>(lines, lane, lanes);
  });
}

}  // namespace

template <class AnyLines>
void eliminate(const AnyLines& lines, bool ends) {
  if (ends)
    eliminate_between<true, false>(lines.between_ends());
  else
    eliminate_between<false, false>(lines);
}

template <class T>
void eliminate_folded(const Lines<T>& lines) {
  eliminate_between<false, true>(lines);
}

template <class T>
void take_mean(const Lines<T>& lines, const ConstantLine& line) {
  T* const values = lines.at(line.lane, line.slow);
  double sum = 0, mass = 0;
  for (int k = 0; k < line.rows; ++k) {
    mass += static_cast<double>(lines.mass_sum[k]);
    sum += static_cast<double>(lines.mass_sum[k]) * line.value(k, lines.n, values, lines.step);
  }
  for (int k = 0; k < lines.n; ++k) values[k * lines.step] -= static_cast<T>(sum / mass);
}

template <class AnyLines>
void reduce(const AnyLines& lines, const SendBuffer<typename AnyLines::Value>& sent) {
  using T = typename AnyLines::Value;
  const auto nothing = [] { return 0; };
  for_groups(lines, nothing, [&](int, int slow, int first, int lanes) {
    ReducedLine<T> line[side_by_side];
    typename AnyLines::Own own[side_by_side];
    const T* from[side_by_side];
    for (int l = 0; l < lanes; ++l) {
      from[l] = lines.at(first + l, slow);
      own[l] = lines.own(first + l, slow);
      line[l] = beginning(lines, from[l], own[l]);
    }
    for (int k = 1; k + 1 < lines.n; ++k)
      for (int l = 0; l < lanes; ++l) go_on(line[l], lines, k, from[l][(k + 1) * lines.step], own[l], inverse);
    for (int l = 0; l < lanes; ++l) {
      T* const to = sent.of(first + l, slow);
      visit_sent(line[l], lines.onwards(lines.n - 1, own[l]),
                 [&](int number, T value) { to[std::int64_t{number} * sent.share] = value; });
    }
  });
}

template <class T>
void solve_ends(const EndSystems<T>& systems) {
#pragma omp parallel for schedule(static) if (worth_threads(std::int64_t{systems.lines} * systems.parts))
  for (int line = 0; line < systems.lines; ++line) systems.solve(line, inverse);
}

template <class T>
void take_ends(const PlacesOfLines<T>& lines, const SendBuffer<T>& ends) {
  const auto nothing = [] { return 0; };
  for_groups(lines, nothing, [&](int, int slow, int first, int lanes) {
    for (int lane = first; lane < first + lanes; ++lane) {
      const T* const from = ends.of(lane, slow);
      T* const values = lines.at(lane, slow);
      values[0] = from[0];
      values[(lines.n - 1) * lines.step] = from[ends.share];
    }
  });
}

template void eliminate(const Lines<float>&, bool);
template void eliminate(const Lines<double>&, bool);
template void eliminate_folded(const Lines<float>&);
template void eliminate_folded(const Lines<double>&);
template void take_mean(const Lines<float>&, const ConstantLine&);
template void take_mean(const Lines<double>&, const ConstantLine&);
template void eliminate(const StoredLines<float>&, bool);
template void eliminate(const StoredLines<double>&, bool);
template void reduce(const Lines<float>&, const SendBuffer<float>&);
template void reduce(const Lines<double>&, const SendBuffer<double>&);
template void reduce(const StoredLines<float>&, const SendBuffer<float>&);
template void reduce(const StoredLines<double>&, const SendBuffer<double>&);
template void solve_ends(const EndSystems<float>&);
template void solve_ends(const EndSystems<double>&);
template void take_ends(const PlacesOfLines<float>&, const SendBuffer<float>&);
template void take_ends(const PlacesOfLines<double>&, const SendBuffer<double>&);

}  // namespace poisson::cpu
