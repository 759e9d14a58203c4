#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "grids/operators/relaxation.hpp"
#include "grids/operators/splitting.hpp"

namespace poisson {

/// The discrete operator A of one level, in integrated symmetric form and scaled by a power of two, on one backend.
/// A field spans all values of the block. Verbs write unknowns only: in Dirichlet nodes solutions keep their data and
/// corrections and residuals their zero. Halos are exchanged by the verb that reads them.
/// The operator computes in its own precision unless said otherwise.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual Backend& backend() const = 0;
  virtual Precision precision() const = 0;
  /// The values that it is applied to, and its unknowns.
  virtual const Space& space() const = 0;
  const Layout& layout() const { return space().layout(); }
  const Box& unknowns() const { return space().unknowns(); }
  /// The assembly mode in words: equidistant, tensor-product, partial, full.
  virtual std::string_view assembly() const = 0;
  /// Power of two by which A and b are multiplied: a diagonal near 1.
  virtual double scale() const = 0;
  /// Whether A maps constants to zero.
  virtual bool singular() const = 0;
  /// Bytes that the operator itself holds.
  virtual std::size_t bytes() const = 0;

  virtual void apply(const Field& u, Field& Au) const = 0;
  /// Au in Dirichlet nodes too, where the row is the one a natural boundary would have: what flows in through the face.
  virtual void apply_everywhere(const Field& u, Field& Au) const = 0;
  virtual void diagonal(Field& d) const = 0;
  /// r = b − A u
  virtual void residual(const Field& u, const Field& b, Field& r) const = 0;
  /// r = scale (b − A u), rounded to the precision of r, and norm = Σ (b − A u)²/D. r may be b where precisions agree.
  virtual void residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const = 0;
  /// norm = Σ r²/D
  virtual void norm(const Field& r, Scalar& norm) const = 0;
  /// norm = Σ D u² over the unknowns: what the rounding of u is worth in a residual.
  virtual void rounding(const Field& u, Scalar& norm) const = 0;

  /// B the diagonal, or where `axis` is given with it the couplings along that axis, solved line by line. Throws
  /// RunError where an operator has no lines.
  virtual std::unique_ptr<SymmetricSplitting> split(std::optional<int> axis = {}) const = 0;
  /// Gauss–Seidel over the colours of the stencil: of a step, alpha is the over-relaxation.
  virtual std::unique_ptr<Splitting> split_by_colours() const = 0;

  /// For singular A: b −= M1 (1ᵀb)/(1ᵀM1), and amount = 1ᵀb, in the units of scaled b.
  virtual void project_rhs(Field& b, Scalar& amount) const = 0;
  /// For singular A: u −= (1ᵀMu)/(1ᵀM1).
  virtual void project_solution(Field& u) const = 0;
};

/// The transfers between the values of one level and of the next coarser.
class Transfer {
 public:
  virtual ~Transfer() = default;

  /// coarse = Pᵀ fine on the unknowns, times `scale` where one is given.
  virtual void restrict_to(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const = 0;
  /// The same for data, integrals over control volumes: cell-centred the sums over the cells of a coarse cell, whatever
  /// P.
  virtual void restrict_data(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const {
    restrict_to(fine, coarse, scale);
  }
  /// fine = P coarse on the unknowns: multilinear, or where cell-centred κ jumps piecewise constant.
  virtual void prolong(const Field& coarse, Field& fine) const = 0;
  /// fine += P coarse on the unknowns.
  virtual void prolong_add(const Field& coarse, Field& fine) const = 0;
  /// fine = the cubic interpolant of coarse on the unknowns (4-point Lagrange per axis), from all coarse values,
  /// Dirichlet data included, at the faces where cell-centred, times `scale` where one is given: the start of full
  /// multigrid.
  virtual void interpolate(const Field& coarse, Field& fine, const Scalar* scale = nullptr) const = 0;
  /// coarse = fine at the coarse values, cell-centred the mean, Dirichlet data included, times `scale` where one is
  /// given.
  virtual void inject(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const = 0;
};

class Islands;

struct Semicoarsened;

/// The levels of a problem, finest first: operators[l], and transfers[l] between l and l + 1.
struct Hierarchy {
  std::vector<std::shared_ptr<const Operator>> operators;
  std::shared_ptr<const Operator> coarsest;  ///< the last operator in fp64
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::vector<Relaxation> relaxations;                  ///< of each level
  std::vector<std::unique_ptr<Hierarchy>> planes;       ///< the problems in the planes, of a level that relaxes planes
  std::vector<std::shared_ptr<const Islands>> islands;  ///< of the first levels, as many as have some (islands.hpp)
  std::vector<Semicoarsened> semicoarsened;             ///< further hierarchies below the finest level
  int decoupled = -1;                                   ///< the axis along which no operator couples, in such a problem
};

/// A hierarchy below a level, and how that level comes there.
struct Semicoarsened {
  std::unique_ptr<Transfer> transfer;
  Hierarchy levels;
};

}  // namespace poisson
