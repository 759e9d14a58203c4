#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lab/harness/fma_peak.hpp"
#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/harness/verify.cuh"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/arithmetic/kernels.hpp"
#include "lab/studies/arithmetic/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view study = "arithmetic";

int blocks_of(int threads) {
  return multiprocessors() * 1024 / threads;  // 1024 threads on each
}

Accuracy measured_accuracy(Backend& backend, const Operation& operation, std::int64_t count) {
  const auto x = arguments(operation, count, 1), y = arguments(operation, count, 2);
  const Array<std::uint32_t> device_x(backend, x), device_y(backend, y), z(backend, count);
  spoil(backend, z);
  evaluate(backend, operation, device_x.data(), device_y.data(), z.data(), count);
  return accuracy(operation, x, y, z.host());
}

// Times the chains and checks those of the first and of the last threads.
Point timed_chain(Session& session, const Operation& operation) {
  Backend& backend = session.backend();
  const int blocks = blocks_of(chain_threads);
  const std::int64_t words = std::int64_t{blocks} * chain_threads * chains;
  const std::vector<std::uint32_t> start = arguments(operation, words, 3);
  const Array<std::uint32_t> device_start(backend, start), result(backend, words);
  const Array<BlockTime> times(backend, blocks);
  spoil(backend, result);
  const std::uint32_t operand = word_of(operation.operand, operation.words);
  const Timing seconds = session.time(
      [&] { run_chain(backend, operation, blocks, device_start.data(), operand, result.data(), times.data()); });
  const std::vector<std::uint32_t> end = result.host();
  constexpr std::size_t checked = 8;
  for (std::size_t i = 0; i < 2 * checked; ++i) {
    const std::size_t at = i < checked ? i * chains : end.size() - (i - checked + 1) * chains;
    session.check(chain_agrees(operation, std::span(start).subspan(at, chains), std::span(end).subspan(at, chains)),
                  study, operation.name, "a timed chain ends elsewhere than its exact steps");
  }
  const double results = double{chain_threads} * chains * chain_steps * operation.results;
  return {std::string(operation.name), 0, seconds, results_per_clock(times.host(), results)};
}

void run_operations(Session& session, std::vector<Panel>& panels) {
  Panel functions{"functions", "fp32 arithmetic and functions", "", per_clock, false, true, {}, {}};
  Panel errors{"accuracy",
               "Largest error over random arguments: sin, cos in [-pi, pi], exp(-x) in [-10, 10], roots and quotients "
               "in [0.001, 1000]",
               "",
               "ulp",
               false,
               true,
               {},
               {}};
  Panel integers{"integers", "Unsigned 32-bit integers", "", per_clock, false, true, {}, {}};
  Panel conversions{"conversions", "Conversions", "", per_clock, false, true, {}, {}};
  for (const Operation& operation : operations()) {
    const Accuracy found = measured_accuracy(session.backend(), operation, 100003);
    session.check(found.within, study, operation.name, "results are off by up to " + figure(found.ulps) + " ulp");
    const Point point = timed_chain(session, operation);
    if (operation.panel == functions.name) {
      functions.points.push_back(point);
      errors.points.push_back({point.variant, 0, point.seconds.median, found.ulps});
    } else {
      (operation.panel == integers.name ? integers : conversions).points.push_back(point);
    }
  }
  functions.guides.push_back({"fused multiply-adds", {{0, Curve(functions, "fmaf").first().value}}});
  errors.guides.push_back({"rounding to nearest", {{0, 0.5}}});
  for (Panel* panel : {&functions, &errors, &integers, &conversions}) panels.push_back(std::move(*panel));
}

Panel run_loops(Session& session, double ceiling) {
  Backend& backend = session.backend();
  const int blocks = blocks_of(loop_threads);
  Panel panel{"unroll",
              "A loop of fused multiply-adds, unrolled",
              "steps between two tests of the loop's end",
              per_clock,
              true,
              false,
              {},
              {{"fused multiply-adds", {{1, ceiling}}}}};
  const Array<float> result(backend, std::int64_t{blocks} * loop_threads);
  const Array<BlockTime> times(backend, blocks);
  for (const UnrolledLoop& loop : unrolled_loops()) {
    const std::string name = std::to_string(loop.chains) + (loop.chains == 1 ? " chain" : " chains");
    spoil(backend, result);
    const Timing seconds =
        session.time([&] { run_loop(backend, loop, blocks, loop_steps, 0.5f, result.data(), times.data()); });
    const std::vector<float> limits = result.host();
    session.check(std::all_of(limits.begin(), limits.end(), [](float x) { return x == 1; }), study,
                  "unroll " + std::to_string(loop.unroll) + ", " + name, "a chain missed its limit");
    const double results = double{loop_threads} * loop.chains * loop_steps;
    panel.points.push_back({name, static_cast<double>(loop.unroll), seconds, results_per_clock(times.host(), results)});
  }
  return panel;
}

