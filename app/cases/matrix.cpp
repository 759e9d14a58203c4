// This case reads its matrix from a file. Its unknowns are points of an index grid.

#include "solver/matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/cases/case.hpp"
#include "backends/memory/places.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {
namespace {

// Returns the values at all points of a box, x fastest.
std::vector<double> sampled(const Quantity& quantity, std::string_view name, const Block& whole, const Box& box) {
  try {
    return sample(quantity, name, Sign::any, {whole}, Location::node, box);
  } catch (const ValueError& error) {
    throw ValueErrors({error});
  }
}

// Multiplies each value by `factor` of its index and stores it in the sub-block of this process. `values` belong to the
// points of `points`, which include the ones shared with the next processes.
template <class Factor>
void put(const std::vector<double>& values, const Box& points, const Factor& factor, Field& field) {
  const auto host = make_cpu_backend();
  Field staging(*host, field.space(), field.precision());
  const std::int64_t nx = points.last[0] - points.first[0], ny = points.last[1] - points.first[1];
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = staging.view<T>();
    for_each_place(field.layout().box(), [&](int i, int j, int k) {
      const auto n = static_cast<std::size_t>((k * ny + j) * nx + i);
      view(i, j, k) = static_cast<T>(factor(n) * values[n]);
    });
  });
  transfer(staging, field);
}

// Calls f(value, i, j, k) for each value of a field that this process owns.
template <class F>
void for_each_own(const Field& field, const F& f) {
  const HostRead read(field);
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = (*read).view<T>();
    for_each_place(field.layout().box(), [&](int i, int j, int k) { f(static_cast<double>(view(i, j, k)), i, j, k); });
  });
}

Sharing shared_by(const Config& config, const Block& block, const std::shared_ptr<const Processes>& processes) {
  if (processes->alone()) return {};
  std::array<bool, 3> whole{};  // from the reach that the file declares, because its entries are not read yet
  for (std::size_t d = 0; d < 3; ++d) whole[d] = config.matrix->reach()[d] > cut_halo;
  return in_groups(processes, config.blocks.empty() ? choose_parts(block, processes->count(), whole)
                                                    : given_parts(config, block, processes->count()));
}

class MatrixCase final : public Case {
 public:
  MatrixCase(const Config& config, const std::shared_ptr<const Processes>& processes)
      : config_(config),
        matrix_(*config.matrix),
        options_(config.options),
        whole_(make_block(*config.matrix)),
        sharing_(shared_by(config, whole_, processes)),
        part_(sharing_.part_of(whole_)),
        points_(shown_places(part_, Location::node)) {
    std::optional<Box> own;
    if (part_.share) own = part_.share->cuts.patch(part_.share->patch());
    read_matrix(config, own, *processes);
    check_couplings(matrix_, part_);
  }

  void check_values() const override {
    const Box all = whole_.layout().box();
    sampled(config_.problem.source, "source", whole_, all);
    if (config_.problem.initial) sampled(*config_.problem.initial, "initial", whole_, all);
  }
  Plan plan(bool gpu) const override { return make_plan(matrix_, options_, gpu); }
  std::vector<std::string> statement() const override { return {"problem   A u = b, a matrix from a file"}; }
  bool on_boxes() const override { return true; }
  std::string smaller(bool, double, const Claim&) const override {
    return "raise this limit, use a machine with more memory, or precision: single";
  }

  void widen() override {
    options_.precision = SolvePrecision::mixed;
    solver_.reset();
  }

  Solver& make_solver(Backend& backend, Profile* profile) override {
    solver_ = poisson::make_solver(backend, matrix_, options_, profile, sharing_);
    return *solver_;
  }

  double fill() override {
    values_ = {};
    if (matrix_.rhs.empty())
      values_.b = sampled(config_.problem.source, "source", whole_, points_);
    else
      for_each_place(points_, [&](int x, int y, int z) { values_.b.push_back(matrix_.rhs[matrix_.place(x, y, z)]); });
    if (!matrix_.exponents.empty())
      for_each_place(points_,
                     [&](int x, int y, int z) { values_.factors.push_back(matrix_.factor(matrix_.place(x, y, z))); });
    const double scale = solver_->A().scale();
    const auto factor = [&](std::size_t n) { return values_.factors.empty() ? 1 : values_.factors[n]; };
    put(
        values_.b, points_, [&](std::size_t n) { return scale * factor(n); }, solver_->rhs());
    if (config_.problem.initial)
      put(
          sampled(*config_.problem.initial, "initial", whole_, points_), points_,
          [&](std::size_t n) { return 1 / factor(n); }, solver_->solution());
    double size = 0;
    for_each_own(solver_->rhs(),
                 [&](double b, int i, int j, int k) { size += std::abs(b / scale / factor_at(i, j, k)); });
    return sharing_.processes->sum(size);
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
  const Sharing& sharing() const override { return sharing_; }
  std::vector<std::vector<int>> cuts() const override {
    if (!part_.share) return {};
    const auto& first = part_.share->cuts.first;
    return {first.begin(), first.begin() + matrix_.dimension()};
  }
  Pieces field(const FieldChoice& choice) override { return choice.of_matrix(part_, *solver_, values_); }

 private:
  /// Returns the ratio of u to the solver's value at (i, j, k) of this process's sub-block.
  double factor_at(int i, int j, int k) const {
    const auto& first = part_.space().origin();
    return matrix_.factor(matrix_.place(first[0] + i, first[1] + j, first[2] + k));
  }
  /// Returns the solution in the units of the file.
  const Field& scaled_back() {
    const Field& u = solver_->solution();
    if (matrix_.exponents.empty()) return u;
    if (!host_) host_ = make_cpu_backend();
    u_ = Field(*host_, u.space(), Precision::fp64);
    const auto view = u_.view<double>();
    for_each_own(u, [&](double value, int i, int j, int k) { view(i, j, k) = value * factor_at(i, j, k); });
    return u_;
  }

  const Config& config_;
  const BandedMatrix& matrix_;
  Options options_;
  Block whole_;
  Sharing sharing_;
  Block part_;  ///< the sub-block of this process
  Box points_;  ///< points that output files show
  std::unique_ptr<Solver> solver_;
  MatrixValues values_;  ///< values at `points_`
  std::unique_ptr<Backend> host_;
  Field u_;  ///< stored on `host_`
};

}  // namespace

std::unique_ptr<Case> make_matrix_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<MatrixCase>(config, processes);
}

}  // namespace poisson
