#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/device/traffic.hpp"
#include "bench/cases.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson::bench {

/// Describes −∇·(κ∇u) = f on a box of cubic or square cells with Dirichlet faces, its discretization and its storage.
struct Model {
  Problem (*problem)(const Size& size);
  Assembly assembly = Assembly::automatic;
  Scheme scheme = Scheme::fv;
  Centering centering = Centering::node;

  Problem of(const Size& size) const;
  bool operator==(const Model&) const = default;
};

Problem constant_coefficient(const Size& size);
/// Returns a problem with κ per cell, between 1 and 2.
Problem varying_coefficient(const Size& size);
/// Returns the same κ as an expression that a device can compile.
Problem expression_coefficient(const Size& size);

/// Owns the operators and fields that the kernels of one size and one problem need.
class Kit {
 public:
  /// `narrow` is the precision of kernels that run in fp32; with another one the kit becomes an oracle.
  Kit(Backend& on, const Model& model, const Size& size, Precision narrow = Precision::fp32);

  Layout layout(bool coarse) const { return (coarse ? *levels().operators.at(1) : A64()).space().part().layout(); }
  std::int64_t unknowns(bool coarse) const {
    return (coarse ? *levels().operators.at(1) : A64()).space().own_unknowns();
  }
  const Operator& A(Precision p) const { return p == Precision::fp64 ? *outer_ : *inner_; }
  const Operator& A64() const { return *outer_; }
  const Operator& A32() const { return *inner_; }
  /// Returns the splitting of points, and in fp32 that of lines along an axis.
  const SymmetricSplitting& points(Precision p) const;
  const SymmetricSplitting& lines(int axis) const;
  /// Gauss–Seidel in fp32.
  const Splitting& colours() const;
  /// Returns the pass of several Jacobi sweeps. `tile` is one of jacobi_tiles.hpp, on a GPU.
  const SweepPass& pass(Precision p, int tile = -1) const;
  const Transfer& transfer() const { return *levels().transfers.front(); }
  const Problem& problem() const { return discretization_.problem(); }
  /// Returns the mode that `auto` chose.
  Assembly assembly() const { return chosen_assembly(discretization_.assembly(), problem(), backend.on_gpu()); }

  Backend& backend;
  Scalar one;
  mutable Scalar result;  ///< result of reductions

 private:
  const Hierarchy& levels() const;

  Discretization discretization_;
  Precision narrow_;
  std::unique_ptr<Operator> outer_, inner_;
  mutable std::optional<Hierarchy> levels_;                                // for kernels between levels
  mutable std::map<int, std::unique_ptr<SymmetricSplitting>> splittings_;  // by axis; −1, −2: points in fp64 and fp32
  mutable std::unique_ptr<Splitting> colours_;
  mutable std::map<std::pair<Precision, int>, std::unique_ptr<SweepPass>> passes_;
};

/// Describes a field that a kernel uses.
struct Operand {
  Precision precision = Precision::fp64;
  bool coarse = false;
  bool scratch = false;  ///< final contents are not checked
  int as = -1;           ///< starts as a copy of this operand
};

using Fields = std::vector<Field>;

struct KernelCase {
  Traffic traffic;
  std::vector<Operand> operands;  ///< same order as the traffic's fields
  void (*run)(const Kit&, Fields&);
  bool reduces = false;                ///< leaves a number in the kit's result
  bool unknowns = true;                ///< passes over unknowns only, else also over Dirichlet nodes
  Precision matrix = Precision::fp64;  ///< operator's precision, if read
  Model model{constant_coefficient};
  /// This is the cost of the kernel in addition to a product A u. If null, no time is predicted.
  std::optional<RowCost> beside = std::nullopt;
  bool needs_z = false;      ///< omitted in 2-D
  bool flat_on_gpu = false;  ///< omitted on GPUs in 3-D
  bool needs_gpu = false;    ///< omitted on CPUs
  int sweeps = 0;            ///< number of sweeps, for rates in points per second
};

inline constexpr PolynomialStep step{0.8, 0.25};

}  // namespace poisson::bench
