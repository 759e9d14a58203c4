// These tests compare the sentences of two runs, and check that sentences of the page do not depend on noise in its
// points.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "lab/harness/noise.hpp"
#include "lab/page/agreement.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/verdict.hpp"
#include "tests/lab/panels.hpp"

namespace poisson::lab::lab_agreement_tests {
namespace {

constexpr double noise = 0.05;

TEST(Agreement, FiguresMayDifferByNoise) {
  EXPECT_TRUE(agree("It copies 4100 GB/s.", "It copies 4200 GB/s.", noise));
  EXPECT_FALSE(agree("It copies 4100 GB/s.", "It copies 3100 GB/s.", noise));
  EXPECT_FALSE(agree("It copies 4100 GB/s.", "It reads 4100 GB/s.", noise));
  EXPECT_TRUE(agree("It costs 1 % of it.", "It costs 3 % of it.", noise));
  EXPECT_FALSE(agree("It costs 1 % of it.", "It costs 30 % of it.", noise));
  EXPECT_FALSE(agree("It takes 17 µs.", "It takes 20 µs.", noise));
  EXPECT_TRUE(agree("It takes about 17 µs.", "It takes about 20 µs.", noise));
  EXPECT_TRUE(agree("It wins at at least 8.", "It wins at at least 16.", noise));
  EXPECT_FALSE(agree("It wins at at least 8.", "It wins at at least 512.", noise));
}

TEST(Agreement, VerdictsMayMeetAtTheirBorders) {
  const auto sentence = [](double ratio) {
    return "It has " + rate_against({ratio, ratio, ratio, noise}) + " a copy.";
  };
  for (double ratio = 0.3; ratio < 3; ratio *= 1.01) {
    EXPECT_TRUE(agree(sentence(ratio), sentence(ratio * 1.03), noise)) << sentence(ratio) << sentence(ratio * 1.03);
    EXPECT_FALSE(agree(sentence(ratio), sentence(ratio * 1.4), noise)) << sentence(ratio) << sentence(ratio * 1.4);
  }
}

TEST(Agreement, AllowsAnAppendedClause) {
  EXPECT_TRUE(agree("It has 2 of them.", "It has 2 of them: take both.", noise));
  EXPECT_FALSE(agree("It has 2 of them: take one.", "It has 2 of them: take both.", noise));
  EXPECT_FALSE(agree("It has 2 of them.", "It has 2 of themselves.", noise));
}

TEST(Agreement, OpposedMoralsNeverMeet) {
  // `more` or `less` in one run must not become `alike` in the next one by noise alone.
  for (double ratio = 0.5; ratio < 2; ratio *= 1.001) {
    const Ratio one{ratio, ratio, ratio, noise}, other{ratio * 1.04, ratio * 1.04, ratio * 1.04, noise};
    EXPECT_FALSE(one.alike() && other.more()) << ratio;
    EXPECT_FALSE(one.less() && other.alike()) << ratio;
  }
}

// Returns a study of one panel with one sentence that its points decide.
std::vector<std::string> conclude_one(const Panels& panels, const Machine&) {
  return {"a has " + rate_against(ratio_of(panels.front(), "a", "b")) + " b."};
}
constexpr Study one{.name = "one", .question = "Which?", .lectures = {}, .conclude = conclude_one};

Report report_with(double a) {
  Panels panels{synthetic_panel("p", {1, 2, 4}, {{"a", [a](double) { return a; }}, {"b", [](double) { return 1.0; }}})};
  panels.front().guides = {{"copy", {{1, 2}}}};
  Report report{.device = "a device", .machine = {.copy = 7, .host = "a host"}};
  report.facts = {{"date", "today"}};
  report.outcomes.push_back({&one, findings_of(one, std::move(panels), report.machine), 1.5});
  return report;
}

TEST(Agreement, RunsDisagreeIfASentenceDoes) {
  EXPECT_TRUE(disagreements(report_with(2), report_with(2.05)).empty());
  const auto found = disagreements(report_with(2), report_with(0.5));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().study, "one");
  EXPECT_NE(found.front().first.find("2.0 times"), std::string::npos) << found.front().first;
  EXPECT_NE(found.front().second.find("only 50 %"), std::string::npos) << found.front().second;
}

// Returns two sentences that differ only in numbers, which noise could exchange.
std::vector<std::string> conclude_two(const Panels& panels, const Machine&) {
  const std::string height = std::to_string(static_cast<int>(typical(panels.front(), "a")));
  return {"Of 50 bands a has " + height + ".", "Of 52 bands a has 10."};
}
constexpr Study two{.name = "two", .question = "Which?", .lectures = {}, .conclude = conclude_two};

TEST(Agreement, ASentenceMeetsTheOneOfItsOwnTitle) {
  const auto report = [](double a) {
    Report all = report_with(a);
    all.outcomes.front() = {&two, findings_of(two, all.outcomes.front().findings.panels, all.machine), 1.5};
    return all;
  };
  EXPECT_TRUE(disagreements(report(10), report(10)).empty());
  const auto found = disagreements(report(10), report(20));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().first, "Of 50 bands a has 10.");
  EXPECT_EQ(found.front().second, "Of 50 bands a has 20.");
}

