#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

/// Covering arrays replace all combinations of many parameters by a few, in which every pair of values of any two
/// parameters occurs.
namespace poisson {

/// Contains a value of a parameter and its name in tests: letters, digits and underscores.
template <class T>
struct Named {
  std::string name;
  T value;
  friend std::ostream& operator<<(std::ostream& stream, const Named& n) { return stream << n.name; }
};

/// Returns the rows of a covering array of strength two for parameters with these numbers of values, the same in every
/// call. A row begins with the first pair not yet covered. For every other parameter it chooses the value that adds the
/// most new pairs, and on a tie the rarest one. Requires at least two parameters, each with a value.
inline std::vector<std::vector<std::size_t>> covering_rows(const std::vector<std::size_t>& counts) {
  const std::size_t parameters = counts.size();
  std::vector<std::size_t> first(parameters, 0);  // global number of a parameter's first value
  for (std::size_t p = 1; p < parameters; ++p) first[p] = first[p - 1] + counts[p - 1];
  const std::size_t values = first.back() + counts.back();
  std::vector<bool> covered(values * values, false);
  std::vector<std::size_t> uses(values, 0);
  std::vector<std::vector<std::size_t>> rows;

  for (std::size_t p = 0; p < parameters; ++p)
    for (std::size_t q = p + 1; q < parameters; ++q)
      for (std::size_t v = 0; v < counts[p]; ++v)
        for (std::size_t w = 0; w < counts[q]; ++w) {
          if (covered[(first[p] + v) * values + first[q] + w]) continue;
          std::vector<std::pair<std::size_t, std::size_t>> taken{{p, v}, {q, w}};
          for (std::size_t other = 0; other < parameters; ++other) {
            if (other == p || other == q) continue;
            std::size_t best = 0, best_gain = 0;
            for (std::size_t x = 0; x < counts[other]; ++x) {
              std::size_t gain = 0;
              for (const auto& [parameter, value] : taken)
                gain += !covered[(first[other] + x) * values + first[parameter] + value];
              if (x == 0 || gain > best_gain ||
                  (gain == best_gain && uses[first[other] + x] < uses[first[other] + best])) {
                best = x;
                best_gain = gain;
              }
            }
            taken.emplace_back(other, best);
          }
          std::vector<std::size_t> row(parameters);
          for (const auto& [parameter, value] : taken) {
            row[parameter] = value;
            ++uses[first[parameter] + value];
            for (const auto& [other, beside] : taken)
              covered[(first[parameter] + value) * values + first[other] + beside] = true;
          }
          rows.push_back(std::move(row));
        }
  return rows;
}

/// Returns combinations of values in which every pair of values of any two parameters occurs.
template <class... T>
std::vector<std::tuple<T...>> every_pair(const std::vector<T>&... values) {
  std::vector<std::tuple<T...>> all;
  for (const std::vector<std::size_t>& row : covering_rows({values.size()...})) {
    const auto combination = [&]<std::size_t... parameter>(std::index_sequence<parameter...>) {
      return std::tuple<T...>(values[row[parameter]]...);
    };
    all.push_back(combination(std::index_sequence_for<T...>()));
  }
  return all;
}

/// Names a test by the values of its combination.
inline constexpr auto name_of_combination = [](const auto& test) {
  return std::apply(
      [](const auto& first, const auto&... others) {
        std::string name(first.name);
        ((name += "_", name += others.name), ...);
        return name;
      },
      test.param);
};

}  // namespace poisson
