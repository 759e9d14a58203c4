#include <cmath>

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

Crossing crossing(const Panel& panel, std::string_view winner, std::string_view loser) {
  const Curve a(panel, winner), b(panel, loser);
  const auto lead = [&](std::size_t i) { return std::log(a.points()[i].value / b.points()[i].value); };
  std::size_t first = a.points().size();
  while (first > 0 && lead(first - 1) >= 0) --first;
  if (first == a.points().size()) return {Crossing::Kind::never};
  if (first == 0) return {Crossing::Kind::always};
  const double behind = -lead(first - 1), ahead = lead(first), x0 = a.points()[first - 1].x, x1 = a.points()[first].x;
  return {Crossing::Kind::from, x0 * std::pow(x1 / x0, behind / (behind + ahead))};
}

namespace {

std::string outcome(const Panel& panel, std::string_view curve) {
  const Curve gpu(panel, curve);
  const Ratio end = ratio_at(panel, curve, cpu_curve, gpu.last().x);
  const std::string size = figure(gpu.last().x) + " unknowns";
  const std::string factor = end.median >= 1 ? figure(end.median) + " times as fast as the CPU"
                                             : figure(1 / end.median) + " times as slow as the CPU";
  if (end.alike()) return "is as fast as the CPU at " + size + ", within the noise of this machine";
  if (end.less()) return "does not win up to " + size + ", where it is " + factor;
  const Crossing found = crossing(panel, curve, cpu_curve);
  const std::string won = found.kind == Crossing::Kind::always
                              ? "wins from the smallest size on, " + figure(gpu.first().x) + " unknowns"
                              : "wins from about " + figure(found.x) + " unknowns on";
  return won + ", and at " + size + " it is " + factor;
}

// Where the CPU first takes all its threads it may lose what one had: a crossing there says nothing about the GPU.
std::string cost_of_threads(const std::string& title, const Curve& cpu) {
  constexpr auto threshold = static_cast<double>(cpu::parallel_threshold);
  for (std::size_t i = 1; i < cpu.points().size(); ++i) {
    const Point &before = cpu.points()[i - 1], &here = cpu.points()[i];
    if (before.x > threshold || here.x <= threshold) continue;
    return title.substr(0, title.find(" (")) + ": from " + figure(here.x) +
           " unknowns on the CPU's threads share the work: " + figure(here.value) +
           " million unknowns per second after " + figure(before.value) + " of one thread at " + figure(before.x) + ".";
  }
  return {};
}

// Sizes at which a device is faster than its memory: a cache holds the operands.
std::string on_caches(const Panel& panel) {
  if (panel.guides.empty()) return {};
  const double roof = panel.guides.front().points.front()[1];
  const Curve gpu(panel, gpu_curve);
  std::vector<std::string> sizes;
  for (const Point& point : gpu.points())
    if (point.value > (1 + panel.noise) * roof) sizes.push_back(figure(point.x));
  return sizes.empty() ? std::string()
                       : "At " + listed(sizes) +
                             " unknowns the GPU is faster than its memory allows: a cache holds the operands.";
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
    if (std::string threads = cost_of_threads(panel.title, cpu); !threads.empty()) sentences.push_back(threads);
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
