#include "bench/row_cases.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "backends/cuda/toolkit.hpp"
#include "backends/memory/error.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"

namespace poisson::bench {
namespace {

using cuda::DeviceRows;

struct SevenPoints {
  int n;
  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    const int x = static_cast<int>(i % n), y = static_cast<int>(i / n % n), z = static_cast<int>(i / n / n);
    const std::int64_t plane = std::int64_t{n} * n;
    if (z > 0) emit(i - plane, -1.0);
    if (y > 0) emit(i - n, -1.0);
    if (x > 0) emit(i - 1, -1.0);
    emit(i, 6.0);
    if (x + 1 < n) emit(i + 1, -1.0);
    if (y + 1 < n) emit(i + n, -1.0);
    if (z + 1 < n) emit(i + plane, -1.0);
  }
};

// The six tetrahedra of a cube follow the paths from corner 0 to corner 7.
struct Tetrahedra {
  int n;

  __device__ static double shift(std::int64_t x, std::int64_t y, std::int64_t z, int d) {
    std::uint64_t bits = static_cast<std::uint64_t>(((z * 4099 + y) * 4099 + x) * 3 + d) * 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    return 0.4 * (static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5);
  }
  __device__ void point(const int (&at)[3], double (&x)[3]) const {
    for (int d = 0; d < 3; ++d) x[d] = at[d] + shift(at[0], at[1], at[2], d);
  }
  // Adds a tetrahedron to a row: `sum` has a place for each of the 27 neighbours.
  __device__ void add(const int (&corner)[4][3], int own, const int (&centre)[3], double (&sum)[27]) const {
    double x[4][3], a[3][3];
    for (int c = 0; c < 4; ++c) point(corner[c], x[c]);
    for (int r = 0; r < 3; ++r)
      for (int d = 0; d < 3; ++d) a[r][d] = x[r + 1][d] - x[0][d];
    double slope[4][3];
    double volume = 0;
    for (int r = 0; r < 3; ++r) {
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        slope[r + 1][d] = a[s][e] * a[t][f] - a[s][f] * a[t][e];
      }
    }
    for (int d = 0; d < 3; ++d) {
      volume += a[0][d] * slope[1][d];
      slope[0][d] = -slope[1][d] - slope[2][d] - slope[3][d];
    }
    for (int c = 0; c < 4; ++c) {
      double product = 0;
      for (int d = 0; d < 3; ++d) product += slope[own][d] * slope[c][d];
      int place = 13, step = 1;
      for (int d = 0; d < 3; ++d, step *= 3) place += (corner[c][d] - centre[d]) * step;
      sum[place] += product / (6 * fabs(volume));
    }
  }
  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    constexpr int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int centre[3] = {static_cast<int>(i % n) + 1, static_cast<int>(i / n % n) + 1,
                           static_cast<int>(i / n / n) + 1};
    double sum[27] = {};
    for (const auto& path : order)
      for (int own = 0; own < 4; ++own) {
        int corner[4][3];
        for (int d = 0; d < 3; ++d) corner[0][d] = centre[d];
        for (int k = 0; k < own; ++k) --corner[0][path[k]];
        for (int k = 0; k < 3; ++k) {
          for (int d = 0; d < 3; ++d) corner[k + 1][d] = corner[k][d];
          ++corner[k + 1][path[k]];
        }
        add(corner, own, centre, sum);
      }
    for (int k = 0; k < 27; ++k) {
      const int x = centre[0] + k % 3 - 2, y = centre[1] + k / 3 % 3 - 2, z = centre[2] + k / 9 - 2;
      // Two corners of a cube share a tetrahedron unless their coordinates differ in opposite directions.
      const bool up = x > centre[0] - 1 || y > centre[1] - 1 || z > centre[2] - 1,
                 down = x < centre[0] - 1 || y < centre[1] - 1 || z < centre[2] - 1;
      if ((up && down) || x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n) continue;
      emit((std::int64_t{z} * n + y) * n + x, sum[k]);
    }
  }
};

