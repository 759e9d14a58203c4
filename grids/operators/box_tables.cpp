#include "grids/operators/box_tables.hpp"

#include <algorithm>
#include <cmath>

#include "grids/rows/element_mass.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {
namespace {

template <class T>
Buffer on_backend(Backend& backend, const std::vector<T>& values) {
  Buffer buffer = backend.allocate(values.size() * sizeof(T));
  backend.write(values.data(), buffer.data(), values.size() * sizeof(T));
  return buffer;
}

template <class T>
std::array<Buffer, 3> masses_of(Backend& backend, const Block& block) {
  std::array<Buffer, 3> masses;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    const double unit = axis.unit();
    std::vector<T> mass;
    for (int i = 0; i < axis.size(); ++i) mass.push_back(static_cast<T>(axis.mass(i) / unit));
    masses[d] = on_backend(backend, mass);
  }
  return masses;
}

}  // namespace

template <class T>
BoxTables<T>::BoxTables(Backend& backend, const ElementRows& rows) {
  std::array<double, 3> unit{};
  double volume = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    unit[d] = rows.block.axes[d].unit();
    volume *= unit[d];
  }
  sigma_ = rows.scale * volume * (rows.sigma_cells ? 1 : rows.sigma);
  for (std::size_t m = 0; m < 3; ++m) {
    const std::size_t d = m == 2 ? 1 : 0, e = m == 0 ? 1 : 2;  // xy, xz, yz
    offdiagonal_[m] = 0.5 * rows.scale * volume / (unit[d] * unit[e]);
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = rows.block.axes[d];
    const double stiff = rows.scale * volume / unit[d];
    const int n = axis.size();
    const std::size_t length = static_cast<std::size_t>(n) + 2;
    std::vector<T> host(6 * length);
    for (int i = -1; i <= n && !axis.degenerate(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i) + 1;
      const double h = axis.width(i);
      const auto put = [&](std::size_t table, double value) { host[table * length + at] = static_cast<T>(value); };
      if (h > 0) {
        put(0, stiff * rows.kappa[d] / h);
        put(1, stiff / h);
      }
      // The ghost cells of σ; the index of the upper ghost cell is that of the last value.
      const bool ghost = h == 0 && (i == -1 || i == axis.cells());
      put(2, ghost ? (rows.sigma_cells ? 1 / unit[d] : 0) : rows.mass.own * h / unit[d]);
      put(3, rows.mass.off * h / unit[d]);
      if (i < 0 || i >= n) continue;
      put(4, axis.mass(i) / unit[d]);
      if (i == 0 && axis.kind(0) == BoundaryKind::robin) put(5, stiff * axis.alpha(0));
      if (i == n - 1 && axis.kind(1) == BoundaryKind::robin) put(5, stiff * axis.alpha(1));
    }
    if (axis.degenerate()) host[4 * length + 1] = T(1);
    buffers_[d] = on_backend(backend, host);
    const T* base = static_cast<const T*>(buffers_[d].data()) + 1;
    axes_[d] = {base,
                base + length,
                base + 2 * length,
                base + 3 * length,
                base + 4 * length,
                base + 5 * length,
                axis.equidistant() ? axis.cells() : 0};
  }
  sigma_cells_ = in_precision<T>(backend, rows.sigma_cells);
  if (rows.kappa_source) {
    const double** centres[3]{&places_.cx, &places_.cy, &places_.cz};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = rows.block.axes[d];
      centres_[d] = on_backend(backend, cell_coordinates(axis, rows.kappa_source->points));
      *centres[d] = static_cast<const double*>(centres_[d].data()) + 1;
      places_.begin[d] = axis.open(0) ? 0 : -1;
      places_.end[d] = axis.cells() + (axis.open(1) ? 0 : 1);
    }
    return;
  }
  const auto dimension = static_cast<std::size_t>(rows.block.dimension());
  for (std::size_t d = 0; d < (rows.isotropic() ? 1 : dimension) && rows.variable(); ++d)
    kappa_.push_back(in_precision<T>(backend, rows.cells[d]));
  for (std::size_t m = 0; m < (dimension == 3 ? 3 : 1) && rows.full_tensor(); ++m)
    kappa_.push_back(in_precision<T>(backend, rows.offdiagonal[m]));
}

template <class T>
std::size_t BoxTables<T>::bytes() const {
  std::size_t sum = sigma_cells_ ? sigma_cells_->bytes() : 0;
  for (const Buffer& b : buffers_) sum += b.bytes();
  for (const Buffer& b : centres_) sum += b.bytes();
  for (const auto& field : kappa_) sum += field->bytes();
  return sum;
}

