#include <array>
#include <cmath>
#include <limits>

#include <omp.h>

#include "backends/cpu/launch.hpp"
#include "lab/harness/session.hpp"
#include "lab/page/agreement.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/crossover/study.hpp"

namespace poisson::lab {
namespace {

template <int bands>
void multiply(const BandedProduct& p) {
  std::int64_t offset[bands];
  for (int b = 0; b < bands; ++b) offset[b] = band_offset(bands, p.m, b);
  const std::int64_t rows = p.rows(), stride = band_stride(p.m);
#pragma omp parallel for simd schedule(static) if (rows > cpu::parallel_threshold)
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int b = 0; b < bands; ++b) sum += p.values[b * stride + row] * p.x[row + offset[b]];
    p.y[row] = sum;
  }
}

}  // namespace

void multiply_on_cpu(const BandedProduct& product) {
  product.bands == 9 ? multiply<9>(product) : multiply<5>(product);
}

void recur_on_cpu(const Recurrences& all) {
  constexpr int chunk = 8;  // lines of a thread at a time: a memory line of each row
#pragma omp parallel for schedule(static)
  for (int first = 0; first < all.lines; first += chunk) {
    const int end = first + chunk < all.lines ? first + chunk : all.lines;
    double before[chunk] = {};
    for (int i = 0; i < all.length; ++i)
      for (int line = first; line < end; ++line) {
        double& value = all.values[std::int64_t{i} * all.lines + line];
        value = before[line - first] = recurrence(value, before[line - first]);
      }
  }
}

Timing time_on_cpu(Session& cpu, const std::function<void()>& work) {
  const Timing all = cpu.time(work);
  const int threads = omp_get_max_threads();
  if (threads < 4) return all;
  omp_set_num_threads(threads / 2);
  const Timing half = cpu.time(work);
  omp_set_num_threads(threads);
  return half < all ? half : all;
}

Bands band_values(int bands, int m) {
  const std::int64_t rows = std::int64_t{m} * m, stride = band_stride(m);
  const auto size = static_cast<std::size_t>(bands * stride);
  Bands all{size, std::make_unique_for_overwrite<double[]>(size)};
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < stride; ++row)
    for (int b = 0; b < bands; ++b)
      all.values[static_cast<std::size_t>(b * stride + row)] = row < rows ? band_value(m, b, row) : 0;
  return all;
}

std::vector<double> padded_vector(int m) {
  const std::int64_t rows = std::int64_t{m} * m, pad = m + 1;
  std::vector<double> x(static_cast<std::size_t>(rows + 2 * pad));
  for (std::int64_t row = 0; row < rows; ++row) x[static_cast<std::size_t>(row + pad)] = vector_value(row);
  return x;
}

double banded_row(int bands, int m, std::int64_t row) {
  const std::int64_t rows = std::int64_t{m} * m;
  double sum = 0;
  for (int b = 0; b < bands; ++b) {
    const std::int64_t column = row + band_offset(bands, m, b);
    if (column >= 0 && column < rows) sum += band_value(m, b, row) * vector_value(column);
  }
  return sum;
}

double ahead_from(const Panel& panel, std::string_view winner, std::string_view loser) {
  const std::vector<double> all = places(panel, winner);
  // Returns the place from which the winner has at least `factor` times the loser's rate up to the end.
  const auto from = [&](double factor) {
    double place = std::numeric_limits<double>::quiet_NaN();
    for (auto x = all.rbegin(); x != all.rend() && ratio_at(panel, winner, loser, *x).median >= factor; ++x) place = *x;
    return place;
  };
  const double certain = from(1 + panel.noise), possible = from(1 / (1 + panel.noise));
  return certain <= bounds_apart * possible ? certain : std::numeric_limits<double>::quiet_NaN();
}

