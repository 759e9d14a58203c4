#include "grids/operators/axis_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backends/device/shared_fields.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {
namespace {

// Returns the centres and widths of cells −1 … n. For cell-centred axes a cell beyond an open end repeats the last
// cell.
std::vector<double> cells_along(const Axis& axis, CellPoints points) {
  std::vector<double> along = cell_coordinates(axis, points);
  const int n = static_cast<int>(along.size()) - 2;
  const bool cells = axis.centering() == Centering::cell;
  if (cells && axis.open(0)) along.front() = along[1];
  if (cells && axis.open(1)) along.back() = along[static_cast<std::size_t>(n)];
  for (int i = -1; i <= n; ++i) along.push_back(axis.width(cells ? axis.inner_cell(i) : i));
  return along;
}

}  // namespace

template <class T>
std::shared_ptr<const Field> in_precision(Backend& backend, const std::shared_ptr<const Field>& field) {
  if (!field) return nullptr;
  std::shared_ptr<const Field> typed = field;
  if (field->precision() != precision_of<T>) {
    auto copy = std::make_shared<Field>(backend, field->space(), precision_of<T>);
    backend.convert(*field, *copy);
    typed = std::move(copy);
  }
  backend.exchange(*typed, field->space().is_global() ? 1 : cut_halo);  // also fills rows in the halo
  return shared_field(backend, std::move(typed));
}
template std::shared_ptr<const Field> in_precision<float>(Backend&, const std::shared_ptr<const Field>&);
template std::shared_ptr<const Field> in_precision<double>(Backend&, const std::shared_ptr<const Field>&);

template <class T>
CoefficientTables<T>::CoefficientTables(Backend& backend, const LevelRows& rows) : rows_(rows) {
  // Lengths are stored in units of a power of two near the cell size of each axis, and couplings contain the remaining
  // factors. No product of three lengths then leaves the range of T. The scaling is exact, because only exponents
  // change.
  double volume = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = rows.block.axes[d];
    unit_[d] = axis.unit();
    volume *= unit_[d];
  }
  rows_.sigma *= rows.scale * volume;
  for (std::size_t d = 0; d < 3; ++d) coupling_scale_[d] = rows.scale * volume / unit_[d];
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = rows.block.axes[d];
    // The four arrays have indices −1 … size. Beyond the cuts of a window they also cover the rows in the halo.
    const auto rows_past = [&](int end) { return axis.is_global() || axis.open(end) ? 0 : cut_halo - 1; };
    const int first = -rows_past(0), last = axis.size() + rows_past(1);
    const std::size_t length = static_cast<std::size_t>(last - first) + 2;
    std::vector<T> host(4 * length);
    for (int i = first - 1; i <= last; ++i) {
      const auto at = static_cast<std::size_t>(i - first + 1);
      const bool inside = i >= first && i < last;
      if (i < last) host[at] = static_cast<T>(coupling_scale_[d] * axis.coupling(i, rows.kappa[d]));
      if (inside) host[length + at] = static_cast<T>(axis.mass(i) / unit_[d]);
      host[2 * length + at] = static_cast<T>(0.5 * axis.width(axis.inner_cell(i)) / unit_[d]);
      if (i < last) host[3 * length + at] = static_cast<T>(coupling_scale_[d] * axis.inverse_distance(i));
    }
    axes_[d].buffer = backend.allocate(host.size() * sizeof(T));
    backend.write(host.data(), axes_[d].buffer.data(), host.size() * sizeof(T));
    const T* base = static_cast<const T*>(axes_[d].buffer.data()) + 1 - first;
    axes_[d].view = {base, base + length, base + 2 * length, base + 3 * length};
  }
}

template <class T>
CoefficientTables<T>::CoefficientTables(Backend& backend, const NodeRows& rows)
    : CoefficientTables(backend, static_cast<const LevelRows&>(rows)) {
  hold(backend, rows.cells, rows.reaction);
}

template <class T>
CoefficientTables<T>::CoefficientTables(Backend& backend, const FaceRows& rows)
    : CoefficientTables(backend, static_cast<const LevelRows&>(rows)) {
  ends_ = rows.ends;
  hold(backend, rows.faces, rows.reaction);
}

