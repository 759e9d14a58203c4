// A family of patches in one folder: slices of a tube that closes to a ring. A family brings its patches, the moves
// between them, and the rows of an operator. Fields, sums, exchanges, processes and the solver come with the library.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/operators/operator.hpp"
#include "grids/operators/splitting.hpp"

namespace ring {

using namespace poisson;

/// Returns the space of slices of nx × ny cells. Slice s belongs to process s·processes/slices.
inline Space make_space(int nx, int ny, const std::vector<int>& thickness, std::shared_ptr<const Processes> processes) {
  const int slices = static_cast<int>(thickness.size());
  std::vector<PatchOfAll> all;
  std::vector<Move> moves;
  for (int s = 0, first = 0; s < slices; ++s) {
    const int n = thickness[static_cast<std::size_t>(s)], next = (s + 1) % slices;
    const Layout layout{{nx, ny, n}};
    all.push_back({s * processes->count() / slices, layout, {layout.box(), layout.box(), first}});
    const auto plane = [&](int k) { return Box{{0, 0, k}, {nx, ny, k + 1}}; };
    moves.push_back({s, plane(n - 1), next, plane(-1)});
    moves.push_back({next, plane(0), s, plane(n)});
    first += n;
  }
  return {all, {moves}, std::move(processes)};
}

/// Is A u = u + Σ t (u − u'), with the conductance t = 2κκ'/(κ + κ') of each face between two cells. Beyond the wall of
/// the tube κ is zero, so no flow passes it.
class Diffusion final : public Operator {
 public:
  explicit Diffusion(Field kappa) : kappa_(std::move(kappa)) { backend().exchange(kappa_); }

  Backend& backend() const override { return kappa_.backend(); }
  Precision precision() const override { return Precision::fp64; }
  const Space& space() const override { return kappa_.space(); }
  std::string_view assembly() const override { return "full"; }
  double scale() const override { return 1; }
  bool singular() const override { return false; }
  std::size_t bytes() const override { return kappa_.bytes(); }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation = {}) const override;
  std::unique_ptr<Splitting> split_by_colours() const override { return split(); }

  struct Cell {
    double diagonal, product, u, b;
  };
  /// Calls f(cell, value of out) for all cells of all patches.
  template <class F>
  void for_each_cell(const Field& u, const Field& b, Field& out, const F& f) const {
    backend().exchange(u);
    for (std::size_t g = 0; g < space().groups().size(); ++g)
      cpu::for_each_patch_line(space().groups()[g], space().groups()[g].values, [&](int p, int j, int k) {
        const auto kappa = kappa_.patches<double>(g)[p], v = u.patches<double>(g)[p], w = b.patches<double>(g)[p];
        for (int i = 0; i < v.n[0]; ++i) {
          Cell c{1, 0, v(i, j, k), w(i, j, k)};
          for (const auto [x, y, z] : {std::array{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}) {
            const double own = kappa(i, j, k), other = kappa(i + x, j + y, k + z), t = 2 * own * other / (own + other);
            c.diagonal += t;
            c.product -= t * v(i + x, j + y, k + z);
          }
          c.product += c.diagonal * c.u;
          f(c, out.patches<double>(g)[p](i, j, k));
        }
      });
  }

 private:
  void do_apply(const Field& u, Field& Au) const override {
    for_each_cell(u, u, Au, [](const Cell& c, double& to) { to = c.product; });
  }
  void do_apply_everywhere(const Field& u, Field& Au) const override { do_apply(u, Au); }
  void do_diagonal(Field& d) const override {
    for_each_cell(kappa_, kappa_, d, [](const Cell& c, double& to) { to = c.diagonal; });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    for_each_cell(u, b, r, [](const Cell& c, double& to) { to = c.b - c.product; });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    do_residual(u, b, r);
    do_norm(r, norm);
    backend().scale(scale, r, r);
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    Field y(backend(), space(), precision());
    for_each_cell(r, r, y, [](const Cell& c, double& to) { to = c.u / c.diagonal; });
    backend().dot(r, y, norm);
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    Field y(backend(), space(), precision());
    for_each_cell(u, u, y, [](const Cell& c, double& to) { to = c.u * c.diagonal; });
    backend().dot(u, y, norm);
  }
  void do_project_rhs(Field&, Scalar&) const override {}
  void do_project_solution(Field&) const override {}

  Field kappa_;
};

/// Divides by the diagonal. The eigenvalues of D⁻¹A are below 2.
class Diagonal final : public BoundedSplitting {
 public:
  explicit Diagonal(const Diffusion& A) : BoundedSplitting(A, {}), A_(A) {}

 private:
  void do_start(double alpha, const Field& b, Field& u) const override {
    A_.for_each_cell(b, b, u, [alpha](const auto& c, double& to) { to = alpha * c.b / c.diagonal; });
  }
  void do_step(PolynomialStep s, const Field& u, const Field& b, Field& old) const override {
    A_.for_each_cell(u, b, old, [s](const auto& c, double& to) {
      to = c.u + s.alpha * (c.b - c.product) / c.diagonal + s.beta * (c.u - to);
    });
  }
  const Diffusion& A_;
};

inline std::unique_ptr<SymmetricSplitting> Diffusion::split(const Relaxation&) const {
  return std::make_unique<Diagonal>(*this);
}

}  // namespace ring
