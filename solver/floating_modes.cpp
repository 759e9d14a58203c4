#include "solver/floating_modes.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "backends/device/backend.hpp"
#include "grids/problem/body_error.hpp"
#include "grids/problem/media.hpp"
#include "grids/results/floating_flows.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

// Pivots below this share of the largest entry belong to bodies without a way to a fixed value.
constexpr double least_pivot = 1e-6;
// Charges of such bodies may differ from their flows by this share of the largest flow, or of Σ|b|.
constexpr double balanced = 1e-6;

// Solves a small dense system by elimination with pivots on the diagonal, which M-matrices allow. Unknowns whose pivot
// vanishes are 0.
std::vector<double> solve_dense(std::vector<std::vector<double>> m, std::vector<double> right) {
  const std::size_t n = right.size();
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(m[i][i]));
  std::vector<char> gone(n);
  for (std::size_t i = 0; i < n; ++i) {
    gone[i] = std::abs(m[i][i]) <= least_pivot * most ? 1 : 0;
    if (gone[i]) continue;
    for (std::size_t r = i + 1; r < n; ++r) {
      const double q = m[r][i] / m[i][i];
      for (std::size_t c = i; c < n; ++c) m[r][c] -= q * m[i][c];
      right[r] -= q * right[i];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    if (gone[i]) continue;
    double sum = right[i];
    for (std::size_t c = i + 1; c < n; ++c) sum -= m[i][c] * x[c];
    x[i] = sum / m[i][i];
  }
  return x;
}

// Adds `value` times the couplings of a body to b.
void add_couplings(const Discretization& d, std::size_t body, double value, double scale, Field& b) {
  const SchemeContext context = d.context();
  std::vector<double> added(static_cast<std::size_t>(context.values().size()));
  for (const FixedLink& link : d.media()->links()) {
    const auto [i, j, k] = link.cell;
    if (link.body == static_cast<int>(body) && d.media()->solved(i, j, k))
      added[d.media()->own(i, j, k)] += scale * value * link.conductance;
  }
  d.sampler().put(context.values(), added, SampleStore::add, b);
}

std::vector<std::size_t> free_bodies(const Discretization& d) {
  std::vector<std::size_t> free;
  const auto& bodies = d.media()->floating()->all();
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (!bodies[b].held) free.push_back(b);
  return free;
}

// Returns whether a face, a body or a reaction determines u, and not only up to a constant.
bool has_given_value(const Discretization& d) {
  const Problem& p = d.problem();
  const MediaSystem& media = *d.media();
  bool given = uniform_value(p.reaction) != 0.0 || std::ranges::any_of(media.floating()->all(), &FloatingBody::held) ||
               std::ranges::any_of(media.media().regions, [&](const MediaRegion& r) {
                 return media.media().materials[r.material].fixed.has_value();
               });
  for_each_face(p, [&](int, int, const Boundary& face) {
    given = given || face.kind == BoundaryKind::dirichlet ||
            (face.kind == BoundaryKind::robin && !(face.alpha.constant() && *face.alpha.constant() == 0));
  });
  return given;
}

// Sets the values of bodies to those that give their charges if u keeps its values around them. A guess that is a
// solution thus starts with its own values. Adds their couplings to b.
void start_from_guess(const Discretization& d, Solver& solver, const std::vector<std::size_t>& free,
                      std::vector<double>& values, const std::array<double, 3>& rise) {
  const MediaSystem& media = *d.media();
  std::vector<double> couplings(values.size());
  for (const FixedLink& link : media.links()) {
    const auto [i, j, k] = link.cell;
    if (link.body >= 0 && media.solved(i, j, k)) couplings[static_cast<std::size_t>(link.body)] += link.conductance;
  }
  const std::vector<double> flows = floating_flows(d, solver.solution(), values, rise);
  for (const std::size_t body : free) {
    const double all = d.block().processes().sum(couplings[body]);
    if (all == 0) continue;
    const double change = (media.charge_of(media.floating()->all()[body]) - flows[body]) / all;
    values[body] += change;
    add_couplings(d, body, change, solver.A().scale(), solver.rhs());
  }
}

}  // namespace

std::size_t FloatingModes::count(const Discretization& d) {
  return d.media() && d.media()->floating() ? free_bodies(d).size() : 0;
}

