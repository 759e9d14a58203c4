#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lab/harness/array.hpp"
#include "lab/harness/contents.hpp"
#include "lab/harness/fma_peak.hpp"
#include "lab/harness/reading_again.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/page/curve.hpp"
#include "lab/studies/compute/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view study = "compute";

// Returns x(i, j) in [0, 1).
constexpr float datum(int n0, int i, int j) {
  return noise_float(static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(n0) + static_cast<std::uint64_t>(i));
}

template <class T>
struct Datum {
  View<T> x;
  __device__ void operator()(std::int64_t at) const {
    const int i = static_cast<int>(at % x.n[0]), j = static_cast<int>(at / x.n[0]);
    x(i, j, 0) = datum(x.n[0], i, j);
  }
};

void set_data(Field& x) {
  dispatch(x.precision(), [&]<class T>(T) { on_each(x.backend(), x.layout().size(), Datum<T>{x.view<T>()}); });
}

void spoil(Field& y) {
  cuda::check(cudaMemsetAsync(y.data(), 0xff, y.bytes(), stream_of(y.backend())));
}

double expected(const Layout& layout, int i, int j, int steps) {
  const auto x = [&](int a, int b) {
    const bool inside = a >= 0 && a < layout.n[0] && b >= 0 && b < layout.n[1];
    return inside ? static_cast<double>(datum(layout.n[0], a, b)) : 0.0;
  };
  return expensive_value({x(i, j), x(i - 1, j), x(i + 1, j), x(i, j - 1), x(i, j + 1)}, steps);
}

// Returns whether row j is right in every `stride`-th column. Entries stay below 2, and their factors damp rounding
// errors.
template <class T>
bool row_agrees(const Field& y, int j, int steps, int stride) {
  const Layout& layout = y.layout();
  std::vector<T> row(static_cast<std::size_t>(layout.n[0]));
  y.backend().read(y.view<T>().line(j, 0), row.data(), row.size() * sizeof(T));
  const double bound = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (int i = 0; i < layout.n[0]; i += stride)
    if (!(std::abs(static_cast<double>(row[static_cast<std::size_t>(i)]) - expected(layout, i, j, steps)) <= bound))
      return false;
  return true;
}

void check_row(const Session& session, const Field& y, int j, int steps, int stride) {
  dispatch(y.precision(), [&]<class T>(T) {
    session.check(row_agrees<T>(y, j, steps, stride), study, std::to_string(steps) + " steps per entry",
                  "row " + std::to_string(j) + " of " + std::to_string(y.layout().n[1]) + " is wrong");
  });
}

void verify_small(Session& session, Precision precision) {
  for (const std::array<int, 3> n : {std::array{2, 2, 1}, {67, 41, 1}, {130, 19, 1}}) {
    Field x(session.backend(), Layout{n, {}}, precision), y(session.backend(), Layout{n, {}}, precision);
    set_data(x);
    for (const ExpensiveStencil& stencil : expensive_stencils()) {
      spoil(y);
      stencil.apply(x, y);
      for (int j = 0; j < n[1]; ++j) check_row(session, y, j, stencil.steps, 1);
    }
  }
}

// Adds the guides of one precision, over the sweep up to `last` steps per entry and at least beyond the ridge.
void draw(const std::string& name, double bytes, double bandwidth, double peak, int last, Panel& roofline,
          Panel& time) {
  const double least = operations_per_point(0), most = operations_per_point(last), ridge = peak / bandwidth;
  const double first = std::min(least / bytes, ridge / 2), end = std::max(most / bytes, ridge * 2);
  Guide prediction{"prediction, " + name, {}};
  for (const double x : {first, ridge, end})
    prediction.points.push_back({x, 1e-9 * x / predicted_seconds(1, x, bandwidth, peak)});
  roofline.guides.push_back(std::move(prediction));
  const double copy = 1e12 * bytes / bandwidth;  // ns per 1000 points
  time.guides.push_back({"bytes / bandwidth, " + name, {{least, copy}, {most, copy}}});
  time.guides.push_back({"operations / peak, " + name, {{least, 1e12 * least / peak}, {most, 1e12 * most / peak}}});
}

// Measures the L2 bandwidth of one long kernel, on a set of about the size of both fields. A copy of this size would
// hardly last longer than its launch.
constexpr double cached_set = 32 << 20;
double cache_bandwidth(Session& session) {
  constexpr double bytes = 1e9;
  const std::vector<std::uint64_t> all = words_to_read(static_cast<std::int64_t>(cached_set / sizeof(std::uint64_t)));
  const Array<std::uint64_t> set(session.backend(), all), sums(session.backend(), most_sums);
  const std::span<const ReadingWay> ways = gpu_reading_ways();
  const auto way = std::ranges::find(ways, by_shared_level, &ReadingWay::name);
  verify(session, study, *way, set, all, bytes, sums);
  std::int64_t words = 0;
  const double seconds =
      session.time([&] { words = way->read(session.backend(), set.data(), set.size(), bytes, sums.data()); });
  return static_cast<double>(words) * sizeof(std::uint64_t) / seconds;
}

