#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
#include "grids/operators/relaxation.hpp"
#include "grids/operators/splitting.hpp"

namespace poisson {

/// Is the discrete operator A of one level, in integrated symmetric form and scaled by a power of two, on one backend.
/// A field contains all values of the block. Verbs write unknowns only: in Dirichlet nodes solutions keep their data,
/// and corrections and residuals remain zero. A verb exchanges the halos that it reads. By default the operator
/// computes in its precision.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual Backend& backend() const = 0;
  virtual Precision precision() const = 0;
  /// Returns the space of the values to which the operator is applied, with its unknowns.
  virtual const Space& space() const = 0;
  /// Returns the name of the assembly mode: equidistant, tensor-product, partial, full.
  virtual std::string_view assembly() const = 0;
  /// Returns the power of two by which A and b are multiplied to bring the diagonal near 1.
  virtual double scale() const = 0;
  /// Returns whether A maps constants to zero.
  virtual bool singular() const = 0;
  /// Returns the bytes that the operator stores.
  virtual std::size_t bytes() const = 0;

  void apply(const Field& u, Field& Au) const {
    timed(traffic("apply"), {&u, &Au}, [this, &u, &Au] { do_apply(u, Au); });
  }
  /// Computes Au in all nodes. Dirichlet nodes use the row of a natural boundary, so that their result is the flux
  /// through the face.
  void apply_everywhere(const Field& u, Field& Au) const {
    timed(traffic("apply"), {&u, &Au}, [this, &u, &Au] { do_apply_everywhere(u, Au); });
  }
  void diagonal(Field& d) const {
    timed(traffic("diagonal"), {&d}, [this, &d] { do_diagonal(d); });
  }
  /// Computes r = b − A u.
  void residual(const Field& u, const Field& b, Field& r) const {
    timed(traffic("residual"), {&u, &b, &r}, [this, &u, &b, &r] { do_residual(u, b, r); });
  }
  /// Computes r = scale (b − A u), rounded to the precision of r, and norm = Σ (b − A u)²/D. `r` may be `b` if both
  /// have the same precision.
  void residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const {
    timed(traffic("residual + norm"), {&u, &b, &r},
          [this, &u, &b, &r, &scale, &norm] { do_residual(u, b, r, scale, norm); });
  }
  /// Computes norm = Σ r²/D.
  void norm(const Field& r, Scalar& norm) const {
    timed(traffic("norm"), {&r}, [this, &r, &norm] { do_norm(r, norm); });
  }
  /// Computes norm = Σ D u² over the unknowns, which measures the effect of rounding u on a residual.
  void rounding(const Field& u, Scalar& norm) const {
    timed(traffic("rounding"), {&u}, [this, &u, &norm] { do_rounding(u, norm); });
  }

  /// Returns a splitting for a relaxation. For points, B is the diagonal. For lines, B also contains the couplings
  /// along them and is solved line by line. Throws RunError if the operator has no such lines.
  virtual std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation = {}) const = 0;
  /// Returns Gauss–Seidel over the colours of the stencil. The alpha of a step is the over-relaxation.
  virtual std::unique_ptr<Splitting> split_by_colours() const = 0;

  /// Projects b for singular A: b −= M1 (1ᵀb)/(1ᵀM1), with amount = 1ᵀb in the units of scaled b.
  void project_rhs(Field& b, Scalar& amount) const {
    timed(traffic("project rhs"), {&b}, [this, &b, &amount] { do_project_rhs(b, amount); });
  }
  /// Does the same and measures b: before = Σ b²/D of the given b, after = Σ b²/D of the projected b. Two passes over
  /// b suffice for constant κ and on a CPU. For constant κ on a GPU, `before` is `after` plus Σ/D of the square of the
  /// component removed. That equals the norm of the given b if D is a multiple of M1, as at nodes of equal cells, and
  /// is at least half of that norm otherwise.
  virtual void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const {
    norm(b, before);
    project_rhs(b, amount);
    norm(b, after);
  }
  /// Projects u for singular A: u −= (1ᵀMu)/(1ᵀM1).
  void project_solution(Field& u) const {
    timed(traffic("project solution"), {&u}, [this, &u] { do_project_solution(u); });
  }

  /// Runs a verb on these fields and reports it with its traffic. Null fields do not count.
  template <class Verb>
  void timed(const Traffic& row, const std::array<const Field*, 3>& fields, const Verb& verb) const {
    if (!backend().reports()) return verb();
    std::array<Touched, 3> touched{};
    for (std::size_t f = 0; f < 3; ++f)
      if (fields[f]) touched[f] = {space().own_unknowns(), fields[f]->precision()};
    backend().timed(row, space(), touched, verb, bytes());
  }

 private:
  // The verbs; public functions report them.
  virtual void do_apply(const Field& u, Field& Au) const = 0;
  virtual void do_apply_everywhere(const Field& u, Field& Au) const = 0;
  virtual void do_diagonal(Field& d) const = 0;
  virtual void do_residual(const Field& u, const Field& b, Field& r) const = 0;
  virtual void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const = 0;
  virtual void do_norm(const Field& r, Scalar& norm) const = 0;
  virtual void do_rounding(const Field& u, Scalar& norm) const = 0;
  virtual void do_project_rhs(Field& b, Scalar& amount) const = 0;
  virtual void do_project_solution(Field& u) const = 0;
};

