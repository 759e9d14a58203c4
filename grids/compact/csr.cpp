#include "grids/compact/csr.hpp"

#include <cmath>
#include <utility>

namespace poisson {
namespace {

// Sorts the columns of a short list together with their values.
void sort_row(int* column, double* value, std::int64_t n) {
  if (n > 64) {
    std::vector<std::pair<int, double>> pairs(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k) pairs[static_cast<std::size_t>(k)] = {column[k], value[k]};
    std::ranges::sort(pairs, {}, &std::pair<int, double>::first);
    for (std::int64_t k = 0; k < n; ++k) {
      column[k] = pairs[static_cast<std::size_t>(k)].first;
      value[k] = pairs[static_cast<std::size_t>(k)].second;
    }
    return;
  }
  for (std::int64_t k = 1; k < n; ++k) {
    const int c = column[k];
    const double v = value[k];
    std::int64_t at = k;
    for (; at > 0 && column[at - 1] > c; --at) {
      column[at] = column[at - 1];
      value[at] = value[at - 1];
    }
    column[at] = c;
    value[at] = v;
  }
}

}  // namespace

CsrMatrix RowCollector::join(std::int64_t columns) {
  CsrMatrix all;
  all.columns = columns;
  all.start.resize(static_cast<std::size_t>(rows_) + 1);
  all.start[0] = 0;
  std::vector<std::int64_t> first(chunks_.size() + 1, 0);
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    first[c + 1] = first[c] + static_cast<std::int64_t>(chunks_[c].column.size());
  all.column.resize(static_cast<std::size_t>(first.back()));
  all.value.resize(static_cast<std::size_t>(first.back()));
  for_row_chunks(rows_, [&](std::int64_t row, std::int64_t) {
    const auto c = static_cast<std::size_t>(row / row_chunk);
    Chunk& chunk = chunks_[c];
    for (std::size_t i = 0; i < chunk.end.size(); ++i)
      all.start[static_cast<std::size_t>(row) + i + 1] = first[c] + chunk.end[i];
    std::ranges::copy(chunk.column, all.column.begin() + first[c]);
    std::ranges::copy(chunk.value, all.value.begin() + first[c]);
    chunk = {};
  });
  return all;
}

// A counting sort: rows of the transpose list the rows of A in order. Each part of the rows of A counts its entries of
// all columns, so that parts write at the same time.
CsrMatrix transpose(const CsrMatrix& A) {
  const std::int64_t n = A.rows(), parts = n > 4 * row_chunk ? 4 : 1;
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(parts));
  const auto each_part = [&](const auto& f) {
#pragma omp parallel for schedule(static) if (parts > 1)
    for (std::int64_t part = 0; part < parts; ++part)
      f(n * part / parts, n * (part + 1) / parts, next[static_cast<std::size_t>(part)]);
  };
  each_part([&](std::int64_t first, std::int64_t last, std::vector<std::int64_t>& count) {
    count.assign(static_cast<std::size_t>(A.columns), 0);
    for (std::int64_t k = A.start[static_cast<std::size_t>(first)]; k < A.start[static_cast<std::size_t>(last)]; ++k)
      ++count[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])];
  });
  CsrMatrix T;
  T.columns = n;
  T.start.resize(static_cast<std::size_t>(A.columns) + 1);
  std::int64_t before = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(A.columns); ++j) {
    T.start[j] = before;
    for (std::vector<std::int64_t>& count : next) before += std::exchange(count[j], before);
  }
  T.start.back() = before;
  T.column.resize(A.column.size());
  T.value.resize(A.column.size());
  each_part([&](std::int64_t first, std::int64_t last, std::vector<std::int64_t>& place) {
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto at =
            static_cast<std::size_t>(place[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])]++);
        T.column[at] = static_cast<int>(i);
        T.value[at] = A.value[static_cast<std::size_t>(k)];
      }
  });
  return T;
}

void transpose_values(const CsrMatrix& A, CsrMatrix& T) {
  UnsetVector<std::int64_t> next(T.start.begin(), T.start.end() - 1);
  for (std::size_t k = 0; k < A.column.size(); ++k)
    T.value[static_cast<std::size_t>(next[static_cast<std::size_t>(A.column[k])]++)] = A.value[k];
}

namespace {

// Sums rows of a product, one after another, and finds columns by their places in the row.
class RowSums {
 public:
  RowSums(const CsrMatrix& A, const CsrMatrix& B) : A_(A), B_(B), place_(static_cast<std::size_t>(B.columns), -1) {}

  void append(std::int64_t i, RowCollector::Chunk& chunk) {
    const int n = sum(i);
    for (int k = 0; k < n; ++k) place_[static_cast<std::size_t>(column_[static_cast<std::size_t>(k)])] = -1;
    sort_row(column_.data(), value_.data(), n);
    chunk.column.insert(chunk.column.end(), column_.begin(), column_.begin() + n);
    chunk.value.insert(chunk.value.end(), value_.begin(), value_.begin() + n);
    chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
  }

