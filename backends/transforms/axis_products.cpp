#include "backends/transforms/axis_products.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "backends/cpu/factories.hpp"
#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/transforms/axis_transforms.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

constexpr int even(int rows) {
  return rows + rows % 2;
}

// Columns of modes begin at multiples of 128 bytes.
constexpr int pitch_of(int rows) {
  return round_up(rows, 16);
}

// Returns the values that are transformed at a time. On a GPU a product of this size fills the device; on a CPU the
// slab stays in the cache.
constexpr std::int64_t slab_values(bool gpu) {
  return std::int64_t{1} << (gpu ? 24 : 19);
}

const TrigAxis& trig_of(const TensorInverse& inverse, int d) {
  return inverse.bases[d].trig;
}

LinesInParts lines_of(const TensorInverse& inverse) {
  const auto [fast, slow] = axes_across(inverse.solved);
  const auto count = [&](std::size_t d) { return inverse.unknowns.last[d] - inverse.unknowns.first[d]; };
  return {inverse.slabs, count(fast), count(slow), inverse.thickest};
}

// Slabs are numbered along the lines that cross them.
Members slabs_of(const TensorInverse& inverse) {
  Members all{inverse.processes, std::vector<int>(static_cast<std::size_t>(inverse.slabs))};
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  return all;
}

// Returns the axes with matrix products.
std::vector<int> multiplied(const TensorInverse& inverse) {
  std::vector<int> axes;
  for (int d = 0; d < 3; ++d)
    if (inverse.transformed[d] && !trig_of(inverse, d)) axes.push_back(d);
  return axes;
}

// Returns the layout of the work fields of a slab. If the solved axis is multiplied by modes as well, a slab is the
// entire box.
Layout work_layout(Layout layout, const TensorInverse& inverse, bool gpu) {
  const auto s = static_cast<std::size_t>(inverse.solved);
  layout.periodic = {};
  layout.halo = {1, 1, 1};
  if (inverse.transformed[s]) return layout;
  int& along = layout.n[s];
  const std::int64_t others = layout.size() / along;
  along = static_cast<int>(std::clamp<std::int64_t>(slab_values(gpu) / others, 1, std::max(1, along / 8)));
  return layout;
}

// Owns what products allocate, for a rehearsal.
class RehearsedProducts final : public AxisTransforms {
 public:
  RehearsedProducts(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse)
      : AxisTransforms(backend, layout, precision, inverse) {
#ifdef POISSON_HAVE_CUDA
    if (backend.on_gpu()) of_device_ = backend.allocate(cuda::products_bytes(inverse, precision, has_products()));
#endif
  }

 private:
  void transform(const TrigTables&, int, TrigPath, const Field&, Field&, const Scalar*) override {}
  void eliminate(Field&) override {}
  void take_mean(Field&, const ConstantLine&) override {}
  void reduce(Field&, int) override {}
  void solve_ends(std::int64_t) override {}
  void take_ends(Field&, int) override {}
  void multiply(const MatrixBatch&, const double*, const double*, double*) override {}
  void multiply(const MatrixBatch&, const float*, const float*, float*) override {}
  void fold(const Field&, Field&, const Box&, int) override {}
  void unfold(Field&, Field&, const Box&, int, Field&, const Scalar*) override {}

  Buffer of_device_;
};

// Matrix products read addresses with this alignment fastest.
constexpr std::int64_t aligned_bytes = 16;

}  // namespace

