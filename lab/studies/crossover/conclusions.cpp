#include <cmath>
#include <iterator>
#include <limits>

#include "backends/cpu/launch.hpp"
#include "lab/page/curve.hpp"
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
  double from = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> all = places(panel, winner);
  for (auto x = all.rbegin(); x != all.rend() && ratio_at(panel, winner, loser, *x).more(); ++x)
    from = x == all.rbegin() ? *x : *std::prev(x);
  return from;
}

namespace {

// A factor as the lower bound that another run keeps, a power of two.
std::string order_of(double factor) {
  return "more than " + figure(std::exp2(std::floor(std::log2(factor / (1 + Panel::host_noise)))));
}

std::string outcome(const Panel& panel, std::string_view curve) {
  const Curve gpu(panel, curve);
  const Ratio end = ratio_at(panel, curve, cpu_curve, gpu.last().x);
  if (!end.more())
    return "does not win clearly up to " + figure(gpu.last().x) + " unknowns" +
           (end.less() ? ", where it is behind" : "");
  return "wins clearly from at latest " + figure(ahead_from(panel, curve, cpu_curve)) +
         " unknowns on, by a factor of " + order_of(end.median) + " at " + figure(gpu.last().x);
}

// Where the CPU first takes all its threads it may lose what one had: a crossing there says nothing about the GPU.
std::string cost_of_threads(const Panel& panel, const Curve& cpu) {
  constexpr auto threshold = static_cast<double>(cpu::parallel_threshold);
  for (std::size_t i = 1; i < cpu.points().size(); ++i) {
    const Point &before = cpu.points()[i - 1], &here = cpu.points()[i];
    if (before.x > threshold || here.x <= threshold || !ratio_of(panel, here, before).less()) continue;
    return panel.title.substr(0, panel.title.find(" (")) + ": from " + figure(here.x) +
           " unknowns on the CPU's threads share the work, and do far less than one of them at " + figure(before.x) +
           ": what wakes them costs more than the work.";
  }
  return {};
}

// Whether a device is faster than its memory at some size: a cache holds the operands.
std::string on_caches(const Panel& panel) {
  if (panel.guides.empty()) return {};
  const double roof = panel.guides.front().points.front()[1];
  return Curve(panel, gpu_curve).highest().value > 1.2 * roof
             ? "Where the GPU is faster than its memory allows, a cache holds the operands."
             : "";
}

}  // namespace

std::vector<std::string> conclude_crossover(const Panels& panels, const Machine& machine) {
  std::vector<std::string> sentences, winners;
  for (const Panel& panel : panels) {
    const Curve cpu(panel, cpu_curve), gpu(panel, gpu_curve), moving(panel, transfer_curve);
    if (cpu.empty() || gpu.empty() || moving.empty()) continue;
    sentences.push_back(panel.title + ": with its data on the device the GPU " + outcome(panel, gpu_curve) +
                        "; with transfers, to and from pinned memory, it " + outcome(panel, transfer_curve) + ". " +
                        on_caches(panel));
    if (sentences.back().back() == ' ') sentences.back().pop_back();
    if (ratio_at(panel, transfer_curve, cpu_curve, moving.last().x).more())
      winners.push_back("\"" + panel.title.substr(0, panel.title.find(" (")) + "\"");
    if (std::string threads = cost_of_threads(panel, cpu); !threads.empty()) sentences.push_back(threads);
  }
  if (sentences.empty()) return sentences;
  if (!machine.host.empty()) sentences.push_back("The CPU of these comparisons: " + machine.host + ".");
  sentences.emplace_back(winners.empty()
                             ? "No single operation is worth the way to the device and back: move data once and do all "
                               "work where they are."
                             : "Worth sending to the GPU alone, from these sizes on: " + listed(winners) +
                                   ". For everything else the data must already be there.");
  return sentences;
}

}  // namespace poisson::lab