 private:
  // Returns the number of entries.
  int sum(std::int64_t i) {
    const std::int64_t *const start = A_.start.data(), *const start_of = B_.start.data();
    std::int64_t most = 0;
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
      const int j = A_.column.data()[k];
      most += start_of[j + 1] - start_of[j];
    }
    if (static_cast<std::size_t>(most) > column_.size()) {
      column_.resize(static_cast<std::size_t>(most));
      value_.resize(static_cast<std::size_t>(most));
    }
    int* const column = column_.data();
    int* const place = place_.data();
    double* const value = value_.data();
    int n = 0;
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
      const int j = A_.column.data()[k];
      const double a = A_.value.data()[k];
      for (std::int64_t l = start_of[j]; l < start_of[j + 1]; ++l) {
        const int c = B_.column.data()[l];
        int at = place[c];
        if (at < 0) {
          at = place[c] = n++;
          column[at] = c;
          value[at] = 0;
        }
        value[at] += a * B_.value.data()[l];
      }
    }
    return n;
  }

  const CsrMatrix &A_, &B_;
  std::vector<int> place_;  // of each column; −1: none
  std::vector<int> column_;
  std::vector<double> value_;
};

}  // namespace

CsrMatrix product(const CsrMatrix& A, const CsrMatrix& B) {
  RowCollector rows(A.rows());
#pragma omp parallel if (A.rows() > row_chunk)
  {
    RowSums sums(A, B);
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t first = 0; first < A.rows(); first += row_chunk) {
      const std::int64_t last = std::min(A.rows(), first + row_chunk);
      RowCollector::Chunk& chunk = rows.chunk(first);
      chunk.end.reserve(static_cast<std::size_t>(last - first));
      for (std::int64_t i = first; i < last; ++i) sums.append(i, chunk);
    }
  }
  return rows.join(B.columns);
}

void product_values(const CsrMatrix& A, const CsrMatrix& B, CsrMatrix& C) {
#pragma omp parallel if (A.rows() > row_chunk)
  {
    std::vector<double> sum(static_cast<std::size_t>(B.columns), 0.0);
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t i = 0; i < A.rows(); ++i) {
      for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto j = static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)]);
        const double a = A.value[static_cast<std::size_t>(k)];
        for (std::int64_t l = B.start[j]; l < B.start[j + 1]; ++l)
          sum[static_cast<std::size_t>(B.column[static_cast<std::size_t>(l)])] +=
              a * B.value[static_cast<std::size_t>(l)];
      }
      for (std::int64_t k = C.start[static_cast<std::size_t>(i)]; k < C.start[static_cast<std::size_t>(i) + 1]; ++k) {
        double& entry = sum[static_cast<std::size_t>(C.column[static_cast<std::size_t>(k)])];
        C.value[static_cast<std::size_t>(k)] = entry;
        entry = 0;
      }
    }
  }
}

CsrMatrix symmetric_part(const CsrMatrix& A) {
  const CsrMatrix T = transpose(A);
  RowCollector rows(A.rows());
  for_row_chunks(A.rows(), [&](std::int64_t first, std::int64_t last) {
    RowCollector::Chunk& chunk = rows.chunk(first);
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::int64_t k = A.start[at], l = T.start[at];
      const std::int64_t k_end = A.start[at + 1], l_end = T.start[at + 1];
      while (k < k_end || l < l_end) {
        const int of_A = k < k_end ? A.column[static_cast<std::size_t>(k)] : static_cast<int>(A.columns);
        const int of_T = l < l_end ? T.column[static_cast<std::size_t>(l)] : static_cast<int>(A.columns);
        const int c = std::min(of_A, of_T);
        double sum = 0;
        if (of_A == c) sum += A.value[static_cast<std::size_t>(k++)];
        if (of_T == c) sum += T.value[static_cast<std::size_t>(l++)];
        chunk.column.push_back(c);
        chunk.value.push_back(0.5 * sum);
      }
      chunk.end.push_back(static_cast<std::int64_t>(chunk.column.size()));
    }
  });
  return rows.join(A.columns);
}

double asymmetry_of(const CsrMatrix& A) {
  const auto diagonal = [&](std::int64_t i) { return std::abs(A.at(i, static_cast<int>(i))); };
  std::vector<double> most(static_cast<std::size_t>((A.rows() + row_chunk - 1) / row_chunk), 0);
  for_row_chunks(A.rows(), [&](std::int64_t first, std::int64_t last) {
    double& largest = most[static_cast<std::size_t>(first / row_chunk)];
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k) {
        const int j = A.column[static_cast<std::size_t>(k)];
        const double gap = std::abs(A.value[static_cast<std::size_t>(k)] - A.at(j, static_cast<int>(i)));
        if (gap == 0) continue;
        const double size = std::sqrt(diagonal(i) * diagonal(j));
        largest = std::max(largest, size > 0 ? gap / size : gap);
      }
  });
  return most.empty() ? 0 : *std::ranges::max_element(most);
}

}  // namespace poisson
