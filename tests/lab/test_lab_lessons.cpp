// Tests the sentences of the studies: on synthetic panels, whose numbers decide what they say, and on the results of
// this repository.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/report.hpp"
#include "lab/page/sentence.hpp"
#include "lab/studies/access/study.hpp"
#include "lab/studies/arithmetic/study.hpp"
#include "lab/studies/banks/study.hpp"
#include "lab/studies/cache/study.hpp"
#include "lab/studies/cluster/study.hpp"
#include "lab/studies/copy/study.hpp"
#include "lab/studies/crossover/study.hpp"
#include "lab/studies/divergence/study.hpp"
#include "lab/studies/interpolate/study.hpp"
#include "lab/studies/latency/study.hpp"
#include "lab/studies/launch/study.hpp"
#include "lab/studies/occupancy/study.hpp"
#include "lab/studies/reduce/study.hpp"
#include "lab/studies/sparse/study.hpp"
#include "lab/studies/staging/study.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transpose/study.hpp"
#include "lab/studies/vectorize/study.hpp"
#include "tests/lab/panels.hpp"

namespace poisson::lab::lab_lessons_tests {
namespace {

using Sentences = std::vector<std::string>;

Line flat(std::string variant, double value) {
  return {std::move(variant), [value](double) { return value; }};
}

TEST(Lessons, CarryTheNameOfTheirPanel) {
  Lessons lessons;
  lessons.say("On top.");
  lessons.say("chase", "Below [1] it.");
  const Sentences all = lessons.take();
  EXPECT_EQ(sentence_of(all[0]).panel, "");
  EXPECT_EQ(sentence_of(all[0]).text, "On top.");
  EXPECT_EQ(sentence_of(all[1]).panel, "chase");
  EXPECT_EQ(sentence_of(all[1]).text, "Below [1] it.");
}

TEST(Lessons, RoundBoundsTowardsCaution) {
  EXPECT_EQ(at_least(0.949), "at least 94 %");
  EXPECT_EQ(at_least(0.95), "at least 95 %");
  EXPECT_EQ(at_most(0.051), "at most 6 %");
  EXPECT_EQ(at_most(0.05), "at most 5 %");
  EXPECT_EQ(rate(949), "949 GB/s");
  EXPECT_EQ(rate(3160), "3.2 TB/s");
}

TEST(Lessons, Copy) {
  const std::vector<double> sizes{1 << 20, 1 << 24, 1 << 30};
  const auto cached = [](double x) { return x <= 1 << 24 ? 5000.0 : 3000.0; };
  const Sentences wide = conclude_copy({synthetic_panel("size", sizes, {flat("1 B", 800), {"16 B", cached}})},
                                       {.gpu = true, .theory = 4000});
  EXPECT_TRUE(says(wide, "accesses of 16 B copy 3 TB/s, accesses of 1 B only 800 GB/s")) << joined(wide);
  EXPECT_TRUE(says(wide, "An array of 16 MiB copies at up to 5 TB/s because it stays in a cache")) << joined(wide);
  EXPECT_TRUE(says(wide, "reaches 75 % of the theoretical 4 TB/s")) << joined(wide);
  Panel even = synthetic_panel("size", sizes, {flat("1 B", 3000), flat("16 B", 3010)});
  const Sentences alike = conclude_copy({even}, {.gpu = true});
  EXPECT_TRUE(says(alike, "hardly matters")) << joined(alike);
  EXPECT_FALSE(says(alike, "cache")) << joined(alike);
  even.noise = Panel::host_noise;
  EXPECT_TRUE(conclude_copy({even}, {.gpu = false, .theory = 100}).empty()) << "nothing holds for another run";
}

TEST(Lessons, Cache) {
  const auto levels = [](double l1, double l2, double memory) {
    Panel panel = synthetic_panel(
        "working-set", {65536, 131072, 229376, 262144, 4 << 20, 8 << 20, 1 << 25, 1 << 27},
        {{std::string(by_first_level), [=](double x) { return x <= 229376    ? l1
                                                              : x <= 1 << 25 ? l2
                                                                             : memory; }},
         {std::string(by_shared_level), [=](double x) { return x <= 1 << 25 ? l2 : memory; }}});
    panel.guides.push_back({std::string(l2_of_device), {{50 << 20, 1}, {50 << 20, 1e6}}});
    return conclude_cache({panel});
  };
  const Sentences found = levels(30000, 8000, 3000);
  EXPECT_TRUE(says(found, "fits L1 is read at 30 TB/s, one that fits L2 at 8 TB/s, and memory delivers 3 TB/s"));
  EXPECT_TRUE(says(found,
                   "L1 keeps 90 % of its rate for sets of up to 224 KiB on each multiprocessor; L2 has 50 MiB, and "
                   "sets of up to 32 MiB keep 60 % of its rate."))
      << joined(found);
  EXPECT_TRUE(says(found, "memory delivers 3 TB/s: let all sweeps over a block that fits a cache follow each other."));
  EXPECT_FALSE(says(levels(3000, 3000, 3000), "let all sweeps")) << "no level gains";
}

TEST(Lessons, InterpolateNamesTheExactFactorsOfEachDimension) {
  const auto errors = [](const char* name, const std::set<double>& exact, double worst) {
    return synthetic_panel(name, {2, 3, 4, 8},
                           {{"texture", [=](double x) { return exact.contains(x) ? 3e-8 : worst; }}});
  };
  const Sentences found =
      conclude_interpolate({errors("error-2d", {2, 4, 8}, 0.0046), errors("error-3d", {2, 4}, 0.0051)});
  EXPECT_TRUE(
      says(found,
           "in 2-D only the factors 2, 4 and 8 are exact, others are off by up to 0.0046 of the data's range, in "
           "3-D only the factors 2 and 4 are exact, others are off by up to 0.0051."))
      << joined(found);
  EXPECT_TRUE(says(conclude_interpolate({errors("error-2d", {}, 0.1), errors("error-3d", {}, 0.1)}),
                   "in 2-D no factor is exact"));
}

// Blocks of three warps count as slow only if they are: a device with conflicts of register banks would say nothing.
TEST(Lessons, LatencyComparesBlocksOf96And32Threads) {
  const auto fma = [](double three) {
    const auto rate = [=](double warps) { return warps == 3 ? three : std::fmin(7.75 * warps, 124); };
    return conclude_latency({synthetic_panel("fma", {1, 2, 3, 4, 16, 64}, {{"1 chain", rate}}),
                             synthetic_panel("chase", {1 << 14, 1 << 22}, {flat("dependent loads", 20)}),
                             synthetic_panel("in-flight", {1024}, {flat("one load of 4 bytes", 100)})},
                            {.gpu = true, .copy = 3000, .multiprocessors = 132, .gigahertz = 2});
  };
  EXPECT_TRUE(says(fma(23.25), "a block of 96 threads runs 3.0 times as fast as one of 32")) << joined(fma(23.25));
  EXPECT_FALSE(says(fma(18), "96 threads")) << joined(fma(18));
}

TEST(Lessons, Access) {
  const auto strides = [](double far) {
    const auto falling = [far](double x) { return x == 32 ? far : 3000.0; };
    return conclude_access({synthetic_panel("stride", {1, 16, 32}, {{"read", falling}, {"write", falling}})}, 3000);
  };
  EXPECT_TRUE(says(strides(300), "a copy that reads so is 10 times slower"));
  EXPECT_TRUE(says(strides(300), "costs as much as 76 bytes of traffic when it is read"));
  EXPECT_TRUE(says(strides(3000), "A stride costs nothing here"));
  const Sentences offsets = conclude_access(
      {synthetic_panel("offset", {0, 1}, {{"read", [](double x) { return 1000 - 11 * x; }}, flat("write", 900)})},
      3000);
  EXPECT_TRUE(says(offsets, "costs at most 2 %, shifting the writes at most 0 %: alignment hardly matters"))
      << joined(offsets);
  const auto pieces = [](double bypassing) {
    return conclude_access({synthetic_panel("pieces", {1, 8, 32, 256},
                                            {{piece_names[0], [](double x) { return x == 256 ? 500.0 : 1000.0; }},
                                             {piece_names[1], [=](double x) { return x == 32 ? bypassing : 300.0; }}})},
                           3000);
  };
  EXPECT_TRUE(says(pieces(1800), "L1 keeps the sector")) << joined(pieces(1800));
  EXPECT_TRUE(says(pieces(1800), "bypassing it is 1.8 times as fast"));
  EXPECT_FALSE(says(pieces(1300), "bypassing"));
  EXPECT_TRUE(says(pieces(1300), "it gets 25 % of the rate")) << "each thread of a run of one word also writes a word";
  EXPECT_FALSE(says(pieces(900), "bypassing"));
}

TEST(Lessons, Banks) {
  const auto strides = [](double at_32) {
    return conclude_banks({synthetic_panel("strides", {1, 2, 32},
                                           {{"4 bytes", [=](double x) { return x == 32 ? at_32 : x; }},
                                            {"8 bytes", [](double x) { return 2 * std::fmin(x, 16); }}})});
  };
  EXPECT_TRUE(says(strides(32), "odd strides are free, a stride of 32 takes 32 clocks instead of 1"));
  EXPECT_TRUE(says(strides(8), "does not predict these clocks: they deviate by up to 75 %"));
  const auto patterns = [](double swizzled) {
    Panel panel = synthetic_panel(
        "patterns", {1},
        {flat("row", 1), flat("row shifted by 5 words", 1), flat("column", 32), flat("column of rows padded to 33", 1),
         flat("column of swizzled rows", swizzled), flat("broadcast of one word", 1), flat("random", 3)});
    return conclude_banks({panel});
  };
  EXPECT_TRUE(says(patterns(1),
                   "takes 32 times as long as a row, because all its words share a bank; if padding or "
                   "swizzling spreads them, it takes as long as a row."));
  EXPECT_TRUE(says(patterns(2), "spreads them, it takes 2.0 times as long as a row."));
}

TEST(Lessons, Divergence) {
  const auto paths = [](double between) {
    return conclude_divergence(
        {synthetic_panel("paths", {1, 32},
                         {{std::string(within_warps), [](double x) { return 64 / x; }},
                          {std::string(between_warps), [=](double x) { return x == 1 ? 64.0 : between; }}})});
  };
  EXPECT_TRUE(says(paths(60), "32 paths, the warp runs all of them in turn and is 32 times slower"));
  EXPECT_TRUE(says(paths(60), "they keep 94 % of the rate of one path: let a branch"));
  EXPECT_TRUE(says(paths(10), "costs nearly as much"));
}

TEST(Lessons, Arithmetic) {
  const auto integers = [](double larger, double exclusive) {
    return conclude_arithmetic({synthetic_panel(
        "integers", {0},
        {flat("x + y", 110), flat("x * y", 64), flat("__umul24", 58), flat("max(x, y)", larger),
         flat("x ^ y", exclusive), flat("__funnelshift_l(x, y, 7)", 63), flat("y / x", 4), flat("x / 10 + y", 31),
         flat("x / 8 + y", 62), flat("signed x / 8 + y", 21), flat("y % x + 1", 4)})});
  };
  EXPECT_TRUE(says(integers(63, 64), "run at 63 and 63 per clock, additions at 110: they have half as many units"));
  EXPECT_TRUE(says(integers(63, 64), "exclusive-ors run at 64."));
  EXPECT_TRUE(says(integers(63, 95), "exclusive-ors reach 95, which fits an instruction that takes three operands"));
  EXPECT_TRUE(says(integers(110, 110), "comparisons and shifts run at the basic rate"));
  EXPECT_TRUE(says(integers(63, 64), "a division by a variable costs 28 additions")) << joined(integers(63, 64));
  // A step takes 1 clock and a test of the loop's end 4.
  const auto unrolled = [](double chains) { return [=](double k) { return chains / (chains + 4 / k); }; };
  const Sentences loops = conclude_arithmetic(
      {synthetic_panel("unroll", {1, 2, 4, 8, 16}, {{"1 chain", unrolled(1)}, {"4 chains", unrolled(4)}})});
  EXPECT_TRUE(says(loops,
                   "one dependent chain gains 4.0 times, of four chains 1.9 times, because a test of the loop's end "
                   "costs as much as roughly 4 multiply-adds."))
      << joined(loops);
}

TEST(Lessons, Cluster) {
  const auto steps = [](double launch) {
    return conclude_cluster(
        {synthetic_panel("steps", {1, 8},
                         {flat(std::string(by_neighbours), 500), flat(std::string(by_memory), 900),
                          flat(std::string(by_launches), launch)}),
         synthetic_panel("barriers", {1, 8},
                         {flat(std::string(barrier_alone), 60), flat(std::string(barrier_fenced), 500),
                          flat(std::string(barrier_full), 510), flat(std::string(barrier_storing), 520)})});
  };
  EXPECT_TRUE(says(steps(2000), "in clusters of 8 they are roughly 4 times as fast as launches"));
  EXPECT_TRUE(says(steps(2000), "the barrier itself takes 60 ns, with a fence of the cluster 500"));
  EXPECT_TRUE(says(steps(510), "Clusters gain nothing here"));
}

TEST(Lessons, Launch) {
  const auto steps = [](double graph) {
    return conclude_launch(
        {synthetic_panel("steps", {1, 1000},
                         {flat("stream launches", 3), flat("graph nodes", graph), flat(awaited, 9),
                          flat("a persistent kernel with grid barriers", 1.2), flat(read_back, 13)})},
        3000);
  };
  EXPECT_TRUE(
      says(steps(1.3), "3 µs by stream launches, 1.3 in a graph and 1.2 in a persistent kernel: record a graph"));
  EXPECT_FALSE(says(steps(2.6), "record a graph"));
  EXPECT_TRUE(says(steps(1.3), "roughly 9 µs, and if it also reads back 8 bytes, roughly 10: a readback"));
  EXPECT_TRUE(says(steps(1.3), "copying roughly 4 MiB"));
}

TEST(Lessons, Borders) {
  const auto rates = [](double gpu_at_4096) {
    const auto gpu = [=](double x) { return x <= 256 ? 20 : x <= 4096 ? gpu_at_4096 : 1000; };
    Panels panels;
    for (const char* const name : {"axpy", "dot"})
      panels.push_back(synthetic_panel(
          name, {256, 4096, 1 << 20, 1 << 24},
          {flat(std::string(cpu_curve), 100), {std::string(gpu_curve), gpu}, flat(std::string(transfer_curve), 50)}));
    return conclude_crossover(panels, {.host = "host"});
  };
  EXPECT_TRUE(says(rates(101),
                   "the CPU is faster in all operations up to at least 256 unknowns, even on one thread, and the "
                   "GPU from at most 1048576 on"))
      << joined(rates(101));
  EXPECT_TRUE(says(rates(300), "and the GPU from at most 4096 on"));
  EXPECT_TRUE(says(rates(50), "up to at least 4096 unknowns"));
}

TEST(Lessons, Lines) {
  const auto lines = [](double cpu, double fetching) {
    return conclude_crossover({synthetic_panel("lines", {64, 1024},
                                               {flat(std::string(cpu_curve), cpu), flat(std::string(gpu_curve), 1000),
                                                flat(std::string(fetching_curve), fetching)})},
                              {});
  };
  EXPECT_TRUE(says(lines(5000, 900), "loses from 64 lines on, although the CPU computes faster up to 1024 lines"));
  EXPECT_TRUE(says(lines(500, 400), "the GPU is the better place anyway"));
  EXPECT_TRUE(lines(5000, 2000).empty()) << "fetching pays everywhere";
}

TEST(Lessons, StoredAndStagedAndWide) {
  using namespace sparse_names;
  const Sentences rows_and_bands =
      conclude_sparse({synthetic_panel("product", {1024},
                                       {flat(std::string(bands), 100), flat(std::string(rows), 60),
                                        flat(std::string(lanes), 30), flat(std::string(scattered), 15)})},
                      {});
  EXPECT_TRUE(says(rows_and_bands, "reach 60 % of the rate of bands at 1024 rows"));
  EXPECT_TRUE(says(rows_and_bands, "Eight lanes per row reach 50 %"));
  EXPECT_TRUE(says(rows_and_bands, "A scattered numbering keeps 50 % of the rate:"));
  const auto staged = [](double async) {
    return conclude_staging({synthetic_panel("stages", {1, 4},
                                             {flat(std::string(by_caches), 70), flat(std::string(by_loads), 80),
                                              flat(std::string(by_async), async)})},
                            {.copy = 100});
  };
  EXPECT_TRUE(says(staged(85), "70 % of a copy, a tile in shared memory by loads and stores 80 %"));
  EXPECT_TRUE(says(staged(85), "no clear lead"));
  EXPECT_TRUE(says(staged(99), "pay here"));
  const auto sweep = [](double wide) {
    return conclude_vectorize({synthetic_panel("sweep", {1, 4}, {flat("float", 60), flat("float4", wide)})}, 100);
  };
  EXPECT_TRUE(says(sweep(90), "float4 then has 1.5 times the rate of float"));
  EXPECT_TRUE(says(sweep(90), "to 90 % of a copy; one float per thread reaches 60 %"));
}

// Results of the repository, whose sentences are derived again.
class Results : public testing::Test {
 protected:
  static Report results(const std::string& name) {
    const char* const root = std::getenv("POISSON_ROOT");
    if (!root) throw InputError("POISSON_ROOT is not set (it is the source directory, and ctest sets it)");
    return read_report(std::filesystem::path(root) / "bench/results" / name, studies());
  }
  void SetUp() override {
    if (studies().size() < 21) GTEST_SKIP() << "a build without CUDA has few studies";
  }
};

TEST_F(Results, HaveAtMost110SentencesEachUnderAPanelOfItsStudy) {
  for (const char* const file : {"h100-lab.json", "h200-lab.json"}) {
    const Report report = results(file);
    std::size_t sentences = 0;
    for (const auto& [study, findings, seconds] : report.outcomes) {
      sentences += findings.conclusions.size();
      for (const std::string& conclusion : findings.conclusions) {
        const auto [panel, text] = sentence_of(conclusion);
        if (!panel.empty()) EXPECT_TRUE(find_panel(findings.panels, panel)) << conclusion;
        EXPECT_TRUE(text.ends_with('.')) << text;
        for (const char* const word : {"under way", "at latest", "some 1", "nothing finite", "nan", " inf "})
          EXPECT_EQ(text.find(word), std::string::npos) << text;
      }
      // The H200's results have no sets that every multiprocessor reads.
      if (report.device.find("H200") == std::string::npos || study->name != "cache")
        EXPECT_EQ(silent(findings.conclusions, {""}), Sentences()) << file << ", " << study->name;
    }
    EXPECT_LE(sentences, 110U) << file;
  }
}

// A panel without a sentence is one of several alike, and the page links to the panel that speaks for it.
TEST_F(Results, SpeakAboutEachPanelOrOneLikeIt) {
  const std::set<std::string> covered{"texture/best-threads",
                                      "texture/best-blocks",
                                      "transpose/sweep-fp32",
                                      "transpose/size-fp32",
                                      "transpose/shape-tall-fp32",
                                      "transpose/shape-narrow-fp32",
                                      "transpose/shape-wide-fp32",
                                      "transpose/shape-batch-fp32",
                                      "transpose/bars-4096-fp64",
                                      "transpose/shape-tall-fp64",
                                      "transpose/shape-narrow-fp64",
                                      "transpose/shape-wide-fp64",
                                      "reduce/dot",
                                      "occupancy/shared-memory",
                                      "transfer/pipeline-light",
                                      "transfer/pipeline-balanced",
                                      "recompute/product-fp64",
                                      "recompute/jacobi-fp32",
                                      "interpolate/error-3d"};
  std::set<std::string> without;
  for (const Outcome& outcome : results("h100-lab.json").outcomes)
    for (const Panel& panel : outcome.findings.panels)
      if (!panels_with_sentences(outcome.findings.conclusions).contains(panel.name))
        without.insert(std::string(outcome.study->name) + "/" + panel.name);
  EXPECT_EQ(without, covered);
}

}  // namespace
}  // namespace poisson::lab::lab_lessons_tests
