#include "solver/external_amg.hpp"

#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

MakeExternalAmg& provided() {
  static MakeExternalAmg make;
  return make;
}

/// Is a solve by a library as a preconditioner.
class ExternalPreconditioner final : public Preconditioner {
 public:
  ExternalPreconditioner(Backend& backend, const RowSystem& system, const RowSpace& space,
                         std::unique_ptr<ExternalAmg> amg, double scale, std::shared_ptr<int> iterations)
      : system_(system),
        space_(space),
        amg_(std::move(amg)),
        scale_(scale),
        iterations_(std::move(iterations)),
        rhs_(backend, space.space(), Precision::fp64),
        e_(backend, space.space(), Precision::fp64) {}

  Field& rhs() override { return rhs_; }
  // The library has A, while fields contain values of scale · A.
  void solve() override {
    *iterations_ += amg_->solve(get_rows(rhs_, space_), x_);
    if (system_.singular) remove_mean();
    put_rows(x_, space_, 1 / scale_, e_);
  }
  const Field& correction() const override { return e_; }

 private:
  // A library may add any constant to the solution of a singular system, and the length of a correction would show it.
  void remove_mean() {
    const auto n = static_cast<std::int64_t>(x_.size());
    const auto weight = [&](std::size_t i) { return system_.weights.empty() ? 1.0 : system_.weights[i]; };
    const double sum = sum_rows(
        n, [&](std::int64_t i) { return weight(static_cast<std::size_t>(i)) * x_[static_cast<std::size_t>(i)]; });
    const double mean = sum / sum_rows(n, [&](std::int64_t i) { return weight(static_cast<std::size_t>(i)); });
    for (double& value : x_) value -= mean;
  }

  const RowSystem& system_;
  RowSpace space_;
  std::unique_ptr<ExternalAmg> amg_;
  double scale_;
  std::shared_ptr<int> iterations_;
  std::vector<double> x_;
  Field rhs_, e_;
};

}  // namespace

void provide_external_amg(MakeExternalAmg make) {
  provided() = std::move(make);
}

bool has_external_amg() {
  return static_cast<bool>(provided());
}

ExternalRowsModel::ExternalRowsModel(Backend& backend, const RowSystem& system,
                                     std::shared_ptr<const Processes> processes)
    : system_(system), processes_(std::move(processes)), inner_(backend, system) {
  if (!has_external_amg())
    throw InputError(
        "solver.amg: this program was built without hypre and METIS; install them (scripts/setup) and build again, or "
        "write amg: own");
}

Plan ExternalRowsModel::plan(const Options& asked) const {
  Options options = asked;
  if (asked.method == Method::cg || asked.preconditioner == PreconditionerChoice::diagonal)
    throw InputError("solver.amg: hypre preconditions by multigrid; write method: multigrid");
  if (asked.krylov == Krylov::none) throw InputError("solver.amg: hypre runs conjugate gradients; write krylov: auto");
  options.method = Method::cg;
  options.preconditioner = PreconditionerChoice::automatic;
  options.precision = SolvePrecision::double_;
  Plan plan = inner_.plan(options);
  plan.options.krylov = Krylov::none;
  plan.options.amg = Amg::hypre;
  return plan;
}

std::unique_ptr<Preconditioner> ExternalRowsModel::preconditioner(const Options& options) const {
  *iterations_ = 0;
  return std::make_unique<ExternalPreconditioner>(
      inner_.backend(), system_, inner_.rows(), provided()(*processes_, system_, options), inner_.scale(), iterations_);
}

}  // namespace poisson
