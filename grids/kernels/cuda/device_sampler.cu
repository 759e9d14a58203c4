#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/runtime_module.hpp"
#include "backends/spaces/gather_lists.hpp"
#include "grids/kernels/cuda/array_columns.cuh"
#include "grids/kernels/cuda/cell_statistics.cuh"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/host_values.cuh"
#include "grids/kernels/cuda/read_slices.cuh"
#include "grids/kernels/cuda/runtime_headers.hpp"
#include "grids/kernels/cuda/runtime_sources.hpp"
#include "grids/kernels/cuda/sampled_columns.cuh"
#include "grids/kernels/cuda/sampler_tables.hpp"
#include "grids/kernels/kappa_statistics.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/stronger_coupling.hpp"

namespace poisson::cuda {
namespace {

// Constants need no compiler at run time.
struct Constant {
  double value;
  __device__ double operator()(double, double, double) const { return value; }
};

__global__ void __launch_bounds__(tile_threads)
    measure_constant(Range box, Slices slices, Measure<Constant> column, Moments* partial) {
  measure_slice(box, slices, column, partial);
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

class CudaSampler final : public Sampler {
 public:
  CudaSampler(Backend& backend, const SampleGrid& grid, std::span<const Quantity> data, bool constants)
      : device_(static_cast<CudaBackend&>(backend)),
        host_values_(device_),
        block_(grid.block),
        points_(grid.cells),
        constants_(constants),
        tables_(backend, block_, points_) {
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

  const std::string& note() const override { return note_; }

  void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight, SampleStore store,
            Field& out) override {
    FillTarget target = target_of(out, weight.factor, store);
    if (weight.volume) {
      const auto lengths = [&](int d) {
        const SamplerTables::Axis& axis = tables_.axes[d];
        return d == weight.face_axis ? axis.ones : axis.mass;
      };
      target.wx = lengths(0);
      target.wy = lengths(1);
      target.wz = lengths(2);
    }
    const int past = location == Location::cell ? 1 : 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block_.axes[d];
      target.lower[d] = -past;
      target.upper[d] = axis.size() - 1 + past;
      for (std::size_t end = 0; end < 2; ++end)
        target.dirichlet[2 * d + end] =
            !axis.degenerate() && axis.kind(static_cast<int>(end)) == BoundaryKind::dirichlet;
    }
    if (reads(datum.quantity, location)) return fill_from_array(datum, location, box, target);
    const Quantity quantity = on_host(datum.quantity);
    store_values(
        datum, box, target, [&](const auto& store_part) { store_part(points_of(datum, location, box), target); },
        [&](const Box& part, const LineSink& sink) {
          sample(quantity, datum.name, datum.sign, {block_, points_}, location, part, sink);
        });
  }

  void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                      Field& out) override {
    if (datum.quantity.constant() || reads(datum.quantity, Location::node))
      return fill(datum, Location::node, box, {weight.factor, true, weight.face_axis}, store, out);
    const FillTarget target = target_of(out, weight.factor, store);
    store_values(
        datum, box, target,
        [&](const auto& store_part) {
          FillTarget part = target;
          for_each_part(weight.face_axis, [&](const std::array<std::size_t, 3>& side) {
            Points points = points_of(datum, Location::node, box);
            const double* lengths[3];
            for (std::size_t d = 0; d < 3; ++d) {
              const SamplerTables::Parts& own = tables_.axes[d].parts[weight.face_axis >= 0 ? 1 : 0][side[d]];
              const bool across = static_cast<int>(d) == weight.face_axis;
              lengths[d] = across ? tables_.axes[d].ones : own.length;
              if (!across) coordinates(points, d) = own.at;
            }
            part.wx = lengths[0];
            part.wy = lengths[1];
            part.wz = lengths[2];
            store_part(points, part);
            part.add = true;
          });
        },
        [&](const Box& part, const LineSink& sink) {
          integrate(datum.quantity, datum.name, datum.sign, block_, part, weight.face_axis, sink);
        });
  }

  void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                    Field& out) override {
    const FillTarget target = target_of(out, 1, SampleStore::set);
    store_values(
        datum, cells, target,
        [&](const auto& store_part) {
          Points points = points_of(datum, Location::cell, cells);
          for (std::size_t d = 0; d < 3; ++d)
            if (static_cast<int>(d) != face_axis)
              coordinates(points, d) = tables_.axes[d].corners[static_cast<std::size_t>(corner[d])] + 1;
          store_part(points, target);
        },
        [&](const Box& part, const LineSink& sink) {
          sample_corners(datum.quantity, datum.name, datum.sign, {block_, points_}, part, corner, face_axis, sink);
        });
  }

