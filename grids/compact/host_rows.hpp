#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "grids/compact/block_steps.hpp"
#include "grids/compact/csr.hpp"
#include "grids/compact/product_steps.hpp"
#include "grids/compact/row_steps.hpp"

namespace poisson {

inline CsrView view_of(const CsrMatrix& A) {
  return {A.rows(), A.columns, A.start.data(), A.column.data(), A.value.data()};
}

/// Performs steps for rows on all threads of the host (row_builder.hpp). Results do not depend on their number.
struct HostRows {
  using Matrix = CsrMatrix;
  template <class T>
  UnsetVector<T> make(std::int64_t n) {
    return UnsetVector<T>(static_cast<std::size_t>(n));
  }
  template <class T>
  T* at(const UnsetVector<T>& memory) {
    return const_cast<T*>(memory.data());
  }
  void resize(Matrix& A, std::int64_t /*rows*/, std::int64_t columns, std::int64_t entries) {
    A.columns = columns;
    A.column.resize(static_cast<std::size_t>(entries));
    A.value.resize(static_cast<std::size_t>(entries));
  }
  template <class F>
  void each(std::int64_t n, const F& f) {
    for_rows(n, f);
  }
  template <class F>
  double sum(std::int64_t n, const F& f) {
    return sum_rows(n, f);
  }
  template <class F>
  double most(std::int64_t n, const F& f, double least) {
    std::vector<double> parts(static_cast<std::size_t>((n + row_chunk - 1) / row_chunk), least);
    for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
      double& part = parts[static_cast<std::size_t>(first / row_chunk)];
      for (std::int64_t i = first; i < last; ++i) part = std::max(part, f(i));
    });
    return parts.empty() ? least : *std::ranges::max_element(parts);
  }
  std::int64_t sum_up(UnsetVector<std::int64_t>& counts, std::int64_t n) {
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < n; ++i) before += std::exchange(counts[static_cast<std::size_t>(i)], before);
    return counts[static_cast<std::size_t>(n)] = before;
  }
  template <class F>
  std::int64_t keep(UnsetVector<int>& list, std::int64_t n, const F& f) {
    std::vector<std::int64_t> kept(static_cast<std::size_t>((n + row_chunk - 1) / row_chunk), 0);
    for_row_chunks(n, [&](std::int64_t first, std::int64_t last) {
      const auto begin = list.begin() + first;
      std::int64_t& count = kept[static_cast<std::size_t>(first / row_chunk)];
      for (std::int64_t k = first; k < last; ++k)
        if (const int i = list[static_cast<std::size_t>(k)]; f(i)) begin[count++] = i;
    });
    std::int64_t end = 0;
    for (std::size_t c = 0; c < kept.size(); ++c) {
      const auto from = list.begin() + static_cast<std::int64_t>(c) * row_chunk;
      std::copy(from, from + kept[c], list.begin() + end);
      end += kept[c];
    }
    return end;
  }
};

inline CsrMatrix transpose(HostRows& /*rows*/, const CsrMatrix& A) {
  return transpose(A);
}
inline void invert_blocks(HostRows& /*rows*/, std::int64_t lists, const BlockInverse& step) {
  for_row_chunks(lists, [&](std::int64_t first, std::int64_t last) {
    std::array<double, BlockInverse::numbers> memory{};
    for (std::int64_t list = first; list < last; ++list) step.invert(OneThread(), list, memory.data());
  });
}

}  // namespace poisson
