// Covering arrays must contain every pair of values in few rows, and always the same rows.

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cases/covering.hpp"

namespace poisson::covering_tests {
namespace {

using Counts = std::vector<std::size_t>;

class CoveringRows : public testing::TestWithParam<Counts> {};

TEST_P(CoveringRows, HaveEveryPair) {
  const Counts& counts = GetParam();
  const auto rows = covering_rows(counts);
  for (std::size_t p = 0; p < counts.size(); ++p)
    for (std::size_t q = p + 1; q < counts.size(); ++q) {
      std::set<std::array<std::size_t, 2>> pairs;
      for (const auto& row : rows) {
        ASSERT_EQ(row.size(), counts.size());
        ASSERT_LT(row[p], counts[p]);
        ASSERT_LT(row[q], counts[q]);
        pairs.insert({row[p], row[q]});
      }
      EXPECT_EQ(pairs.size(), counts[p] * counts[q]) << "of parameters " << p << " and " << q;
    }
  EXPECT_EQ(covering_rows(counts), rows);
}

TEST_P(CoveringRows, AreFew) {
  Counts counts = GetParam();
  const std::size_t rows = covering_rows(counts).size();
  std::sort(counts.rbegin(), counts.rend());
  const std::size_t least = counts[0] * counts[1];
  EXPECT_GE(rows, least);
  EXPECT_LE(rows, least + least / 2 + 4);
}

TEST_P(CoveringRows, UseTheValuesOfAParameterAlike) {
  const Counts& counts = GetParam();
  const auto rows = covering_rows(counts);
  for (std::size_t p = 0; p < counts.size(); ++p) {
    Counts uses(counts[p], 0);
    for (const auto& row : rows) ++uses[row[p]];
    const double mean = static_cast<double>(rows.size()) / static_cast<double>(counts[p]);
    for (const std::size_t u : uses) EXPECT_NEAR(static_cast<double>(u), mean, 0.5 * mean + 1) << "parameter " << p;
  }
}

INSTANTIATE_TEST_SUITE_P(, CoveringRows,
                         testing::Values(Counts{2, 2}, Counts{1, 3}, Counts{1, 1}, Counts{2, 2, 2, 2, 2, 2, 2},
                                         Counts{3, 3, 3, 3}, Counts{14, 6, 12, 4, 7}, Counts{2, 14, 3, 3, 2, 6},
                                         Counts{5, 4, 3, 2, 1}),
                         [](const auto& test) {
                           std::string name = "of";
                           for (const std::size_t count : test.param) name += "_" + std::to_string(count);
                           return name;
                         });

TEST(EveryPair, TakesTheValuesOfEachParameterInTheirPlaces) {
  const std::vector<Named<int>> numbers{{"one", 1}, {"two", 2}};
  const std::vector<Named<char>> letters{{"a", 'a'}, {"b", 'b'}, {"c", 'c'}};
  std::set<std::string> names;
  for (const auto& combination : every_pair(numbers, letters)) {
    const auto& [number, letter] = combination;
    EXPECT_EQ(number.name, number.value == 1 ? "one" : "two");
    EXPECT_EQ(letter.name, std::string(1, letter.value));
    names.insert(name_of_combination(testing::TestParamInfo(combination, 0)));
  }
  EXPECT_EQ(names, (std::set<std::string>{"one_a", "one_b", "one_c", "two_a", "two_b", "two_c"}));
}

}  // namespace
}  // namespace poisson::covering_tests
