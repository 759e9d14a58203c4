#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/rows/traffic.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson::bench {

/// −∇·(κ∇u) = f on a box of cubic or square cells with Dirichlet faces, and how it is discretized and held.
struct Model {
  Problem (*problem)(const Size& size);
  Assembly assembly = Assembly::automatic;
  Scheme scheme = Scheme::fv;
  Centering centering = Centering::node;

  Problem of(const Size& size) const;
  bool operator==(const Model&) const = default;
};

Problem constant_coefficient(const Size& size);
/// κ per cell, between 1 and 2.
Problem varying_coefficient(const Size& size);
/// The same κ as an expression that a device can compile.
Problem expression_coefficient(const Size& size);

/// What the kernels of one size and one problem run on.
class Kit {
 public:
  /// `narrow`: the precision of what is to run in fp32; another one makes an oracle of the kit.
  Kit(Backend& on, const Model& model, const Size& size, Precision narrow = Precision::fp32);

  Layout layout(bool coarse) const { return (coarse ? *levels().operators.at(1) : A64()).layout(); }
  std::int64_t unknowns(bool coarse) const { return (coarse ? *levels().operators.at(1) : A64()).unknowns().size(); }
  const Operator& A(Precision p) const { return p == Precision::fp64 ? *outer_ : *inner_; }
  const Operator& A64() const { return *outer_; }
  const Operator& A32() const { return *inner_; }
  /// What steps of points are taken by, and in fp32 those of the lines along an axis.
  const SymmetricSplitting& points(Precision p) const;
  const SymmetricSplitting& lines(int axis) const;
  /// Gauss–Seidel in fp32.
  const Splitting& colours() const;
  /// What several sweeps of Jacobi's method share; `tile`: one of jacobi_tiles.hpp, on a GPU.
  const SweepPass& pass(Precision p, int tile = -1) const;
  const Transfer& transfer() const { return *levels().transfers.front(); }
  const Problem& problem() const { return discretization_.problem(); }
  /// As it came out of `auto`.
  Assembly assembly() const { return chosen_assembly(discretization_.assembly(), problem(), backend.on_gpu()); }

  Backend& backend;
  Scalar one;
  mutable Scalar result;  ///< of reductions

 private:
  const Hierarchy& levels() const;

  Discretization discretization_;
  Precision narrow_;
  std::unique_ptr<Operator> outer_, inner_;
  mutable std::optional<Hierarchy> levels_;                                // where a kernel moves between them
  mutable std::map<int, std::unique_ptr<SymmetricSplitting>> splittings_;  // by axis; −1, −2: points in fp64 and fp32
  mutable std::unique_ptr<Splitting> colours_;
  mutable std::map<std::pair<Precision, int>, std::unique_ptr<SweepPass>> passes_;
};

/// A field that a kernel works on.
struct Operand {
  Precision precision = Precision::fp64;
  bool coarse = false;
  bool scratch = false;  ///< what is left in it means nothing
  int as = -1;           ///< it begins as the operand of that number
};

using Fields = std::vector<Field>;

struct KernelCase {
  Traffic traffic;
  std::vector<Operand> operands;  ///< in the order of the traffic's fields
  void (*run)(const Kit&, Fields&);
  bool reduces = false;                ///< leaves a number in the kit's result
  bool unknowns = true;                ///< passes over the unknowns alone, else over Dirichlet nodes too
  Precision matrix = Precision::fp64;  ///< of the operator, where it reads one
  Model model{constant_coefficient};
  /// What the kernel does beside a product A u; null: no time is predicted.
  std::optional<RowCost> beside = std::nullopt;
  bool needs_z = false;      ///< left out in two dimensions
  bool flat_on_gpu = false;  ///< left out on a GPU in three dimensions
  bool needs_gpu = false;    ///< left out on a CPU
  int sweeps = 0;            ///< over all unknowns, of what counts points a second
};

inline constexpr PolynomialStep step{0.8, 0.25};

}  // namespace poisson::bench