// Measures the same stencils on a grid that stays in the cache, and the roof of the cache.
void measure_cached(Session& session, Panel& roofline) {
  Layout layout;
  layout.n = {2048, 2048, 1};
  Field x(session.backend(), layout, Precision::fp32), y(session.backend(), layout, Precision::fp32);
  set_data(x);
  const double points = static_cast<double>(layout.size()), bytes = bytes_per_point(Precision::fp32);
  for (const ExpensiveStencil& stencil : expensive_stencils()) {
    if (stencil.steps != 0 && (session.quick() || stencil.steps % 4 != 0)) continue;
    spoil(y);
    const Timing seconds = session.time([&] { stencil.apply(x, y); });
    for (const int j : {0, layout.n[1] / 2 + 1, layout.n[1] - 1}) check_row(session, y, j, stencil.steps, 13);
    const double operations = operations_per_point(stencil.steps);
    roofline.points.push_back(
        {std::string(in_cache), operations / bytes, seconds, 1e-9 * operations * points / seconds});
  }
  const double bandwidth =
      std::max(cache_bandwidth(session), bytes * points / Curve(roofline, in_cache).first().seconds);
  const auto& prediction = prediction_of(roofline, "fp32")->points;
  const double first = prediction.front()[0], peak = prediction.back()[1], ridge = 1e9 * peak / bandwidth;
  roofline.guides.push_back({std::string(cache_roof) + ", " + readable_bytes(cached_set) + " read again and again",
                             {{first, 1e-9 * first * bandwidth}, {ridge, peak}}});
}

void measure(Session& session, Precision precision, Panel& roofline, Panel& time) {
  const std::string name = precision == Precision::fp32 ? "fp32" : "fp64";
  Layout layout;
  layout.n = {8192, precision == Precision::fp32 ? 16384 : 8192, 1};  // the same bytes
  Field x(session.backend(), layout, precision), y(session.backend(), layout, precision);
  set_data(x);
  const double points = static_cast<double>(layout.size()), bytes = bytes_per_point(precision);
  int last = 0;
  for (const ExpensiveStencil& stencil : expensive_stencils()) {
    if (session.quick() && stencil.steps != 0 && stencil.steps != 4 && stencil.steps % 16 != 0) continue;
    last = stencil.steps;
    spoil(y);
    const Timing seconds = session.time([&] { stencil.apply(x, y); });
    for (const int j : {0, layout.n[1] / 2 + 1, layout.n[1] - 1}) check_row(session, y, j, stencil.steps, 13);
    const double operations = operations_per_point(stencil.steps);
    roofline.points.push_back({name, operations / bytes, seconds, 1e-9 * operations * points / seconds});
    time.points.push_back({name, operations, seconds, 1e12 * seconds / points});
  }
  draw(name, bytes, session.copy_bandwidth(), fma_peak(session, precision, study), last, roofline, time);
}

Panels measure_all(Session& session) {
  Panel roofline{"roofline",
                 "A five-point stencil with ever more expensive entries, against max(bytes/bandwidth, operations/peak)",
                 "operations per byte",
                 "GFLOP/s",
                 true,
                 true,
                 {},
                 {}};
  Panel time{"time", "The same: time", "operations per point", "ns per 1000 points", true, true, {}, {}};
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    verify_small(session, precision);
    measure(session, precision, roofline, time);
  }
  measure_cached(session, roofline);
  measure_verbs(session, roofline);
  return {roofline, time};
}

// Returns the ridge of the roofline in operations per value of `bytes` bytes.
template <int bytes>
double ridge(const Panels& panels, const Machine&) {
  const Panel* const roofline = find_panel(panels, "roofline");
  const Guide* const prediction = roofline ? prediction_of(*roofline, "fp32") : nullptr;
  return prediction && prediction->points.size() == 3 ? bytes * prediction->points[1][0] : NAN;
}
double peak(const Panels& panels, const Machine&) {
  const Panel* const roofline = find_panel(panels, "roofline");
  const Guide* const prediction = roofline ? prediction_of(*roofline, "fp32") : nullptr;
  return prediction ? 1e-3 * prediction->points.back()[1] : NAN;
}

constexpr std::string_view per_float = "operations in the time of one float from memory";
constexpr std::array lectures{Lecture::goeddeke, Lecture::filipovic, Lecture::choi, Lecture::today};
constexpr std::array history{

    Historical{Lecture::filipovic, "G200, more than", per_float, 24, "operations", ridge<4>},
    Historical{Lecture::filipovic, "G100 (Fermi), more than", per_float, 30, "operations", ridge<4>},
    Historical{Lecture::choi, "Tesla M2090", "peak in theory: 512 × 1.3 GHz × 2; here measured", 1.33, "TFLOP/s", peak},
};

}  // namespace

const Study compute_study{
    .name = "compute",
    .question = "How much may be computed per point until arithmetic takes longer than the memory traffic?",
    .lectures = lectures,
    .measure = measure_all,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_compute(panels); },
    .history = history,
};

}  // namespace poisson::lab