void FloatingModes::make(Discretization& d, Solver& solver, const std::vector<std::size_t>& free,
                         const Solver::Listener& listener) {
  if (free == free_ && modes_.size() == free.size()) return;
  modes_.clear();
  flows_.clear();
  free_ = free;
  Backend& backend = d.backend();
  Field &u = solver.solution(), &b = solver.rhs();
  const Field zero(backend, u.space(), u.precision());
  const std::size_t all = d.media()->floating()->all().size();
  const Solver::Stages stages = solver.stages();
  solver.set_stages({});
  solver.check_flows(false);  // their balance contains the data of the problem
  for (const std::size_t body : free) {
    backend.fill(b, 0);
    backend.convert(zero, u);
    add_couplings(d, body, 1, solver.A().scale(), b);
    const Result result = solver.solve(false, listener);
    iterations_ += result.iterations;
    if (!result.converged() && !result.at_rounding_floor()) {
      solver.set_stages(stages);
      solver.check_flows(true);
      throw RunError("the solve for a floating body did not converge: raise solver.max_iterations");
    }
    Field& mode = modes_.emplace_back(backend, u.space(), u.precision());
    backend.convert(u, mode);
    std::vector<double> values(all);
    values[body] = 1;
    flows_.push_back(floating_flows(d, mode, values));
  }
  solver.set_stages(stages);
  solver.check_flows(true);
}

Result FloatingModes::solve(Discretization& d, Solver& solver, bool given_guess, const Solver::Listener& listener,
                            bool charged, const std::array<double, 3>& rise) {
  const auto& bodies = d.media()->floating()->all();
  std::vector<double> values;
  for (const FloatingBody& body : bodies) values.push_back(charged ? body.value : 0);
  const std::vector<std::size_t> free = free_bodies(d);
  if (given_guess && charged) start_from_guess(d, solver, free, values, rise);
  const Result result = solver.solve(given_guess, listener);
  if (free.empty()) return result;
  Backend& backend = d.backend();
  Field &u = solver.solution(), &b = solver.rhs();
  Field first(backend, u.space(), u.precision()), data(backend, b.space(), b.precision());
  backend.convert(u, first);
  backend.convert(b, data);
  make(d, solver, free, listener);
  backend.convert(first, u);
  backend.convert(data, b);

  const std::vector<double> flows = floating_flows(d, u, values, charged ? rise : std::array<double, 3>{});
  std::vector<std::vector<double>> matrix;
  std::vector<double> missing;
  // If all flows are 0, as between periodic faces, rounding is relative to the data.
  double largest = d.sampler().sum_of_magnitudes(b, d.block().unknowns()) / solver.A().scale();
  for (std::size_t i = 0; i < free.size(); ++i) {
    const double charge = charged ? d.media()->charge_of(bodies[free[i]]) : 0;
    missing.push_back(charge - flows[free[i]]);
    largest = std::max({largest, std::abs(charge), std::abs(flows[free[i]])});
    std::vector<double>& row = matrix.emplace_back();
    for (std::size_t j = 0; j < free.size(); ++j) row.push_back(flows_[j][free[i]]);
  }
  // Otherwise values are known up to a constant, and rounding errors of the first pivot would give this constant.
  if (!has_given_value(d)) matrix[0][0] = 0;
  const std::vector<double> change = solve_dense(matrix, missing);
  for (std::size_t i = 0; i < free.size(); ++i) {
    double left = missing[i];
    for (std::size_t j = 0; j < free.size(); ++j) left -= matrix[i][j] * change[j];
    if (std::abs(left) > balanced * largest && result.converged())
      throw BodyError(d.media()->media().regions[bodies[free[i]].regions.front()].name,
                      "floats without a way to a fixed value, and its charge and the sources around it do not balance: "
                      "fix a value, or make the charges balance");
  }
  for (std::size_t j = 0; j < free.size(); ++j) {
    values[free[j]] += change[j];
    Scalar factor = backend.scalar(change[j]);
    backend.axpy(factor, modes_[j], u);
    add_couplings(d, free[j], change[j], solver.A().scale(), b);
  }
  if (charged) d.set_floating(values);
  return result;
}

}  // namespace poisson