Panel run_gathers(Session& session) {
  Backend& backend = session.backend();
  const int blocks = blocks_of(gather_threads), rounds = 64;
  Panel panel{"constant", "Reads of a small table", "different entries read by a warp", per_clock, true, true, {}, {}};
  std::vector<float> entries;
  for (int i = 0; i < table_entries; ++i) entries.push_back(static_cast<float>(i % 16));
  const Array<float> table(backend, entries), result(backend, std::int64_t{blocks} * gather_threads);
  const Array<BlockTime> times(backend, blocks);
  set_constant_table(backend, entries.data());
  for (const GatheringMemory& memory : gathering_memories())
    for (int distinct = 1; distinct <= 32; distinct *= 2) {
      spoil(backend, result);
      const Timing seconds = session.time(
          [&] { gather(backend, memory, blocks, distinct, rounds, table.data(), result.data(), times.data()); });
      const std::vector<float> sums = result.host();
      std::array<double, 32> expected{};
      for (int lane = 0; lane < 32; ++lane) expected[static_cast<std::size_t>(lane)] = gathered(lane, distinct, rounds);
      bool right = true;
      for (std::size_t i = 0; i < sums.size(); ++i) right = right && static_cast<double>(sums[i]) == expected[i % 32];
      session.check(right, study, memory.name, "a thread's sum is wrong");
      const double results = double{gather_threads} * reads_per_round * rounds;
      panel.points.push_back(
          {std::string(memory.name), static_cast<double>(distinct), seconds, results_per_clock(times.host(), results)});
    }
  return panel;
}

// Entries are multiples of 2⁻⁸ below 1, so products are multiples of 2⁻¹⁶; sums of n products round in fp32.
bool row_agrees(const float* row, const std::vector<double>& expected) {
  const double n = static_cast<double>(expected.size()), bound = n * n * 0x1p-24;
  for (std::size_t j = 0; j < expected.size(); ++j)
    if (!(std::abs(static_cast<double>(row[j]) - expected[j]) <= bound)) return false;
  return true;
}

struct ProductEntry {
  int matrix;
  constexpr float operator()(std::uint64_t i) const { return product_entry(matrix, static_cast<std::int64_t>(i)); }
};

// Checks all rows of small products; of large ones the first, a middle and the last row.
void run_products_of(Session& session, int n, bool timed, Panel& panel) {
  Backend& backend = session.backend();
  const std::int64_t size = std::int64_t{n} * n;
  const Array<float> a(backend, size), b(backend, size), c(backend, size);
  fill(backend, a, ProductEntry{0});
  fill(backend, b, ProductEntry{1});
  std::vector<int> rows{0, n / 2 + 1, n - 1};
  if (n < 200) {
    rows.clear();
    for (int i = 0; i < n; ++i) rows.push_back(i);
  }
  std::vector<std::vector<double>> expected;
  for (const int i : rows) expected.push_back(product_row(n, i));
  std::vector<float> row(static_cast<std::size_t>(n));
  for (const MatrixProduct& product : matrix_products()) {
    spoil(backend, c);
    const auto work = [&] { product.launch(backend, n, a.data(), b.data(), c.data()); };
    Timing seconds;
    if (timed)
      seconds = session.time(work);
    else
      work();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      backend.read(c.data() + std::int64_t{rows[r]} * n, row.data(), row.size() * sizeof(float));
      session.check(row_agrees(row.data(), expected[r]), study, product.name,
                    "row " + std::to_string(rows[r]) + " of the product for n = " + std::to_string(n) + " is wrong");
    }
    if (timed)
      panel.points.push_back({std::string(product.name), static_cast<double>(n), seconds, 2e-9 * n * n * n / seconds});
  }
}

Panel run_products(Session& session) {
  Panel panel{"product", "Product of two n x n matrices, fp32", "n", "GFLOP/s", true, true, {}, {}};
  for (const int n : {1, 31, 67, 130}) run_products_of(session, n, false, panel);
  std::vector<int> sizes{512, 1024, 2048};
  if (!session.quick()) sizes = {256, 512, 1024, 2048, 4096};
  for (const int n : sizes) run_products_of(session, n, true, panel);
  panel.guides.push_back({"peak of fused multiply-adds",
                          {{static_cast<double>(sizes.front()), 1e-9 * fma_peak(session, Precision::fp32, study)}}});
  return panel;
}

Panels measure(Session& session) {
  Panels panels;
  run_operations(session, panels);
  panels.push_back(run_loops(session, panels.front().guides.front().points.front()[1]));
  panels.push_back(run_gathers(session));
  panels.push_back(run_products(session));
  for (Panel& panel : run_operands(session)) panels.push_back(std::move(panel));
  return panels;
}

