#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/runtime_module.hpp"
#include "grids/cuda/evaluate_columns.cuh"
#include "grids/cuda/factories.hpp"
#include "grids/cuda/runtime_headers.hpp"
#include "grids/cuda/runtime_sources.hpp"

namespace poisson::cuda {
namespace {

// Constants need no compiler at run time.
struct Constant {
  double value;
  __device__ double operator()(double, double, double) const { return value; }
};

struct NoSteps {  // set-up: nothing to share a launch with
  template <class T>
  using Columns = ColumnList<>;
};

__global__ void __launch_bounds__(tile_threads)
    measure_constant(Range box, Tiling tiling, Measure<Constant> column, Moments* partial) {
  const dim3 tiles = tiling.blocks;
  Moments moments{0, 0, __longlong_as_double(0x7ff0000000000000), __longlong_as_double(0xfff0000000000000)};
  const auto visited = [&](int i, int j, int k0, int k1) { column(i, j, k0, k1, moments); };
  for (unsigned tile = blockIdx.x; tile < tiles.x * tiles.y * tiles.z; tile += gridDim.x)
    tiling.visit(box, visited, tile % tiles.x, tile / tiles.x % tiles.y, tile / (tiles.x * tiles.y));
  moments = block_moments<tile_threads>(moments);
  if (threadIdx.x == 0) partial[blockIdx.x] = moments;
}

template <class X>
struct Magnitudes {
  View<const X> x;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += fabs(static_cast<double>(x(i, j, k)));
    return sum;
  }
};

// The largest ratio to a lower neighbour, as the bits of a positive double, whose order is the numbers'.
struct LargestJump {
  View<const double> cells;
  unsigned long long* largest;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    double jump = 1;
    for (int k = k0; k < k1; ++k) {
      const double here = cells(i, j, k);
      const auto compare = [&](double there) { jump = fmax(jump, fmax(here / there, there / here)); };
      if (i > 0) compare(cells(i - 1, j, k));
      if (j > 0) compare(cells(i, j - 1, k));
      if (k > 0) compare(cells(i, j, k - 1));
    }
    atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(jump)));
  }
};

// A layer of halo loses the layer of cells behind it.
struct SubtractInside {
  View<double> cells;
  int axis, inwards;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      cells(i, j, k) -= axis == 0   ? cells(i + inwards, j, k)
                        : axis == 1 ? cells(i, j + inwards, k)
                                    : cells(i, j, k + inwards);
  }
};

Box grown(Box box, const Block& block) {
  for (std::size_t d = 0; d < 3; ++d)
    if (!block.axes[d].degenerate()) {
      --box.first[d];
      ++box.last[d];
    }
  return box;
}

AnyView any_view(const Field& field) {
  AnyView view{};
  auto& writable = const_cast<Field&>(field);
  if (field.precision() == Precision::fp32)
    view.narrow = writable.view<float>();
  else
    view.wide = writable.view<double>();
  return view;
}

class CudaSampler final : public DeviceSampler {
 public:
  CudaSampler(Backend& backend, const Block& block, std::span<const Quantity> data)
      : device_(static_cast<CudaBackend&>(backend)), block_(block) {
    DeviceTables tables;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      std::vector<double> mass, unknown;
      for (int i = 0; i < axis.size(); ++i) {
        mass.push_back(axis.mass(i));
        unknown.push_back(i >= axis.first() && i < axis.last() ? mass.back() : 0);
      }
      tables.add(node_coordinates(axis), axes_[d].nodes);
      tables.add(cell_coordinates(axis), axes_[d].cells);
      tables.add(mass, axes_[d].mass);
      tables.add(unknown, axes_[d].unknown_mass);
      tables.add(std::vector<double>(mass.size(), 1.0), axes_[d].ones);
    }
    tables_ = tables.upload(backend);
    bad_ = backend.allocate(sizeof(unsigned long long));

