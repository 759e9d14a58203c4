#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/slices.cuh"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

struct NoSteps {  // results: nothing to share a launch with
  template <class T>
  using Columns = ColumnList<>;
};

// By index on the block's axes.
struct Lengths {
  const double *x, *y, *z;
};

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

// Regions of few values, summed by one launch: each in tasks of so many planes, as a slice has them, and of rows.
constexpr int most_regions = 32, planes_of_task = 32, values_of_task = 1 << 14;
constexpr std::int64_t most_small = std::int64_t{1} << 21;
struct SmallRegions {
  struct Part {
    int3 first, extent;
    int rows, groups;  // rows of a task, tasks of a slice
    Lengths weight;
    int first_task;
  };
  Part parts[most_regions];
  int count, tasks;

  /// Whether there was room.
  bool add(const Box& box, const Lengths& weight) {
    const auto n = [&](std::size_t d) { return box.last[d] - box.first[d]; };
    if (count == most_regions || box.size() > most_small) return false;
    if (box.size() == 0) {
      parts[count++] = {{0, 0, 0}, {1, 1, 0}, 1, 0, weight, tasks};
      return true;
    }
    const int slices = (n(2) + planes_of_task - 1) / planes_of_task;
    const int rows = std::clamp(values_of_task / (n(0) * std::min(planes_of_task, n(2))), 1, n(1));
    const int groups = (n(1) + rows - 1) / rows;
    if (tasks + slices * groups > most_pieces) return false;
    parts[count++] = {{box.first[0], box.first[1], box.first[2]}, {n(0), n(1), n(2)}, rows, groups, weight, tasks};
    tasks += slices * groups;
    return true;
  }
};

template <class X>
__global__ void __launch_bounds__(tile_threads)
    sum_small_regions(const __grid_constant__ SmallRegions regions, View<const X> x, double* partial) {
  await_others();
  const int block = static_cast<int>(blockIdx.x);
  int r = regions.count - 1;
  while (block < regions.parts[r].first_task) --r;
  const auto& [first, extent, most_rows, groups, weight, first_task] = regions.parts[r];
  const int j0 = (block - first_task) % groups * most_rows, k0 = (block - first_task) / groups * planes_of_task;
  const int rows = min(most_rows, extent.y - j0), planes = min(planes_of_task, extent.z - k0);
  double sum = 0;
  for (int v = static_cast<int>(threadIdx.x); v < extent.x * rows * planes; v += tile_threads) {
    const int line = v / extent.x;
    const int i = first.x + v % extent.x, j = first.y + j0 + line % rows, k = first.z + k0 + line / rows;
    sum += weight.x[i] * weight.y[j] * weight.z[k] * static_cast<double>(x(i, j, k));
  }
  sum = sum_of_block<tile_threads>(sum);
  if (threadIdx.x == 0) partial[block] = sum;
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
  __device__ double plane(int i, int j, int k) const {
    return static_cast<double>(u(i, j, k)) + static_cast<double>(u(i + 1, j, k)) + static_cast<double>(u(i, j + 1, k)) +
           static_cast<double>(u(i + 1, j + 1, k));
  }
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0, below = plane(i, j, k0);
    for (int k = k0; k < k1; ++k) {
      const double above = plane(i, j, k + 1);  // in two dimensions the same plane
      sum += width.z[k] * cells(i, j, k) * (below + above);
      below = above;
    }
    return 0.125 * width.x[i] * width.y[j] * sum;
  }
};

// Places are numbered x fastest: of equal extrema the one with the least number counts, whatever threads find.
struct Extreme {
  double value;
  std::int64_t at;
};
struct Found {
  double first, second;
  Extreme low, high;

  __device__ void see_low(const Extreme& e) {
    if (e.value < low.value || (e.value == low.value && e.at < low.at)) low = e;
  }
  __device__ void see_high(const Extreme& e) {
    if (e.value > high.value || (e.value == high.value && e.at < high.at)) high = e;
  }
  __device__ void join(const Found& other) {
    first += other.first;
    second += other.second;
    see_low(other.low);
    see_high(other.high);
  }
};
constexpr int most_found = most_pieces / static_cast<int>(sizeof(Found) / sizeof(double));

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
  const unsigned width = slices.tiling.blocks.x, tiles = width * slices.tiling.blocks.y;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    slices.tiling.visit(box, column, tile % width, tile / width, blockIdx.z);
  __shared__ Found all[tile_threads];
  all[threadIdx.x] = own;
  for (unsigned half = tile_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x].join(all[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) partial[blockIdx.z * gridDim.x + blockIdx.x] = all[0];
}