template <class T>
void CoefficientTables<T>::hold(Backend& backend, const FieldPerAxis& kappa,
                                const std::shared_ptr<const Field>& reaction) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (!rows_.kappa_source) {
      // A missing direction has the same κ, or its κ has no effect.
      kappa_[d] = kappa[d] ? in_precision<T>(backend, kappa[d]) : kappa_[0];
      continue;
    }
    const std::vector<double> along = cells_along(rows_.block.axes[d], rows_.kappa_source->points);
    cells_along_[d] = backend.allocate(along.size() * sizeof(double));
    backend.write(along.data(), cells_along_[d].data(), along.size() * sizeof(double));
  }
  reaction_ = in_precision<T>(backend, reaction);
}

template <class T>
std::size_t CoefficientTables<T>::bytes() const {
  std::size_t sum = reaction_ ? reaction_->bytes() : 0;
  for (std::size_t d = 0; d < 3; ++d) {
    sum += axes_[d].buffer.bytes() + cells_along_[d].bytes();
    if (kappa_[d] && (d == 0 || kappa_[d] != kappa_[0])) sum += kappa_[d]->bytes();
  }
  return sum;
}

template <class T>
template <class Coefficients>
Coefficients CoefficientTables<T>::model() const {
  const T sigma = static_cast<T>(rows_.sigma);
  if constexpr (std::is_same_v<Coefficients, Equidistant<T>>) {
    const auto direction = [&](std::size_t d) -> typename Equidistant<T>::Direction {
      const Axis& axis = rows_.block.axes[d];
      const int last = axis.size() - 1;
      const auto coupling = [&](int i) {
        return static_cast<T>(coupling_scale_[d] * axis.coupling(i, rows_.kappa[d]));
      };
      return {axis.degenerate() ? T(0) : coupling(0),
              coupling(-1),
              coupling(last),
              static_cast<T>(axis.width(0) / unit_[d]),
              static_cast<T>(axis.mass(0) / unit_[d]),
              static_cast<T>(axis.mass(last) / unit_[d]),
              last};
    };
    return {direction(0), direction(1), direction(2), sigma};
  } else if constexpr (std::is_same_v<Coefficients, TensorProduct<T>>) {
    return {axes_[0].view, axes_[1].view, axes_[2].view, sigma, rows_.decoupled};
  } else if constexpr (std::is_base_of_v<RecomputeTables<T>, Coefficients>) {
    Coefficients c{};
    c.x = axes_[0].view;
    c.y = axes_[1].view;
    c.z = axes_[2].view;
    c.cx = static_cast<const double*>(cells_along_[0].data()) + 1;
    c.cy = static_cast<const double*>(cells_along_[1].data()) + 1;
    c.cz = static_cast<const double*>(cells_along_[2].data()) + 1;
    if (reaction_) c.reaction = reaction_->template view<T>();
    c.sigma = sigma;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = rows_.block.axes[d];
      c.first[d] = axis.open(0) ? 0 : -2;
      c.last[d] = axis.open(1) ? axis.size() - 1 : -2;
      if constexpr (std::is_base_of_v<RecomputeFaceTables<T>, Coefficients>) {
        c.width[d] = (d == 0 ? c.cx : d == 1 ? c.cy : c.cz) + std::max(1, axis.cells()) + 2;
        if (ends_[d]) c.ends[d] = ends_[d]->template view<double>();
        for (int end = 0; end < 2; ++end) c.robin[d][end] = ends_[d] && axis.kind(end) == BoundaryKind::robin;
      }
    }
    return c;
  } else {
    Coefficients c{};
    c.x = axes_[0].view;
    c.y = axes_[1].view;
    c.z = axes_[2].view;
    for (std::size_t d = 0; d < std::size(c.kappa); ++d) c.kappa[d] = kappa_[d]->template view<T>();
    if (reaction_) c.reaction = reaction_->template view<T>();
    c.sigma = sigma;
    c.decoupled = rows_.decoupled;
    return c;
  }
}

#define POISSON_INSTANTIATE(T)                                                    \
  template class CoefficientTables<T>;                                            \
  template Equidistant<T> CoefficientTables<T>::model() const;                    \
  template TensorProduct<T> CoefficientTables<T>::model() const;                  \
  template Partial<T, true> CoefficientTables<T>::model() const;                  \
  template Partial<T, false> CoefficientTables<T>::model() const;                 \
  template Recompute<T, KappaAtRunTime> CoefficientTables<T>::model() const;      \
  template RecomputeFaces<T, KappaAtRunTime> CoefficientTables<T>::model() const; \
  template Faces<T> CoefficientTables<T>::model() const
POISSON_INSTANTIATE(float);
POISSON_INSTANTIATE(double);
#undef POISSON_INSTANTIATE

}  // namespace poisson
