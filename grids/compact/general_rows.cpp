#include "grids/compact/general_rows.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Sums below this share of the sum of magnitudes are zero but for rounding.
constexpr double rounding_of_sums = 1e-12, symmetric_below = 1e-10;

[[noreturn]] void refuse(std::int64_t row, const std::string& what) {
  throw InputError("row " + std::to_string(row + 1) + " of the matrix " + what);
}

void check_entries(const CsrMatrix& A) {
  if (A.rows() != A.columns)
    throw InputError("the matrix has " + std::to_string(A.rows()) + " rows and " + std::to_string(A.columns) +
                     " columns; give a square one");
  if (A.rows() == 0) throw InputError("the matrix has no rows; give at least one");
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
      if (!std::isfinite(A.value[static_cast<std::size_t>(k)]))
        refuse(i, "has an entry that is not finite; entries are finite numbers");
    const double d = A.at(i, static_cast<int>(i));
    if (d == 0) refuse(i, "has no diagonal entry, or it is zero; every solver here needs a positive diagonal");
    if (d < 0)
      refuse(i,
             "has a negative diagonal entry; every solver here needs a positive diagonal (if all are negative, "
             "multiply matrix and right-hand side by -1)");
  }
}

// Returns the smallest row that entries connect with each row, in either direction.
std::vector<int> parts_of(const CsrMatrix& A) {
  std::vector<int> parent(static_cast<std::size_t>(A.rows()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i) {
      int& above = parent[static_cast<std::size_t>(i)];
      above = parent[static_cast<std::size_t>(above)];
      i = above;
    }
    return i;
  };
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
      const int a = root(static_cast<int>(i)), b = root(A.column[static_cast<std::size_t>(k)]);
      if (a != b) parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = root(static_cast<int>(i));
  return parent;
}

// Returns whether the sum of each row is zero but for rounding.
std::vector<char> zero_sums(const CsrMatrix& A) {
  std::vector<char> zero(static_cast<std::size_t>(A.rows()));
  for_rows(A.rows(), [&](std::int64_t i) {
    double sum = 0, size = 0;
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
      sum += A.value[static_cast<std::size_t>(k)];
      size += std::abs(A.value[static_cast<std::size_t>(k)]);
    }
    zero[static_cast<std::size_t>(i)] = std::abs(sum) <= rounding_of_sums * size ? 1 : 0;
  });
  return zero;
}

// Returns the number of parts all of whose rows are marked, and the first row of one of them.
std::pair<std::int64_t, int> marked_parts(const std::vector<int>& part, const std::vector<char>& marked) {
  std::vector<char> all(part.size(), 1);
  for (std::size_t i = 0; i < part.size(); ++i)
    if (!marked[i]) all[static_cast<std::size_t>(part[i])] = 0;
  std::pair<std::int64_t, int> found{0, 0};
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part[i] == static_cast<int>(i) && all[i] && found.first++ == 0) found.second = static_cast<int>(i);
  return found;
}

// Finds whether constants are the null space of the matrix. Refuses other null spaces that sums of rows show.
void find_null_space(GeneralRows& rows) {
  const CsrMatrix& A = rows.system.A;
  const std::vector<int> part = parts_of(A);
  rows.parts = 0;
  for (std::size_t i = 0; i < part.size(); ++i) rows.parts += part[i] == static_cast<int>(i) ? 1 : 0;
  const auto [singular, first] = marked_parts(part, zero_sums(A));
  const std::int64_t of_columns = rows.is_symmetric() ? singular : marked_parts(part, zero_sums(transpose(A))).first;
  if (singular == 0 && of_columns == 0) return;
  if (singular != of_columns)
    throw InputError(
        singular > 0
            ? "the matrix maps constants to zero, but its transpose does not, so that the condition on the right-hand "
              "side is unknown; hold one unknown"
            : "the transpose of the matrix maps constants to zero, but the matrix does not, so that the solution is "
              "not "
              "unique up to a constant; hold one unknown");
  if (rows.parts > 1)
    throw InputError("the matrix consists of " + std::to_string(rows.parts) + " parts that no entry connects, and " +
                     std::to_string(singular) + " of them (the first with row " + std::to_string(first + 1) +
                     ") determine u only up to a constant; hold one unknown of each");
  rows.system.singular = true;
}

}  // namespace

GeneralRows examine_rows(CsrMatrix A, std::vector<double> b) {
  check_entries(A);
  GeneralRows rows;
  rows.system.A = std::move(A);
  const CsrMatrix& matrix = rows.system.A;
  rows.asymmetry = asymmetry_of(matrix);
  if (rows.asymmetry > symmetric_below) rows.symmetric = symmetric_part(matrix);
  double least = std::numeric_limits<double>::max(), largest = 0;
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    least = std::min(least, matrix.at(i, static_cast<int>(i)));
    largest = std::max(largest, matrix.at(i, static_cast<int>(i)));
  }
  rows.spread = largest / least;
  if (b.empty()) b.assign(static_cast<std::size_t>(matrix.rows()), 0);
  if (static_cast<std::int64_t>(b.size()) != matrix.rows())
    throw InputError("the right-hand side has " + std::to_string(b.size()) + " values, but the matrix has " +
                     std::to_string(matrix.rows()) + " rows; make them agree");
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!std::isfinite(b[i]))
      throw InputError("value " + std::to_string(i + 1) + " of the right-hand side is not finite; give finite numbers");
  rows.system.b = std::move(b);
  rows.system.range = rows.spread;
  find_null_space(rows);
  return rows;
}

CsrMatrix compress(const RowEntries& entries, std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  UnsetVector<std::int64_t> start(n + 1);
  std::fill(start.begin(), start.end(), 0);
  for (const int i : entries.row) ++start[static_cast<std::size_t>(i) + 1];
  sum_up(start);
  std::vector<std::int64_t> next(start.begin(), start.end() - 1);
  UnsetVector<int> column(entries.row.size());
  UnsetVector<double> value(entries.row.size());
  for (std::size_t k = 0; k < entries.row.size(); ++k) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(entries.row[k])]++);
    column[at] = entries.column[k];
    value[at] = entries.value[k];
  }
  RowCollector collector(rows);
  for_row_chunks(rows, [&](std::int64_t first, std::int64_t last) {
    RowCollector::Chunk& chunk = collector.chunk(first);
    std::vector<std::pair<int, double>> row;
    for (std::int64_t i = first; i < last; ++i) {
      row.clear();
      for (std::int64_t k = start[static_cast<std::size_t>(i)]; k < start[static_cast<std::size_t>(i) + 1]; ++k)
        row.emplace_back(column[static_cast<std::size_t>(k)], value[static_cast<std::size_t>(k)]);
      std::ranges::stable_sort(row, {}, &std::pair<int, double>::first);
      for (std::size_t k = 0; k < row.size();) {
        const int j = row[k].first;
        double sum = 0;
        for (; k < row.size() && row[k].first == j; ++k) sum += row[k].second;
        if (sum == 0 && j != i) continue;
        chunk.column.push_back(j);
        chunk.value.push_back(sum);
      }
      chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
    }
  });
  return collector.join(rows);
}

}  // namespace poisson
