#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grids/operators/operator.hpp"
#include "solver/multigrid/preconditioner.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Damps the oscillating part of the error of A u = b by sweeps.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// Runs the sweeps, or their adjoint in the A inner product if `reversed` is set.
  virtual void smooth(const Field& b, Iterate& u, bool reversed) const = 0;
};

/// Runs the steps of a splitting of A.
class SteppingSmoother final : public Smoother {
 public:
  SteppingSmoother(std::shared_ptr<const Splitting> splitting, std::vector<PolynomialStep> steps)
      : splitting_(std::move(splitting)), steps_(std::move(steps)) {}
  void smooth(const Field& b, Iterate& u, bool reversed) const override { splitting_->take(steps_, reversed, b, u); }

 private:
  std::shared_ptr<const Splitting> splitting_;
  std::vector<PolynomialStep> steps_;
};

/// Runs several smoothers one after another, or in reversed order if `reversed` is set.
class SmoothersInTurn final : public Smoother {
 public:
  explicit SmoothersInTurn(std::vector<std::unique_ptr<const Smoother>> parts) : parts_(std::move(parts)) {}
  void smooth(const Field& b, Iterate& u, bool reversed) const override;

 private:
  std::vector<std::unique_ptr<const Smoother>> parts_;
};

/// Describes a numeric parameter of a kind of smoother and its valid values.
struct SmootherParameter {
  std::string_view name, doc, example;
  double above = 0;    ///< exclusive lower bound
  double most = 0;     ///< 0: no limit
  bool below = false;  ///< excludes `most`
};

/// Describes a kind of smoother completely for configurations, plans and levels. A new kind is a file like jacobi.cpp
/// and a row in smoother.cpp.
struct SmootherKind {
  std::string_view type;                        ///< name in configurations
  std::span<const std::string_view> aliases{};  ///< alternative names
  std::string_view doc;
  std::string_view form{}, form_doc{};  ///< may be empty
  std::span<const SmootherParameter> parameters{};
  int sweeps_alone = 5;  ///< after the coarse correction if none precede it
  /// Returns a printable description with parameters.
  std::string (*describe)(const SmootherOptions&) = nullptr;
  /// Returns the steps of `sweeps` sweeps. `largest` is the largest eigenvalue of B⁻¹A for a symmetric B.
  std::vector<PolynomialStep> (*steps)(const SmootherOptions&, int sweeps, double largest) = nullptr;
  /// False: it sweeps over the colours of points, and lines use a polynomial instead.
  bool symmetric = true;
};

/// Returns all kinds. Forms of one type are adjacent, with the default form first.
std::span<const SmootherKind* const> smoother_kinds();
/// Returns the kind with these configuration names; an empty form selects the first. Throws std::out_of_range if there
/// is none.
const SmootherKind& smoother_kind(std::string_view type, std::string_view form = {});

struct SideCorrection;

/// Owns the smoothers of a level before and after the coarse correction; null without sweeps.
struct Smoothers {
  std::unique_ptr<const Smoother> pre, post;
};
/// Makes the smoothers of resolved options for points or for the extent of `relaxation`. Lines and planes use a
/// polynomial, even if points use another kind. `planes` solves the plane systems. `sides` are
/// corrections in addition to the coarse one. The result refers to A.
Smoothers make_smoothers(const Operator& A, const SmootherOptions& options, Relaxation relaxation,
                         const std::shared_ptr<Preconditioner>& planes, const std::vector<SideCorrection>& sides = {});

/// Returns the Chebyshev polynomial of the first kind of degree `sweeps` on [largest/interval, largest]
/// (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1).
std::vector<PolynomialStep> chebyshev_first_kind(int sweeps, double largest, double interval);
/// Returns the Chebyshev polynomial of the fourth kind (Lottes, Numer. Linear Algebra Appl. 30, 2023, algorithm 3 with
/// β = 1).
std::vector<PolynomialStep> chebyshev_fourth_kind(int sweeps, double largest);
/// Returns the polynomial whose roots are best for multigrid with linear elements on round cells in space, for 3 to 6
/// sweeps; for other numbers one of the first kind.
std::vector<PolynomialStep> polynomial_for_elements(int sweeps, double largest);
/// Returns the damping of Jacobi's method if D⁻¹A has eigenvalues up to `largest`. The requested damping is used if
/// this is at most 2, as for finite volumes.
double jacobi_damping(const SmootherOptions& options, double largest);

/// Formats a number with four significant digits.
std::string in_short(double value);

}  // namespace poisson
