#include "solver/multigrid/direct.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "grids/compact/explicit_entries.hpp"
#include "grids/rows/stencil_probe.hpp"
#include "solver/direct/sparse_inverse.hpp"

namespace poisson {
namespace {

[[noreturn]] void refuse() {
  throw RunError(
      "the coarsest level's matrix is not positive definite (a coefficient or reaction that is not "
      "positive, or out of the range of numbers)",
      Remedy::positive_definite);
}

// Projects Q on both sides to vectors without a mean.
void project(std::span<double> q, std::size_t n) {
  std::vector<double> means(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += q[i * n + j] / static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) q[i * n + j] -= means[i] + means[j] - mean;
}

// Numbers the unknowns of a level. Each block is coupled within itself: it is a plane across the axis `decoupled`, or
// everything if that is negative. The longest axis comes last, which gives long bundles of lines a small bandwidth.
struct Numbering {
  Box box;
  std::array<int, 3> n{};
  std::array<std::size_t, 3> order{0, 1, 2};
  int decoupled, blocks, rows;

  Numbering(const Box& unknowns, int across) : box(unknowns), decoupled(across) {
    for (std::size_t d = 0; d < 3; ++d) n[d] = box.last[d] - box.first[d];
    blocks = across < 0 ? 1 : n[static_cast<std::size_t>(across)];
    rows = n[0] * n[1] * n[2] / blocks;
    std::ranges::stable_sort(order, {}, [&](std::size_t d) { return n[d]; });
  }
  bool across(std::size_t d) const { return static_cast<int>(d) == decoupled; }
  std::array<int, 3> place(int block, int row) const {
    std::array<int, 3> at{};
    for (const std::size_t d : order) {
      at[d] = box.first[d] + (across(d) ? block : row % n[d]);
      if (!across(d)) row /= n[d];
    }
    return at;
  }
  int block_of(const std::array<int, 3>& at) const {
    const auto d = static_cast<std::size_t>(std::max(0, decoupled));
    return decoupled < 0 ? 0 : at[d] - box.first[d];
  }
  int row_of(const std::array<int, 3>& at) const {
    int row = 0;
    for (std::size_t l = 3; l-- > 0;)
      if (const std::size_t d = order[l]; !across(d)) row = row * n[d] + at[d] - box.first[d];
    return row;
  }
  // Calls f(block, row, place) for all unknowns, block by block.
  template <class F>
  void for_each(const F& f) const {
    for (int block = 0; block < blocks; ++block)
      for (int row = 0; row < rows; ++row) f(block, row, place(block, row));
  }
};

// Contains the matrices of all blocks, row-major one after another, and their row sums.
struct Matrices {
  std::vector<double> entries, sums;
};

// Returns the matrix of an operator that knows its entries: one block, whose rows are numbered along x.
Matrices matrices_of(const ExplicitEntries& explicit_entries, bool singular, std::size_t size) {
  Matrices found{explicit_entries.dense(), std::vector<double>(size)};
  for (std::size_t i = 0; i < size && !singular; ++i)
    for (std::size_t j = 0; j < size; ++j) found.sums[i] += found.entries[i * size + j];
  return found;
}

// Reads the entries off products with unit vectors. The rows of a level reach one value along each axis, so one product
// gives all columns of a colour. Overwrites u and Au.
Matrices matrices_of(const Operator& A, const Numbering& number, Field& u, Field& Au) {
  const auto size = static_cast<std::size_t>(number.rows);
  Matrices found{std::vector<double>(static_cast<std::size_t>(number.blocks) * size * size), {}};
  const auto host = make_cpu_backend();
  Field unit(*host, A.space(), A.precision()), image(*host, A.space(), A.precision());
  dispatch(A.precision(), [&]<class T>(T) {
    const auto in = unit.view<T>();
    const auto out = image.view<T>();
    const auto entry = [&](const std::array<int, 3>& at) { return static_cast<double>(out(at[0], at[1], at[2])); };
    // Multiplies the sum of the unit vectors of the chosen unknowns. Returns whether there are any.
    const auto multiply = [&](const auto& chosen) {
      bool any = false;
      host->fill(unit, 0);
      number.for_each([&](int, int, const std::array<int, 3>& at) {
        if (!chosen(at)) return;
        in(at[0], at[1], at[2]) = T(1);
        any = true;
      });
      if (!any) return false;
      transfer(unit, u);
      A.apply(u, Au);
      transfer(Au, image);
      return true;
    };
    multiply([](const auto&) { return true; });
    number.for_each(
        [&](int, int, const std::array<int, 3>& at) { found.sums.push_back(A.singular() ? 0 : entry(at)); });
    StencilProbe probe(A.space(), false);
    const auto of_colour = [&](const std::array<int, 3>& at) {
      return probe.colour_of(at[0], at[1], at[2]) == probe.colour;
    };
    for (probe.colour = 0; probe.colour < probe.colours(); ++probe.colour) {
      if (!multiply(of_colour)) continue;
      number.for_each([&](int block, int row, const std::array<int, 3>& at) {
        double* entries =
            &found.entries[(static_cast<std::size_t>(block) * size + static_cast<std::size_t>(row)) * size];
        for (int code = 0; code < 27; ++code) {
          std::array<int, 3> there{};
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) {
            there[d] = at[d] + offset_of(code, static_cast<int>(d));
            if (A.space().part().closed()[d])
              there[d] = (there[d] + A.space().part().all()[d]) % A.space().part().all()[d];
            inside = inside && there[d] >= number.box.first[d] && there[d] < number.box.last[d];
          }
          if (inside && of_colour(there) && number.block_of(there) == block) entries[number.row_of(there)] = entry(at);
        }
      });
    }
  });
  return found;
}

}  // namespace

