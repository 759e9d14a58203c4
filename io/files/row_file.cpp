#include "io/files/row_file.hpp"

#include <limits>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "grids/compact/general_rows.hpp"
#include "io/files/hdf5.hpp"
#include "io/files/market_words.hpp"
#include "io/files/matrix_file.hpp"

namespace poisson {
namespace {

constexpr std::int64_t most_rows = std::numeric_limits<int>::max() - 1;

// Throws unless memory suffices for this number of entries, which are sorted once.
void check_room(std::int64_t entries, const std::string& name) {
  const double bytes = static_cast<double>(entries) * 2 * (2 * sizeof(int) + sizeof(double));
  if (bytes > static_cast<double>(available_memory().bytes))
    throw InputError("'" + name + "': " + std::to_string(entries) +
                     " entries do not fit into memory; use a machine with more memory");
}

struct MarketHead {
  bool symmetric, whole, pattern;
  std::int64_t rows, columns, count;
};

MarketHead read_head(Market& market) {
  const auto banner = market.banner();
  if (banner[2] != "coordinate") market.fail("the format is " + banner[2], "matrices must be coordinate");
  if (banner[3] != "real" && banner[3] != "integer" && banner[3] != "pattern")
    market.fail("the field is " + banner[3], "entries must be real, integer or pattern");
  if (banner[4] == "skew-symmetric")
    market.fail("the matrix is skew-symmetric, so that its diagonal is zero",
                "every solver here needs a positive diagonal");
  if (banner[4] != "general" && banner[4] != "symmetric")
    market.fail("the symmetry is " + banner[4], "matrices must be general or symmetric");
  if (!market.next()) market.fail("there is no line of sizes", "give rows, columns and number of entries");
  MarketHead head{banner[4] == "symmetric", banner[3] == "integer", banner[3] == "pattern", 0, 0, 0};
  head.rows = market.integer("the number of rows");
  head.columns = market.integer("the number of columns");
  head.count = market.integer("the number of entries");
  market.end_of_line();
  if (head.rows != head.columns)
    market.fail(
        "the matrix has " + std::to_string(head.rows) + " rows and " + std::to_string(head.columns) + " columns",
        "give a square one");
  if (head.rows < 1 || head.rows > most_rows)
    market.fail("the matrix has " + std::to_string(head.rows) + " rows", "give 1 to 2*10^9");
  if (head.count < 0) market.fail("the number of entries is negative", "write the matrix again");
  // Every row has a diagonal entry; "1 1" and its end have at least 4 bytes, of which may_contain assumes 6.
  const std::int64_t least = std::max(head.count, head.rows);
  if (least > 100'000 && !market.may_contain(head.pattern ? least / 2 : least))
    market.fail("the file is too short for " + std::to_string(least) + " entries", "it is truncated; write it again");
  return head;
}

CsrMatrix read_market_rows(const std::filesystem::path& file) {
  Market market(file);
  const MarketHead head = read_head(market);
  check_room(head.symmetric ? 2 * head.count : head.count, file.string());
  RowEntries entries;
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    entries.row.push_back(static_cast<int>(row - 1));
    entries.column.push_back(static_cast<int>(column - 1));
    entries.value.push_back(value);
  };
  for (std::int64_t e = 0; e < head.count; ++e) {
    if (!market.next())
      market.fail("the file ends after " + std::to_string(e) + " of " + std::to_string(head.count) + " entries",
                  "it is truncated; write it again");
    const std::int64_t row = market.integer("the row"), column = market.integer("the column");
    const double value = head.pattern ? 1 : market.number(head.whole);
    market.end_of_line();
    for (const auto& [index, what] : {std::pair{row, "row"}, std::pair{column, "column"}})
      if (index < 1 || index > head.rows)
        market.fail(std::string(what) + " " + std::to_string(index) + " is not in 1 ... " + std::to_string(head.rows),
                    index == 0 ? "Matrix Market counts from 1" : "check the sizes");
    if (head.symmetric && column > row)
      market.fail("a symmetric matrix has an entry above the diagonal",
                  "Matrix Market stores the lower triangle of symmetric matrices; or declare it general");
    add(row, column, value);
    if (head.symmetric && column != row) add(column, row, value);
  }
  if (market.next())
    market.fail("more entries follow than the declared " + std::to_string(head.count), "correct the count");
  return compress(entries, head.rows);
}

std::vector<std::int64_t> whole_numbers(const std::filesystem::path& file, const std::string& name, double most) {
  const Dataset values = read_dataset(file, name);
  if (values.shape.size() != 1)
    throw InputError("dataset " + name + " of '" + file.string() + "' has " + std::to_string(values.shape.size()) +
                     " axes; give one");
  std::vector<std::int64_t> all;
  all.reserve(values.values.size());
  for (const double value : values.values) {
    if (!(value >= 0 && value <= most) || value != std::trunc(value))
      throw InputError("value " + std::to_string(all.size()) + " of dataset " + name + " of '" + file.string() +
                       "' is not a whole number in its range; store the matrix as compressed rows (scipy.sparse.csr)");
    all.push_back(static_cast<std::int64_t>(value));
  }
  return all;
}

CsrMatrix read_hdf5_rows(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& what) { throw InputError("'" + file.string() + "': " + what); };
  for (const char* name : {"data", "indices", "indptr"}) check_stored(file, name);
  const std::vector<std::int64_t> shape = dataset_shape(file, "data");
  if (shape.size() != 1) refuse("dataset data has " + std::to_string(shape.size()) + " axes; give one");
  check_room(shape[0], file.string());
  const std::vector<std::int64_t> starts = whole_numbers(file, "indptr", 1e15),
                                  columns = whole_numbers(file, "indices", static_cast<double>(most_rows));
  const Dataset data = read_dataset(file, "data");
  const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1;
  if (rows < 1 || rows > most_rows)
    refuse("dataset indptr describes " + std::to_string(rows) + " rows; give 1 to 2*10^9");
  if (has_dataset(file, "shape")) {
    const std::vector<std::int64_t> sizes = whole_numbers(file, "shape", 1e15);
    if (sizes != std::vector{rows, rows})
      refuse("dataset shape does not describe a square matrix with the " + std::to_string(rows) + " rows of indptr");
  }
  if (columns.size() != data.values.size())
    refuse("indices has " + std::to_string(columns.size()) + " values, but data has " +
           std::to_string(data.values.size()) + "; make them agree");
  if (starts.front() != 0 || starts.back() != static_cast<std::int64_t>(columns.size()))
    refuse("indptr must begin with 0 and end with the number of entries, " + std::to_string(columns.size()));
  RowEntries entries;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t first = starts[static_cast<std::size_t>(i)], last = starts[static_cast<std::size_t>(i) + 1];
    if (last < first) refuse("indptr falls after row " + std::to_string(i) + "; its values must rise");
    if (last > starts.back()) refuse("indptr exceeds the number of entries in row " + std::to_string(i));
    for (std::int64_t k = first; k < last; ++k) {
      if (columns[static_cast<std::size_t>(k)] >= rows)
        refuse("row " + std::to_string(i) + " has the column " + std::to_string(columns[static_cast<std::size_t>(k)]) +
               ", but the matrix has " + std::to_string(rows) + " columns, which count from 0");
      entries.row.push_back(static_cast<int>(i));
      entries.column.push_back(static_cast<int>(columns[static_cast<std::size_t>(k)]));
      entries.value.push_back(data.values[static_cast<std::size_t>(k)]);
    }
  }
  return compress(entries, rows);
}