std::filesystem::path written(const std::string& text) {
  const auto file = std::filesystem::path(testing::TempDir()) / "lab_agreement.json";
  std::ofstream(file) << text;
  return file;
}

TEST(ReportReader, ReadsWhatWasWritten) {
  const Report before = report_with(2);
  const Report after = read_report(written(json(before)), std::span(&one, 1));
  EXPECT_EQ(json(after), json(before));
  EXPECT_EQ(after.machine.host, "a host");
}

TEST(ReportReader, ReportsErrorsWithTheirPlace) {
  const auto message = [](const std::filesystem::path& file, std::span<const Study> table) {
    try {
      read_report(file, table);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("nowhere/lab.json", {}).find("no such file"), std::string::npos);
  EXPECT_NE(message(written("{}"), {}).find("no lab.json of this version"), std::string::npos);
  EXPECT_NE(message(written(json(report_with(2))), {}).find("'one' is not in this build"), std::string::npos);
}

#ifdef POISSON_HAVE_CUDA

// Returns a number in [−1, 1] for each index.
double swing(std::uint64_t index, std::uint64_t seed) {
  return 2 * static_cast<double>(noise_float(index * 1000003 + seed)) - 1;
}

// Returns the deviation of a value in another run: half of the allowed difference of two runs, or the spread of its
// batches. Counts do not deviate, clocks hardly, and times on a CPU much.
double scatter(const Panel& panel, const Point& point) {
  if (point.seconds.spread == 0 || panel.y_label.starts_with("resident") || panel.y_label.find("ulp") < 99) return 0;
  if (panel.y_label.find("clock") != std::string::npos) return 0.002;
  const double half = point.variant.starts_with("GPU") ? Panel::gpu_noise / 2 : panel.noise / 2;
  return std::max(half, std::min(point.spread(), 0.5));
}

// Returns the page's run as it could have been a moment later.
Report moved(const Report& report, std::uint64_t seed) {
  Report other = report;
  std::uint64_t index = 0;
  for (Outcome& outcome : other.outcomes) {
    for (Panel& panel : outcome.findings.panels)
      for (Point& point : panel.points) point.value *= 1 + scatter(panel, point) * swing(++index, seed);
    outcome.findings = findings_of(*outcome.study, std::move(outcome.findings.panels), report.machine);
  }
  return other;
}

// Returns the runs that the pages of the repository show.
std::vector<Report> shown() {
  const char* const root = std::getenv("POISSON_ROOT");
  if (!root) throw InputError("POISSON_ROOT is not set (it is the source directory, and ctest sets it)");
  std::vector<Report> all;
  for (const char* const file : {"h200-lab.json", "h100-lab.json"})
    all.push_back(read_report(std::filesystem::path(root) / "bench/results" / file, studies()));
  return all;
}

// Returns the rows of a page without a current number. `unexplained` omits rows whose variant was added after these
// results.
std::set<std::string> empty_rows(const Report& report, bool unexplained) {
  std::set<std::string> rows;
  for (const auto& [study, findings, seconds] : report.outcomes)
    for (std::size_t i = 0; i < study->history.size(); ++i) {
      const std::string_view what = study->history[i].what;
      if (std::isfinite(findings.today[i])) continue;
      if (unexplained && std::ranges::find(findings.not_measured, what, &Addition::row) != findings.not_measured.end())
        continue;
      rows.insert(std::string(study->name) + ": " + std::string(what));
    }
  return rows;
}

TEST(Page, ExplainsEmptyRows) {
  constexpr std::array history{
      Historical{Lecture::choi, "old", "of b", 1, "", [](const Panels&, const Machine&) { return double{NAN}; }}};
  constexpr std::array known{Addition{"p", "c", "the c", "of b"}}, other{Addition{"p", "c", "the c"}},
      measured{Addition{"p", "a", "the a", "of b"}}, elsewhere{Addition{"q", "c", "the c", "of b"}};
  const auto unexplained = [&](std::span<const Addition> additions) {
    Study study = one;
    study.history = history;
    study.additions = additions;
    Report report = report_with(2);
    report.outcomes.front() = {&study, findings_of(study, report.outcomes.front().findings.panels, {}), 1};
    EXPECT_EQ(empty_rows(report, false).size(), 1U);
    return empty_rows(report, true).size();
  };
  EXPECT_EQ(unexplained(known), 0U);
  EXPECT_EQ(unexplained({}), 1U) << "nothing explains it";
  EXPECT_EQ(unexplained(other), 1U) << "what is missing is of another row";
  EXPECT_EQ(unexplained(measured), 1U) << "the variant is there";
  EXPECT_EQ(unexplained(elsewhere), 1U) << "another device has no such panel";
}

TEST(Page, HasANumberOfTodayBesideEachOfTheLectures) {
  std::set<std::string> nowhere = empty_rows(shown().front(), false);
  for (const Report& report : shown()) {
    EXPECT_EQ(empty_rows(report, true), std::set<std::string>()) << report.device;
    const std::set<std::string> empty = empty_rows(report, false);
    std::erase_if(nowhere, [&](const std::string& row) { return !empty.contains(row); });
  }
  EXPECT_EQ(nowhere, std::set<std::string>()) << "no page has them: are there such variants?";
}

// Variants that only one page has must be known as additions, so that the other page can report them as missing.
TEST(Page, ListsVariantsNewerThanItsResults) {
  const std::vector<Report> pages = shown();
  for (const Report& older : pages)
    for (const Report& newer : pages)
      for (std::size_t s = 0; s < newer.outcomes.size(); ++s) {
        const Findings &lacking = older.outcomes[s].findings, &having = newer.outcomes[s].findings;
        ASSERT_EQ(older.outcomes[s].study, newer.outcomes[s].study);
        for (const Panel& panel : having.panels) {
          const Panel* const beside = find_panel(lacking.panels, panel.name);
          if (!beside) {  // a panel that is newer than these results
            EXPECT_NE(std::ranges::find(lacking.not_measured, panel.name, &Addition::panel), lacking.not_measured.end())
                << older.device << ": " << panel.name;
            continue;
          }
          for (const std::string& variant : variants_of(panel))
            EXPECT_TRUE(best_of(*beside, variant) ||
                        std::ranges::find(lacking.not_measured, variant, &Addition::variant) !=
                            lacking.not_measured.end())
                << older.device << ", " << panel.name << ": " << variant;
        }
      }
}

// Each of four schedulers issues one instruction for 32 threads per clock, and a step has at most two results. A higher
// rate would mean that the compiler has merged work.
TEST(Page, HasNoRateThatADeviceCannotIssue) {
  int rates = 0;
  for (const Report& report : shown())
    for (const Outcome& outcome : report.outcomes)
      for (const Panel& panel : outcome.findings.panels)
        for (const Point& point : panel.points)
          if (panel.y_label == "results per clock per multiprocessor") {
            EXPECT_LE(point.value, 128) << outcome.study->name << ", " << panel.name << ": " << point.variant;
            ++rates;
          }
  EXPECT_GT(rates, 40);
}

// The pages of the repository must contain only sentences that their points support.
TEST(Conclusions, AreStableUnderNoise) {
  std::map<std::string, int> fallen;
  constexpr int runs = 200;
  for (const Report& report : shown())
    for (std::uint64_t seed = 1; seed <= runs; ++seed)
      for (const Disagreement& one_of_them : disagreements(report, moved(report, seed)))
        ++fallen[report.device + ", " + one_of_them.study + "\n  " + one_of_them.first + "\n  " + one_of_them.second];
  for (const auto& [sentence, times] : fallen) ADD_FAILURE() << times << " of " << runs << ": " << sentence;
}

#endif

}  // namespace
}  // namespace poisson::lab::lab_agreement_tests
