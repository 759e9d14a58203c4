#include "solver/direct/fast_diagonalization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "backends/memory/round_up.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/direct/axis_modes.hpp"
#include "solver/direct/mean_data.hpp"

namespace poisson {
namespace {

// Limits on the modes of an axis. LAPACK needs about a second for the first number; the second is the number of sines
// and cosines that fit.
constexpr int longest_decomposed = 4608, longest_closed = 16384;

std::optional<ElementMass> mass_of(Scheme scheme) {
  return on_elements(scheme) ? std::optional(element_mass(scheme)) : std::nullopt;
}

// Numbers globally the rows of an axis that a process owns.
struct Rows {
  int first, last;
};
Rows rows_of(const Space& space, std::size_t d) {
  const int before = space.part().origin()[d] - space.part().all_unknowns().first[d];
  return {before + space.part().unknowns().first[d], before + space.part().unknowns().last[d]};
}

struct Pencils {
  std::array<AxisPencil, 3> of;
  double sigma = 0;
};

// Builds the pencils of constant data, equal to the operator's tables (axis_tables.cpp). `scale` is the power of two
// that multiplies all rows.
Pencils pencils(const Problem& problem, const Block& block, const std::array<double, 3>& kappa, double scale) {
  const auto mass = mass_of(problem.scheme);
  double volume = 1;
  for (const Axis& axis : block.axes) volume *= axis.unit();
  Pencils p;
  p.sigma = *problem.reaction.constant() * scale * volume;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    if (!axis.degenerate())
      p.of[d] = axis_pencil(axis, kappa[d], scale * volume / axis.unit(), axis.unit(), mass ? &*mass : nullptr);
  }
  return p;
}

// Contains the separable approximation of a problem, in which means replace varying data.
struct Separable {
  Block block;
  Pencils pencils;
};
Separable separable(const Problem& problem, const std::array<double, 3>& kappa, double scale) {
  const Problem mean = with_mean_data(problem);
  Block block = make_block(mean);
  Pencils p = pencils(mean, block, kappa, scale);
  return {std::move(block), std::move(p)};
}

bool too_long(const Axis& axis) {
  return !trig_axis(axis) &&
         axis.last() - axis.first() > (has_closed_modes(axis) ? longest_closed : longest_decomposed);
}

// Counts products per value along an axis, or the equivalent cost of a fast transform. Lines along x have poor memory
// locality.
double cost_of_modes(const Axis& axis, const AxisPencil& pencil, bool along_x) {
  constexpr double fast = 16;
  const double values = static_cast<double>(pencil.size()) * (pencil.symmetric() ? 0.5 : 1);
  return (trig_axis(axis) ? fast : values) * (along_x ? 0.25 : 1) * (too_long(axis) ? 1e6 : 1);
}

// Returns the axis with the most expensive modes among the candidates.
template <class MayHaveLines>
int costliest(const Block& block, const Pencils& p, const MayHaveLines& may) {
  int solved = block.dimension() - 1;
  double most = -1;
  for (int d = 0; d < block.dimension(); ++d) {
    const auto axis = static_cast<std::size_t>(d);
    const double cost = may(axis) ? cost_of_modes(block.axes[axis], p.of[axis], d == 0) : 0;
    if (cost < most) continue;
    most = cost;
    solved = d;
  }
  return solved;
}

AxisBasis zero_modes(std::size_t n, bool folded) {
  AxisBasis basis;
  basis.folded = folded;
  const auto half = static_cast<std::size_t>(basis.first_half(static_cast<int>(n)));
  basis.modes.resize(half * half + (n - half) * (n - half));
  basis.eigenvalues.resize(n);
  return basis;
}

std::optional<int> cut_axis(const Parts& parts) {
  for (int d = 0; d < 3; ++d)
    if (parts[static_cast<std::size_t>(d)] > 1) return d;
  return {};
}

// Chooses the axis of the lines. It is the axis that is cut, if any. If every axis has a fast transform, all are
// transformed and lines are diagonal: this needs as many passes as elimination, and no thread walks along a line.
// Otherwise the axis with the most expensive modes has the lines.
TensorInverse shape_of(const Block& block, const Pencils& p, const Parts& parts) {
  TensorInverse shape;
  shape.unknowns = block.unknowns();
  const std::size_t dimension = static_cast<std::size_t>(block.dimension());
  const std::optional<int> cut = cut_axis(parts);
  bool all_fast = !cut;
  for (std::size_t d = 0; d < dimension; ++d) {
    shape.bases[d].trig = trig_axis(block.axes[d]);
    all_fast = all_fast && shape.bases[d].trig;
  }
  shape.solved = cut        ? *cut
                 : all_fast ? block.dimension() - 1
                            : costliest(block, p, [&](std::size_t d) { return can_have_lines(p.of[d]); });
  const auto s = static_cast<std::size_t>(shape.solved);
  if (cut) shape.slabs = parts[s];
  for (std::size_t d = 0; d < dimension; ++d)
    shape.transformed[d] = d != s || all_fast || (!cut && !can_have_lines(p.of[d]));
  if (!shape.transformed[s]) shape.bases[s].trig = {};
  for (std::size_t d = 0; d < dimension; ++d) shape.bases[d].folded = !shape.bases[d].trig && p.of[d].symmetric();
  // Lines that are not periodic, or that are cut, are not folded.
  if (!shape.transformed[s] && (!p.of[s].closed || cut)) shape.bases[s].folded = false;
  return shape;
}

}  // namespace

