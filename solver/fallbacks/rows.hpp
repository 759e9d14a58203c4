#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

/// A symmetric matrix on the host, row by row: couplings, minus the off-diagonal entries, and the sum of each row,
/// which with them makes the diagonal without cancellation.
struct Rows {
  std::vector<std::int64_t> first{0};  ///< of row i: entries first[i] …
  std::vector<std::int32_t> to;
  std::vector<double> coupling, sum;

  std::size_t size() const { return sum.size(); }
};

/// Where the unknowns of an operator are, counted x fastest.
struct UnknownBox {
  explicit UnknownBox(const Operator& A);

  std::int64_t number(int i, int j, int k) const {
    return i + std::int64_t{1} * n[0] * (j + std::int64_t{1} * n[1] * k);
  }
  std::array<int, 3> place(std::int64_t number) const {
    return {static_cast<int>(number % n[0]), static_cast<int>(number / n[0] % n[1]),
            static_cast<int>(number / n[0] / n[1])};
  }
  /// f(i, j, k) on all of them.
  template <class F>
  void for_each(const F& f) const {
    for_each_place({{}, n}, f);
  }

  Box box;
  std::array<int, 3> n{};
  std::array<bool, 3> periodic{};
};

/// The rows of an operator of reach 1 in fp64, read off its products with sums of unit vectors that lie three or more
/// apart. `in` and `out`: fields like those of A, overwritten. Where A is singular rows sum to zero.
Rows read_rows(const Operator& A, Field& in, Field& out);

/// The values of a field on the unknowns, and back.
void gather(const UnknownBox& box, const Field& field, std::vector<double>& values);
void scatter(const UnknownBox& box, const std::vector<double>& values, Field& field);

}  // namespace poisson
