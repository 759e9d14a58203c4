#include "backends/axis_products.hpp"

#include <algorithm>
#include <utility>

#include "backends/axis_transforms.hpp"
#include "backends/cpu/axis_products.hpp"
#include "backends/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/axis_products.hpp"
#endif

namespace poisson {
namespace {

// Columns of modes begin on 128 bytes.
constexpr int pitch_of(int rows) {
  return (rows + 15) / 16 * 16;
}

// Values that are transformed at a time: on a GPU products that fill it, on a CPU some of its cache.
constexpr std::int64_t slab_values(bool gpu) {
  return std::int64_t{1} << (gpu ? 24 : 19);
}

std::vector<int> transformed(const TensorInverse& inverse) {
  std::vector<int> axes;
  for (int d = 0; d < 3; ++d)
    if (inverse.transformed[static_cast<std::size_t>(d)]) axes.push_back(d);
  return axes;
}

// Two products bring a slab of the third axis back to where it was.
bool in_slabs(const TensorInverse& inverse) {
  return transformed(inverse).size() == 2 && !inverse.transformed[static_cast<std::size_t>(inverse.solved)];
}

// Of the second field: all values, or a slab of them.
Layout work_layout(Layout layout, const TensorInverse& inverse, bool gpu) {
  if (!in_slabs(inverse)) return layout;
  int& along = layout.n[static_cast<std::size_t>(inverse.solved)];
  const std::int64_t others = layout.size() / along;
  along = static_cast<int>(std::clamp<std::int64_t>(slab_values(gpu) / others, 1, std::max(1, along / 8)));
  layout.periodic[static_cast<std::size_t>(inverse.solved)] = false;
  return layout;
}

}  // namespace

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  if (backend.kind() == BackendKind::cpu) return cpu::make_axis_products(backend, layout, precision, inverse);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_axis_products(backend, layout, precision, inverse);
#endif
  throw RunError("there are no products along axes for CUDA (this build lacks them)", Remedy::host);
}

std::size_t axis_products_bytes(const Layout& layout, Precision precision, const TensorInverse& inverse, bool gpu) {
  const auto count = [&](std::size_t d) { return inverse.unknowns.last[d] - inverse.unknowns.first[d]; };
  auto values = static_cast<std::size_t>(work_layout(layout, inverse, gpu).allocated(precision));
  for (const int d : transformed(inverse)) {
    const int n = count(static_cast<std::size_t>(d));
    const int half = inverse.bases[static_cast<std::size_t>(d)].first_half(n);
    for (const int rows : {half, n - half})
      values += static_cast<std::size_t>(pitch_of(rows)) * static_cast<std::size_t>(rows);
  }
#ifdef POISSON_HAVE_CUDA
  if (gpu) return values * bytes_of(precision) + cuda::products_bytes(inverse, precision);
#endif
  return values * bytes_of(precision);
}

Buffer AxisTransforms::on_backend(const std::vector<double>& values) const {
  return dispatch(precision_, [&]<class T>(T) {
    const std::vector<T> typed(values.begin(), values.end());
    Buffer buffer = backend_.allocate(typed.size() * sizeof(T));
    backend_.write(typed.data(), buffer.data(), typed.size() * sizeof(T));
    return buffer;
  });
}

AxisTransforms::AxisTransforms(Backend& backend, const Layout& layout, Precision precision,
                               const TensorInverse& inverse)
    : backend_(backend),
      precision_(precision),
      box_(inverse.unknowns),
      solved_(inverse.solved),
      steps_(transformed(inverse)) {
  bool sigma_told = false;
  for (int d = 0; d < 3; ++d) {
    const AxisBasis& basis = inverse.bases[static_cast<std::size_t>(d)];
    Axis& axis = axes_[static_cast<std::size_t>(d)];
    axis.folded = basis.folded;
    if (!inverse.transformed[static_cast<std::size_t>(d)]) continue;
    const int n = count(d), half = basis.first_half(n);
    auto column = basis.modes.begin();
    for (std::size_t part = 0; part < 2; ++part) {
      const int rows = part == 0 ? half : n - half, pitch = pitch_of(rows);
      axis.first[part] = part == 0 ? 0 : half;
      axis.size[part] = rows;
      axis.pitch[part] = pitch;
      if (rows == 0) continue;
      std::vector<double> padded(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows));
      for (int m = 0; m < rows; ++m, column += rows)
        std::copy(column, column + rows, padded.begin() + std::int64_t{m} * pitch);
      axis.modes[part] = on_backend(padded);
    }
    std::vector<double> shifted = basis.eigenvalues;
    if (d != solved_ && !std::exchange(sigma_told, true))
      for (double& value : shifted) value += inverse.sigma;
    axis.eigenvalues = on_backend(shifted);
  }
  std::vector<double> all;
  const AxisLines& lines = inverse.lines;
  for (const auto* table : {&lines.sum, &lines.coupling, &lines.mass_sum, &lines.mass_off})
    all.insert(all.end(), table->begin(), table->end());
  lines_ = on_backend(all);
  const Layout work = work_layout(layout, inverse, backend.on_gpu());
  slab_ = in_slabs(inverse) ? work.n[static_cast<std::size_t>(solved_)] : 0;
  work_ = Field(backend, work, precision);
}

