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

/// Sweeps that damp the oscillating part of the error of A u = b.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// The adjoint of the sweeps in the A inner product runs where `reversed` is set.
  virtual void smooth(const Field& b, Iterate& u, bool reversed) const = 0;
};

/// The steps of a splitting of A.
class SteppingSmoother final : public Smoother {
 public:
  SteppingSmoother(std::shared_ptr<const Splitting> splitting, std::vector<PolynomialStep> steps)
      : splitting_(std::move(splitting)), steps_(std::move(steps)) {}
  void smooth(const Field& b, Iterate& u, bool reversed) const override { splitting_->take(steps_, reversed, b, u); }

 private:
  std::shared_ptr<const Splitting> splitting_;
  std::vector<PolynomialStep> steps_;
};

/// Several smoothers one after another; reversed, in reversed order.
class SmoothersInTurn final : public Smoother {
 public:
  explicit SmoothersInTurn(std::vector<std::unique_ptr<const Smoother>> parts) : parts_(std::move(parts)) {}
  void smooth(const Field& b, Iterate& u, bool reversed) const override;

 private:
  std::vector<std::unique_ptr<const Smoother>> parts_;
};

/// A number that a kind of smoother takes, and the values that it may have.
struct SmootherParameter {
  std::string_view name, doc, example;
  double above = 0;    ///< and not equal to it
  double most = 0;     ///< 0: any
  bool below = false;  ///< less than `most`
};

/// What a smoother is: all that configurations, plans and levels know of it. A new one is a file like jacobi.cpp and a
/// row in smoother.cpp.
struct SmootherKind {
  std::string_view type;                        ///< as configurations name it
  std::span<const std::string_view> aliases{};  ///< what others call it
  std::string_view doc;
  std::string_view form{}, form_doc{};  ///< where several kinds are forms of one type
  std::span<const SmootherParameter> parameters{};
  int sweeps_alone = 5;  ///< after the coarse correction, where there are none before it
  /// What is described, with its parameters.
  std::string (*describe)(const SmootherOptions&) = nullptr;
  /// Of so many sweeps; largest: of B⁻¹A, where B is symmetric.
  std::vector<PolynomialStep> (*steps)(const SmootherOptions&, int sweeps, double largest) = nullptr;
  /// Else it goes over the colours of points, and lines take a polynomial.
  bool symmetric = true;
  /// Verbs that a step records, halos not counted.
  int (*passes)(const Layout&, bool box) = [](const Layout&, bool) { return 1; };
};

/// The kinds that there are, forms of one type side by side, the usual one first.
std::span<const SmootherKind* const> smoother_kinds();
/// By the names of configurations; an empty form is the first. Throws std::out_of_range where there is none.
const SmootherKind& smoother_kind(std::string_view type, std::string_view form = {});

struct SideCorrection;

/// What smooths a level before the coarse correction and after it; null where there are no sweeps.
struct Smoothers {
  std::unique_ptr<const Smoother> pre, post;
};
/// As resolved options say, for points or what `relaxation` says; lines and planes are relaxed by a polynomial,
/// whatever suits points. `planes`: what solves for them. `sides`: corrections next to the coarse one. Refers to A.
Smoothers make_smoothers(const Operator& A, const SmootherOptions& options, Relaxation relaxation,
                         const std::shared_ptr<Preconditioner>& planes, const std::vector<SideCorrection>& sides = {});

/// The Chebyshev polynomial of the first kind of degree `sweeps` on [largest/interval, largest]
/// (Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1).
std::vector<PolynomialStep> chebyshev_first_kind(int sweeps, double largest, double interval);
/// The Chebyshev polynomial of the fourth kind (Lottes, Numer. Linear Algebra Appl. 30, 2023, algorithm 3 with β = 1).
std::vector<PolynomialStep> chebyshev_fourth_kind(int sweeps, double largest);
/// The damping of Jacobi's method where D⁻¹A has eigenvalues up to `largest`: as asked for where they are up to 2,
/// which finite volumes have.
double jacobi_damping(const SmootherOptions& options, double largest);

/// Four significant digits.
std::string in_short(double value);

}  // namespace poisson