std::unique_ptr<AxisProducts> make_axis_products(Backend& backend, const Layout& layout, Precision precision,
                                                 const TensorInverse& inverse) {
  if (rehearses(backend)) return std::make_unique<RehearsedProducts>(backend, layout, precision, inverse);
  if (backend.kind() == BackendKind::cpu) return cpu::make_axis_products(backend, layout, precision, inverse);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_axis_products(backend, layout, precision, inverse);
#endif
  throw RunError("there are no products along axes for CUDA (this build lacks them)", Remedy::host);
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
      steps_(multiplied(inverse)),
      constants_(constant_line(inverse)) {
  bool sigma_added = false;
  for (int d = 0; d < 3; ++d) {
    const AxisBasis& basis = inverse.bases[d];
    Axis& axis = axes_[d];
    axis.folded = basis.folded;
    if (!inverse.transformed[d]) continue;
    std::vector<double> shifted = basis.eigenvalues;
    if (d != solved_ && !std::exchange(sigma_added, true))
      for (double& value : shifted) value += inverse.sigma;
    axis.eigenvalues = on_backend(shifted);
    if (basis.trig) {
      axis.trig = TrigTables(backend, precision, basis.trig, basis.weights);
      if (d != solved_) fast_.push_back(d);
      continue;
    }
    const int n = count(d), half = basis.first_half(n);
    auto column = basis.modes.begin();
    for (std::size_t part = 0; part < 2; ++part) {
      const int rows = part == 0 ? half : n - half, pitch = pitch_of(rows);
      axis.first[part] = part == 0 ? 0 : half;
      axis.size[part] = rows;
      axis.pitch[part] = pitch;
      if (rows == 0) continue;
      std::vector<double> padded(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(even(rows)));
      for (int m = 0; m < rows; ++m, column += rows)
        std::copy(column, column + rows, padded.begin() + std::int64_t{m} * pitch);
      axis.modes[part] = on_backend(padded);
    }
  }
  std::vector<double> all;
  const AxisLines& lines = inverse.lines;
  for (const auto* table : {&lines.sum, &lines.coupling, &lines.mass_sum, &lines.mass_off})
    all.insert(all.end(), table->begin(), table->end());
  lines_ = on_backend(all);
  const AxisBasis& along_x = inverse.bases[0];
  const int align = static_cast<int>(aligned_bytes / static_cast<std::int64_t>(bytes_of(precision)));
  PlacesAlongX& p = places_;
  p.values = box_.first[0];
  p.last = box_.last[0];
  p.half = inverse.transformed[0] ? along_x.first_half(count(0)) : count(0);
  p.first = solved_ == 0 || steps_.empty() ? p.values : p.values / align * align;
  p.second = p.first + round_up(p.half, align);
  if (solved_ == 0 || steps_.empty() || p.second + count(0) - p.half > layout.n[0] + layout.halo[0])
    p.second = p.first + p.half;
  p.room = static_cast<int>(layout.pitch(precision));  // where the next line starts
  p.end = std::min(p.room, p.second + even(count(0) - p.half));
  if (inverse.slabs > 1) ends_.emplace(backend, precision, slabs_of(inverse), lines_of(inverse));
  if (steps_.empty()) return;
  const Layout work = work_layout(layout, inverse, backend.on_gpu());
  slab_ = work.n[static_cast<std::size_t>(solved_)];
  for (Field& field : work_) field = Field(backend, work, precision);
}

// Multiplies a slab by the modes of axis d. Other axes may or may not be transformed already.
template <class T>
void AxisTransforms::product(int d, bool forward, const Side& from, const Side& to, const Box& at) {
  const Axis& axis = axes_[d];
  const View<T> f = from.field->template view<T>(), t = to.field->template view<T>();
  const PerAxis<std::int64_t> f_stride{1, f.sy, f.sz}, t_stride{1, t.sy, t.sz};
  const auto extent = [&](std::size_t e) { return at.last[e] - at.first[e]; };
  for (std::size_t part = 0; part < 2; ++part) {
    if (axis.size[part] == 0) continue;
    PerAxis<int> first{at.first};
    if (solved_ != 0) first[0] = d != 0 || part == 0 ? places_.first : places_.second;
    if (d != 0) first[d] += axis.first[part];
    const auto address = [&](const View<T>& v, int lag) {
      PerAxis<int> i = first;
      i[solved_] -= lag;
      return v.data + i[0] + i[1] * v.sy + i[2] * v.sz;
    };
    const T* modes = static_cast<const T*>(axis.modes[part].data());
    MatrixBatch batch;
    // The length is even. The additional value is multiplied by zeros of the modes, and lines along x have a place for
    // it.
    batch.k = even(axis.size[part]);
    if (d == 0) {
      batch.transpose_a = forward;
      const int room = (part == 0 ? places_.second : places_.room) - (part == 0 ? places_.first : places_.second);
      if (batch.k > room) batch.k = axis.size[part];
      batch.m = batch.k;
      batch.n = extent(1);
      batch.lda = axis.pitch[part];
      // The stride to the next line is arbitrary if there is one line only.
      batch.ldb = std::max<std::int64_t>(f.sy, batch.k);
      batch.ldc = std::max<std::int64_t>(t.sy, batch.k);
      batch.batches = extent(2);
      batch.stride_b = f.sz;
      batch.stride_c = t.sz;
      multiply(batch, modes, address(f, from.lag), address(t, to.lag));
    } else {
      const std::size_t other = d == 1 ? 2 : 1;
      batch.transpose_b = !forward;
      batch.m = solved_ == 0 ? extent(0) : places_.end - places_.first;
      // On the way back modes are read along n. The additional value lands where the odd half is written next.
      const bool padded = !forward && part == 0 && axis.size[1] > 0;
      batch.n = padded ? even(axis.size[part]) : axis.size[part];
      batch.lda = f_stride[d];
      batch.ldb = axis.pitch[part];
      batch.ldc = t_stride[d];
      batch.batches = extent(other);
      batch.stride_a = f_stride[other];
      batch.stride_c = t_stride[other];
      multiply(batch, address(f, from.lag), modes, address(t, to.lag));
    }
  }
}

// Calls f with the box of each slab.
template <class F>
void AxisTransforms::for_slabs(const F& f) const {
  const auto s = static_cast<std::size_t>(solved_);
  for (int first = box_.first[s]; first < box_.last[s]; first += slab_) {
    Box at = box_;
    at.first[s] = first;
    at.last[s] = std::min(first + slab_, box_.last[s]);
    f(at);
  }
}

int AxisTransforms::lag(const Box& at) const {
  const auto s = static_cast<std::size_t>(solved_);
  return std::ranges::find(steps_, solved_) == steps_.end() ? at.first[s] : 0;
}

void AxisTransforms::do_forward(const Field& values, Field& w) {
  const Field* now_in = &values;
  for (const int d : fast_) transform(at(d).trig, d, TrigPath::forward, *std::exchange(now_in, &w), w, nullptr);
  if (steps_.empty()) return;
  for_slabs([&](const Box& at) {
    fold(*now_in, work_[0], at, lag(at));
    std::size_t now = 0;
    for (const int d : steps_) {
      const bool last = d == steps_.back();
      const Side from{&work_[now], lag(at)}, to{last ? &w : &work_[1 - now], last ? 0 : lag(at)};
      dispatch(precision_, [&]<class T>(T) { product<T>(d, true, from, to, at); });
      now = 1 - now;
    }
  });
}

void AxisTransforms::do_solve_lines(Field& w) {
  const TrigTables& trig = at(solved_).trig;
  if (!trig) {
    const auto [fast, slow] = axes_across(solved_);
    const int lanes = count(static_cast<int>(fast)), slows = count(static_cast<int>(slow));
    for (int first = 0; cut() && first < slows; first += ends_->slows()) {
      reduce(w, first);
      ends_->tell();
      solve_ends(std::int64_t{lanes} * std::min(ends_->slows(), slows - first));
      ends_->tell_ends();
      take_ends(w, first);
    }
    eliminate(w);
    if (constants_ && constants_->rows > 0) take_mean(w, *constants_);
    return;
  }
  transform(trig, solved_, TrigPath::round_trip, w, w, nullptr);
}

Field& AxisTransforms::values_of(Field& w, const Box& at) {
  std::size_t next = 0;
  for (const int d : steps_) {
    const bool first = d == steps_.front();
    const Side from{first ? &w : &work_[1 - next], first ? 0 : lag(at)}, to{&work_[next], lag(at)};
    dispatch(precision_, [&]<class T>(T) { product<T>(d, false, from, to, at); });
    next = 1 - next;
  }
  return work_[1 - next];
}

void AxisTransforms::do_backward(Field& w) {
  backward_to(w, w, nullptr);
}

// Only the last step writes to u.
void AxisTransforms::do_backward_to(Field& w, Field& u, const Scalar* a) {
  const auto step = [&](bool last, const auto& f) { last ? f(u, a) : f(w, nullptr); };
  if (!steps_.empty())
    for_slabs([&](const Box& slab) {
      step(fast_.empty(), [&](Field& to, const Scalar* by) { unfold(values_of(w, slab), w, slab, lag(slab), to, by); });
    });
  for (const int d : std::views::reverse(fast_))
    step(d == fast_.front(),
         [&](Field& to, const Scalar* by) { transform(at(d).trig, d, TrigPath::backward, w, to, by); });
}

}  // namespace poisson