  void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) override {
    if (box.size() > 0) host_values_.store(box, values, target_of(out, 1, store));
  }

  DifferenceMoments measure(const Datum& datum, const Field& u) override {
    if (!evaluates(datum.quantity) || u.backend().kind() != device_.kind()) return measure_on_host(block_, datum, u);
    write_bad(none);
    const std::vector<Moments> own = measured(datum, u);
    if (block_.processes().any(read_bad() != none)) return measure_on_host(block_, datum, u);
    const std::vector<Moments> planes = gather_lists(block_.processes(), own);
    Moments all{0, 0, planes.front().low, planes.front().high};
    for (const Moments& plane : planes) all.join(plane);
    return {all.first, all.second, all.low, all.high};
  }

  CellStatistics statistics(const Field& cells) override {
    const Box box = cells.layout().box();
    return {sum_of_magnitudes(cells, box),
            kappa_statistics::measure_jumps(cells, extremes(cells, box), cell_statistics())};
  }

  double share_of_stronger(std::size_t a, const Field& kappa_a, std::size_t b, const Field& kappa_b) override {
    const StrongerCoupling stronger{{static_cast<int>(a), static_cast<int>(b)},
                                    {kappa_a.view<double>(), kappa_b.view<double>()},
                                    {tables_.axes[a].width, tables_.axes[b].width}};
    return cell_statistics().sum(kappa_a.layout().box(), stronger) / static_cast<double>(kappa_a.space().size());
  }

  void subtract_inside(Field& cells) override {
    const auto view = cells.view<double>();
    const Box all = with_halo(block_, cells.layout().box());
    for (std::size_t d = 0; d < 3; ++d) {
      for (const int end : {-1, view.n[d]}) {
        if (!block_.axes[d].open(end < 0 ? 0 : 1)) continue;
        Box face = all;
        face.first[d] = end;
        face.last[d] = end + 1;
        device_.for_columns<NoSteps>(face, SubtractInside{view, static_cast<int>(d), end < 0 ? 1 : -1});
      }
    }
  }

  void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) override {
    const Axis& along = block_.axes[axis];
    FacesOfCells column{};
    column.cells = cells.view<double>();
    if (ends) column.ends = ends->view<double>();
    column.faces = faces.view<double>();
    column.width = tables_.axes[axis].width;
    column.axis = static_cast<int>(axis);
    column.n = along.size();
    column.periodic = along.periodic();
    for (int end = 0; end < 2; ++end) {
      column.open[end] = along.open(end);
      column.robin[end] = along.kind(end) == BoundaryKind::robin;
    }
    Box box = faces.layout().box();
    if (along.open(1)) ++box.last[axis];
    device_.for_columns<NoSteps>(box, column);
  }

  Extremes extremes(const Field& cells, const Box& box) override { return extremes_of(device_, cells, box); }
  bool positive_definite(const CellTensors& kappa) override {
    const Box box = kappa.diagonal[0]->layout().box();
    return !block_.processes().any(cell_statistics().largest(box, kappa_statistics::Indefinite(kappa)) > 0);
  }
  void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) override {
    cuda::add_product(device_, M, f, box, factor, out);
  }

  double sum_of_magnitudes(const Field& x, const Box& box) override {
    const Scalar sum = device_.scalar();
    dispatch(x.precision(), [&]<class X>(X) {
      const kappa_statistics::Magnitude<X> magnitude{marched(x.view<X>())};
      device_.sum(x.space(), marched(box, x.layout()), planes_marched(x.space()), SumOf{magnitude}, sum);
    });
    return device_.value(sum);
  }

 private:
  bool reads(const Quantity& quantity, Location wanted) const {
    return reads_array(quantity, wanted, block_, device_.number());
  }
  void fill_from_array(const Datum& datum, Location location, const Box& box, const FillTarget& target) {
    if (box.size() == 0) return;
    const FillFromArray column{array_values(*datum.quantity.array(), location, block_, tables_),
                               points_of(datum, location, box), target};
    write_bad(none);
    const bool replaces = !target.add && !target.shared;
    FillFromArray first = column;
    first.target.dry = !replaces;
    for_values(device_.stream(), box, first);
    if (read_bad() != none)  // reports the value and its place
      sample(on_host(datum.quantity), datum.name, datum.sign, {block_, points_}, location, box,
             [](int, int, const double*) {});
    if (!replaces) for_values(device_.stream(), box, column);
  }

  CellStatisticsOnDevice cell_statistics() { return {device_, block_.processes(), bad()}; }

  bool evaluates(const Quantity& quantity) const {
    return quantity.constant() ? constants_ : quantity.source() && numbers_.contains(*quantity.source());
  }
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

  static FillTarget target_of(Field& out, double factor, SampleStore store) {
    FillTarget target{};
    target.out = any_view(out);
    target.factor = factor;
    target.add = store == SampleStore::add;
    target.shared = store == SampleStore::share;
    return target;
  }

  // Stores a datum in a box. `launches` runs the device launches, each for some points and a target; `on_host` computes
  // the values on the host. Launches that add to values run dry first, so that the host finds the old values if a value
  // is bad.
  template <class Launches, class OnHost>
  void store_values(const Datum& datum, const Box& box, const FillTarget& target, const Launches& launches,
                    const OnHost& on_host) {
    if (box.size() == 0) return;
    const auto evaluate_into = [&](const Points& points, const FillTarget& to) { evaluate(datum, box, points, to); };
    if (!evaluates(datum.quantity)) return host_values_.store_computed(box, target, on_host);
    if (datum.quantity.constant()) {
      Box one = box;
      for (std::size_t d = 0; d < 3; ++d) one.last[d] = one.first[d] + 1;
      on_host(one, [](int, int, const double*) {});  // checks one value for all
      return launches(evaluate_into);
    }
    write_bad(none);
    const bool replaces = !target.add && !target.shared;
    launches([&](const Points& points, FillTarget to) {
      to.dry = !replaces;
      evaluate_into(points, to);
    });
    if (read_bad() != none) return host_values_.store_computed(box, target, on_host);
    if (!replaces) launches(evaluate_into);
  }

  Points points_of(const Datum& datum, Location location, const Box& box) const {
    Points points{};
    const auto of = [&](const SamplerTables::Axis& axis) {
      return location == Location::node ? axis.nodes : axis.cells + 1;
    };
    points.x = of(tables_.axes[0]);
    points.y = of(tables_.axes[1]);
    points.z = of(tables_.axes[2]);
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

  // Calls f for each combination of sides, except combinations whose parts of volumes are empty along a complete axis.
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
      for_values(device_.stream(), box, Fill<Constant>{{*value}, points, target});
    } else {
      const Tiling tiling(box);
      const std::size_t n = number(datum);
      modules_[n].launch(fill_[n], tiling.grid(), tile_threads, device_.stream(), Range(box), tiling, points, target);
    }
  }

  // Returns the moments of each plane, in two dimensions of each line.
  std::vector<Moments> measured(const Datum& datum, const Field& u) const {
    const Box all = u.layout().box(), box = marched(all, u.layout());
    Points points = points_of(datum, block_.location(), all);
    points.flat = is_plane(u.layout());
    const AnyView of_u = any_view(u);
    const double *wx = tables_.axes[0].mass, *wy = tables_.axes[1].mass, *wz = tables_.axes[2].mass;
    const Slices slices(box, Tiling(box), planes_marched(u.space()));
    auto* const partial = reinterpret_cast<Moments*>(device_.partials());
    if (const double* value = datum.quantity.constant()) {
      const cudaStream_t stream = device_.stream();
      measure_constant<<<slices.blocks(), tile_threads, 0, stream>>>(
          Range(box), slices, Measure<Constant>{{*value}, points, of_u, wx, wy, wz}, partial);
      launched(stream);
    } else {
      const std::size_t n = number(datum);
      modules_[n].launch(measure_[n], slices.blocks(), tile_threads, device_.stream(), Range(box), slices, points, of_u,
                         wx, wy, wz, partial);
    }
    return read_slices(device_, slices, partial);
  }

  static constexpr unsigned long long none = std::numeric_limits<unsigned long long>::max();

  CudaBackend& device_;
  HostValues host_values_;
  Block block_;
  CellPoints points_;
  bool constants_;  // the device evaluates constants
  SamplerTables tables_;
  Buffer bad_;
  std::map<std::string, int> numbers_;  // number of each source
  std::vector<RuntimeModule> modules_;
  std::vector<RuntimeModule::Kernel> fill_, measure_;
  std::string note_;
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(Backend& backend, const SampleGrid& grid, std::span<const Quantity> data,
                                      bool constants) {
  return std::make_unique<CudaSampler>(backend, grid, data, constants);
}

}  // namespace poisson::cuda