DirectSolver::DirectSolver(const Operator& fields, const Operator* exact, int decoupled) : backend_(fields.backend()) {
  const Operator& A = exact ? *exact : fields;
  const Numbering number(A.space().part().unknowns(), decoupled);
  blocks_ = number.blocks;
  rows_ = number.rows;
  const auto size = static_cast<std::size_t>(rows_), rows = static_cast<std::size_t>(blocks_) * size;
  index_ = backend_.allocate(rows * sizeof(std::int64_t));
  inverse_ = backend_.allocate(rows * size * sizeof(double));
  Field u(A.backend(), A.space(), A.precision()), Au(A.backend(), A.space(), A.precision());
  if (rehearses(backend_)) return;
  std::vector<std::int64_t> index;
  const auto host = make_cpu_backend();
  dispatch(fields.precision(), [&]<class T>(T) {
    const Field numbered(*host, A.space(), precision_of<T>);
    const auto view = numbered.view<T>();
    number.for_each(
        [&](int, int, const std::array<int, 3>& at) { index.push_back(at[0] + at[1] * view.sy + at[2] * view.sz); });
  });

  const auto* const explicit_entries = dynamic_cast<const ExplicitEntries*>(&A);
  auto [matrices, sums] =
      explicit_entries ? matrices_of(*explicit_entries, A.singular(), size) : matrices_of(A, number, u, Au);
  for (std::size_t block = 0; block < static_cast<std::size_t>(blocks_); ++block) {
    const std::span<double> matrix(matrices.data() + block * size * size, size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j)  // removes asymmetry from rounding
        matrix[i * size + j] = matrix[j * size + i] = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
    if (!invert_sparse(matrix, std::span<double>(sums.data() + block * size, size), size)) refuse();
    if (A.singular()) project(matrix, size);
  }
  backend_.write(index.data(), index_.data(), index.size() * sizeof(std::int64_t));
  backend_.write(matrices.data(), inverse_.data(), matrices.size() * sizeof(double));
}

void DirectSolver::solve(const Field& b, Field& u) const {
  backend_.dense_product(inverse_, index_, rows_, blocks_, b, u);
}

}  // namespace poisson
