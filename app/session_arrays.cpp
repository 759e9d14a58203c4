// The arrays that a program gives to a session and receives from it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/reasons.hpp"
#include "app/session.hpp"
#include "backends/device/unknowns.hpp"
#include "backends/memory/places.hpp"
#include "backends/spaces/is_box.hpp"
#include "grids/results/region_results.hpp"
#include "io/config/given_array.hpp"

namespace poisson {
namespace {

std::size_t bytes_of(const Array& array) {
  return bytes_of(array.precision) * static_cast<std::size_t>(array.shape[0]) *
         static_cast<std::size_t>(array.shape[1]) * static_cast<std::size_t>(array.shape[2]);
}

}  // namespace

void Session::put_unknowns(const Values& values, double factor, Field& field) const {
  if (values.on_device == backend_->on_gpu()) return import_values(values.array, factor, field);
  const Buffer there = backend_->allocate(bytes_of(values.array));
  backend_->write(values.array.data, there.data(), there.bytes());
  import_values({there.data(), values.array.precision, values.array.shape}, factor, field);
}

void Session::take_values(const Field& field, double factor, const Values& values) const {
  if (values.on_device == backend_->on_gpu()) return export_values(field, factor, values.array);
  const Buffer there = backend_->allocate(bytes_of(values.array));
  export_values(field, factor, {there.data(), values.array.precision, values.array.shape});
  backend_->read(there.data(), values.array.data, there.bytes());
}

// Does the same as set_gaps of the results, for problems that have materials.
void Session::set_gaps(double otherwise, Field& u, bool fixed_values) const {
  const auto* model = dynamic_cast<const GridModel*>(&dynamic_cast<ModelCase&>(*case_).model());
  if (model && model->discretization().media()) poisson::set_gaps(model->discretization(), otherwise, u, fixed_values);
}

void Session::solution(const Values& u, double factor) {
  set_gaps(std::numeric_limits<double>::quiet_NaN(), solver_->solution());
  take_values(solver_->solution(), factor, u);
  set_gaps(0, solver_->solution());
}

void Session::gradient(DataGradient kind, const GradientArrays& arrays, const Values& to) {
  compute_gradient(to.on_device ? backend_.get() : nullptr, discretization().block(), kind, arrays, to.array);
}

// Large jumps of κ make solves check the flows, which needs the sums of the source.
bool Session::checks_flows() const {
  constexpr double checked_range = 1e2;
  const auto* model = dynamic_cast<const GridModel*>(&dynamic_cast<ModelCase&>(*case_).model());
  return !model || model->kappa().jumps.range >= checked_range;
}

bool Session::can_lend() const {
  return processes_.all->alone() && !checks_flows() && discretization().problem().scheme == Scheme::fv &&
         poisson::on_host(solver_->rhs()) && !solver_->options().extrapolate && !config_->problem.initial;
}

// Returns whether a solve leaves some values of u or b as they are, because these are no unknowns. All processes agree.
bool Session::fixes_values() const {
  const Space& space = solver_->rhs().space();
  const std::array<int, 3>& n = space.part().all();
  return !zero_halo_ || !is_box(space) || space.part().all_unknowns().size() != std::int64_t{n[0]} * n[1] * n[2];
}

// Fills b, and u unless nothing of it but its unknowns can differ from zero.
void Session::fill() {
  with_places(*config_, [&] {
    if (checks_flows() || solver_->options().extrapolate)
      case_->fill();
    else
      case_->refill(fixes_values() || !has_no_face_data() || config_->problem.initial);
    return 0;
  });
}

bool Session::lend_source(const double* values) {
  if (!can_lend()) return false;
  updated_ = updated_ || config_->output.effective;
  lent_ = values;
  narrow_lent_ = nullptr;
  return true;
}

bool Session::lend_source(const float* values) {
  if (!can_lend()) return false;
  updated_ = updated_ || config_->output.effective;
  lent_ = nullptr;
  narrow_lent_ = values;
  return true;
}

// Adds volume times source to b. Returns the sum of magnitudes, which shows values that are not finite.
template <class T>
double Session::fill_lent(const T* values) {
  const Block& block = discretization().block();
  Field& b = solver_->rhs();
  const Box box = b.space().part().unknowns();
  const double scale = solver_->A().scale();
  const std::int64_t plane = std::int64_t{shape_[0]} * shape_[1];
  std::vector<double> mass;
  for (int i = box.first[0]; i < box.last[0]; ++i) mass.push_back(scale * block.axes[0].mass(i));
  double sum = 0;
  dispatch(b.precision(), [&]<class U>(U) {
    const View<U> view = b.view<U>();
#pragma omp parallel for collapse(2) reduction(+ : sum) if (box.size() > 100000)
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        const double area = block.axes[1].mass(j) * block.axes[2].mass(k);
        const T* const line = values + k * plane + static_cast<std::int64_t>(j) * shape_[0];
        U* const row = view.line(j, k);
        double of_line = 0;
        for (int i = box.first[0]; i < box.last[0]; ++i) {
          const double value = area * mass[static_cast<std::size_t>(i - box.first[0])] * static_cast<double>(line[i]);
          row[i] = has_base_ ? static_cast<U>(row[i] + value) : static_cast<U>(value);
          of_line += std::abs(value);
        }
        sum += of_line;
      }
  });
  return sum;
}

void Session::fill_with_lent() {
  Field& b = solver_->rhs();
  if (!lent_filled_) {
    with_places(*config_, [&] {
      grid_model().update({.source = Quantity(0.0)});
      return case_->fill();
    });
    Scalar norm = backend_->scalar();
    backend_->dot(b, b, norm);
    has_base_ = backend_->value(norm) > 0;
    if (has_base_) {
      if (!base_) base_ = Field(*backend_, b.space(), b.precision());
      backend_->copy(b, base_);
    }
    lent_filled_ = true;
  } else {
    clear_unknowns(solver_->solution());
    if (has_base_) backend_->copy(base_, b);
  }
  const double sum = lent_ ? fill_lent(lent_) : fill_lent(narrow_lent_);
  if (std::isfinite(sum)) return;
  own_source();
  with_places(*config_, [&] { return case_->fill(); });  // reports the value and its place
}

// Copies a lent source into the model, for everything that needs it there.
void Session::own_source() {
  if (!lent_ && !narrow_lent_) return;
  auto array = std::make_shared<GridArray>();
  const std::size_t count = static_cast<std::size_t>(shape_[0]) * shape_[1] * shape_[2];
  for (std::size_t d = 0; d < 3; ++d) array->shape[d] = shape_[d];
  array->location = discretization().block().location();
  if (lent_)
    array->values.assign(lent_, lent_ + count);
  else
    array->values.assign(narrow_lent_, narrow_lent_ + count);
  grid_model().update({.source = Quantity(std::shared_ptr<const GridArray>(array))});
  lent_filled_ = false;
}

}  // namespace poisson
