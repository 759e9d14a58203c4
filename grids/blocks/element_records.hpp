#pragma once

#include <array>
#include <cstddef>

#include "grids/blocks/block_matrix.hpp"

namespace poisson {

/// Is the matrix of an element with `n` corners in tensor order, and its row sums.
struct ElementMatrix {
  std::array<std::array<double, 8>, 8> a{};
  std::array<double, 8> sum{};
};

/// Sets the diagonal so that rows have their sums.
constexpr void close_rows(ElementMatrix& element, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double diagonal = element.sum[i];
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) diagonal -= element.a[i][j];
    element.a[i][i] = diagonal;
  }
}

/// Reads a record (BlockElements) whose values are `apart`.
constexpr ElementMatrix read_record(const double* record, std::size_t n, std::int64_t apart = 1) {
  ElementMatrix element;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j, record += apart) element.a[i][j] = element.a[j][i] = *record;
  for (std::size_t i = 0; i < n; ++i, record += apart) element.sum[i] = *record;
  close_rows(element, n);
  return element;
}

constexpr void add_to_record(const ElementMatrix& element, std::size_t n, double* record) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) *record++ += element.a[i][j];
  for (std::size_t i = 0; i < n; ++i) *record++ += element.sum[i];
}

/// Replaces a fine element by its share of a coarse element, PᵀKP. Along axis d the fine element extends from from[d]
/// to to[d] of the coarse one.
constexpr void restrict_element(ElementMatrix& element, int dimension, const std::array<double, 3>& from,
                                const std::array<double, 3>& to) {
  const std::size_t n = std::size_t{1} << dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    const std::size_t bit = std::size_t{1} << d;
    const double lower = from[d], upper = to[d];
    for (std::size_t low = 0; low < n; ++low) {
      if (low & bit) continue;
      const std::size_t high = low | bit;
      const double s = element.sum[low], t = element.sum[high];
      element.sum[low] = (1 - lower) * s + (1 - upper) * t;
      element.sum[high] = lower * s + upper * t;
      for (std::size_t j = 0; j < n; ++j) {
        const double a = element.a[low][j], b = element.a[high][j];
        element.a[low][j] = (1 - lower) * a + (1 - upper) * b;
        element.a[high][j] = lower * a + upper * b;
      }
    }
    for (std::size_t low = 0; low < n; ++low) {
      if (low & bit) continue;
      const std::size_t high = low | bit;
      for (std::size_t i = 0; i < n; ++i) {
        const double a = element.a[i][low], b = element.a[i][high];
        element.a[i][low] = (1 - lower) * a + (1 - upper) * b;
        element.a[i][high] = lower * a + upper * b;
      }
    }
  }
}

/// Adds an element to the bands and row sums of its block. `cell` has the indices of its first node.
void add_to_bands(const ElementMatrix& element, int dimension, const std::array<int, 3>& nodes,
                  const std::array<int, 3>& cell, BlockMatrix::OfBlock& to);

/// Returns whether a process has enough blocks for its threads, so that each thread takes whole blocks.
bool takes_blocks(const BlockSpace& space);

/// Makes the next coarser elements and the matrix of a level from its elements.
BlockMatrix matrix_of(const BlockSpace& space, const BlockElements& elements);
BlockElements coarse_elements(const BlockSpace& fine, const BlockSpace& coarse, const BlockElements& elements);

}  // namespace poisson