std::string no_direct_preconditioner(const Problem& problem, const Parts& parts) {
  if (has_mixed_bc(problem)) return "a face has several conditions";
  const Block block = make_block(with_mean_data(problem));
  if (std::ranges::count_if(parts, [](int part) { return part > 1; }) > 1)
    return "the grid is cut across more than one axis";
  const std::optional<int> cut = cut_axis(parts);
  const std::string length = " more than " + std::to_string(longest_decomposed) +
                             " unknowns (if cells are equal and no face is a Robin face, " +
                             std::to_string(longest_closed) + ")";
  int longer = 0;
  for (int d = 0; d < problem.dimension; ++d) {
    if (!too_long(block.axes[d])) continue;
    if (cut && *cut != d)
      return "the grid is cut across another axis than " + std::string(1, "xyz"[d]) + ", which has" + length;
    ++longer;
  }
  return longer > 1 ? "more than one axis has" + length : "";
}

std::string no_direct_solution(const Problem& problem, const Parts& parts) {
  if (problem.full_tensor) return "the coefficient is a full tensor, which couples the axes";
  if (has_mixed_bc(problem)) return "a face has several conditions";
  if (!is_separable(problem)) return "the coefficient, the reaction or a face's alpha varies";
  return no_direct_preconditioner(problem, parts);
}

bool has_zero_faces(const Problem& problem) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    for (const Boundary& face : problem.boundary[d]) {
      const bool in_solution = face.kind == BoundaryKind::dirichlet ||
                               (face.kind == BoundaryKind::robin && problem.centering == Centering::cell);
      const double* value = face.value.constant();
      if (in_solution && !(value && *value == 0)) return false;
    }
  return true;
}

std::optional<Parts> direct_parts(const Problem& problem, const std::array<double, 3>& kappa, int processes) {
  const Separable mean = separable(problem, kappa, 1);
  const Block& block = mean.block;
  const auto thick = [&](std::size_t d) { return block.layout().n[d] / processes >= least_part; };
  Parts parts = uncut_axes;
  const auto s = static_cast<std::size_t>(costliest(block, mean.pencils, thick));
  parts[s] = processes;
  if (!thick(s) || !no_direct_preconditioner(problem, parts).empty()) return {};
  return parts;
}

TensorInverse direct_shape(const Problem& problem, const std::array<double, 3>& kappa, const Parts& parts) {
  const auto [block, p] = separable(problem, kappa, 1);
  TensorInverse shape = shape_of(block, p, parts);
  if (shape.slabs > 1) {
    const auto s = static_cast<std::size_t>(shape.solved);
    shape.thickest = divide_up(block.layout().n[s], shape.slabs);
    shape.unknowns.last[s] = std::min(shape.unknowns.last[s], shape.unknowns.first[s] + shape.thickest);
  }
  return shape;
}

TensorInverse tensor_inverse(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                             double scale, bool computes_modes) {
  const auto [block, p] = separable(problem, kappa, scale);
  const Space space = part.space();
  TensorInverse inverse = shape_of(block, p, parts_of(space));
  inverse.unknowns = space.part().unknowns();
  inverse.sigma = p.sigma;
  for (std::size_t d = 0; d < 3; ++d)
    if (inverse.transformed[d])
      inverse.bases[d] = inverse.bases[d].trig ? trig_modes(inverse.bases[d].trig, p.of[d])
                         : computes_modes      ? axis_modes(block.axes[d], p.of[d])
                                               : zero_modes(p.of[d].size(), inverse.bases[d].folded);
  const auto s = static_cast<std::size_t>(inverse.solved);
  if (inverse.slabs > 1) {
    const Rows rows = rows_of(space, s);
    inverse.lines = part_of_lines(p.of[s], rows.first, rows.last);
    inverse.processes = part.share->processes;
    inverse.thickest = space.part().most_values()[s];
  } else if (!inverse.transformed[s]) {
    inverse.lines = axis_lines(p.of[s]);
  } else if (!inverse.bases[s].trig) {
    const std::size_t n = p.of[s].size();
    inverse.lines = {inverse.bases[s].eigenvalues, std::vector<double>(n), std::vector<double>(n, 1.0),
                     std::vector<double>(n)};
  }
  return inverse;
}

