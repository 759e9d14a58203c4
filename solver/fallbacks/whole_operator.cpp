#include "solver/fallbacks/whole_operator.hpp"

#include <utility>

#include "backends/device/backend.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/levels/band_probe.hpp"
#include "grids/levels/galerkin.hpp"

namespace poisson {
namespace {

class OfWhole final : public Preconditioner {
 public:
  OfWhole(const Operator& part, std::unique_ptr<Preconditioner> whole)
      : backend_(part.backend()),
        whole_(std::move(whole)),
        rhs_(backend_, part.space(), Precision::fp64),
        e_(backend_, part.space(), Precision::fp64) {}

  Field& rhs() override { return rhs_; }
  void solve() override {
    backend_.gather(rhs_, whole_->rhs());
    whole_->solve();
    backend_.extract_part(whole_->correction(), e_);
  }
  const Field& correction() const override { return e_; }

 private:
  Backend& backend_;
  std::unique_ptr<Preconditioner> whole_;
  Field rhs_, e_;
};

// Returns the global grid of a process's block.
Space whole_of(const Space& part) {
  Layout layout;
  layout.n = part.part().all();
  layout.periodic = part.part().closed();
  return {layout, part.part().all_unknowns()};
}

}  // namespace

std::shared_ptr<const Operator> whole_operator(const Operator& part, bool box) {
  Backend& backend = part.backend();
  const Layout& layout = part.space().part().layout();
  const Bands parts = probe_bands(part, box ? box_offsets(layout) : star_offsets(layout));
  return grid_kernels(backend).make_banded_operator(backend, gathered(backend, parts, whole_of(parts.space)),
                                                    Precision::fp64);
}

std::unique_ptr<Preconditioner> for_part(const Operator& part, std::unique_ptr<Preconditioner> whole) {
  return std::make_unique<OfWhole>(part, std::move(whole));
}

}  // namespace poisson
