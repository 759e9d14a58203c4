#include "lab/studies/recompute/study.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "lab/harness/contents.hpp"
#include "lab/harness/fma_peak.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view study = "recompute", broken = "broken on purpose";

Layout layout_of(std::array<int, 2> n) {
  Layout layout;
  layout.n = {n[0], n[1], 1};
  return layout;
}

bool on_gpu(const RecomputeData& data) {
  return data.u.backend().kind() == BackendKind::cuda;
}

// Returns the steps of g that kernels exist for, from cheap to expensive.
std::vector<int> sweep(const Session& session) {
  if (!session.on_gpu()) return session.quick() ? std::vector{0, 8, 64} : std::vector{0, 4, 16, 64};
  return session.quick() ? std::vector{0, 8, 32, 128} : std::vector{0, 2, 4, 8, 16, 32, 64, 128, 256};
}

std::array<int, 2> grid(const Session& session) {
  if (!session.on_gpu()) return session.quick() ? std::array{1024, 512} : std::array{2048, 1024};
  return session.quick() ? std::array{8192, 2048} : std::array{8192, 8192};
}

std::vector<EntryMode> modes_of(const Session& session) {
  std::vector<EntryMode> modes;
  for (const EntryMode& mode : entry_modes)
    if (session.on_gpu() || mode.on_cpu) modes.push_back(mode);
  return modes;
}

void check_rows(const Session& session, const RecomputeData& data, std::string_view name, RecomputeVerb verb,
                std::span<const int> rows, int stride) {
  for (const int j : rows)
    session.check(row_is_right(data, j, verb, stride), study, name,
                  "row " + std::to_string(j) + " of " + std::to_string(data.n()[1]) + " is wrong with " +
                      std::to_string(data.steps) + " steps");
}

// Checks all rows of grids that fill no block, for every number of steps.
void verify_small(Session& session, Precision precision) {
  for (const std::array<int, 2> n : {std::array{2, 2}, {67, 41}, {130, 19}}) {
    RecomputeData data(session.backend(), n, precision);
    fill_vectors(data);
    std::vector<int> rows;
    for (int j = 0; j < n[1]; ++j) rows.push_back(j);
    for (const int steps : sweep(session)) {
      fill_entries(data, steps);
      for (const EntryMode& mode : modes_of(session))
        for (const RecomputeVerb verb : {RecomputeVerb::product, RecomputeVerb::jacobi}) {
          poison(session.backend(), data.y.data(), data.y.bytes());
          recompute(data, mode.source, verb);
          check_rows(session, data, mode.name, verb, rows, 1);
        }
      if (!session.with_broken_variant()) continue;
      transfer(data.u, data.g);  // is a wrong coefficient
      recompute(data, EntrySource::partial, RecomputeVerb::product);
      check_rows(session, data, broken, RecomputeVerb::product, rows, 1);
    }
  }
}

struct Ceilings {
  double bandwidth, peak;
};

double predicted(const EntryMode& mode, RecomputeVerb verb, Precision precision, int steps, const Ceilings& ceilings) {
  const double seconds = std::max(recompute_bytes(mode, verb, precision) / ceilings.bandwidth,
                                  recompute_operations(mode, verb, steps) / ceilings.peak);
  return 1e-6 / seconds;
}

Panel panel_of(Session& session, RecomputeVerb verb, Precision precision) {
  const std::string name = verb == RecomputeVerb::product ? "product" : "jacobi",
                    format = precision == Precision::fp32 ? "fp32" : "fp64";
  const std::array<int, 2> n = grid(session);
  Panel panel{.name = name + "-" + format,
              .title = (verb == RecomputeVerb::product ? "9-band product, " : "9-band Jacobi sweep, ") + format + ", " +
                       std::to_string(n[0]) + " x " + std::to_string(n[1]),
              .x_label = "multiply-adds per entry",
              .y_label = "million points/s",
              .log_x = true,
              .log_y = true};
  RecomputeData data(session.backend(), n, precision);
  fill_vectors(data);
  const double points = static_cast<double>(n[0]) * n[1];
  const std::array rows{0, n[1] / 2 + 1, n[1] - 1};
  for (const int steps : sweep(session)) {
    fill_entries(data, steps);
    for (const EntryMode& mode : modes_of(session)) {
      poison(session.backend(), data.y.data(), data.y.bytes());
      const Timing seconds = session.time([&] { recompute(data, mode.source, verb); });
      check_rows(session, data, mode.name, verb, rows, 13);
      panel.points.push_back({std::string(mode.name), 1.0 * entry_cost(steps), seconds, 1e-6 * points / seconds});
    }
  }
  const Ceilings ceilings{session.copy_bandwidth(), multiply_add_peak(session, precision, study)};
  for (const EntryMode& mode : modes_of(session)) {
    if (mode.source == EntrySource::full_tiled) continue;  // equals that of `full`
    Guide guide{"predicted, " + std::string(mode.name), {}};
    for (const int steps : sweep(session))
      guide.points.push_back({1.0 * entry_cost(steps), predicted(mode, verb, precision, steps, ceilings)});
    panel.guides.push_back(std::move(guide));
  }
  return panel;
}