    std::vector<std::string> sources;
    for (const Quantity& quantity : data)
      if (const std::string* source = quantity.source())
        if (numbers_.emplace(*source, static_cast<int>(sources.size())).second) sources.push_back(*source);
    if (sources.empty()) return;
    try {
      module_.emplace(evaluation_source(sources), runtime_headers());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        fill_.push_back(module_->kernel("fill_" + std::to_string(i)));
        measure_.push_back(module_->kernel("measure_" + std::to_string(i)));
      }
    } catch (const NoRuntimeCode& reason) {
      numbers_.clear();
      note_ = std::string("expressions are evaluated on the host: ") + reason.what();
    }
  }

  bool evaluates(const Quantity& quantity) const override {
    return quantity.constant() || (quantity.source() && numbers_.count(*quantity.source()) != 0);
  }
  const std::string& note() const override { return note_; }

  void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight, SampleStore store,
            Field& out) override {
    FillTarget target{};
    target.out = any_view(out);
    target.factor = weight.factor;
    target.add = store == SampleStore::add;
    target.shared = store == SampleStore::share;
    if (weight.volume || weight.unknowns_only) {
      const double* at[3];
      for (int d = 0; d < 3; ++d) {
        const Table& axis = axes_[static_cast<std::size_t>(d)];
        at[d] = d == weight.face_axis ? axis.ones : weight.unknowns_only ? axis.unknown_mass : axis.mass;
      }
      target.wx = at[0];
      target.wy = at[1];
      target.wz = at[2];
    }
    for (std::size_t d = 0; d < 3; ++d) {
      target.size[d] = block_.axes[d].size();
      if (block_.axes[d].degenerate()) continue;
      for (std::size_t end = 0; end < 2; ++end)
        target.dirichlet[2 * d + end] = block_.axes[d].kind(static_cast<int>(end)) == BoundaryKind::dirichlet;
    }
    const Points points = points_of(datum, location, box);
    if (const double* value = datum.quantity.constant()) {
      device_.for_columns<NoSteps>(box, Fill<Constant>{{*value}, points, target});
    } else if (box.size() > 0) {
      const Tiling tiling(box);
      module_->launch(fill_[number(datum)], tiling.blocks, tile_threads, device_.stream(), Range(box), tiling, points,
                      target);
    }
    judge(datum, location, box);
  }

  DifferenceMoments measure(const Datum& datum, const Field* u) override {
    const Box box = block_.layout().box();
    const Points points = points_of(datum, Location::node, box);
    const AnyView of_u = u ? any_view(*u) : AnyView{};
    const double *wx = axes_[0].mass, *wy = axes_[1].mass, *wz = axes_[2].mass;
    const Tiling tiling(box);
    const std::int64_t tiles = std::int64_t{tiling.blocks.x} * tiling.blocks.y * tiling.blocks.z;
    constexpr std::int64_t most = 2048;
    std::vector<Moments> partial(static_cast<std::size_t>(std::min(tiles, most)));
    const dim3 blocks(static_cast<unsigned>(partial.size()));
    const Buffer there = device_.allocate(partial.size() * sizeof(Moments));
    auto* const moments = static_cast<Moments*>(there.data());
    if (const double* value = datum.quantity.constant()) {
      const cudaStream_t stream = device_.stream();
      measure_constant<<<blocks, tile_threads, 0, stream>>>(
          Range(box), tiling, Measure<Constant>{{*value}, points, of_u, wx, wy, wz}, moments);
      launched(stream);
    } else {
      module_->launch(measure_[number(datum)], blocks, tile_threads, device_.stream(), Range(box), tiling, points, of_u,
                      wx, wy, wz, moments);
    }
    judge(datum, Location::node, box);
    device_.read(moments, partial.data(), partial.size() * sizeof(Moments));
    DifferenceMoments all{0, 0, partial.front().low, partial.front().high};
    for (const Moments& m : partial) {
      all.first += m.first;
      all.second += m.second;
      all.low = std::min(all.low, m.low);
      all.high = std::max(all.high, m.high);
    }
    return all;
  }

  CellStatistics finish_cells(Field& cells) override {
    const Box box = cells.layout().box();
    const auto view = cells.view<double>();
    CellStatistics found;
    found.sum = sum_of_magnitudes(cells, box);  // κ > 0
    write_bad(std::bit_cast<unsigned long long>(1.0));
    device_.for_columns<NoSteps>(box, LargestJump{view, bad()});
    found.jump = std::bit_cast<double>(read_bad());
    const Box all = grown(box, block_);
    for (std::size_t d = 0; d < 3; ++d) {
      if (block_.axes[d].degenerate() || block_.axes[d].periodic()) continue;
      for (const int end : {-1, view.n[d]}) {
        Box face = all;
        face.first[d] = end;
        face.last[d] = end + 1;
        device_.for_columns<NoSteps>(face, SubtractInside{view, static_cast<int>(d), end < 0 ? 1 : -1});
      }
    }
    return found;
  }

  double sum_of_magnitudes(const Field& x, const Box& box) override {
    Scalar sum = device_.scalar();
    dispatch(x.precision(), [&]<class X>(X) {
      sum_columns(device_.stream(), box, Magnitudes<X>{x.view<X>()}, device_.partials(), sum.address());
    });
    return device_.value(sum);
  }

 private:
  struct Table {
    const double *nodes, *cells, *mass, *unknown_mass, *ones;
  };

  std::size_t number(const Datum& datum) const {
    return static_cast<std::size_t>(numbers_.at(*datum.quantity.source()));
  }
  unsigned long long* bad() const { return static_cast<unsigned long long*>(bad_.data()); }
  void write_bad(unsigned long long value) { device_.write(&value, bad(), sizeof value); }
  unsigned long long read_bad() {
    unsigned long long value = 0;
    device_.read(bad(), &value, sizeof value);
    return value;
  }

  Points points_of(const Datum& datum, Location location, const Box& box) {
    write_bad(none);
    Points points{};
    const auto of = [&](const Table& axis) { return location == Location::node ? axis.nodes : axis.cells + 1; };
    points.x = of(axes_[0]);
    points.y = of(axes_[1]);
    points.z = of(axes_[2]);
    for (std::size_t d = 0; d < 3; ++d) {
      points.first[d] = box.first[d];
      points.n[d] = box.last[d] - box.first[d];
    }
    points.positive = datum.sign == Sign::positive;
    points.nonnegative = datum.sign == Sign::nonnegative;
    points.bad = bad();
    return points;
  }

  // Throws where a value of the last evaluation was bad: what the host has there is told.
  void judge(const Datum& datum, Location location, const Box& box) {
    const unsigned long long at = read_bad();
    if (at == none) return;
    const auto nx = static_cast<unsigned long long>(box.last[0] - box.first[0]);
    const auto ny = static_cast<unsigned long long>(box.last[1] - box.first[1]);
    Box one;
    one.first = {box.first[0] + static_cast<int>(at % nx), box.first[1] + static_cast<int>(at / nx % ny),
                 box.first[2] + static_cast<int>(at / (nx * ny))};
    for (std::size_t d = 0; d < 3; ++d) one.last[d] = one.first[d] + 1;
    sample(datum.quantity, datum.name, datum.sign, block_, location, one, [](int, int, const double*) {});
    throw HostDecides();
  }

  static constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();

  CudaBackend& device_;
  Block block_;
  std::array<Table, 3> axes_{};
  Buffer tables_, bad_;
  std::map<std::string, int> numbers_;  // of the sources
  std::optional<RuntimeModule> module_;
  std::vector<RuntimeModule::Kernel> fill_, measure_;
  std::string note_;
};

}  // namespace

std::unique_ptr<DeviceSampler> make_sampler(Backend& backend, const Block& block, std::span<const Quantity> data) {
  return std::make_unique<CudaSampler>(backend, block, data);
}

}  // namespace poisson::cuda