// The values of a box in a row, x fastest.
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
    const Box box = u.layout().box();
    const Slices slices(box, Tiling(box), most_found);
    auto* const partial = reinterpret_cast<Found*>(device_.partials());
    dispatch(u.precision(), [&]<class X>(X) {
      launch(find_moments<X>, slices.blocks(), tile_threads, device_.stream(), Range(box), slices, u.view<X>(), mass_,
             partial);
    });
    const auto groups = static_cast<std::size_t>(slices.groups);
    std::vector<Found> found(groups * slices.tiling.blocks.z);
    device_.read(partial, found.data(), found.size() * sizeof(Found));
    Found all = found.front();
    all.first = all.second = 0;
    for (std::size_t slice = 0; slice < found.size(); slice += groups) {
      double first = 0, second = 0;
      for (std::size_t g = slice; g < slice + groups; ++g) {
        const auto& [of_first, of_second, low, high] = found[g];
        first += of_first;
        second += of_second;
        if (low.value < all.low.value || (low.value == all.low.value && low.at < all.low.at)) all.low = low;
        if (high.value > all.high.value || (high.value == all.high.value && high.at < all.high.at)) all.high = high;
      }
      all.first += first;
      all.second += second;
    }
    const auto& [x, y, z] = u.space().origin();
    const auto place = [&, first_x = x, first_y = y, first_z = z](const Extreme& e) {
      const std::int64_t nx = box.last[0], ny = box.last[1];
      return Extremum{e.value,
                      {first_x + static_cast<int>(e.at % nx), first_y + static_cast<int>(e.at / nx % ny),
                       first_z + static_cast<int>(e.at / nx / ny)}};
    };
    const Moments own{all.first, all.second, place(all.low), place(all.high)};
    Moments joined = own;
    joined.first = joined.second = 0;
    for (const Moments& m : u.space().processes().gather(own)) {
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
    std::vector<double> all;
    while (all.size() < regions.size()) {
      const auto rest = regions.subspan(all.size());
      SmallRegions small{};
      for (const Region& region : rest)
        if (!small.add(region.box, weights_of(region))) break;
      if (small.count > 0)
        add_small_sums(x, small, all);
      else
        all.push_back(large_sum(x, rest.front()));
    }
    for (double& sum : all) sum = x.space().processes().sum(sum);
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
    dispatch(u.precision(), [&]<class X>(X) {
      device_.sum(x.space(), cells_, x.space().all()[2], CellProduct<X>{x.view<double>(), u.view<X>(), width_},
                  result_);
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
  Lengths weights_of(const Region& region) const {
    const auto& [x, y, z] = region.weighted;
    return {x ? mass_.x : ones_.x, y ? mass_.y : ones_.y, z ? mass_.z : ones_.z};
  }
  double large_sum(const Field& x, const Region& region) const {
    dispatch(x.precision(), [&]<class X>(X) {
      device_.sum_here(region.box, WeightedSum<X>{x.view<X>(), weights_of(region)}, result_);
    });
    return result();
  }
  void add_small_sums(const Field& x, const SmallRegions& regions, std::vector<double>& all) const {
    if (regions.tasks > 0)
      dispatch(x.precision(), [&]<class X>(X) {
        launch(sum_small_regions<X>, static_cast<unsigned>(regions.tasks), tile_threads, device_.stream(), regions,
               x.view<X>(), device_.partials());
      });
    std::vector<double> of_tasks(static_cast<std::size_t>(regions.tasks));
    if (regions.tasks > 0) device_.read(device_.partials(), of_tasks.data(), of_tasks.size() * sizeof(double));
    for (int r = 0; r < regions.count; ++r) {
      const int last = r + 1 < regions.count ? regions.parts[r + 1].first_task : regions.tasks;
      double sum = 0;
      for (int task = regions.parts[r].first_task; task < last; task += regions.parts[r].groups)
        sum += std::accumulate(&of_tasks[static_cast<std::size_t>(task)],
                               &of_tasks[static_cast<std::size_t>(task)] + regions.parts[r].groups, 0.0);
      all.push_back(sum);
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
