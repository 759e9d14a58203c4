#include <limits>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
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
constexpr int most_found = most_partials / static_cast<int>(sizeof(Found) / sizeof(double));

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
      : device_(static_cast<CudaBackend&>(backend)),
        cells_(block.cell_layout().box()),
        results_(backend.allocate(most_results * sizeof(double))) {
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
    const auto place = [&](const Extreme& e) {
      const std::int64_t nx = box.last[0], ny = box.last[1];
      return Extremum{
          e.value, {static_cast<int>(e.at % nx), static_cast<int>(e.at / nx % ny), static_cast<int>(e.at / nx / ny)}};
    };
    return {all.first, all.second, place(all.low), place(all.high)};
  }

  std::vector<double> sums(const Field& x, std::span<const Region> regions) const override {
    std::vector<double> all;
    dispatch(x.precision(), [&]<class X>(X) {
      while (all.size() < regions.size()) {
        const auto some = regions.subspan(all.size()).first(std::min(most_results, regions.size() - all.size()));
        double* result = first_result();
        for (const auto& [box, weighted] : some)
          sum_columns(device_.stream(), box,
                      WeightedSum<X>{x.view<X>(),
                                     {weighted[0] ? mass_.x : ones_.x, weighted[1] ? mass_.y : ones_.y,
                                      weighted[2] ? mass_.z : ones_.z}},
                      device_.partials(), result++);
        all.resize(all.size() + some.size());
        device_.read(first_result(), &all[all.size() - some.size()], some.size() * sizeof(double));
      }
    });
    return all;
  }

  double product(const Field& x, const Field& y, const Box& box) const override {
    dispatch(y.precision(), [&]<class Y>(Y) {
      sum_columns(device_.stream(), box, Product<Y>{x.view<double>(), y.view<Y>()}, device_.partials(), first_result());
    });
    return result();
  }

  double cell_product(const Field& x, const Field& u) const override {
    device_.exchange(u);
    dispatch(u.precision(), [&]<class X>(X) {
      sum_columns(device_.stream(), cells_, CellProduct<X>{x.view<double>(), u.view<X>(), width_}, device_.partials(),
                  first_result());
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
  static constexpr std::size_t most_results = 32;
  double* first_result() const { return static_cast<double*>(results_.data()); }
  double result() const {
    double value = 0;
    device_.read(first_result(), &value, sizeof value);
    return value;
  }

  CudaBackend& device_;
  Box cells_;
  Buffer results_, tables_;
  Lengths mass_{}, width_{}, ones_{};
};

}  // namespace

std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) {
  return std::make_unique<CudaFunctionals>(backend, block);
}

}  // namespace poisson::cuda
