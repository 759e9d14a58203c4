// Tests the study `copy`: every variant against the host's own copy, and the conclusions on given numbers.

#include <functional>

#include <gtest/gtest.h>

#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/copy/study.hpp"
#include "lab/studies/studies.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

std::span<const CopyVariant> device_variants() {
  if constexpr (with_cuda)
    if (!on_cpu()) return gpu_copy_variants();
  return cpu_copy_variants();
}

TEST(LabContents, AreTheWordsOfTheSeedOnEveryDevice) {
  const auto backend = test_backend();
  for (const std::size_t bytes : {1, 7, 8, 1000, 3 << 20}) {
    const Buffer data = backend->allocate(bytes);
    fill_random(*backend, data.data(), bytes, 5);
    std::vector<unsigned char> found(bytes);
    backend->read(data.data(), found.data(), bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(found[i], static_cast<unsigned char>(random_word(5, i / 8) >> (8 * (i % 8)))) << i << " of " << bytes;
  }
}

TEST(LabContents, ComparisonCountsDifferingBytes) {
  const auto backend = test_backend();
  const std::size_t bytes = (3 << 20) + 5;
  const Buffer a = backend->allocate(bytes), b = backend->allocate(bytes);
  fill_random(*backend, a.data(), bytes, 1);
  copy_bytes(*backend, a.data(), b.data(), bytes);
  EXPECT_EQ(differing_bytes(*backend, a.data(), b.data(), bytes), 0U);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1} << 20, bytes - 1}) {
    unsigned char byte = 0;
    backend->read(static_cast<const char*>(b.data()) + i, &byte, 1);
    byte ^= 4U;
    backend->write(&byte, static_cast<char*>(b.data()) + i, 1);
  }
  EXPECT_EQ(differing_bytes(*backend, a.data(), b.data(), bytes), 3U);
  poison(*backend, b.data(), bytes);
  unsigned char last = 0;
  backend->read(static_cast<const char*>(b.data()) + bytes - 1, &last, 1);
  EXPECT_EQ(last, 0xFF);
}

TEST(LabCopy, EveryVariantCopiesAwkwardSizesAndNothingElse) {
  const auto backend = test_backend();
  for (const CopyVariant& variant : device_variants())
    for (const std::size_t bytes : awkward_sizes(variant))
      EXPECT_EQ(wrong_copy(*backend, variant, bytes), "")
          << variant.name << ", " << variant.per_thread << ", " << bytes;
}

TEST(LabCopy, ABrokenCopyIsFoundAtEverySize) {
  const auto backend = test_backend();
  for (const std::size_t bytes : awkward_sizes(broken_copy_variant()))
    EXPECT_NE(wrong_copy(*backend, broken_copy_variant(), bytes), "") << bytes;
}

TEST(LabCopy, ABrokenVariantEndsTheStudy) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(copy_study.measure(session), WrongResult);
}

// Makes curves over sizes of 1 MiB … 64 MiB or, for a GPU, over accesses per thread.
Panel curves(const std::vector<std::string>& variants, const std::function<double(std::size_t, double)>& value,
             const std::vector<double>& places) {
  Panel panel;
  for (std::size_t v = 0; v < variants.size(); ++v)
    for (const double x : places) panel.points.push_back({variants[v], x, 1, value(v, x)});
  return panel;
}

constexpr double mib = 1 << 20;
const std::vector<std::string> some{"1 B", "4 B", "16 B", "memcpy"};
const std::vector<double> sizes{mib, 4 * mib, 16 * mib, 64 * mib};

std::string concluded(const std::vector<Panel>& panels, double theoretical = 0) {
  std::string text;
  for (const std::string& sentence : conclude_copy(panels, {.gpu = false, .theory = theoretical}))
    text += sentence + '\n';
  return text;
}

void expect_says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(LabCopyConclusions, WideAccessesWin) {
  const std::array rates{500.0, 1900.0, 2000.0, 2000.0};
  const std::string text = concluded({curves(
                                         some, [&](std::size_t v, double) { return rates[v]; }, sizes)},
                                     2500);
  expect_says(text, {"At 64 MiB accesses of 16 B copy 2000 GB/s, accesses of 1 B only 500 GB/s", "4.0 times as fast",
                     "at least 4 B per access", "within 9.1 % of the best", "Even 1 MiB is enough",
                     "caches do not show", "100 % of it", "80 % of the theoretical 2500 GB/s"});
}

TEST(LabCopyConclusions, WidthMakesNoDifference) {
  const std::string text = concluded({curves(
      some, [](std::size_t v, double) { return 95.0 + 2 * double(v); }, sizes)});
  expect_says(text, {"the width of an access hardly matters", "elements of 1 B reach 95 GB/s, the best width 99 GB/s"});
  EXPECT_EQ(text.find("theoretical"), std::string::npos);
}