// Returns results per clock of a multiprocessor.
template <const std::string_view& panel, const std::string_view& variant>
double rate(const Panels& panels, const Machine&) {
  return bar_in(panels, panel, variant);
}
constexpr std::string_view functions = "functions", integers = "integers", conversions = "conversions",
                           doubles = "doubles", addition = "+", root = "rsqrtf", reciprocal = "__frcp_rn",
                           division = "/", fast_division = "__fdividef", to_integer = "float to int and back",
                           multiplication = "x * y", short_multiplication = "__umul24", fused = "fma";
// Returns the rate of the slowest fast function.
double fast_functions(const Panels& panels, const Machine&) {
  return std::min({bar_in(panels, "functions", "__sinf"), bar_in(panels, "functions", "__cosf"),
                   bar_in(panels, "functions", "__expf")});
}
double double_share(const Panels& panels, const Machine& machine) {
  return rate<doubles, fused>(panels, machine) / bar_in(panels, "functions", "fmaf");
}
// Returns the clocks of a multiprocessor for one instruction of a warp.
template <const std::string_view& variant>
double clocks(const Panels& panels, const Machine&) {
  return 32 / bar_in(panels, "operands", variant);
}
double constant_fall(const Panels& panels, const Machine&) {
  return value_in(panels, "constant", "constant memory", 1) / value_in(panels, "constant", "constant memory", 16);
}

constexpr std::string_view first_devices = "compute capability 1.x", next_devices = "compute capability 2.0 and 2.1",
                           per_multiprocessor = "per clock";
constexpr std::array lectures{Lecture::filipovic, Lecture::goeddeke, Lecture::optimizing, Lecture::choi};
constexpr auto czech = Lecture::filipovic;
constexpr std::array history{
    Historical{czech, first_devices, "additions", 8, per_multiprocessor, rate<functions, addition>},
    Historical{czech, next_devices, "additions", 32, per_multiprocessor, rate<functions, addition>, 48},
    Historical{czech, first_devices, "reciprocals", 2, per_multiprocessor, rate<functions, reciprocal>},
    Historical{czech, next_devices, "reciprocals", 4, per_multiprocessor, rate<functions, reciprocal>, 8},
    Historical{czech, first_devices, "divisions", 1.23, per_multiprocessor, rate<functions, division>},
    Historical{czech, first_devices, "__fdividef", 1.6, per_multiprocessor, rate<functions, fast_division>},
    Historical{czech, first_devices, "reciprocal square roots", 2, per_multiprocessor, rate<functions, root>},
    Historical{czech, next_devices, "reciprocal square roots", 4, per_multiprocessor, rate<functions, root>, 8},
    Historical{czech, first_devices, "__sinf, __cosf, __expf", 2, per_multiprocessor, fast_functions},
    Historical{czech, next_devices, "__sinf, __cosf, __expf", 4, per_multiprocessor, fast_functions, 8},
    Historical{czech, first_devices, "conversions of types", 8, per_multiprocessor, rate<conversions, to_integer>},
    Historical{czech, "compute capability 2.x", "conversions of types", 16, per_multiprocessor,
               rate<conversions, to_integer>},
    Historical{czech, first_devices, "integer multiplications", 2, per_multiprocessor, rate<integers, multiplication>},
    Historical{czech, next_devices, "integer multiplications", 32, per_multiprocessor, rate<integers, multiplication>,
               48},
    Historical{czech, first_devices, "__umul24", 8, per_multiprocessor, rate<integers, short_multiplication>},
    Historical{czech, "compute capability 1.3", "double precision: share of single", 1.0 / 8, "of it", double_share},
    Historical{czech, "compute capability 2.0", "double precision: share of single", 1.0 / 2, "of it", double_share},
    Historical{czech, "compute capability 2.1", "double precision: share of single", 1.0 / 12, "of it", double_share},
    Historical{czech, first_devices, "a + s[i], s in shared memory", 4, "clocks per warp",
               clocks<operand::plus_shared>},
    Historical{czech, first_devices, "a + a * s[i]", 5, "clocks per warp", clocks<operand::twice_shared>},
    Historical{czech, first_devices, "a + b * s[i]", 6, "clocks per warp", clocks<operand::product_shared>},
    Historical{czech, first_devices, "constant memory: 16 different entries take so many times as long as one", 16,
               "times", constant_fall},
};
constexpr std::array additions{
    Addition{"integers", "(x ^ y) + y", "exclusive-ors"},
    Addition{"operands", operand::plus_constant, "operands in constant memory"},
    Addition{"operands", operand::plus_indexed, "indices of operands in registers"},
    Addition{"integers", "max(x, y)", "single comparisons, exclusive-ors and shifts"},
    Addition{"integers", "x ^ y", "single comparisons, exclusive-ors and shifts"},
    Addition{"integers", "__funnelshift_l(x, y, 7)", "single comparisons, exclusive-ors and shifts"}};

}  // namespace

const Study arithmetic_study{
    .name = "arithmetic",
    .question = "What do functions, divisions, conversions, operands and loops cost, and how exact are the cheap ones?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_arithmetic(panels); },
    .history = history,
    .additions = additions,
};

}  // namespace poisson::lab
