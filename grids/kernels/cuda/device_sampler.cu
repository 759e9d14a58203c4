#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/runtime_module.hpp"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/runtime_headers.hpp"
#include "grids/kernels/cuda/runtime_sources.hpp"
#include "grids/kernels/cuda/sampled_columns.cuh"
#include "grids/sampling/problem_data.hpp"

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
      std::vector<double> mass, unknown, width;
      for (int i = 0; i < axis.size(); ++i) {
        mass.push_back(axis.mass(i));
        unknown.push_back(i >= axis.first() && i < axis.last() ? mass.back() : 0);
      }
      tables.add(node_coordinates(axis), axes_[d].nodes);
      tables.add(cell_coordinates(axis), axes_[d].cells);
      tables.add(mass, axes_[d].mass);
      tables.add(unknown, axes_[d].unknown_mass);
      tables.add(std::vector<double>(mass.size(), 1.0), axes_[d].ones);
      for (int i = 0; i < axis.size(); ++i) width.push_back(axis.width(i));
      tables.add(width, axes_[d].width);
      for (std::size_t side = 0; side < 2; ++side) {
        std::vector<double> corner;
        for (int i = -1; i <= std::max(1, axis.cells()); ++i)
          corner.push_back(corner_coordinate(axis, i, static_cast<int>(side)));
        tables.add(corner, axes_[d].corners[side]);
        for (const bool on_face : {false, true}) {
          std::vector<double> at, length, of_unknown;
          for (int i = 0; i < axis.size(); ++i) {
            const Part part = parts_of(axis, i, on_face)[side];
            at.push_back(part.at);
            length.push_back(part.length);
            of_unknown.push_back(unknown[static_cast<std::size_t>(i)] != 0 ? part.length : 0);
          }
          PartTable& part = axes_[d].parts[on_face ? 1 : 0][side];
          tables.add(at, part.at);
          tables.add(length, part.length);
          tables.add(of_unknown, part.of_unknown);
        }
      }
    }
    tables_ = tables.upload(backend);
    bad_ = backend.allocate(sizeof(unsigned long long));

    std::vector<std::string> sources;
    for (const Quantity& quantity : data)
      if (const std::string* source = quantity.source())
        if (numbers_.emplace(*source, static_cast<int>(sources.size())).second) sources.push_back(*source);
    if (sources.empty()) return;
    try {
      for (std::string& source : sources) source = evaluation_source(source);
      modules_ = RuntimeModule::load(sources, runtime_headers());
      for (const RuntimeModule& module : modules_) {
        fill_.push_back(module.kernel("fill"));
        measure_.push_back(module.kernel("measure"));
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
    evaluate(datum, box, points_of(datum, location, box), target);
    judge(datum, location, box);
  }

  void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                      Field& out) override {
    if (datum.quantity.constant()) {
      SampleWeight whole = weight;
      whole.volume = true;
      return fill(datum, Location::node, box, whole, store, out);
    }
    FillTarget target{};
    target.out = any_view(out);
    target.factor = weight.factor;
    target.add = store == SampleStore::add;
    for_each_part(weight.face_axis, [&](const std::array<std::size_t, 3>& side) {
      Points points = points_of(datum, Location::node, box);
      const double* lengths[3];
      for (std::size_t d = 0; d < 3; ++d) {
        const Table& axis = axes_[d];
        const PartTable& part = axis.parts[weight.face_axis >= 0 ? 1 : 0][side[d]];
        const bool across = static_cast<int>(d) == weight.face_axis;
        lengths[d] = across ? axis.ones : weight.unknowns_only ? part.of_unknown : part.length;
        if (!across) coordinates(points, d) = part.at;
      }
      target.wx = lengths[0];
      target.wy = lengths[1];
      target.wz = lengths[2];
      evaluate(datum, box, points, target);
      target.add = true;
      judge(box, [&](const Box& one) {
        integrate(datum.quantity, datum.name, datum.sign, block_, one, weight.face_axis,
                  [](int, int, const double*) {});
      });
    });
  }

  void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                    Field& out) override {
    FillTarget target{};
    target.out = any_view(out);
    target.factor = 1;
    evaluate(datum, cells, corner_points(datum, cells, corner, face_axis), target);
    judge(cells, [&](const Box& one) {
      sample_corners(datum.quantity, datum.name, datum.sign, block_, one, corner, face_axis,
                     [](int, int, const double*) {});
    });
  }

  double integral(const Datum& datum, bool by_corners) override {
    double sum = 0;
    if (by_corners) {
      // Each corner stands for an equal part of the cell.
      const Box cells = block_.cell_layout().box();
      const double share = 1.0 / (1 << block_.dimension());
      for_each_corner(block_, -1, [&](const std::array<int, 3>& corner) {
        const Points points = corner_points(datum, cells, corner, -1);
        sum -= share * measured(datum, cells, points, nullptr, {axes_[0].width, axes_[1].width, axes_[2].width}).first;
        judge(cells, [&](const Box& one) {
          sample_corners(datum.quantity, datum.name, datum.sign, block_, one, corner, -1,
                         [](int, int, const double*) {});
        });
      });
      return sum;
    }
    const Box box = block_.layout().box();
    for_each_part(-1, [&](const std::array<std::size_t, 3>& side) {
      Points points = points_of(datum, Location::node, box);
      std::array<const double*, 3> lengths{};
      for (std::size_t d = 0; d < 3; ++d) {
        coordinates(points, d) = axes_[d].parts[0][side[d]].at;
        lengths[d] = axes_[d].parts[0][side[d]].length;
      }
      sum -= measured(datum, box, points, nullptr, lengths).first;
      judge(box, [&](const Box& one) {
        integrate(datum.quantity, datum.name, datum.sign, block_, one, -1, [](int, int, const double*) {});
      });
    });
    return sum;
  }

  DifferenceMoments measure(const Datum& datum, const Field* u) override {
    const Box box = block_.layout().box();
    const Points points = points_of(datum, block_.location(), box);
    const DifferenceMoments all = measured(datum, box, points, u, {axes_[0].mass, axes_[1].mass, axes_[2].mass});
    judge(datum, block_.location(), box);
    return all;
  }

  CellStatistics statistics(const Field& cells) override {
    const Box box = cells.layout().box();
    CellStatistics found;
    found.sum = sum_of_magnitudes(cells, box);
    if (const Extremes all = extremes(cells, box); all.least > 0) found.jumps.range = all.largest / all.least;
    write_bad(std::bit_cast<unsigned long long>(1.0));
    device_.for_columns<NoSteps>(box, LargestJump{cells.view<double>(), bad()});
    found.jumps.largest = std::bit_cast<double>(read_bad());
    if (found.jumps.largest < Jumps::large) return found;
    const Scalar count = device_.scalar();
    sum_columns(device_.stream(), box, LargeJumps{cells.view<double>()}, device_.partials(), count.address());
    found.jumps.share = device_.value(count) / (static_cast<double>(box.size()) * (cells.layout().n[2] > 1 ? 3 : 2));
    return found;
  }

  void subtract_inside(Field& cells) override {
    const auto view = cells.view<double>();
    const Box all = with_halo(block_, cells.layout().box());
    for (std::size_t d = 0; d < 3; ++d) {
      if (block_.axes[d].degenerate() || block_.axes[d].periodic()) continue;
      for (const int end : {-1, view.n[d]}) {
        Box face = all;
        face.first[d] = end;
        face.last[d] = end + 1;
        device_.for_columns<NoSteps>(face, SubtractInside{view, static_cast<int>(d), end < 0 ? 1 : -1});
      }
    }
  }

  void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) override {
    if (box.size() == 0) return;
    const Buffer there = device_.allocate(values.size_bytes());
    device_.write(values.data(), there.data(), values.size_bytes());
    Put column{any_view(out), static_cast<const double*>(there.data()), {}, {}, store == SampleStore::add};
    for (std::size_t d = 0; d < 3; ++d) {
      column.first[d] = box.first[d];
      column.n[d] = box.last[d] - box.first[d];
    }
    device_.for_columns<NoSteps>(box, column);
  }

  void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) override {
    const Axis& along = block_.axes[axis];
    FacesOfCells column{};
    column.cells = cells.view<double>();
    if (ends) column.ends = ends->view<double>();
    column.faces = faces.view<double>();
    column.width = axes_[axis].width;
    column.axis = static_cast<int>(axis);
    column.n = along.size();
    column.periodic = along.periodic();
    for (int end = 0; end < 2; ++end) column.robin[end] = along.kind(end) == BoundaryKind::robin;
    Box box = faces.layout().box();
    if (!along.periodic()) ++box.last[axis];
    device_.for_columns<NoSteps>(box, column);
  }

  Extremes extremes(const Field& cells, const Box& box) override { return extremes_of(device_, cells, box); }
  bool positive_definite(const CellTensors& kappa) override { return cuda::positive_definite(device_, kappa); }
  void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) override {
    cuda::add_product(device_, M, f, box, factor, out);
  }

  double sum_of_magnitudes(const Field& x, const Box& box) override {
    Scalar sum = device_.scalar();
    dispatch(x.precision(), [&]<class X>(X) {
      sum_columns(device_.stream(), box, Magnitudes<X>{x.view<X>()}, device_.partials(), sum.address());
    });
    return device_.value(sum);
  }

 private:
  struct PartTable {
    const double *at, *length, *of_unknown;
  };
  struct Table {
    const double *nodes, *cells, *mass, *unknown_mass, *ones, *width;
    PartTable parts[2][2];     // of volumes and on faces, in the cells below and above
    const double* corners[2];  // of cells, from within them, from cell −1 on
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

  static const double*& coordinates(Points& points, std::size_t d) {
    return d == 0 ? points.x : d == 1 ? points.y : points.z;
  }

  Points corner_points(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis) {
    Points points = points_of(datum, Location::cell, cells);
    for (std::size_t d = 0; d < 3; ++d)
      if (static_cast<int>(d) != face_axis)
        coordinates(points, d) = axes_[d].corners[static_cast<std::size_t>(corner[d])] + 1;
    return points;
  }

  // The parts of volumes that are not empty on all of an axis.
  template <class F>
  void for_each_part(int face_axis, const F& f) const {
    const auto first = [&](std::size_t d) {
      return block_.axes[d].degenerate() || static_cast<int>(d) == face_axis ? std::size_t{1} : std::size_t{0};
    };
    for (std::size_t c = first(2); c < 2; ++c)
      for (std::size_t b = first(1); b < 2; ++b)
        for (std::size_t a = first(0); a < 2; ++a) f(std::array{a, b, c});
  }

  void evaluate(const Datum& datum, const Box& box, const Points& points, const FillTarget& target) {
    if (const double* value = datum.quantity.constant()) {
      device_.for_columns<NoSteps>(box, Fill<Constant>{{*value}, points, target});
    } else if (box.size() > 0) {
      const Tiling tiling(box);
      const std::size_t n = number(datum);
      modules_[n].launch(fill_[n], tiling.blocks, tile_threads, device_.stream(), Range(box), tiling, points, target);
    }
  }

  DifferenceMoments measured(const Datum& datum, const Box& box, const Points& points, const Field* u,
                             const std::array<const double*, 3>& weights) {
    const AnyView of_u = u ? any_view(*u) : AnyView{};
    const auto [wx, wy, wz] = weights;
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
      const std::size_t n = number(datum);
      modules_[n].launch(measure_[n], blocks, tile_threads, device_.stream(), Range(box), tiling, points, of_u, wx, wy,
                         wz, moments);
    }
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

  // Throws where a value of the last evaluation was bad: what the host has there is told.
  void judge(const Datum& datum, Location location, const Box& box) {
    judge(box, [&](const Box& one) {
      sample(datum.quantity, datum.name, datum.sign, block_, location, one, [](int, int, const double*) {});
    });
  }
  template <class OnHost>
  void judge(const Box& box, const OnHost& evaluate_on_host) {
    const unsigned long long at = read_bad();
    if (at == none) return;
    const auto nx = static_cast<unsigned long long>(box.last[0] - box.first[0]);
    const auto ny = static_cast<unsigned long long>(box.last[1] - box.first[1]);
    Box one;
    one.first = {box.first[0] + static_cast<int>(at % nx), box.first[1] + static_cast<int>(at / nx % ny),
                 box.first[2] + static_cast<int>(at / (nx * ny))};
    for (std::size_t d = 0; d < 3; ++d) one.last[d] = one.first[d] + 1;
    evaluate_on_host(one);
    throw HostDecides();
  }

  static constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();

  CudaBackend& device_;
  Block block_;
  std::array<Table, 3> axes_{};
  Buffer tables_, bad_;
  std::map<std::string, int> numbers_;  // of the sources
  std::vector<RuntimeModule> modules_;
  std::vector<RuntimeModule::Kernel> fill_, measure_;
  std::string note_;
};

}  // namespace

std::unique_ptr<DeviceSampler> make_sampler(Backend& backend, const Block& block, std::span<const Quantity> data) {
  return std::make_unique<CudaSampler>(backend, block, data);
}

}  // namespace poisson::cuda