TEST(LabCopyConclusions, SmallArraysInACache) {
  const auto cached = [](std::size_t, double x) { return x <= 4 * mib ? 3000.0 : 1000.0; };
  expect_says(concluded({curves(some, cached, sizes)}, 2000),
              {"Arrays of 4 MiB are copied at up to 3000 GB/s, those of 64 MiB at 1000 GB/s, and the memory could",
               "deliver 2000 GB/s even in theory"});
  const std::string unknown = concluded({curves(some, cached, sizes)});
  expect_says(unknown, {"Arrays of 4 MiB", "the smaller ones stay in a cache"});
  EXPECT_EQ(unknown.find("in theory"), std::string::npos);
  // Even smaller arrays may be slow. The sentence concerns only the size that is fast.
  const auto middle = [](std::size_t, double x) { return x == 16 * mib ? 3000.0 : 1000.0; };
  const std::string one = concluded({curves(some, middle, sizes)});
  expect_says(one, {"Arrays of 16 MiB are copied at up to 3000 GB/s"});
  EXPECT_EQ(one.find("Up to"), std::string::npos);
}

TEST(LabCopyConclusions, SmallArraysCannotFillTheDevice) {
  const auto slow = [](std::size_t, double x) { return x <= 4 * mib ? 250.0 * x / mib / 4 : 1000.0; };
  expect_says(concluded({curves(some, slow, sizes)}), {"A copy needs 16 MiB", "at 1 MiB it has 6.2 %"});
}

TEST(LabCopyConclusions, ADipBetweenCacheAndMemory) {
  const auto dented = [](std::size_t, double x) { return x == 16 * mib ? 700.0 : x < 16 * mib ? 1300.0 : 1000.0; };
  expect_says(concluded({curves(some, dented, sizes)}), {"Even 1 MiB is enough", "At 16 MiB it falls back to 70 %"});
}

TEST(LabCopyConclusions, NoneIsFirmerThanTheNoise) {
  Panel panel = curves(
      some, [](std::size_t v, double x) { return (v == 2 ? 1300.0 : 1000.0) * (x < 4 * mib ? 1.3 : 1); }, sizes);
  panel.noise = 0.5;
  expect_says(concluded({panel}), {"Accesses of 1 B are not at every size clearly slower", "caches do not show",
                                   "Plain loops copy arrays of 64 MiB not clearly slower than memcpy."});
  panel = curves(
      some, [](std::size_t v, double) { return v == 0 ? 100.0 : 1000.0; }, sizes);
  panel.noise = 0.5;
  expect_says(concluded({panel}), {"Wide accesses copy faster than those of 1 B"});
  panel.points.front().value = 900;  // one size contradicts the others
  expect_says(concluded({panel}), {"Accesses of 1 B are not at every size clearly slower"});
}

TEST(LabCopyConclusions, ALibraryThatIsFasterInTheCachesAlone) {
  Panel panel = curves(
      some, [](std::size_t v, double x) { return v == 3 && x < 4 * mib ? 1700.0 : 1000.0; }, sizes);
  panel.noise = 0.5;
  expect_says(concluded({panel}), {"not clearly slower than memcpy, which is faster where a cache holds them."});
  for (Point& point : panel.points)
    if (point.variant == "memcpy" && point.x == 64 * mib) point.value = 3000;
  EXPECT_EQ(concluded({panel}).find("than memcpy"), std::string::npos);
}

TEST(LabCopyConclusions, LoopsThatMissTheLibrary) {
  const auto library_wins = [](std::size_t v, double) { return v == 3 ? 1000.0 : 700.0; };
  const std::string text = concluded({curves(some, library_wins, sizes)});
  expect_says(text, {"memcpy copies 1000 GB/s, the best loop over elements 70 % of it."});
  EXPECT_EQ(text.find("as good as the library"), std::string::npos);
}

TEST(LabCopyConclusions, AccessesPerThread) {
  const Panel flat = curves(
      some, [](std::size_t, double) { return 1000.0; }, sizes);
  const std::vector<std::string> widths{"1 B", "4 B", "16 B"};
  const auto per_thread = [&](std::array<double, 3> one, std::array<double, 3> eight) {
    return curves(widths, [=](std::size_t v, double n) { return n == 8 ? eight[v] : one[v]; }, {1, 8});
  };
  expect_says(concluded({flat, per_thread({100, 400, 1000}, {500, 990, 1000})}),
              {"with 1 B they copy 500 GB/s, 5.0 times as much as one; with 16 B one is enough",
               "That is 50 % of the best width's"});
  expect_says(concluded({flat, per_thread({100, 400, 500}, {980, 990, 1000})}),
              {"even with 16 B they bring 2.0 times as much", "What counts is bytes under way"});
  expect_says(concluded({flat, per_thread({100, 400, 1000}, {90, 400, 1000})}),
              {"do not make narrow accesses faster on this device (1 B: 100 GB/s at best)"});
}

}  // namespace
}  // namespace poisson::lab
