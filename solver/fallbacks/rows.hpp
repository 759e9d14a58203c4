#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// Stores a symmetric matrix on the host by rows: couplings, which are the negated off-diagonal entries, and row sums.
/// Together they give the diagonal without cancellation.
struct Rows {
  std::vector<std::int64_t> first{0};  ///< row i begins at first[i]
  std::vector<std::int32_t> to;
  std::vector<double> coupling, sum;

  std::size_t size() const { return sum.size(); }
};

/// Numbers the unknowns of an operator, x fastest.
struct UnknownBox {
  explicit UnknownBox(const Operator& A);

  std::int64_t number(int i, int j, int k) const {
    return i + std::int64_t{1} * n[0] * (j + std::int64_t{1} * n[1] * k);
  }
  std::array<int, 3> place(std::int64_t number) const {
    return {static_cast<int>(number % n[0]), static_cast<int>(number / n[0] % n[1]),
            static_cast<int>(number / n[0] / n[1])};
  }
  /// Calls f(i, j, k) for each unknown.
  template <class F>
  void for_each(const F& f) const {
    for_each_place({{}, n}, f);
  }

  Box box;
  std::array<int, 3> n{};
  std::array<bool, 3> periodic{};
};

/// Extracts the rows of an operator in fp64 with reach 1 from its products with sums of unit vectors at least three
/// apart. `in` and `out` are fields like those of A; they are overwritten. If A is singular, rows sum to zero.
Rows read_rows(const Operator& A, Field& in, Field& out);

/// Copies between the unknowns of a field and an array.
void gather(const UnknownBox& box, const Field& field, std::vector<double>& values);
void scatter(const UnknownBox& box, const std::vector<double>& values, Field& field);

}  // namespace poisson
