#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/slices.cuh"
#include "backends/memory/round_up.hpp"
#include "backends/spaces/gather_lists.hpp"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/read_slices.cuh"

namespace poisson::cuda {
namespace {

struct NoSteps {  // results share no launches
  template <class T>
  using Columns = ColumnList<>;
};

// `Lengths` has one table for each axis, by index on the block's axes.
struct Lengths {
  const double *x, *y, *z;
};
Lengths as_marched(const Lengths& lengths, const Layout& layout) {
  return is_plane(layout) ? Lengths{lengths.x, lengths.z, lengths.y} : lengths;
}

template <class X>
struct WeightedSum {
  View<const X> x;
  Lengths weight;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += weight.z[k] * static_cast<double>(x(i, j, k));
    return weight.x[i] * weight.y[j] * sum;
  }
};

// `SmallRegions` are regions of small planes that one launch sums. Each plane is partitioned into tasks of `rows` rows.
constexpr int most_regions = 32, most_tasks = 8192, values_of_task = 1 << 14;
struct SmallRegions {
  struct Part {
    int3 first, extent;
    int rows, groups;  // rows per task, tasks per plane
    Lengths weight;
    int first_task;
  };
  Part parts[most_regions];
  int count, tasks;

  /// Adds a region, and returns whether it fits.
  bool add(const Box& box, const Lengths& weight) {
    const auto n = [&](std::size_t d) { return box.last[d] - box.first[d]; };
    if (count == most_regions) return false;
    if (box.size() == 0) {
      parts[count++] = {{0, 0, 0}, {1, 1, 0}, 1, 0, weight, tasks};
      return true;
    }
    const int rows = std::clamp(values_of_task / n(0), 1, n(1)), groups = divide_up(n(1), rows);
    if (tasks + n(2) * groups > most_tasks) return false;
    parts[count++] = {{box.first[0], box.first[1], box.first[2]}, {n(0), n(1), n(2)}, rows, groups, weight, tasks};
    tasks += n(2) * groups;
    return true;
  }
};
// Returns whether all processes sum their shares of a region in this way. The choice does not depend on the shares.
bool small_planes(const Box& box, int depth) {
  return std::int64_t{box.last[0] - box.first[0]} * (box.last[1] - box.first[1]) <= values_of_task &&
         depth <= most_tasks;
}

template <class X>
__global__ void __launch_bounds__(tile_threads)
    sum_small_regions(const __grid_constant__ SmallRegions regions, View<const X> x, double* partial) {
  await_others();
  const int block = static_cast<int>(blockIdx.x);
  int r = regions.count - 1;
  while (block < regions.parts[r].first_task) --r;
  const auto& [first, extent, most_rows, groups, weight, first_task] = regions.parts[r];
  const int j0 = (block - first_task) % groups * most_rows, k = first.z + (block - first_task) / groups;
  const int rows = min(most_rows, extent.y - j0);
  double sum = 0;
  for (int v = static_cast<int>(threadIdx.x); v < extent.x * rows; v += tile_threads) {
    const int i = first.x + v % extent.x, j = first.y + j0 + v / extent.x;
    sum += weight.x[i] * weight.y[j] * weight.z[k] * static_cast<double>(x(i, j, k));
  }
  sum = sum_of_block<tile_threads>(sum);
  if (threadIdx.x == 0) partial[block] = sum;
}

// One warp adds the groups of a plane.
__global__ void add_groups(const double* partial, int groups, double* of_plane) {
  await_others();
  double sum = 0;
  for (int g = static_cast<int>(threadIdx.x); g < groups; g += 32)
    sum += partial[static_cast<std::int64_t>(blockIdx.x) * groups + g];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) of_plane[blockIdx.x] = sum;
}

template <class Y>
struct Product {
  View<const double> x;
  View<const Y> y;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += x(i, j, k) * static_cast<double>(y(i, j, k));
    return sum;
  }
};

template <class X>
struct CellProduct {
  View<const double> cells;
  View<const X> u;
  Lengths width;
  // Adds the values of u at the corners in plane k. In two dimensions y is marched, and the next line along the other
  // axis is the same one.
  __device__ double plane(int i, int j, int k) const {
    return static_cast<double>(u(i, j, k)) + static_cast<double>(u(i + 1, j, k)) + static_cast<double>(u(i, j + 1, k)) +
           static_cast<double>(u(i + 1, j + 1, k));
  }
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0, below = plane(i, j, k0);
    for (int k = k0; k < k1; ++k) {
      const double above = plane(i, j, k + 1);
      sum += width.z[k] * cells(i, j, k) * (below + above);
      below = above;
    }
    return 0.125 * width.x[i] * width.y[j] * sum;
  }
};

// Places are numbered x fastest. Among equal extrema the one with the least number counts, independently of the
// threads.
struct Extreme {
  double value;
  std::int64_t at;
};
struct Found {
  double first, second;
  Extreme low, high;

