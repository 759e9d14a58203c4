// A matrix from a file, on its index grid.

#include "solver/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "app/cases/case.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {
namespace {

// Values at all points, x fastest.
std::vector<double> sampled(const Quantity& quantity, std::string_view name, const Block& block) {
  try {
    return sample(quantity, name, Sign::any, {block}, Location::node, block.layout().box());
  } catch (const ValueError& error) {
    throw ValueErrors({error});
  }
}

void put(const std::vector<double>& values, double factor, Field& field) {
  const auto host = make_cpu_backend();
  Field staging(*host, field.layout(), field.precision());
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = staging.view<T>();
    std::size_t next = 0;
    for (int k = 0; k < view.n[2]; ++k)
      for (int j = 0; j < view.n[1]; ++j)
        for (int i = 0; i < view.n[0]; ++i) view(i, j, k) = static_cast<T>(factor * values[next++]);
  });
  transfer(staging, field);
}

class MatrixCase final : public Case {
 public:
  explicit MatrixCase(const Config& config)
      : config_(config), matrix_(*config.matrix), block_(make_block(*config.matrix)) {}

  void check_values() const override {
    sampled(config_.problem.source, "source", block_);
    if (config_.problem.initial) sampled(*config_.problem.initial, "initial", block_);
  }
  Plan plan(bool gpu) const override { return make_plan(matrix_, config_.options, gpu); }
  std::vector<std::string> statement() const override { return {"problem   A u = b, a matrix from a file"}; }
  bool on_boxes() const override { return true; }
  std::string smaller(const MemoryLimit&, double) const override {
    return "take a machine with more, or precision: single";
  }

  Solver& make_solver(Backend& backend, Profile* profile) override {
    solver_ = poisson::make_solver(backend, matrix_, config_.options, profile);
    return *solver_;
  }

  double fill() override {
    b_ = matrix_.rhs.empty() ? sampled(config_.problem.source, "source", block_) : matrix_.rhs;
    put(b_, solver_->A().scale(), solver_->rhs());
    if (config_.problem.initial) put(sampled(*config_.problem.initial, "initial", block_), 1, solver_->solution());
    double size = 0;
    for (const double b : b_) size += std::abs(b);
    return size;
  }

  void describe(RunHeader& header, Summary& summary) const override {
    summary.dimension = matrix_.dimension();
    summary.matrix = Summary::Matrix{static_cast<int>(matrix_.offsets.size()), matrix_.symmetric(), matrix_.asymmetry,
                                     matrix_.dominance};
    header.problem = "A u = b, a matrix from a file";
    header.grid = fmt::format("{} x {} x {} points", matrix_.shape[0], matrix_.shape[1], matrix_.shape[2]);
    header.matrix = fmt::format(
        "{} bands, {}, {}", matrix_.offsets.size(),
        matrix_.symmetric() ? "symmetric" : fmt::format("unsymmetric (by {:.2g} of the diagonal)", matrix_.asymmetry),
        matrix_.dominance >= -1e-14
            ? "diagonally dominant"
            : fmt::format("not diagonally dominant (a row lacks {:.2g} of its diagonal)", -matrix_.dominance));
  }
  std::string demand() const override { return "; and the matrix has to be positive definite"; }

  void observe(Summary& summary) override {
    const std::vector<double> u = gather_values(block_, solver_->solution()).all();
    summary.solution = {u[0], u[0], 0, 0, {}, {}};
    for (const double value : u) {
      summary.solution.min = std::min(summary.solution.min, value);
      summary.solution.max = std::max(summary.solution.max, value);
      summary.solution.integral += value;
      summary.solution.l2 += value * value;
    }
    summary.solution.l2 = std::sqrt(summary.solution.l2);
    for (const auto& point : config_.output.probes)
      summary.probes.push_back(
          {point, interpolate_at(block_, solver_->solution(),
                                 std::span(point).first(matrix_.shape[1] == 1 ? 1 : point.size()))});
  }

  OutputGrid output_grid() const override {
    OutputGrid grid;
    grid.dimension = matrix_.dimension();
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = 0; i < matrix_.shape[d]; ++i) grid.nodes[d].push_back(i);
    return grid;
  }
  Pieces field(const FieldChoice& choice) override { return choice.of_matrix(block_, *solver_, b_); }

 private:
  const Config& config_;
  const BandedMatrix& matrix_;
  Block block_;
  std::unique_ptr<Solver> solver_;
  std::vector<double> b_;
};

}  // namespace

std::unique_ptr<Case> make_matrix_case(const Config& config) {
  return std::make_unique<MatrixCase>(config);
}

}  // namespace poisson
