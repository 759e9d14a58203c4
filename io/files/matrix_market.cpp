#include "io/files/matrix_market.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/memory/places.hpp"
#include "io/files/market_words.hpp"
#include "io/files/matrix_file.hpp"

namespace poisson {
namespace {

std::string text(const Offset& o) {
  return "(" + std::to_string(o[0]) + ", " + std::to_string(o[1]) + ", " + std::to_string(o[2]) + ")";
}

/// Contains the lines before the entries.
struct Head {
  bool symmetric, whole;  ///< integer entries
  std::int64_t rows, count;
};
Head read_head(Market& market, const std::array<int, 3>& shape) {
  const auto banner = market.banner();
  if (banner[2] != "coordinate") market.fail("the format is " + banner[2], "matrices must be coordinate");
  if (banner[3] != "real" && banner[3] != "integer")
    market.fail("the field is " + banner[3], "entries must be real or integer");
  if (banner[4] != "general" && banner[4] != "symmetric")
    market.fail("the symmetry is " + banner[4], "matrices must be general or symmetric");

  if (!market.next()) market.fail("there is no line of sizes", "give rows, columns and number of entries");
  const std::int64_t rows = market.integer("the number of rows"), columns = market.integer("the number of columns"),
                     count = market.integer("the number of entries");
  market.end_of_line();
  if (rows != columns)
    market.fail("the matrix has " + std::to_string(rows) + " rows and " + std::to_string(columns) + " columns",
                "give a square one");
  const std::optional<std::size_t> counted = count_points(shape);
  if (!counted) market.fail("grid.shape has too many points", too_many_points);
  const std::size_t points = *counted;
  if (rows <= 0 || static_cast<std::size_t>(rows) != points)
    market.fail(
        "the matrix has " + std::to_string(rows) + " rows, but grid.shape has " + std::to_string(points) + " points",
        "make them agree");
  if (count < 0) market.fail("the number of entries is negative", "write the matrix again");
  // Every row has a diagonal entry. For small matrices, reading the entries gives a better message.
  if (const std::int64_t least = std::max(count, rows); least > 100'000 && !market.may_contain(least))
    market.fail("the file is too short for " + std::to_string(least) + " entries", "it is truncated; write it again");
  return {banner[4] == "symmetric", banner[3] == "integer", rows, count};
}

}  // namespace

void check_matrix_market(const std::filesystem::path& file, const std::array<int, 3>& shape) {
  Market market(file);
  read_head(market, shape);
}

void read_matrix_market(const std::filesystem::path& file, BandedMatrix& matrix) {
  const std::array<int, 3>& shape = matrix.shape;
  Market market(file);
  const auto [symmetric, whole, rows, count] = read_head(market, shape);
  const auto here = static_cast<std::size_t>(matrix.stored_rows().size());
  matrix.offsets = {{0, 0, 0}};
  matrix.entries = {std::vector<double>(here)};
  std::map<Offset, std::size_t> bands{{{0, 0, 0}, 0}};
  const auto place = [&](std::int64_t i) {
    const std::int64_t nx = shape[0], ny = shape[1];
    return Offset{static_cast<int>(i % nx), static_cast<int>(i / nx % ny), static_cast<int>(i / (nx * ny))};
  };
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    if (value == 0 && row != column) return;  // couples nothing
    const Offset from = place(row), to = place(column), o{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    auto found = bands.find(o);
    if (found == bands.end()) {
      if (std::max({std::abs(o[0]), std::abs(o[1]), std::abs(o[2])}) > most_reach)
        market.fail("the entry of row " + std::to_string(row + 1) + " and column " + std::to_string(column + 1) +
                        " is at the offset " + text(o) + " on the grid",
                    "offsets reach at most " + std::to_string(most_reach) + " along an axis; check grid.shape");
      if (matrix.offsets.size() == most_bands)
        market.fail("the entries need more than " + std::to_string(most_bands) + " offsets of the grid",
                    "check grid.shape");
      if (here * sizeof(double) > available_memory().bytes)
        market.fail("the entries of " + std::to_string(bands.size() + 1) + " offsets do not fit into memory",
                    "check grid.shape");
      found = bands.emplace(o, matrix.offsets.size()).first;
      matrix.offsets.push_back(o);
      matrix.entries.emplace_back(here);
    }
    if (!matrix.holds(from)) return;
    matrix.entries[found->second][matrix.place(from[0], from[1], from[2])] += value;
  };
  for (std::int64_t e = 0; e < count; ++e) {
    if (!market.next())
      market.fail("the file ends after " + std::to_string(e) + " of " + std::to_string(count) + " entries",
                  "it is truncated; write it again");
    const std::int64_t row = market.integer("the row"), column = market.integer("the column");
    const double value = market.number(whole);
    market.end_of_line();
    for (const auto& [index, what] : {std::pair{row, "row"}, std::pair{column, "column"}})
      if (index < 1 || index > rows)
        market.fail(std::string(what) + " " + std::to_string(index) + " is not in 1 ... " + std::to_string(rows),
                    index == 0 ? "Matrix Market counts from 1" : "check the sizes");
    if (symmetric && column > row)
      market.fail("a symmetric matrix has an entry above the diagonal",
                  "Matrix Market stores the lower triangle of symmetric matrices; or declare it general");
    add(row - 1, column - 1, value);
    if (symmetric && column != row) add(column - 1, row - 1, value);
  }
  if (market.next()) market.fail("more entries follow than the declared " + std::to_string(count), "correct the count");
}

std::vector<double> read_market_array(const std::filesystem::path& file, const BandedMatrix& matrix) {
  const std::size_t count = matrix.points();
  Market market(file);
  const auto banner = market.banner();
  if (banner[2] != "array" || (banner[3] != "real" && banner[3] != "integer") || banner[4] != "general")
    market.fail("the right-hand side is " + banner[2] + " " + banner[3] + " " + banner[4], "give array real general");
  if (!market.next()) market.fail("there is no line of sizes", "give the number of rows and 1");
  const std::int64_t rows = market.integer("the number of rows"), columns = market.integer("the number of columns");
  market.end_of_line();
  if (columns != 1 || rows < 0 || static_cast<std::size_t>(rows) != count)
    market.fail("the right-hand side has " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                    " columns, but the matrix has " + std::to_string(count) + " rows",
                "give one column with the same number of rows");
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(matrix.stored_rows().size()));
  std::size_t read = 0;
  for_each_place({{0, 0, 0}, matrix.shape}, [&](int x, int y, int z) {
    if (!market.next())
      market.fail("the file ends after " + std::to_string(read) + " of " + std::to_string(count) + " numbers",
                  "it is truncated; write it again");
    const double value = market.number(banner[3] == "integer");
    market.end_of_line();
    ++read;
    if (matrix.holds({x, y, z})) values.push_back(value);
  });
  if (market.next()) market.fail("more numbers follow than the declared " + std::to_string(count), "correct the count");
  return values;
}

}  // namespace poisson