  __host__ __device__ void see_low(const Extreme& e) {
    if (e.value < low.value || (e.value == low.value && e.at < low.at)) low = e;
  }
  __host__ __device__ void see_high(const Extreme& e) {
    if (e.value > high.value || (e.value == high.value && e.at < high.at)) high = e;
  }
  __host__ __device__ void join(const Found& other) {
    first += other.first;
    second += other.second;
    see_low(other.low);
    see_high(other.high);
  }
};
static_assert(most_slices * sizeof(Found) <= CudaBackend::always_partials * sizeof(double) &&
              worth_blocks * sizeof(Found) <= CudaBackend::always_partials * sizeof(double));

template <class X>
__global__ void __launch_bounds__(tile_threads)
    find_moments(Range box, Slices slices, View<const X> u, Lengths mass, Found* partial) {
  await_others();
  constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
  const double infinity = __longlong_as_double(0x7ff0000000000000);
  Found own{0, 0, {infinity, nowhere}, {-infinity, nowhere}};
  const std::int64_t plane = std::int64_t{1} * u.n[0] * u.n[1];
  const auto column = [&](int i, int j, int k0, int k1) {
    double first = 0, second = 0;
    std::int64_t at = i + static_cast<std::int64_t>(j) * u.n[0] + k0 * plane;
    for (int k = k0; k < k1; ++k, at += plane) {
      const auto value = static_cast<double>(u(i, j, k));
      const double part = mass.z[k] * value;
      first += part;
      second += part * value;
      own.see_low({value, at});
      own.see_high({value, at});
    }
    const double area = mass.x[i] * mass.y[j];
    own.first += area * first;
    own.second += area * second;
  };
  reduce_slice(box, slices, own, column, partial);
}

// `Pack` copies the values of a box to consecutive places, x fastest.
template <class X>
struct Pack {
  View<const X> x;
  double* to;
  int first[3], n[2];
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k)
      to[(static_cast<std::int64_t>(k - first[2]) * n[1] + (j - first[1])) * n[0] + (i - first[0])] =
          static_cast<double>(x(i, j, k));
  }
};

