#include <bit>
#include <limits>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/marched.hpp"
#include "grids/kernels/cuda/factories.hpp"

// These kernels process sampled data for elements; the host's part is grids/schemes/elements/elements.cpp.
namespace poisson::cuda {
namespace {

struct NoSteps {  // set-up shares no launches
  template <class T>
  using Columns = ColumnList<>;
};

// `DeviceRows` contains the rows of an axis by index.
struct DeviceRows {
  const double *before, *own, *after;
};

// `AddProduct` computes out += factor · M f.
template <class X>
struct AddProduct {
  DeviceRows axes[3];
  View<const double> f;
  double factor;
  View<X> out;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    double x[3], y[3], z[3];
    row(0, i, x);
    row(1, j, y);
    for (int k = k0; k < k1; ++k) {
      row(2, k, z);
      double sum = 0;
      for (int c = -1; c <= 1; ++c)
        for (int b = -1; b <= 1; ++b)
          for (int a = -1; a <= 1; ++a) {
            const double weight = x[a + 1] * y[b + 1] * z[c + 1];
            if (weight != 0) sum += weight * f(i + a, j + b, k + c);
          }
      out(i, j, k) += static_cast<X>(factor * sum);
    }
  }

 private:
  __device__ void row(int axis, int i, double (&weights)[3]) const {
    weights[0] = axes[axis].before[i];
    weights[1] = axes[axis].own[i];
    weights[2] = axes[axis].after[i];
  }
};

// `FindExtremes` finds the extremes of nonnegative values from the bits of doubles, which order like the numbers except
// for −0.
struct FindExtremes {
  View<const double> x;
  unsigned long long *least, *largest;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    double low = fabs(x(i, j, k0)), high = low;
    for (int k = k0; k < k1; ++k) {
      low = fmin(low, fabs(x(i, j, k)));
      high = fmax(high, fabs(x(i, j, k)));
    }
    // A stale value only causes an unnecessary atomic operation.
    const auto bits = [](double value) { return static_cast<unsigned long long>(__double_as_longlong(value)); };
    if (bits(low) < *static_cast<volatile unsigned long long*>(least)) atomicMin(least, bits(low));
    if (bits(high) > *static_cast<volatile unsigned long long*>(largest)) atomicMax(largest, bits(high));
  }
};

}  // namespace

void add_product(Backend& backend, const MassRows& M, const Field& f, const Box& box, double factor, Field& out) {
  DeviceTables tables;
  DeviceRows rows[3];
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> before, own, after;
    for (const auto& row : M[d]) {
      before.push_back(row[0]);
      own.push_back(row[1]);
      after.push_back(row[2]);
    }
    tables.add(before, rows[d].before);
    tables.add(own, rows[d].own);
    tables.add(after, rows[d].after);
  }
  const Buffer memory = tables.upload(backend);
  dispatch(out.precision(), [&]<class X>(X) {
    static_cast<CudaBackend&>(backend).for_columns<NoSteps>(
        box, AddProduct<X>{{rows[0], rows[1], rows[2]}, f.view<double>(), factor, out.view<X>()});
  });
}

Extremes extremes_of(Backend& backend, const Field& cells, const Box& box) {
  unsigned long long found[2]{std::bit_cast<unsigned long long>(std::numeric_limits<double>::infinity()), 0};
  const Buffer there = backend.allocate(sizeof found);
  backend.write(found, there.data(), sizeof found);
  auto* const words = static_cast<unsigned long long*>(there.data());
  static_cast<CudaBackend&>(backend).for_columns<NoSteps>(
      marched(box, cells.layout()), FindExtremes{marched(cells.view<double>()), words, words + 1});
  backend.read(words, found, sizeof found);
  return {std::bit_cast<double>(found[0]), std::bit_cast<double>(found[1])};
}

}  // namespace poisson::cuda
