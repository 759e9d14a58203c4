#include "io/files/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/memory/places.hpp"
#include "io/files/matrix_file.hpp"

namespace poisson {
namespace {

/// Reads the words of a Matrix Market file line by line (Boisvert, Pozo, Remington, NISTIR 5935, 1996). Only a piece of
/// the file is in memory. Words remain valid until the next line.
class Market {
 public:
  explicit Market(const std::filesystem::path& file)
      : name_(file.string()), stream_(file, std::ios::binary), unread_(std::filesystem::file_size(file)) {}

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(name_ + ":" + std::to_string(line_) + ": " + problem + "; " + remedy);
  }

  /// Returns the words of the banner, which begins with %%MatrixMarket, in lower case.
  std::vector<std::string> banner() {
    next_line();
    std::vector<std::string> words;
    while (const auto word = this->word()) {
      std::string lower(*word);
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      words.push_back(lower);
    }
    if (words.empty() || words.front() != "%%matrixmarket")
      fail("the file does not begin with %%MatrixMarket", "give a Matrix Market or an HDF5 file");
    if (words.size() != 5 || words[1] != "matrix")
      fail("the first line is not `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`", "write the matrix again");
    return words;
  }

  /// Moves to the next line with numbers. Returns false at the end of the file.
  bool next() {
    while (next_line()) {
      const std::size_t first = line_text_.find_first_not_of(" \t\r");
      if (first != std::string_view::npos && line_text_[first] != '%') return true;
    }
    return false;
  }
  std::optional<std::string_view> word() {
    const std::size_t first = line_text_.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    const std::size_t end = std::min(line_text_.find_first_of(" \t\r", first), line_text_.size());
    const std::string_view found = line_text_.substr(first, end - first);
    line_text_.remove_prefix(end);
    return found;
  }
  std::int64_t integer(const char* what) {
    const auto found = word();
    std::int64_t value = 0;
    if (!found) fail(std::string(what) + " is missing", "give it as an integer");
    const auto [end, error] = std::from_chars(found->data(), found->data() + found->size(), value);
    if (error != std::errc() || end != found->data() + found->size())
      fail(std::string(what) + " is not an integer ('" + std::string(*found) + "')", "write the matrix again");
    return value;
  }
  /// Reads a number of the field that the banner declares.
  double number(bool whole) {
    auto found = word();
    double value = 0;
    if (!found) fail("there is no value", "give one number");
    std::string_view digits = *found;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() || (error != std::errc() && error != std::errc::result_out_of_range))
      fail("the value is not a number ('" + std::string(*found) + "')", "write the matrix again");
    if (error == std::errc::result_out_of_range || !std::isfinite(value))
      fail("the value is not finite or out of range ('" + std::string(*found) + "')", "entries are finite numbers");
    if (whole && value != std::trunc(value))
      fail("the value is not an integer ('" + std::string(*found) + "')", "declare the field real");
    return value;
  }
  /// Returns true if the rest of the file is long enough for this many lines; "1 1 1" and its end have 6 bytes.
  bool may_contain(std::int64_t lines) const {
    return static_cast<std::uint64_t>(lines) <= (unread_ + text_.size() - next_ + 1) / 6;
  }
  void end_of_line() {
    if (const auto more = word()) fail("'" + std::string(*more) + "' follows the last number", "remove it");
  }

 private:
  bool next_line() {
    std::size_t end = text_.find('\n', next_);
    while (end == std::string::npos) {
      const std::size_t searched = text_.size() - next_;
      if (!read_on()) break;
      end = text_.find('\n', searched);
    }
    if (next_ == text_.size()) {
      line_text_ = {};
      return false;
    }
    end = std::min(end, text_.size());
    line_text_ = std::string_view(text_).substr(next_, end - next_);
    next_ = std::min(end + 1, text_.size());
    ++line_;
    return true;
  }
  // Appends the next piece of the file to the current line. Returns false at the end of the file.
  bool read_on() {
    constexpr std::size_t piece = std::size_t{1} << 16, longest = std::size_t{1} << 20;
    text_.erase(0, next_);
    next_ = 0;
    const std::size_t begun = text_.size();
    if (begun > longest) {
      ++line_;
      fail("the line has more than 10^6 characters", "give a Matrix Market or an HDF5 file");
    }
    text_.resize(begun + piece);
    stream_.read(text_.data() + begun, piece);
    const auto found = static_cast<std::size_t>(stream_.gcount());
    text_.resize(begun + found);
    unread_ -= std::min<std::uintmax_t>(found, unread_);
    return found > 0;
  }

  std::string name_;
  std::ifstream stream_;
  std::uintmax_t unread_;
  std::string text_;      // begins with the current line
  std::size_t next_ = 0;  // start of the next line in it
  std::string_view line_text_;
  std::int64_t line_ = 0;
};

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
