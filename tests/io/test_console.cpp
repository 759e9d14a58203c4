// These tests cover the terminal's text, the numbers on axes, and the area that text covers.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "io/pictures/ticks.hpp"
#include "io/terminal/console.hpp"
#include "io/terminal/coverage.hpp"

namespace poisson::console_tests {
namespace {

/// Captures the output of a Console to streams that are not terminals.
struct Captured {
  std::string out, errors;
};

template <class F>
Captured capture(bool quiet, F&& speak) {
  std::FILE* streams[2] = {std::tmpfile(), std::tmpfile()};
  {
    Console console(quiet, streams[0], streams[1]);
    speak(console);
  }
  Captured captured;
  std::string* texts[2] = {&captured.out, &captured.errors};
  for (int i = 0; i < 2; ++i) {
    std::rewind(streams[i]);
    for (int c; (c = std::fgetc(streams[i])) != EOF;) texts[i]->push_back(static_cast<char>(c));
    std::fclose(streams[i]);
  }
  return captured;
}

void whole_run(Console& console) {
  RunHeader header;
  header.title = "Cube";
  header.problem = "−∇·(κ∇u) = f";
  header.cells = {128, 128, 128};
  header.upper = {1, 1, 1};
  header.widths = "0.0078 wide";
  header.parameters = "h = 25";
  header.hint = "take cells";
  header.unknowns = 2048383;
  header.levels = 7;
  header.memory_bytes = 120'000'000;
  console.header(header);
  std::vector<CycleRecord> history;
  for (int i = 0; i < 100; ++i) {
    history.push_back({std::pow(0.5, i), 0.1 * i});
    console.progress(i, 100, history.back(), 1e-8);
  }
  console.table(history);
  Summary summary;
  summary.converged = true;
  summary.iterations = 99;
  summary.unknowns = 2048383;
  summary.solution = {25, 95.25, 0.5, 1, {0, 0, 0}, {0.5, 0.25, 1}};
  for (int i = 0; i < 12; ++i) summary.probes.push_back({{0.5, 0.5, 0.125}, 1.0 + i});
  summary.flux = {{"x-", 0}, {"x+", 0}, {"y-", -2.5}, {"y+", 0}, {"z-", 0}, {"z+", -7.5}};
  summary.balance.source = 10;
  summary.balance.reaction = 0;
  summary.balance.projected = 0;
  summary.balance.residual = 2e-9;
  summary.balance.flow = 10;
  summary.time.solve = 2;
  summary.files = {{"solution.vti", 1000}};
  console.closing(summary, 1e-8, "results/cube");
}

TEST(Console, WithoutTerminalHasNoControlCharacters) {
  const auto said = capture(false, whole_run);
  for (const char c : said.out) EXPECT_TRUE(static_cast<unsigned char>(c) >= 32 || c == '\n');
  EXPECT_TRUE(said.errors.empty());
  for (const char* part :
       {"Cube\n", "with       h = 25\n", "128 × 128 × 128 cells, equidistant, 0.0078 wide", "hint       take cells\n",
        "25 at (0, 0, 0) to 95.25 at (0.5, 0.25, 1), integral 0.5", "probes     1 at (0.5, 0.5, 0.125)\n",
        "10 at (0.5, 0.5, 0.125)\n             and 2 more", "source     10 in total\n",
        "flux in    x- 0, x+ 0\n             y- -2.5, y+ 0\n", "z- 0, z+ -7.5\n",
        "balance    residual 2e-09, 2e-10 of the throughput\n", "2 048 383 on 7 levels", "59 bytes per unknown",
        "mean of 70 cycles", "0.500", "Converged in 99 iterations", "1.02 million unknowns per second",
        "results/cube/summary.json"})
    EXPECT_NE(said.out.find(part), std::string::npos) << part << "\n" << said.out;
}

TEST(Console, OmitsAnUnknownBalance) {
  const auto said = capture(false, [](Console& console) { console.closing({}, 1e-8, ""); });
  for (const char* part : {"source", "flux", "balance", "probes", " at ("})
    EXPECT_EQ(said.out.find(part), std::string::npos) << part << "\n" << said.out;
}

TEST(Console, QuietPrintsOnlyErrors) {
  const auto said = capture(true, [](Console& console) {
    whole_run(console);
    console.line("valid");
    console.warning("a warning");
    console.error("an error");
  });
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.errors, "error: an error\n");
}

TEST(Ticks, AreRound) {
  const auto unit = round_ticks(0, 1, 5);
  EXPECT_EQ(unit.labels, (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(unit.factor, "");
  const auto small = round_ticks(-2.1e-12, 2.1e-12, 4);
  EXPECT_EQ(small.labels, (std::vector<std::string>{"−2", "0", "2"}));
  EXPECT_EQ(small.factor, "×10⁻¹²");
  EXPECT_NEAR(small.values.back(), 2e-12, 1e-24);
  const auto shifted = round_ticks(101325.0, 101325.5, 5);
  EXPECT_EQ(shifted.factor, "+ 1.01325×10⁵");
  EXPECT_EQ(shifted.labels.front(), "0");
  EXPECT_NEAR(shifted.values.back(), 101325.5, 1e-9);
  EXPECT_EQ(round_ticks(3, 3, 5).labels, std::vector<std::string>{"3"});
}

TEST(Ticks, StayInsideAndFew) {
  for (const double lower : {-1e308, -7.3, 0.0, 1e-9, 123456.0})
    for (const double range : {1e-12, 1e-3, 0.37, 1.0, 9.99, 1e5, 1e300})
      for (const int at_most : {1, 2, 5, 10}) {
        const auto ticks = round_ticks(lower, lower + range, at_most);
        EXPECT_LE(std::ssize(ticks.values), at_most + 1);
        EXPECT_EQ(ticks.values.size(), ticks.labels.size());
        for (const double value : ticks.values) {
          EXPECT_GE(value, lower - 1e-6 * range);
          EXPECT_LE(value, lower + range + 1e-6 * range);
        }
      }
}

TEST(Ticks, ReadableNumbers) {
  EXPECT_EQ(readable(0.25, 4), "0.25");
  EXPECT_EQ(readable(-1.5e-12, 4), "−1.5×10⁻¹²");
  EXPECT_EQ(readable(99999.9, 4), "1×10⁵");
  EXPECT_EQ(readable(0, 4), "0");
  EXPECT_EQ(readable(1000, 4), "1000");
  EXPECT_EQ(readable(std::nan(""), 4), "not a number");
  EXPECT_EQ(readable(-std::numeric_limits<double>::infinity(), 4), "−infinity");
}

TEST(Coverage, IsTheArea) {
  Coverage coverage(12, 9);
  const Coverage::Point corners[3] = {{1.25, 1.5}, {10.75, 3.125}, {4.5, 8.25}};
  for (int i = 0; i < 3; ++i) coverage.edge(corners[i], corners[(i + 1) % 3]);
  double sum = 0;
  coverage.visit([&](int, int, double part) { sum += part; });
  const double area = 0.5 * std::abs((10.75 - 1.25) * (8.25 - 1.5) - (4.5 - 1.25) * (3.125 - 1.5));
  EXPECT_NEAR(sum, area, 0.02);  // areas below a thousandth of a pixel are omitted
}

}  // namespace
}  // namespace poisson::console_tests