/// Transfers values between a level and the next coarser level. The verbs belong to the finer level.
class Transfer {
 public:
  virtual ~Transfer() = default;

  /// Computes coarse = Pᵀ fine on the unknowns, times `scale` if given.
  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const {
    timed(traffic("restrict"), fine, of(fine), of(coarse),
          [this, &fine, &coarse, &scale] { do_restrict_to(fine, coarse, scale); });
  }
  /// Restricts data, which are integrals over control volumes. Cell-centred transfers sum over the cells of a coarse
  /// cell, for every P.
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const {
    timed(traffic("restrict"), fine, of(fine), of(coarse),
          [this, &fine, &coarse, &scale] { do_restrict_data(fine, coarse, scale); });
  }
  /// Computes fine = P coarse on the unknowns. P is multilinear, or piecewise constant if κ of cells jumps.
  void prolong(const Field& coarse, Field& fine) const {
    timed(traffic("prolong"), fine, of(coarse), of(fine), [this, &coarse, &fine] { do_prolong(coarse, fine); });
  }
  /// Computes fine += P coarse on the unknowns.
  void prolong_add(const Field& coarse, Field& fine) const {
    timed(traffic("prolong + add"), fine, of(coarse), of(fine),
          [this, &coarse, &fine] { do_prolong_add(coarse, fine); });
  }
  /// Interpolates on the unknowns with cubic polynomials (4-point Lagrange per axis), times `scale` if given. The
  /// interpolation uses all coarse values including Dirichlet data, which are on the faces for cell-centred grids. It
  /// starts full multigrid.
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale = nullptr) const {
    timed(traffic("interpolate"), fine, of(coarse), of(fine),
          [this, &coarse, &fine, &scale] { do_interpolate(coarse, fine, scale); });
  }
  /// Computes coarse = fine at the coarse values, or the mean for cell-centred grids, including Dirichlet data, times
  /// `scale` if given.
  void inject(const Field& fine, Field& coarse, const Scalar* scale = nullptr) const {
    timed(traffic("inject"), fine, {of(coarse).values, fine.precision()}, of(coarse),
          [this, &fine, &coarse, &scale] { do_inject(fine, coarse, scale); });
  }

 private:
  // The verbs; public functions report them.
  virtual void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const = 0;
  virtual void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const {
    do_restrict_to(fine, coarse, scale);
  }
  virtual void do_prolong(const Field& coarse, Field& fine) const = 0;
  virtual void do_prolong_add(const Field& coarse, Field& fine) const = 0;
  virtual void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const = 0;
  virtual void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const = 0;

  static Touched of(const Field& x) { return {x.space().own_unknowns(), x.precision()}; }
  template <class Verb>
  static void timed(const Traffic& row, const Field& level, const Touched& first, const Touched& second,
                    const Verb& verb) {
    level.backend().timed(row, level.space(), {first, second}, verb);
  }
};

class StrongClusters;
class UncoupledBlocks;

struct Semicoarsened;

/// Contains the levels of a problem, finest first: operators[l], and transfers[l] between l and l + 1.
struct Hierarchy {
  std::vector<std::shared_ptr<const Operator>> operators;
  std::shared_ptr<const Operator> coarsest;  ///< the last operator in fp64
  std::vector<std::unique_ptr<Transfer>> transfers;
  std::vector<Relaxation> relaxations;             ///< by level
  std::vector<std::unique_ptr<Hierarchy>> nested;  ///< problems that the relaxation of a level solves; may be null
  std::vector<std::shared_ptr<const StrongClusters>>
      strong_clusters;                               ///< strong clusters of the first levels that have any
  std::vector<Semicoarsened> semicoarsened;          ///< further hierarchies below the finest level
  std::shared_ptr<const UncoupledBlocks> uncoupled;  ///< blocks of the coarsest operator; null: one block
};

/// Contains a hierarchy below a level, and the transfer to its finest level.
struct Semicoarsened {
  std::unique_ptr<Transfer> transfer;
  Hierarchy levels;
};

}  // namespace poisson
