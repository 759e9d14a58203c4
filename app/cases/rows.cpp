// This case solves a sparse system of any pattern from a file.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "app/cases/case.hpp"
#include "app/cases/rows_words.hpp"
#include "backends/memory/error.hpp"
#include "grids/compact/general_rows.hpp"
#include "io/config/config_rows.hpp"
#include "io/files/vector_output.hpp"
#include "solver/external_amg.hpp"
#include "solver/general_rows_model.hpp"

namespace poisson {
namespace {

class RowsCase final : public Case {
 public:
  explicit RowsCase(const Config& config) : config_(config), rows_(*config.rows), options_(config.options) {}

  void check_values() const override {}
  const Plan& plan(bool gpu) const override {
    if (!plan_) {
      const auto host = make_cpu_backend();
      plan_ = make_model(*host)->plan(options_);
      count_row_bytes(*plan_, {rows_.system.rows(), rows_.system.entries(), gpu, false});
    }
    return *plan_;
  }
  const Sharing& sharing() const override { return sharing_; }
  std::vector<std::string> statement() const override { return {"problem   A u = b, a matrix from a file"}; }
  bool on_boxes() const override { return false; }
  std::string smaller(bool, double, const Claim&) const override {
    return "raise this limit, use a machine with more memory, or method: cg";
  }

  Solver& make_solver(Backend& backend, Profile* profile) override {
    model_ = make_model(backend);
    const Plan& counted = plan(backend.on_gpu());
    const auto* general = dynamic_cast<const GeneralRowsModel*>(model_.get());
    solver_ = general ? make_general_solver(*general, options_, profile, &counted)
                      : poisson::make_solver(*model_, options_, profile, &counted);
    return *solver_;
  }
  void widen() override {
    options_.precision = SolvePrecision::mixed;
    plan_.reset();
    solver_.reset();
    model_.reset();
  }
  double fill() override {
    const double size = model_->fill(solver_->rhs(), solver_->solution());
    if (config_.problem.initial) solver_->solution().backend().fill(solver_->solution(), *initial());
    return size;
  }
  Result solve(bool given_guess, const Solver::Listener& listener, Model::Data) const override {
    Result result = solver_->solve(given_guess, listener);
    add_library_steps(*model_, result);
    return result;
  }
  std::vector<std::string> table() const override { return describe_rows(rows_, config_.matrix_file.string()); }

  void describe(RunHeader& header, Summary& summary) const override {
    const CsrMatrix& A = rows_.system.A;
    summary.unknowns = header.unknowns = A.rows();
    summary.dimension = 0;
    summary.rows = Summary::Rows{A.rows(), A.entries(), rows_.is_symmetric(), rows_.asymmetry, rows_.system.singular};
    header.problem = "A u = b, a matrix from a file";
    header.grid = config_.matrix_file.string();
    header.matrix = fmt::format("{} rows, {} entries, {}", A.rows(), A.entries(),
                                rows_.is_symmetric() ? "symmetric" : "unsymmetric");
    if (model_) header.matrix += size_of_levels(*model_);
  }
  std::string demand() const override {
    return rows_.is_symmetric() ? "; and the matrix must be positive definite"
                                : "; and the symmetric part of the matrix must be positive definite";
  }

  void observe(Summary& summary) override {
    u_ = get_rows(solver_->solution(), RowSpace(rows_.system.rows()));
    double least = std::numeric_limits<double>::max(), largest = -least, sum = 0, squares = 0;
    for (const double u : u_) {
      least = std::min(least, u);
      largest = std::max(largest, u);
      sum += u;
      squares += u * u;
    }
    summary.solution = {least, largest, sum, std::sqrt(squares), {}, {}};
  }

  OutputGrid output_grid() const override { return {}; }
  Pieces field(const FieldChoice&) override { throw std::logic_error("a matrix has no planes"); }
  std::optional<std::vector<std::string>> own_files() const override {
    std::vector<std::string> names;
    for (const std::string& format : config_.output.formats)
      for (const std::string& field : config_.output.fields) names.push_back(vector_file(field, format));
    return names;
  }
  void write_own(const std::filesystem::path& folder, Summary& summary) override {
    for (const std::string& format : config_.output.formats)
      for (const std::string& field : config_.output.fields) {
        const std::filesystem::path path = write_vector(folder, field, format, field == "u" ? u_ : residual());
        summary.files.push_back({path.filename().string(), std::filesystem::file_size(path)});
      }
  }

 private:
  std::unique_ptr<Model> make_model(Backend& backend) const {
    if (options_.amg == Amg::hypre)
      return std::make_unique<ExternalRowsModel>(backend, rows_.system, sharing_.processes);
    return std::make_unique<GeneralRowsModel>(backend, rows_);
  }
  const double* initial() const { return config_.problem.initial->constant(); }
  std::vector<double> residual() const {
    const CsrMatrix& A = rows_.system.A;
    std::vector<double> r(rows_.system.b);
    for_rows(A.rows(), [&](std::int64_t i) {
      double product = 0;
      for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
        product +=
            A.value[static_cast<std::size_t>(k)] * u_[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])];
      r[static_cast<std::size_t>(i)] -= product;
    });
    return r;
  }

  const Config& config_;
  const GeneralRows& rows_;
  Options options_;
  Sharing sharing_;
  mutable std::optional<Plan> plan_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Solver> solver_;
  std::vector<double> u_;  ///< after observe
};

}  // namespace

std::unique_ptr<Case> make_rows_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (!processes->alone())
    throw InputError(
        "matrices of any sparsity are solved by one process in this version: start it without mpirun; it uses all "
        "cores");
  return std::make_unique<RowsCase>(config);
}

}  // namespace poisson
