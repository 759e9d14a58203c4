#include <cmath>

#include "backends/cpu/launch.hpp"
#include "lab/page/curve.hpp"
#include "lab/studies/crossover/study.hpp"

namespace poisson::lab {
namespace {

template <int bands>
void multiply(const BandedProduct& p) {
  std::int64_t offset[bands];
  for (int b = 0; b < bands; ++b) offset[b] = band_offset(bands, p.m, b);
  const std::int64_t rows = p.rows();
#pragma omp parallel for simd schedule(static) if (rows > cpu::parallel_threshold)
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int b = 0; b < bands; ++b) sum += p.values[b * rows + row] * p.x[row + offset[b]];
    p.y[row] = sum;
  }
}

}  // namespace

void multiply_on_cpu(const BandedProduct& product) {
  product.bands == 9 ? multiply<9>(product) : multiply<5>(product);
}

std::vector<double> band_values(int bands, int m) {
  const std::int64_t rows = std::int64_t{m} * m;
  std::vector<double> values(static_cast<std::size_t>(bands * rows));
#pragma omp parallel for schedule(static) collapse(2)
  for (int b = 0; b < bands; ++b)
    for (std::int64_t row = 0; row < rows; ++row)
      values[static_cast<std::size_t>(b * rows + row)] = band_value(m, b, row);
  return values;
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

std::string outcome(const Crossing& found, const Curve& gpu) {
  switch (found.kind) {
    case Crossing::Kind::never:
      return "does not win up to " + figure(gpu.last().x) + " unknowns";
    case Crossing::Kind::always:
      return "wins from the smallest size on, " + figure(gpu.first().x) + " unknowns";
    case Crossing::Kind::from:
      break;
  }
  return "wins from about " + figure(found.x) + " unknowns on";
}

std::string factor_at_end(const Curve& gpu, const Curve& cpu) {
  const double factor = gpu.last().value / cpu.last().value;
  return factor >= 1 ? figure(factor) + " times as fast as the CPU" : figure(1 / factor) + " times as slow as the CPU";
}

// Where the CPU first takes all its threads it may lose what one had: a crossing there says nothing about the GPU.
std::string cost_of_threads(const std::string& title, const Curve& cpu) {
  for (std::size_t i = 1; i < cpu.points().size(); ++i) {
    const Point &before = cpu.points()[i - 1], &here = cpu.points()[i];
    const auto threshold = static_cast<double>(cpu::parallel_threshold);
    if (before.x <= threshold && here.x > threshold && here.value < before.value / 1.5)
      return title.substr(0, title.find(" (")) + ": from " + figure(here.x) +
             " unknowns on the CPU's threads share the " +
             "work, and waking them costs more than they bring at first: " + figure(here.value) +
             " million unknowns per second after " + figure(before.value) + ".";
  }
  return {};
}

}  // namespace

std::vector<std::string> conclude_crossover(const std::vector<Panel>& panels) {
  std::vector<std::string> sentences, winners;
  for (const Panel& panel : panels) {
    const Curve cpu(panel, cpu_curve), gpu(panel, gpu_curve), moving(panel, transfer_curve);
    if (cpu.empty() || gpu.empty() || moving.empty()) continue;
    const Crossing here = crossing(panel, gpu_curve, cpu_curve), there = crossing(panel, transfer_curve, cpu_curve);
    sentences.push_back(panel.title + ": with its data on the device the GPU " + outcome(here, gpu) + ", and at " +
                        figure(gpu.last().x) + " it is " + factor_at_end(gpu, cpu) + "; with transfers it " +
                        outcome(there, moving) +
                        (there.kind == Crossing::Kind::never ? ", where it is " : ", and at the last size it is ") +
                        factor_at_end(moving, cpu) + ".");
    if (there.kind != Crossing::Kind::never)
      winners.push_back("\"" + panel.title.substr(0, panel.title.find(" (")) + "\"");
    if (std::string threads = cost_of_threads(panel.title, cpu); !threads.empty()) sentences.push_back(threads);
  }
  if (sentences.empty()) return sentences;
  sentences.emplace_back(winners.empty()
                             ? "No single operation is worth the way to the device and back: move data once and do all "
                               "work where they are."
                             : "Worth sending to the GPU alone, from these sizes on: " + listed(winners) +
                                   ". For everything else the data must already be there.");
  return sentences;
}

}  // namespace poisson::lab