TensorDiagonal tensor_diagonal(const Problem& problem, const Block& part, const std::array<double, 3>& kappa,
                               double scale) {
  const auto [block, p] = separable(problem, kappa, scale);
  const Space space = part.space();
  TensorDiagonal diagonal{space.part().unknowns(), {}, {}, p.sigma};
  for (std::size_t d = 0; d < 3; ++d) {
    if (p.of[d].size() == 0) {
      diagonal.stiffness[d] = {0};
      diagonal.mass[d] = {1};
      continue;
    }
    const Rows rows = rows_of(space, d);
    for (int i = rows.first; i < rows.last; ++i) {
      diagonal.stiffness[d].push_back(p.of[d].diagonal(static_cast<std::size_t>(i)));
      diagonal.mass[d].push_back(p.of[d].mass[static_cast<std::size_t>(i)]);
    }
  }
  return diagonal;
}

double error_per_residual(const Problem& problem, const std::array<double, 3>& kappa) {
  const auto of = [&](double Spread::*data) { return separable(with_constant_data(problem, data), kappa, 1).pencils; };
  const Pencils small = of(&Spread::least), large = of(&Spread::largest);
  double largest = large.sigma, least = small.sigma, beside_constants = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < 3; ++d) {
    if (small.of[d].size() == 0) continue;
    const AxisSpectrum axis = spectrum_bounds(small.of[d]);
    largest += spectrum_bounds(large.of[d]).largest_ratio;
    least += axis.least;
    beside_constants = std::min(beside_constants, axis.least_beside_constants);
  }
  if (least == 0) least = beside_constants;
  return 2 * largest / least;
}

double rounding_growth(const Problem& problem) {
  const Block block = make_block(problem);
  bool fast = true;
  for (const Axis& axis : block.axes) fast = fast && (axis.degenerate() || trig_axis(axis));
  const double longest = std::ranges::max(block.layout().n);
  return fast ? std::min(longest, 4 * std::sqrt(longest)) : longest;
}

bool scales_by_diagonal(const Jumps& jumps) {
  // Neighbouring cells differ little, or by at most half of the decades in the range of κ.
  return jumps.largest <= 3 || jumps.largest * jumps.largest <= jumps.range;
}

namespace {

// Returns the iterations of conjugate gradients around the inverse for a mean κ that reduce the error by 10⁸. If κ
// jumps, the condition number is about its range, and an iteration contracts by (√range − 1)/(√range + 1).
double iterations_across_jumps(double range) {
  const double root = std::sqrt(range);
  return root > 1 ? std::log(2e8) / std::log((root + 1) / (root - 1)) : 1;
}

}  // namespace

bool varies_moderately(const Problem& problem, const std::array<double, 3>& kappa, const Jumps& jumps) {
  constexpr double any_range = 10, smooth_range = 1e4, most_iterations = 40;
  const bool smooth = scales_by_diagonal(jumps) && jumps.range <= smooth_range;
  const bool of_kappa = smooth || iterations_across_jumps(jumps.range) <= most_iterations;
  if (!of_kappa) return false;
  // Compares σ with the least eigenvalue of the other terms, which the Dirichlet faces determine.
  double least = 0;
  bool constant_alphas = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
    const auto& faces = problem.boundary[d];
    const double length = problem.nodes[d].back() - problem.nodes[d].front();
    const auto dirichlet = static_cast<double>(std::ranges::count(faces, BoundaryKind::dirichlet, &Boundary::kind));
    least += kappa[d] * std::pow(dirichlet * std::numbers::pi / (2 * length), 2);
    for (const Boundary& face : faces)
      constant_alphas = constant_alphas && (face.kind != BoundaryKind::robin || face.alpha.constant());
  }
  const Spread sigma = spread_over_box(problem, problem.reaction);
  return constant_alphas && sigma.largest + least <= any_range * (sigma.least + least);
}

FastDiagonalization::FastDiagonalization(Backend& backend, const Space& space, Precision precision,
                                         std::unique_ptr<AxisProducts> products, bool refines, bool drops_mean,
                                         std::unique_ptr<DiagonalScaling> scaling)
    : w_(backend, space, precision),
      products_(std::move(products)),
      refines_(refines),
      drops_mean_(drops_mean),
      scaling_(std::move(scaling)) {}

void FastDiagonalization::solve() {
  if (scaling_) scaling_->apply(w_);
  products_->forward(w_, w_);
  products_->solve_lines(w_);
  if (!refines_) products_->backward(w_);
  if (scaling_) scaling_->apply(w_);
}

void FastDiagonalization::solve_for_correction() {
  solve();
  if (refines_) products_->backward(w_);
}

void FastDiagonalization::solve_for(const Field& b, Field& u) {
  products_->forward(b, w_);
  products_->solve_lines(w_);
  products_->backward_to(w_, u, nullptr);
}

void FastDiagonalization::correct(const Operator& A, Field& u, const Field& b, const Scalar* applied,
                                  const Scalar& scale, Scalar& norm) {
  if (applied && refines_) {
    products_->backward_to(w_, u, applied);
    applied = nullptr;
  }
  Preconditioner::correct(A, u, b, applied, scale, norm);
}

}  // namespace poisson
