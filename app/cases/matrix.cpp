// This case reads its matrix from a file. Its unknowns are points of an index grid.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/cases/model_case.hpp"
#include "grids/results/integrals.hpp"
#include "solver/matrix_model.hpp"

namespace poisson {
namespace {

Sharing share_matrix(const Config& config, const Block& block, const std::shared_ptr<const Processes>& processes) {
  if (processes->alone()) return {};
  std::array<bool, 3> whole{};  // from the reach that the file declares, because its entries are not read yet
  for (std::size_t d = 0; d < 3; ++d) whole[d] = config.matrix->reach()[d] > cut_halo;
  return in_groups(processes, config.blocks.empty() ? choose_parts(block, processes->count(), whole)
                                                    : given_parts(config, block, processes->count()));
}

class MatrixCase final : public ModelCase {
 public:
  MatrixCase(const Config& config, const std::shared_ptr<const Processes>& processes)
      : ModelCase(config.options, share_matrix(config, make_block(*config.matrix), processes),
                  make_block(*config.matrix)),
        config_(config),
        matrix_(*config.matrix),
        whole_(make_block(*config.matrix)) {
    std::optional<Box> own;
    if (part_.share) own = part_.share->cuts.patch(part_.share->patch());
    read_matrix(config, own, *processes);
    check_couplings(matrix_, part_);
  }

  void check_values() const override {
    const Box all = whole_.layout().box();
    sample_points(config_.problem.source, "source", whole_, all);
    if (config_.problem.initial) sample_points(*config_.problem.initial, "initial", whole_, all);
  }
  std::vector<std::string> statement() const override { return {"problem   A u = b, a matrix from a file"}; }
  bool on_boxes() const override { return true; }
  std::string smaller(bool, double, const Claim&) const override {
    return "raise this limit, use a machine with more memory, or precision: single";
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
            : fmt::format("not diagonally dominant (a row misses dominance by {:.2g} of its diagonal)",
                          -matrix_.dominance));
  }
  std::string demand() const override { return "; and the matrix must be positive definite"; }

  void observe(Summary& summary) override {
    constexpr double most = std::numeric_limits<double>::max();
    auto& s = summary.solution;
    s = {most, -most, 0, 0, {}, {}};
    const Field& u = scaled_back();
    for_each_own(u, [&](double value, int, int, int) {
      s.min = std::min(s.min, value);
      s.max = std::max(s.max, value);
      s.integral += value;
      s.l2 += value * value;
    });
    const Processes& all = *sharing_.processes;
    s.min = all.least(s.min);
    s.max = all.largest(s.max);
    s.integral = all.sum(s.integral);
    s.l2 = std::sqrt(all.sum(s.l2));
    for (const auto& point : config_.output.probes)
      summary.probes.push_back(
          {point, interpolate_at(part_, u, std::span(point).first(matrix_.shape[1] == 1 ? 1 : point.size()))});
  }

  OutputGrid output_grid() const override {
    OutputGrid grid;
    grid.dimension = matrix_.dimension();
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = 0; i < matrix_.shape[d]; ++i) grid.nodes[d].push_back(i);
    if (!part_.share) return grid;
    grid.part = shown_places(part_, Location::cell);
    if (matrix_.shape[1] == 1) grid.part->last[1] = grid.part->first[1];  // a 1D grid has one point and no cell along y
    return grid;
  }
  Pieces field(const FieldChoice& choice) override {
    if (values_.b.empty()) values_ = {of_matrix_->rhs(), of_matrix_->factors()};
    return choice.of_matrix(part_, *solver_, values_);
  }

 private:
  Plan make_plan(bool gpu) const override { return poisson::make_plan(matrix_, options_, gpu, sharing_); }
  std::unique_ptr<Model> make_model(Backend& backend) override {
    auto model =
        std::make_unique<MatrixModel>(backend, matrix_, sharing_, config_.problem.source, config_.problem.initial);
    of_matrix_ = model.get();
    return model;
  }
  /// Returns the solution in the units of the file.
  const Field& scaled_back() {
    const Field& u = solver_->solution();
    if (matrix_.exponents.empty()) return u;
    if (!host_) host_ = make_cpu_backend();
    u_ = Field(*host_, u.space(), Precision::fp64);
    const auto view = u_.view<double>();
    for_each_own(u, [&](double value, int i, int j, int k) { view(i, j, k) = value * of_matrix_->factor_at(i, j, k); });
    return u_;
  }

  const Config& config_;
  const BandedMatrix& matrix_;
  Block whole_;
  const MatrixModel* of_matrix_ = nullptr;  ///< model_, or null before it exists
  MatrixValues values_;                     ///< at the points that output files show
  std::unique_ptr<Backend> host_;
  Field u_;  ///< stored on `host_`
};

}  // namespace

std::unique_ptr<Case> make_matrix_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<MatrixCase>(config, processes);
}

}  // namespace poisson