std::vector<double> read_market_values(const std::filesystem::path& file, std::int64_t rows) {
  Market market(file);
  const auto banner = market.banner();
  if (banner[2] != "array" || (banner[3] != "real" && banner[3] != "integer") || banner[4] != "general")
    market.fail("the right-hand side is " + banner[2] + " " + banner[3] + " " + banner[4], "give array real general");
  if (!market.next()) market.fail("there is no line of sizes", "give the number of rows and 1");
  const std::int64_t found = market.integer("the number of rows"), columns = market.integer("the number of columns");
  market.end_of_line();
  if (columns != 1 || found != rows)
    market.fail("the right-hand side has " + std::to_string(found) + " rows and " + std::to_string(columns) +
                    " columns, but the matrix has " + std::to_string(rows) + " rows",
                "give one column with the same number of rows");
  std::vector<double> values;
  while (static_cast<std::int64_t>(values.size()) < rows) {
    if (!market.next())
      market.fail("the file ends after " + std::to_string(values.size()) + " of " + std::to_string(rows) + " numbers",
                  "it is truncated; write it again");
    values.push_back(market.number(banner[3] == "integer"));
    market.end_of_line();
  }
  if (market.next()) market.fail("more numbers follow than the declared " + std::to_string(rows), "correct the count");
  return values;
}

}  // namespace

CsrMatrix read_rows(const std::filesystem::path& file) {
  return is_hdf5_matrix(file) ? read_hdf5_rows(file) : read_market_rows(file);
}

bool contains_row_rhs(const std::filesystem::path& file) {
  return is_hdf5_matrix(file) && has_dataset(file, "rhs");
}

std::vector<double> read_row_rhs(const std::filesystem::path& file, std::int64_t rows) {
  if (!is_hdf5_matrix(file)) return read_market_values(file, rows);
  check_stored(file, "rhs");
  Dataset rhs = read_dataset(file, "rhs");
  if (static_cast<std::int64_t>(rhs.values.size()) != rows)
    throw InputError("dataset rhs of '" + file.string() + "' has " + std::to_string(rhs.values.size()) +
                     " values, but the matrix has " + std::to_string(rows) + " rows; make them agree");
  return std::move(rhs.values);
}

}  // namespace poisson