template <class T>
template <class Coefficients>
Coefficients BoxTables<T>::model() const {
  Coefficients c{};
  c.x = axes_[0];
  c.y = axes_[1];
  c.z = axes_[2];
  c.sigma = static_cast<T>(sigma_);
  if constexpr (requires { c.kappa; })
    for (std::size_t k = 0; k < std::size(c.kappa); ++k) c.kappa[k] = kappa_[k]->template view<T>();
  if constexpr (std::is_base_of_v<CellPlaces, Coefficients>) static_cast<CellPlaces&>(c) = places_;
  if constexpr (requires { c.sigma_cells; }) {
    if (sigma_cells_) c.sigma_cells = sigma_cells_->template view<T>();
    for (std::size_t m = 0; m < 3; ++m) c.offdiagonal[m] = static_cast<T>(offdiagonal_[m]);
  }
  return c;
}

template <class T>
BandTables<T>::BandTables(Backend& backend, const Space& space, int count) {
  for (int b = 0; b < count; ++b) {
    own_.push_back(std::make_shared<Field>(backend, space, precision_of<T>));
    bands_.push_back(own_.back());
  }
}

template <class T>
BandTables<T>::BandTables(Backend& backend, const Block& block, int count) : BandTables(backend, block.space(), count) {
  masses_ = masses_of<T>(backend, block);
}

template <class T>
BandTables<T>::BandTables(Backend& backend, const Block& block, const std::vector<Offset>& stored, const Bands& bands)
    : masses_(masses_of<T>(backend, block)) {
  bands_.push_back(in_precision<T>(backend, bands.sum));
  std::shared_ptr<const Field> zero;
  for (const Offset& offset : stored) {
    const auto at = std::ranges::find(bands.offsets, offset);
    if (at != bands.offsets.end()) {
      bands_.push_back(in_precision<T>(backend, bands.entries[static_cast<std::size_t>(at - bands.offsets.begin())]));
    } else {
      if (!zero) zero = std::make_shared<Field>(backend, bands.space, precision_of<T>);
      bands_.push_back(zero);
    }
  }
}

template <class T>
template <class Coefficients>
Coefficients BandTables<T>::model() const {
  Coefficients c{};
  c.bands.shape = bands_.front()->template view<T>();
  for (std::size_t b = 0; b < bands_.size(); ++b) c.bands.band[b] = bands_[b]->template view<T>().data;
  if constexpr (requires { c.axes; })
    c.axes = {static_cast<const T*>(masses_[0].data()), static_cast<const T*>(masses_[1].data()),
              static_cast<const T*>(masses_[2].data())};
  return c;
}

template <class T>
template <int count>
BandViews<T, count> BandTables<T>::views() {
  BandViews<T, count> v{};
  v.shape = own_.front()->template view<T>();
  for (std::size_t b = 0; b < own_.size(); ++b) v.band[b] = own_[b]->template view<T>().data;
  return v;
}

template <class T>
void BandTables<T>::exchange() {
  std::vector<const Field*> bands;
  for (const auto& band : own_) bands.push_back(band.get());
  own_.front()->backend().exchange_fields(bands);
}

template <class T>
std::size_t BandTables<T>::bytes() const {
  std::size_t sum = 0;
  for (auto band = bands_.begin(); band != bands_.end(); ++band)
    if (std::find(bands_.begin(), band, *band) == band) sum += (*band)->bytes();
  for (const Buffer& mass : masses_) sum += mass.bytes();
  return sum;
}

#define POISSON_INSTANTIATE_TENSOR(T, D, kind)                         \
  template BoxPartial<T, D, Tensor::kind> BoxTables<T>::model() const; \
  template RecomputeElements<T, D, Tensor::kind, KappaAtRunTime> BoxTables<T>::model() const
#define POISSON_INSTANTIATE_DIMENSION(T, D)              \
  template BoxProduct<T, D> BoxTables<T>::model() const; \
  POISSON_INSTANTIATE_TENSOR(T, D, isotropic);           \
  POISSON_INSTANTIATE_TENSOR(T, D, diagonal);            \
  POISSON_INSTANTIATE_TENSOR(T, D, full);                \
  template BoxBands<T, D> BandTables<T>::model() const;  \
  template BandViews<T, band_count<BoxRow<T, D>>> BandTables<T>::views()
#define POISSON_INSTANTIATE(T)                        \
  template class BoxTables<T>;                        \
  template class BandTables<T>;                       \
  POISSON_INSTANTIATE_DIMENSION(T, 2);                \
  POISSON_INSTANTIATE_DIMENSION(T, 3);                \
  template StarBands<T> BandTables<T>::model() const; \
  template LineBands<T> BandTables<T>::model() const; \
  template BandViews<T, 2> BandTables<T>::views();    \
  template BandViews<T, 4> BandTables<T>::views()
POISSON_INSTANTIATE(float);
POISSON_INSTANTIATE(double);
#undef POISSON_INSTANTIATE
#undef POISSON_INSTANTIATE_DIMENSION
#undef POISSON_INSTANTIATE_TENSOR

}  // namespace poisson