class CudaFunctionals final : public Functionals {
 public:
  CudaFunctionals(Backend& backend, const Block& block)
      : device_(static_cast<CudaBackend&>(backend)), cells_(block.cell_layout().box()), result_(backend.scalar()) {
    DeviceTables tables;
    std::array<const double**, 3> masses{&mass_.x, &mass_.y, &mass_.z}, widths{&width_.x, &width_.y, &width_.z},
        ones{&ones_.x, &ones_.y, &ones_.z};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      std::vector<double> mass, width;
      for (int i = 0; i < axis.size(); ++i) mass.push_back(axis.mass(i));
      for (int i = 0; i < cells_.last[d]; ++i) width.push_back(axis.width(i));
      tables.add(mass, *masses[d]);
      tables.add(width, *widths[d]);
      tables.add(std::vector<double>(mass.size(), 1.0), *ones[d]);
    }
    tables_ = tables.upload(backend);
  }

  Moments moments(const Field& u) const override {
    const Box box = marched(u.layout().box(), u.layout());
    const Slices slices(box, Tiling(box), planes_marched(u.space()));
    auto* const partial = reinterpret_cast<Found*>(device_.partials());
    dispatch(u.precision(), [&]<class X>(X) {
      launch(find_moments<X>, slices.blocks(), tile_threads, device_.stream(), Range(box), slices, marched(u.view<X>()),
             as_marched(mass_, u.layout()), partial);
    });
    const std::array<std::int64_t, 3> n{u.layout().n[0], u.layout().n[1], u.layout().n[2]};
    const auto place = [&](const Extreme& e) {
      const auto& first = u.space().part().origin();
      return Extremum{e.value,
                      {first[0] + static_cast<int>(e.at % n[0]), first[1] + static_cast<int>(e.at / n[0] % n[1]),
                       first[2] + static_cast<int>(e.at / n[0] / n[1])}};
    };
    std::vector<Moments> own;  // moments per plane
    for (const Found& plane : read_slices(device_, slices, partial))
      own.push_back({plane.first, plane.second, place(plane.low), place(plane.high)});
    const std::vector<Moments> planes = gather_lists(u.space().processes(), own);
    Moments joined = planes.front();
    joined.first = joined.second = 0;
    for (const Moments& m : planes) {
      joined.first += m.first;
      joined.second += m.second;
      const auto comes_first = [](const Extremum& a, const Extremum& b) {
        return std::ranges::lexicographical_compare(std::views::reverse(a.at), std::views::reverse(b.at));
      };
      if (m.low.value < joined.low.value || (m.low.value == joined.low.value && comes_first(m.low, joined.low)))
        joined.low = m.low;
      if (m.high.value > joined.high.value || (m.high.value == joined.high.value && comes_first(m.high, joined.high)))
        joined.high = m.high;
    }
    return joined;
  }

  std::vector<double> sums(const Field& x, std::span<const Region> regions) const override {
    std::vector<PlaneOfRegion> own;
    Buffer room;  // sums per plane of large regions
    for (std::size_t r = 0; r < regions.size();) {
      SmallRegions small{};
      const std::size_t begin = r;
      while (r < regions.size()) {
        const Box box = marched(regions[r].box, x.layout());
        if (!small_planes(box, planes_marched(x.space())) || !small.add(box, weights_of(regions[r], x.layout()))) break;
        ++r;
      }
      if (r > begin)
        add_small_sums(x, small, begin, own);
      else
        add_large_sum(x, regions[r], r, room, own), ++r;
    }
    const std::vector<PlaneOfRegion> planes = gather_lists(x.space().processes(), own);
    std::vector<double> all(regions.size(), 0.0);
    for (const auto& [region, sum] : planes) all[region] += sum;
    return all;
  }

  double product(const Field& x, const Field& y, const Box& box) const override {
    dispatch(y.precision(), [&]<class Y>(Y) {
      device_.sum(x.space(), marched(box, x.layout()), planes_marched(x.space()),
                  Product<Y>{marched(x.view<double>()), marched(y.view<Y>())}, result_);
    });
    return result();
  }

  double cell_product(const Field& x, const Field& u) const override {
    device_.exchange(u);
    const bool flat = is_plane(u.layout());  // a single layer of cells need not be a plane
    const auto cells = flat ? marched(x.view<double>()) : x.view<double>();
    dispatch(u.precision(), [&]<class X>(X) {
      device_.sum(x.space(), marched(cells_, u.layout()), x.space().part().all()[flat ? 1 : 2],
                  CellProduct<X>{cells, marched(u.view<X>()), as_marched(width_, u.layout())}, result_);
    });
    return result();
  }

  std::vector<double> values(const Field& x, const Box& box) const override {
    std::vector<double> all(static_cast<std::size_t>(box.size()));
    if (all.empty()) return all;
    const Buffer there = device_.allocate(all.size() * sizeof(double));
    dispatch(x.precision(), [&]<class X>(X) {
      device_.for_columns<NoSteps>(box, Pack<X>{x.view<X>(),
                                                static_cast<double*>(there.data()),
                                                {box.first[0], box.first[1], box.first[2]},
                                                {box.last[0] - box.first[0], box.last[1] - box.first[1]}});
    });
    device_.read(there.data(), all.data(), all.size() * sizeof(double));
    return all;
  }

 private:
  struct PlaneOfRegion {
    std::size_t region;
    double sum;
  };
  Lengths weights_of(const Region& region, const Layout& layout) const {
    const auto& [x, y, z] = region.weighted;
    return as_marched({x ? mass_.x : ones_.x, y ? mass_.y : ones_.y, z ? mass_.z : ones_.z}, layout);
  }
  void add_large_sum(const Field& x, const Region& region, std::size_t number, Buffer& room,
                     std::vector<PlaneOfRegion>& all) const {
    const Box box = marched(region.box, x.layout());
    dispatch(x.precision(), [&]<class X>(X) {
      const PlaneSums sums = device_.sum_parts(box, planes_marched(x.space()),
                                               WeightedSum<X>{marched(x.view<X>()), weights_of(region, x.layout())});
      std::vector<double> planes(static_cast<std::size_t>(sums.count(box.last[2] - box.first[2])));
      if (planes.empty()) return;
      if (!room.data()) room = device_.allocate(static_cast<std::size_t>(planes_marched(x.space())) * sizeof(double));
      auto* const of_plane = static_cast<double*>(room.data());
      launch(add_groups, static_cast<unsigned>(planes.size()), 32, device_.stream(),
             static_cast<const double*>(device_.partials()), sums.groups, of_plane);
      device_.read(of_plane, planes.data(), planes.size() * sizeof(double));
      for (const double sum : planes) all.push_back({number, sum});
    });
  }
  void add_small_sums(const Field& x, const SmallRegions& regions, std::size_t number,
                      std::vector<PlaneOfRegion>& all) const {
    if (regions.tasks == 0) return;
    dispatch(x.precision(), [&]<class X>(X) {
      launch(sum_small_regions<X>, static_cast<unsigned>(regions.tasks), tile_threads, device_.stream(), regions,
             View<const X>(marched(x.view<X>())), device_.partials());
    });
    std::vector<double> of_tasks(static_cast<std::size_t>(regions.tasks));
    device_.read(device_.partials(), of_tasks.data(), of_tasks.size() * sizeof(double));
    auto task = of_tasks.begin();
    for (int r = 0; r < regions.count; ++r) {
      const SmallRegions::Part& part = regions.parts[r];
      for (int plane = 0; plane < part.extent.z; ++plane, task += part.groups)
        all.push_back({number + static_cast<std::size_t>(r), std::accumulate(task, task + part.groups, 0.0)});
    }
  }
  double result() const { return device_.value(result_); }

  CudaBackend& device_;
  Box cells_;
  Scalar result_;
  Buffer tables_;
  Lengths mass_{}, width_{}, ones_{};
};

}  // namespace

std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) {
  return std::make_unique<CudaFunctionals>(backend, block);
}

}  // namespace poisson::cuda