template <class Case>
struct CountRow {
  Case of;
  std::int64_t* count;
  __device__ void operator()(std::int64_t i) const {
    std::int64_t n = 0;
    of.row(i, [&](std::int64_t, double) { ++n; });
    count[i] = n;
  }
};
template <class Case>
struct FillRow {
  Case of;
  const std::int64_t* start;
  int* column;
  double* value;
  __device__ void operator()(std::int64_t i) const {
    std::int64_t at = start[i];
    of.row(i, [&](std::int64_t j, double a) {
      column[at] = static_cast<int>(j);
      value[at++] = a;
    });
  }
};

template <class Case>
std::shared_ptr<const DeviceMatrix> matrix_of(Backend& backend, const Case& of) {
  DeviceRows rows(static_cast<cuda::CudaBackend&>(backend));
  const std::int64_t n = std::int64_t{of.n} * of.n * of.n;
  auto A = std::make_shared<DeviceMatrix>();
  A->start = rows.make<std::int64_t>(n + 1);
  rows.each(n, CountRow<Case>{of, rows.at(A->start)});
  rows.resize(*A, n, n, rows.sum_up(A->start, n));
  rows.each(n, FillRow<Case>{of, rows.at(A->start), rows.at(A->column), rows.at(A->value)});
  return A;
}

struct Narrow {
  const std::int64_t* from;
  int* to;
  __device__ void operator()(std::int64_t i) const { to[i] = static_cast<int>(from[i]); }
};
template <class T>
struct Round {
  const double* from;
  T* to;
  __device__ void operator()(std::int64_t i) const { to[i] = static_cast<T>(from[i]); }
};
template <class T>
struct FillInput {
  cuda::RowPlaces place;
  T *plain, *field;
  __device__ void operator()(std::int64_t i) const {
    const T value = static_cast<T>(static_cast<double>(i * 7919 % 1009) / 1009 - 0.5);
    plain[i] = value;
    field[place(static_cast<int>(i))] = value;
  }
};
template <class T>
struct Difference {
  cuda::RowPlaces place;
  const T *plain, *field;
  __device__ double operator()(std::int64_t i) const {
    return fabs(static_cast<double>(plain[i]) - static_cast<double>(field[place(static_cast<int>(i))]));
  }
};

// Declares the few functions that are used, without cuSPARSE's header.
class Cusparse {
 public:
  Cusparse() : library_(cuda::toolkit_library("POISSON_CUSPARSE", "cusparse")) {
    if (!library_) return;
    find(create, "cusparseCreate");
    find(stream, "cusparseSetStream");
    find(matrix, "cusparseCreateCsr");
    find(vector, "cusparseCreateDnVec");
    find(room, "cusparseSpMV_bufferSize");
    find(multiply, "cusparseSpMV");
    find(prepare, "cusparseSpMV_preprocess");
  }
  std::string reason() const { return library_ ? "" : library_.reason(); }
  explicit operator bool() const { return static_cast<bool>(library_) && multiply && room; }

  using Handle = void*;
  int (*create)(Handle*) = nullptr;
  int (*stream)(Handle, cudaStream_t) = nullptr;
  int (*matrix)(void**, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int, int, int) = nullptr;
  int (*vector)(void**, std::int64_t, void*, int) = nullptr;
  int (*room)(Handle, int, const void*, void*, void*, const void*, void*, int, int, std::size_t*) = nullptr;
  int (*multiply)(Handle, int, const void*, void*, void*, const void*, void*, int, int, void*) = nullptr;
  int (*prepare)(Handle, int, const void*, void*, void*, const void*, void*, int, int, void*) = nullptr;

 private:
  template <class F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(library_.find(name));
  }
  SharedLibrary library_;
};