// Along an axis by its modes, from one view to another, of the values at `at`; shifts are what the views' indices along
// the solved axis lag behind.
template <class T>
void AxisTransforms::product(int d, bool forward, const View<T>& from, const View<T>& to, const Box& at, int from_shift,
                             int to_shift) {
  const Axis& axis = axes_[static_cast<std::size_t>(d)];
  const auto strides = [](const View<T>& v) { return std::array<std::int64_t, 3>{1, v.sy, v.sz}; };
  const auto f = strides(from), t = strides(to);
  const auto extent = [&](std::size_t e) { return at.last[e] - at.first[e]; };
  for (std::size_t part = 0; part < 2; ++part) {
    if (axis.size[part] == 0) continue;
    std::array<int, 3> first = at.first;
    first[static_cast<std::size_t>(d)] += axis.first[part];
    const auto address = [&](const View<T>& v, int shift) {
      std::array<int, 3> i = first;
      i[static_cast<std::size_t>(solved_)] -= shift;
      return v.data + i[0] + i[1] * v.sy + i[2] * v.sz;
    };
    const T* source = address(from, from_shift);
    T* target = address(to, to_shift);
    const T* modes = static_cast<const T*>(axis.modes[part].data());
    MatrixBatch batch;
    batch.k = axis.size[part];
    if (d == 0) {
      batch.transpose_a = forward;
      batch.m = batch.k;
      batch.n = extent(1);
      batch.lda = axis.pitch[part];
      batch.ldb = f[1];
      batch.ldc = t[1];
      batch.batches = extent(2);
      batch.stride_b = f[2];
      batch.stride_c = t[2];
      // A single line has no stride to the next one.
      batch.ldb = std::max<std::int64_t>(batch.ldb, batch.k);
      batch.ldc = std::max<std::int64_t>(batch.ldc, batch.m);
      multiply(batch, modes, source, target);
    } else {
      const std::size_t other = d == 1 ? 2 : 1;
      batch.transpose_b = !forward;
      batch.m = extent(0);
      batch.n = batch.k;
      batch.lda = f[static_cast<std::size_t>(d)];
      batch.ldb = axis.pitch[part];
      batch.ldc = t[static_cast<std::size_t>(d)];
      batch.batches = extent(other);
      batch.stride_a = f[other];
      batch.stride_c = t[other];
      multiply(batch, source, modes, target);
    }
  }
}

void AxisTransforms::transform(Field& w, bool forward) {
  dispatch(precision_, [&]<class T>(T) {
    const View<T> values = w.view<T>(), work = work_.view<T>();
    if (slab_ == 0) {
      bool in_work = !forward && steps_.size() % 2 == 1;
      for (const int d : steps_) {
        product(d, forward, in_work ? work : values, in_work ? values : work, box_, 0, 0);
        in_work = !in_work;
      }
      return;
    }
    const auto s = static_cast<std::size_t>(solved_);
    for (int first = box_.first[s]; first < box_.last[s]; first += slab_) {
      Box at = box_;
      at.first[s] = first;
      at.last[s] = std::min(first + slab_, box_.last[s]);
      product(steps_[0], forward, values, work, at, 0, first);
      product(steps_[1], forward, work, values, at, first, 0);
    }
  });
}

}  // namespace poisson