namespace {

// Returns a panel's title without the data that it transfers.
std::string operation(const Panel& panel) {
  return panel.title.substr(0, panel.title.find_first_of(",("));
}

// Compares at the largest size. The CPU's small vectors run on one thread, so a lead there says little.
void on_operation(const Panel& panel, Lessons& lessons) {
  const double largest = places(panel).back();
  const Ratio there = ratio_at(panel, gpu_curve, cpu_curve, largest),
              moving = ratio_at(panel, transfer_curve, cpu_curve, largest);
  if (!there.known() || !moving.known()) return;
  const double from = ahead_from(panel, gpu_curve, cpu_curve);
  std::string text = "On " + count_of(largest) + " unknowns the GPU is " + rough(there.median) +
                     " times as fast as the CPU, with transfers " + rough(moving.median) + " times";
  if (from > static_cast<double>(cpu::parallel_threshold))
    text += "; on its own data it is ahead from at most " + figure(from) + " unknowns on";
  lessons.say(panel.name, text + ".");
}

// Returns the largest place up to which the CPU is faster from the first place on, and the smallest place from which
// the GPU is faster up to the last one, each with a margin that a second run leaves.
std::array<double, 2> borders(const Panel& panel) {
  double until = NAN, from = NAN;
  bool leading = true;
  for (const double x : places(panel, cpu_curve)) {
    const double gain = ratio_at(panel, gpu_curve, cpu_curve, x).median;
    leading = leading && gain * (1 + panel.noise / 2) < 1;
    if (leading) until = x;
    if (!(gain > 1 + panel.noise))
      from = NAN;
    else if (std::isnan(from))
      from = x;
  }
  return {until, from};
}

void on_lines(const Panel& panel, Lessons& lessons) {
  // The lines at which the GPU loses to the CPU's computing alone, and yet beats fetching the data for it.
  std::vector<double> worse, worth;
  for (const double lines : places(panel)) {
    if (ratio_at(panel, cpu_curve, gpu_curve, lines).median > 1) worse.push_back(lines);
    if (ratio_at(panel, gpu_curve, fetching_curve, lines).median > 1) worth.push_back(lines);
  }
  if (worth.empty()) return;
  lessons.say(panel.name, "Sending data to the CPU and back for one serial step loses from " + figure(worth.front()) +
                              " lines on" +
                              (!worse.empty() && worse.back() >= worth.front()
                                   ? ", although the CPU computes faster up to " + figure(worse.back()) +
                                         " lines: leave a step on the GPU even if it runs badly there."
                                   : ": from there on the GPU is the better place anyway."));
}

}  // namespace

std::vector<std::string> conclude_crossover(const Panels& panels, const Machine& machine) {
  Lessons lessons;
  std::vector<std::string> names;
  double low = INFINITY, high = 0, until = INFINITY, from = 0;
  for (const Panel& panel : panels) {
    if (panel.name == "lines") on_lines(panel, lessons);
    const Curve moving(panel, transfer_curve);
    if (Curve(panel, cpu_curve).empty() || Curve(panel, gpu_curve).empty() || moving.empty()) continue;
    const double gain = ratio_at(panel, transfer_curve, cpu_curve, moving.last().x).median;
    if (gain < 1) names.push_back(panel.name == "dot" ? "dot products" : operation(panel));
    low = std::fmin(low, gain);
    high = std::fmax(high, gain);
    const auto [cpu_until, gpu_from] = borders(panel);
    until = std::isnan(cpu_until) ? 0 : std::fmin(until, cpu_until);
    from = std::isnan(gpu_from) ? INFINITY : std::fmax(from, gpu_from);
    on_operation(panel, lessons);
  }
  if (known(until, from))
    lessons.say(
        "Small vectors belong to the CPU, large ones to the GPU: the CPU is faster in all operations up to at "
        "least " +
        figure(until) + " unknowns, even on one thread, and the GPU from at most " + figure(from) +
        " on, if the data are there already.");
  if (known(low, high))
    lessons.say("Move data once and do all work where they are: with transfers, one operation is " + rough(low) +
                " to " + rough(high) + " times as fast as on the CPU (" + machine.host + ", one thread for up to " +
                figure(static_cast<double>(cpu::parallel_threshold)) + " values)" +
                (names.empty() ? "." : ", and slower for " + listed(names) + "."));
  return lessons.take();
}

}  // namespace poisson::lab