template <class F>
double seconds_of(cudaStream_t stream, const F& run) {
  constexpr int repeats = 30;
  cudaEvent_t begin = nullptr, end = nullptr;
  cuda::check(cudaEventCreate(&begin));
  cuda::check(cudaEventCreate(&end));
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    run();
    cuda::check(cudaEventRecord(begin, stream));
    for (int k = 0; k < repeats; ++k) run();
    cuda::check(cudaEventRecord(end, stream));
    cuda::check(cudaEventSynchronize(end));
    float milliseconds = 0;
    cuda::check(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::min(best, milliseconds / 1e3 / repeats);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best;
}

template <class T>
double time_cusparse(DeviceRows& rows, const DeviceMatrix& A, const Buffer& in, const Buffer& out,
                     std::string& why_not) {
  Cusparse cusparse;
  if (!cusparse) {
    why_not = cusparse.reason();
    return 0;
  }
  const Buffer start = rows.make<int>(A.rows + 1), value = rows.make<T>(A.entries);
  rows.each(A.rows + 1, Narrow{A.view().start, rows.at(start)});
  rows.each(A.entries, Round<T>{A.view().value, rows.at(value)});
  constexpr int index_32 = 2, plain = 0;
  const int type = sizeof(T) == 4 ? 0 : 1;
  void *handle = nullptr, *matrix = nullptr, *x = nullptr, *y = nullptr;
  int failed = cusparse.create(&handle) + cusparse.stream(handle, rows.stream());
  failed += cusparse.matrix(&matrix, A.rows, A.columns, A.entries, start.data(), A.column.data(), value.data(),
                            index_32, index_32, 0, type);
  failed += cusparse.vector(&x, A.columns, in.data(), type) + cusparse.vector(&y, A.rows, out.data(), type);
  const T one = 1, zero = 0;
  double best = 0;
  for (const int algorithm : {0, 2, 3}) {
    std::size_t bytes = 0;
    failed += cusparse.room(handle, plain, &one, matrix, x, &zero, y, type, algorithm, &bytes);
    const Buffer room = rows.make<char>(static_cast<std::int64_t>(bytes));
    if (cusparse.prepare)
      failed += cusparse.prepare(handle, plain, &one, matrix, x, &zero, y, type, algorithm, room.data());
    const double seconds = seconds_of(rows.stream(), [&] {
      failed += cusparse.multiply(handle, plain, &one, matrix, x, &zero, y, type, algorithm, room.data());
    });
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  if (failed != 0) why_not = "cuSPARSE reported an error";
  return failed != 0 ? 0 : best;
}

template <class T>
ProductTimes times_of(DeviceRows& rows, const DeviceMatrix& A, std::string& why_not) {
  auto pattern = std::make_shared<cuda::DevicePattern>();
  pattern->rows = std::make_shared<const cuda::SlicedRows>(cuda::make_sliced(rows, A));
  const auto own = cuda::make_row_operator(rows, pattern, A, precision_of<T>);
  Field u(rows.backend(), own->space(), precision_of<T>), Au(rows.backend(), own->space(), precision_of<T>);
  const Buffer in = rows.make<T>(A.columns), out = rows.make<T>(A.rows);
  const cuda::RowPlaces place(pattern->rows->row_space);
  rows.each(A.rows, FillInput<T>{place, rows.at(in), u.view<T>().data});
  ProductTimes times;
  times.own = seconds_of(rows.stream(), [&] { own->apply(u, Au); });
  times.cusparse = time_cusparse<T>(rows, A, in, out, why_not);
  if (times.cusparse > 0)
    times.difference = rows.most(A.rows, Difference<T>{place, rows.at(out), Au.view<T>().data}, 0);
  return times;
}

}  // namespace

std::shared_ptr<const DeviceMatrix> seven_points(Backend& backend, int n) {
  return matrix_of(backend, SevenPoints{n});
}
std::shared_ptr<const DeviceMatrix> tetrahedra(Backend& backend, int n) {
  return matrix_of(backend, Tetrahedra{n});
}
ProductTimes time_products(Backend& backend, const DeviceMatrix& A, Precision precision, std::string& why_not) {
  DeviceRows rows(static_cast<cuda::CudaBackend&>(backend));
  return dispatch(precision, [&]<class T>(T) { return times_of<T>(rows, A, why_not); });
}

}  // namespace poisson::bench
