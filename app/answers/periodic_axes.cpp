#include "app/answers/periodic_axes.hpp"

#include <cstddef>

#include "app/cases/model_case.hpp"
#include "backends/device/backend.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "solver/grid_model.hpp"

namespace poisson {
namespace {

// Keeps the solution along the first axis of a case while other axes use its levels.
class FirstSolution {
 public:
  FirstSolution(Case& work, int axis)
      : work_(work),
        model_(dynamic_cast<GridModel&>(dynamic_cast<ModelCase&>(work).model())),
        solver_(dynamic_cast<ModelCase&>(work).solver()),
        axis_(axis),
        u_(copy(solver_.solution())),
        b_(copy(solver_.rhs())) {
    if (const FloatingBodies* bodies = model_.discretization().media()->floating())
      for (const FloatingBody& body : bodies->all()) floating_.push_back(body.value);
  }

  void restore() {
    work_.drive_along(axis_);
    work_.fill();
    if (!floating_.empty()) model_.set_floating(floating_);
    model_.backend().convert(u_, solver_.solution());
    model_.backend().convert(b_, solver_.rhs());
  }

 private:
  Field copy(const Field& from) const {
    Field to(model_.backend(), from.space(), from.precision());
    model_.backend().convert(from, to);
    return to;
  }

  Case& work_;
  GridModel& model_;
  Solver& solver_;
  int axis_;
  Field u_, b_;
  std::vector<double> floating_;
};

}  // namespace

int solve_periodic_axes(Case& work, const std::vector<int>& axes, const std::function<bool()>& stopped,
                        const std::function<void(int axis, bool converged)>& add) {
  if (axes.size() == 1) return 0;
  FirstSolution first(work, axes[0]);
  int iterations = 0;
  try {
    for (std::size_t n = 1; n < axes.size(); ++n) {
      if (stopped()) {
        add(axes[n], false);
        continue;
      }
      work.drive_along(axes[n]);
      work.fill();
      const Result result = work.solve(false, [&](const Solver::Progress&) { return !stopped(); });
      iterations += result.iterations;
      add(axes[n], result.converged());
    }
  } catch (...) {
    first.restore();
    throw;
  }
  first.restore();
  return iterations;
}

}  // namespace poisson