Panels measure(Session& session) {
  Panels panels;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) verify_small(session, precision);
  for (const RecomputeVerb verb : {RecomputeVerb::product, RecomputeVerb::jacobi})
    for (const Precision precision : {Precision::fp32, Precision::fp64})
      panels.push_back(panel_of(session, verb, precision));
  return panels;
}

// Divides the 18 operations of a point, with all entries stored, by the words that memory moves in the same time.
double intensity(const Panels& panels, const Machine& machine) {
  const double points = 1e6 * typical_in(panels, "product-fp32", "full");
  return 18 * points / (1e9 * machine.copy / sizeof(float));
}

constexpr std::array lectures{Lecture::goeddeke};
constexpr std::array history{
    Historical{Lecture::goeddeke, "9 bands times vector", "operations per value moved: 18 reads, 18 operations", 1,
               "operations", intensity},
};

}  // namespace

RecomputeData::RecomputeData(Backend& backend, std::array<int, 2> n, Precision precision)
    : u(backend, layout_of(n), precision),
      f(backend, layout_of(n), precision),
      y(backend, layout_of(n), precision),
      g(backend, layout_of(n), precision) {
  for (Field& band : bands) band = Field(backend, layout_of(n), precision);
}

void fill_vectors(RecomputeData& data) {
  if constexpr (with_cuda)
    if (on_gpu(data)) return gpu_recompute::fill_vectors(data);
  cpu_recompute::fill_vectors(data);
}

void fill_entries(RecomputeData& data, int steps) {
  data.steps = steps;
  if constexpr (with_cuda)
    if (on_gpu(data)) return gpu_recompute::fill_entries(data);
  cpu_recompute::fill_entries(data);
}

void recompute(RecomputeData& data, EntrySource source, RecomputeVerb verb) {
  if constexpr (with_cuda)
    if (on_gpu(data)) return gpu_recompute::apply(data, source, verb);
  cpu_recompute::apply(data, source, verb);
}

double multiply_add_peak(Session& session, Precision precision, std::string_view name) {
  if constexpr (with_cuda)
    if (session.on_gpu()) return fma_peak(session, precision, name);
  return cpu_recompute::multiply_add_peak(session, precision);
}

double recomputed(std::array<int, 2> n, int i, int j, int steps, RecomputeVerb verb) {
  const CoefficientStart<double> start(n[0], n[1]);
  const auto value = [&](int which, int a, int b) {
    const bool inside = a >= 0 && a < n[0] && b >= 0 && b < n[1];
    return inside ? static_cast<double>(recompute_value(n[0], which, a, b)) : 0.0;
  };
  const double here = coefficient(start, i, j, steps);
  double sum = 0;
  for (int b = 0; b < band_count; ++b) {
    const int k = i + offset_x(b), l = j + offset_y(b);
    sum += recompute_weights[static_cast<std::size_t>(b)] * here * coefficient(start, k, l, steps) * value(0, k, l);
  }
  if (verb == RecomputeVerb::product) return sum;
  return value(0, i, j) + jacobi_relaxation * (value(1, i, j) - sum) / (recompute_weights[centre_band] * here * here);
}

bool row_is_right(const RecomputeData& data, int j, RecomputeVerb verb, int stride) {
  return dispatch(data.precision(), [&]<class T>(T) {
    std::vector<T> row(static_cast<std::size_t>(data.n()[0]));
    data.u.backend().read(data.y.view<T>().line(j, 0), row.data(), row.size() * sizeof(T));
    // Hundreds of steps round, and dividing by the diagonal, which is at least 1/40, amplifies the error.
    const double bound =
        (verb == RecomputeVerb::product ? 64 : 4096) * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (int i = 0; i < data.n()[0]; i += stride) {
      const double expected = recomputed(data.n(), i, j, data.steps, verb);
      if (!(std::abs(static_cast<double>(row[static_cast<std::size_t>(i)]) - expected) <= bound)) return false;
    }
    return true;
  });
}

const Study recompute_study{
    .name = study,
    .question = "Should matrix entries be stored, partly stored, or recomputed?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_recompute(panels); },
    .history = history,
};

}  // namespace poisson::lab
