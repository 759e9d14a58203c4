// Tests the study `transpose`: its oracles detect errors, its variants are right, and its conclusions follow from the
// points.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transpose/matrix_contents.hpp"
#include "lab/studies/transpose/study.hpp"
#include "tests/device.hpp"

namespace poisson::lab {
namespace {

std::vector<TransposeVariant> variants_here() {
  if constexpr (with_cuda)
    if (!on_cpu()) {
      std::vector<TransposeVariant> all;
      for (const auto& some :
           {gpu_transpose_variants(), gpu_transpose_tilings(), bulk_transpose_variants(), geam_variants()})
        all.insert(all.end(), some.begin(), some.end());
      return all;
    }
  return cpu_transpose_variants();
}

TEST(TransposeStudy, EveryVariantIsRight) {
  const auto backend = test_backend();
  for (const TransposeVariant& variant : variants_here())
    for (const std::size_t element : {4, 8})
      for (const Transposition& shape : awkward_transpositions(element, variant.transposes))
        EXPECT_EQ(wrong_transposition(*backend, variant, shape), "") << variant.name;
}

TEST(TransposeStudy, TheOracleFindsWhatIsWrong) {
  const auto backend = test_backend();
  const TransposeVariant nothing{.name = "nothing",
                                 .launch = [](Backend&, const Transposition&, const void*, void*) {}};
  TransposeVariant copies = cpu_transpose_variants()[2];
  ASSERT_FALSE(copies.transposes);
  copies.transposes = true;  // a copy that claims to transpose
  for (const std::size_t element : {4, 8}) {
    EXPECT_NE(wrong_transposition(*backend, broken_transpose_variant(), packed(31, 33, element)), "");
    EXPECT_NE(wrong_transposition(*backend, nothing, packed(1, 1, element)), "");
    if (!on_cpu()) continue;
    EXPECT_NE(wrong_transposition(*backend, copies, packed(31, 33, element)), "");
  }
}

TEST(TransposeStudy, CountsMisplacedElements) {
  const auto backend = test_backend();
  for (const std::size_t element : {4, 8}) {
    const Transposition shape = packed(37, 53, element, 3);
    const Buffer from = backend->allocate(shape.from_extent()), to = backend->allocate(shape.to_extent());
    fill_elements(*backend, element, from.data(), 37 * 53 * 3, 5);
    transpose(*backend, shape, from.data(), to.data());
    EXPECT_EQ(misplaced(*backend, shape, true, 5, to.data()), 0);
    EXPECT_EQ(misplaced(*backend, shape, false, 5, from.data()), 0);
    EXPECT_GT(misplaced(*backend, shape, true, 6, to.data()), 37 * 53 * 3 * 9 / 10);
    const std::vector<unsigned char> wrong(2 * element, 0xFF);
    backend->write(wrong.data(), static_cast<unsigned char*>(to.data()) + 100 * element, wrong.size());
    EXPECT_EQ(misplaced(*backend, shape, true, 5, to.data()), 2);
  }
}

// Makes bars at one place, and a guide for a copy at 1000 GB/s.
Panel bars(const std::vector<std::pair<std::string_view, double>>& values) {
  Panel panel{.name = "bars-4000-fp32", .title = "4000 x 4000, fp32", .x_label = "n", .y_label = "GB/s"};
  for (const auto& [variant, value] : values) panel.points.push_back({std::string(variant), 4000, 1, value});
  panel.guides.push_back({"a copy of the same size", {{4000, 1000}}});
  return panel;
}

std::string all_of(const std::vector<Panel>& panels) {
  std::string text;
  for (const std::string& conclusion : conclude_transpose(panels)) text += conclusion + '\n';
  return text;
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is missing in:\n" << text;
}

TEST(TransposeConclusions, OfADeviceWhereEveryStepHelps) {
  using namespace transpose_names;
  const std::string text = all_of({bars({{naive_read, 100},
                                         {naive_write, 200},
                                         {copy, 800},
                                         {strided_copy, 50},
                                         {tiled, 400},
                                         {in_tile_copy, 700},
                                         {padded, 600},
                                         {padded_16, 300},
                                         {padded_48, 590},
                                         {swizzled, 610},
                                         {vectorized, 900},
                                         {bulk, 500},
                                         {library, 980},
                                         {"tuning 32 x 32", 1200}})});
  expect_in(text,
            {"let it be the reads", "4.0 times as much, and with both sides scattered 50", "2.0 times the rate of",
             "1.5 times as much: pad", "tiles of 16 × 16 elements have only 50 % of the rate of those of 32 × 32",
             "no worse a choice today", "bytes under way", "only 51 % of the rate of", "9.8 times the rate",
             "98 % of a copy", "\"tuning 32 x 32\" is 1.2 times as fast"});
}

TEST(TransposeConclusions, OfADeviceWhereNothingHelps) {
  using namespace transpose_names;
  const std::string text = all_of({bars({{naive_read, 500},
                                         {naive_write, 505},
                                         {copy, 500},
                                         {tiled, 500},
                                         {padded, 501},
                                         {swizzled, 500},
                                         {vectorized, 500},
                                         {library, 500},
                                         {"tuning 32 x 32", 501}})});
  expect_in(text, {"makes no difference which side", "is no faster (500 GB/s), within the noise",
                   "the rate, within the noise of this machine, of", "changes little", "No other tiling"});
  EXPECT_EQ(text.find("engine"), std::string::npos) << "there is none";
}

Panel curve(const char* name, const std::vector<std::pair<std::string_view, std::vector<double>>>& values) {
  Panel panel{.name = name, .title = "Widths", .x_label = "n", .y_label = "GB/s"};
  Guide copies{"a copy of the same size", {}};
  for (const auto& [variant, y] : values)
    for (std::size_t i = 0; i < y.size(); ++i)
      panel.points.push_back({std::string(variant), 4000 + 32.0 * static_cast<double>(i), 1, y[i]});
  for (std::size_t i = 0; i < values.front().second.size(); ++i)
    copies.points.push_back({4000 + 32.0 * static_cast<double>(i), 100});
  panel.guides.push_back(copies);
  return panel;
}

TEST(TransposeConclusions, OnWidthsThatCamp) {
  using namespace transpose_names;
  expect_in(all_of({curve("sweep-fp32", {{padded, {90, 20, 88}}, {diagonal, {80, 81, 80}}, {library, {95, 93, 96}}})}),
            {"at least 22 % of their best rate", "worst at n = 4032", "diagonal order avoid (90 %)",
             "at least 97 % of its best", "93 % of a copy"});
  expect_in(all_of({curve("sweep-fp32", {{padded, {90, 20, 88}}, {diagonal, {80, 20, 80}}})}), {"does not help"});
  expect_in(all_of({curve("sweep-fp32", {{padded, {90, 86, 88}}, {library, {95, 93, 96}}})}),
            {"partition camping does not show", "at least 96 % of their best", "does not show on this device"});
  Panel of_a_host = curve("sweep-fp32", {{padded, {90, 20, 88}}});
  of_a_host.noise = Panel::host_noise;
  EXPECT_EQ(all_of({of_a_host}), "") << "a width may have met a bad moment";
}

TEST(TransposeConclusions, OfRemediesAndTheirOrder) {
  using namespace transpose_names;
  Panel larger = bars({{tiled, 400}, {padded, 404}});
  larger.title = "4096 x 4096, fp32";
  expect_in(
      all_of({bars({{tiled, 400}, {padded, 600}}), larger}),
      {"Padding makes the tile 1.5 times as fast in 4000 x 4000, and 1.0 times as fast in 4096 x 4096: at the second"});
  expect_in(all_of({bars({{naive_read, 1}, {naive_write, 1}, {tiled, 400}, {padded, 600}, {diagonal, 500}})}),
            {"against partition camping, have only 83 % of the rate of the padded tile: here they cure nothing"});
  expect_in(all_of({curve("sweep-fp32", {{padded, {90, 20, 88}}, {padded_pitch, {90, 90, 88}}})}),
            {"Rows that lie 64 bytes further apart give the plain tile the rate, within the noise"});
}

TEST(TransposeConclusions, OnLargeMatrices) {
  using namespace transpose_names;
  expect_in(all_of({curve("size-fp64", {{library, {97, 96}}, {geam, {90, 100}}})}),
            {"at least 96 % of a copy", "at least 96 % of cuBLAS", "at least 96 % of cuBLAS"});
  const std::string slow = all_of({curve("size-fp64", {{library, {97, 60}}})});
  expect_in(slow, {"at least 60 % of a copy"});
  EXPECT_EQ(slow.find("hardly more"), std::string::npos);
  EXPECT_EQ(slow.find("cuBLAS"), std::string::npos);
}

TEST(TransposeStudy, FailsWithABrokenVariant) {
  Session session(test_device(), true);
  session.add_broken_variant();
  EXPECT_THROW(transpose_study.measure(session), WrongResult);
}

}  // namespace
}  // namespace poisson::lab
