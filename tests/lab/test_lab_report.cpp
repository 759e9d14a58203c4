// These tests cover how poisson-lab processes points from any source: the choice of studies, tables, and files.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "lab/harness/selection.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"

namespace poisson::lab::lab_report_tests {
namespace {

double of_panel(const Panels& panels, const Machine& machine) {
  return panels.front().points.front().value + machine.copy;
}
constexpr std::array history{Historical{Lecture::choi, "old device", "copy", 2, "GB/s", of_panel},
                             Historical{Lecture::choi, "old device", "other", 3, "s", nullptr, 9}};
const std::array table{
    Study{.name = "copy", .question = "Copy?", .needs_gpu = false, .history = history},
    Study{.name = "latency", .question = "Latency?"},
    Study{.name = "reduce", .question = "Reduce?", .needs_gpu = false},
};

std::vector<std::string> names(const std::vector<const Study*>& studies) {
  std::vector<std::string> all;
  for (const Study* study : studies) all.emplace_back(study->name);
  return all;
}

Selection select(std::vector<std::string> wanted, bool on_gpu) {
  return select_studies(wanted, table, on_gpu);
}

using Names = std::vector<std::string>;

TEST(LabSelection, TakesTheOrderOfTheTableAndEachOnce) {
  EXPECT_EQ(names(select({"reduce", "copy", "reduce"}, true).chosen), (Names{"copy", "reduce"}));
  EXPECT_EQ(names(select({"all", "copy"}, true).chosen), (Names{"copy", "latency", "reduce"}));
}

TEST(LabSelection, AllLeavesOutWhatNeedsAGpu) {
  const Selection selection = select({"all"}, false);
  EXPECT_EQ(names(selection.chosen), (Names{"copy", "reduce"}));
  EXPECT_EQ(names(selection.left_out), (Names{"latency"}));
  EXPECT_TRUE(select({"copy"}, false).left_out.empty());
}

std::string refusal(std::vector<std::string> wanted) {
  try {
    select(std::move(wanted), false);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(LabSelection, RefusesUnknownNamesAndGpuStudiesOnACpu) {
  EXPECT_NE(refusal({"copy", "latencies", "rduce"}).find("'latencies'"), std::string::npos);
  EXPECT_NE(refusal({"rduce"}).find("did you mean 'reduce'?"), std::string::npos);
  EXPECT_NE(refusal({"zebra"}).find("write one of all, copy, latency, reduce"), std::string::npos);
  EXPECT_NE(refusal({"all", "latency"}).find("needs a GPU"), std::string::npos);
}

Panel panel(int variants, std::vector<double> places) {
  Panel p{.name = "p", .title = "Title", .x_label = "n", .y_label = "GB/s"};
  for (int v = 0; v < variants; ++v)
    for (const double x : places) p.points.push_back({"v" + std::to_string(v), x, 0.5, 100.0 * v + x});
  return p;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(LabFindings, AreReadFromPanelsAlone) {
  const Study study{.name = "s",
                    .conclude = [](const Panels& panels,
                                   const Machine&) { return std::vector<std::string>{panels.front().title + "."}; },
                    .history = history};
  const Findings findings = findings_of(study, {panel(1, {1})}, {.copy = 100});
  EXPECT_EQ(findings.conclusions, (Names{"Title."}));
  ASSERT_EQ(findings.today.size(), 2U);
  EXPECT_EQ(findings.today[0], 101);
  EXPECT_TRUE(std::isnan(findings.today[1]));
  EXPECT_EQ(readable_then(history[0]), "2 GB/s");
  EXPECT_EQ(readable_then(history[1]), "3 to 9 s");
}

// Returns two curves, flat except for one outlier in the first.
Panel flat(double first, double bad, double second, double spread = 0) {
  Panel p{.name = "p"};
  for (const double x : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    p.points.push_back({"a", x, Timing(1, spread), x == 2 ? bad : first});
    p.points.push_back({"b", x, Timing(1, spread), second});
  }
  return p;
}

TEST(LabVerdicts, TakeTheMedianOfAllPlaces) {
  const Ratio ratio = ratio_of(flat(100, 50, 100), "a", "b");
  EXPECT_TRUE(ratio.alike());
  EXPECT_EQ(ratio.median, 1);
  EXPECT_EQ(typical(flat(100, 50, 70), "a"), 100);
  EXPECT_TRUE(ratio_at(flat(100, 50, 100), "a", "b", 2).less());
  EXPECT_FALSE(ratio_of(flat(1, 1, 1), "a", "c").known());
}

TEST(LabVerdicts, AreNoFirmerThanNoiseAndSpread) {
  EXPECT_TRUE(ratio_of(flat(112, 112, 100), "a", "b").more());
  EXPECT_TRUE(ratio_of(flat(104, 104, 100), "a", "b").alike()) << "less than the noise";
  const Ratio between = ratio_of(flat(107, 107, 100), "a", "b");
  EXPECT_FALSE(between.more() || between.alike()) << "another run might call it either";
  EXPECT_EQ(rate_against(between), "hardly more than the rate of");
  EXPECT_FALSE(ratio_of(flat(112, 112, 100, 0.1), "a", "b").more()) << "batches scatter more than that";
  EXPECT_TRUE(ratio_of(flat(89, 89, 100), "a", "b").less());
  Panel noisy = flat(140, 140, 100);
  noisy.noise = 0.5;
  EXPECT_TRUE(ratio_of(noisy, "a", "b").alike());
  EXPECT_EQ(rate_against(ratio_of(noisy, "a", "b")), "no clearly other rate than") << "where no figure would last";
  EXPECT_EQ(rate_against(ratio_of(flat(210, 210, 100), "a", "b")), "2.1 times the rate of");
  EXPECT_EQ(rate_against(ratio_of(flat(50, 50, 100), "a", "b")), "only 50 % of the rate of");
}

TEST(LabReadings, AreNaNWhereNothingWasMeasured) {
  const Panels panels{flat(1, 7, 2)};
  EXPECT_EQ(value_in(panels, "p", "a", 2), 7);
  EXPECT_EQ(bar_in(panels, "p", "b"), 2);
  EXPECT_EQ(highest_in(panels, "p", "a"), 7);
  EXPECT_EQ(place_of_highest_in(panels, "p", "a"), 2);
  EXPECT_EQ(typical_in(panels, "p", "a"), 1);
  EXPECT_TRUE(std::isnan(value_in(panels, "q", "a", 2)));
  EXPECT_TRUE(std::isnan(bar_in(panels, "p", "c")));
}

TEST(LabStudies, HaveAQuestionALectureAndAReadingForEachFigure) {
  for (const Study& study : studies()) {
    SCOPED_TRACE(study.name);
    EXPECT_TRUE(study.question.ends_with("?"));
    EXPECT_FALSE(study.lectures.empty());
    EXPECT_TRUE(study.measure && study.conclude);
    for (const Historical& then : study.history) {
      EXPECT_TRUE(then.today != nullptr) << then.what;
      EXPECT_GT(then.value, 0) << then.what;
      EXPECT_NE(std::ranges::find(study.lectures, then.lecture), study.lectures.end()) << then.what;
    }
  }
}

TEST(LabTable, PutsTheLongerOfVariantsAndPlacesDownwards) {
  EXPECT_EQ(text_table(panel(2, {3, 1, 2})), "  n  v0   v1\n  1   1  101\n  2   2  102\n  3   3  103\n");
  EXPECT_EQ(text_table(panel(3, {1, 20})), "  n     1   20\n  v0    1   20\n  v1  101  120\n  v2  201  220\n");
}

TEST(LabTable, ListsBarsWithTheirUnit) {
  EXPECT_EQ(text_table(panel(2, {7})), "      GB/s\n  v0     7\n  v1   107\n");
}

TEST(LabTable, WrapsWideCellsWithoutLoss) {
  const std::string text =
      text_table(panel(30, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}), 40);
  for (const std::string& line : lines(text)) EXPECT_LE(line.size(), 40U) << line;
  for (int v = 0; v < 30; ++v)
    for (int x = 1; x <= 20; ++x)
      EXPECT_NE(text.find(" " + std::to_string(100 * v + x)), std::string::npos) << v << ", " << x;
}

TEST(LabTable, LeavesHolesWhereNothingWasMeasuredAndAlignsLettersNotBytes) {
  Panel p;
  p.x_label = "bytes";
  p.points = {{"4 B × 2", 1024, 1, 5}, {"naïve", 1 << 20, 1, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(text_table(p), "  bytes  4 B × 2  naïve\n  1 KiB        5\n  1 MiB               -\n");
  EXPECT_EQ(text_table(Panel{}), "  (no points)\n");
}

TEST(LabTable, RoundsNumbersToComparableDigits) {
  EXPECT_EQ(readable_value(4296.4), "4296");
  EXPECT_EQ(readable_value(12.3456), "12.35");
  EXPECT_EQ(readable_value(0.0012345), "0.001234");
  EXPECT_EQ(readable_value(INFINITY), "-");
}

TEST(LabFiles, CsvQuotesAndLeavesOutWhatIsNotFinite) {
  Panel p;
  p.x_label = "size, in bytes";
  p.y_label = "GB/s";
  p.points = {{"a \"b\"", 0.5, Timing(1e-6, 0.25), 0.1}, {"c", 2, 1, INFINITY}};
  EXPECT_EQ(csv(p),
            "variant,\"size, in bytes\",seconds,GB/s,spread\n\"a \"\"b\"\"\",0.5,1e-06,0.1,0.25\nc,2.0,1.0,,0.0\n");
}

TEST(LabFiles, JsonSetsTodayBesideThenAndWritesNullForNotFinite) {
  Report report{.device = "a device", .quick = true, .machine = {.copy = 1}, .facts = {{"driver", "580"}}};
  Panel p = panel(1, {1});
  p.points[0].value = NAN;
  p.guides.push_back({"ceiling", {{0, 5}}});
  report.outcomes.push_back({&table[0], {{p}, {"A sentence."}, {7.5, NAN}}, 1.5});
  report.left_out.push_back({&table[1], "it needs a GPU"});
  report.failed.push_back({&table[2], "wrong"});
  const std::string text = json(report);
  for (const char* part :
       {"\"files\": \"copy-p\"", "\"value\": null", "\"today\": 7.5", "\"today\": null", "\"up_to\": 9.0", "\"driver\"",
        "Jee Choi", "\"A sentence.\"", "\"it needs a GPU\"", "\"wrong\"", "\"ceiling\""})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(LabPoints, AnswerWhatConclusionsAsk) {
  const Panel p = panel(3, {4, 1, 2});
  EXPECT_EQ(places(p), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(variants_of(p), (Names{"v0", "v1", "v2"}));
  EXPECT_EQ(point_at(p, "v1", 2)->value, 102);
  EXPECT_EQ(point_at(p, "v1", 3), nullptr);
  EXPECT_EQ(best_at(p, 2, Names{"v0", "v1"})->variant, "v1");
  EXPECT_EQ(best_at(p, 2, Names{}), nullptr);
  EXPECT_EQ(best_of(p, "v0")->x, 4);
  EXPECT_EQ(best_of(p, "v9"), nullptr);
  EXPECT_EQ(worst_of(p, "v0")->x, 1);
  EXPECT_EQ(percent(0.974), "97 %");
  EXPECT_EQ(times(6.21), "6.2 times");
  EXPECT_EQ(times(17.6), "18 times");
  EXPECT_EQ(count_of(1 << 30), "2³⁰");
  EXPECT_EQ(count_of((1 << 30) - 8), "1073741816");
  EXPECT_EQ(count_of(65536), "65536");
}

}  // namespace
}  // namespace poisson::lab::lab_report_tests
