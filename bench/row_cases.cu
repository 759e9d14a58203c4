#include <array>
#include <cmath>
#include <vector>

#include "backends/cuda/toolkit.hpp"
#include "backends/memory/error.hpp"
#include "bench/row_cases.hpp"
#include "bench/row_shapes.cuh"
#include "bench/stopwatch.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"
#include "grids/meshes/cuda/element_matrix.hpp"

namespace poisson::bench {
namespace {

using cuda::DeviceRows;

struct EntryDifference {
  const double *one, *other;
  const int *column, *other_column;
  __device__ double operator()(std::int64_t k) const {
    return column[k] == other_column[k] ? fabs(one[k] - other[k]) : 1e99;
  }
};
struct EntrySize {
  const double* value;
  __device__ double operator()(std::int64_t k) const { return fabs(value[k]); }
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
  const std::int64_t n = std::int64_t{of.of.n} * of.of.n * of.of.n;
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

std::shared_ptr<const DeviceMatrix> make_rows(Backend& backend, const RowCase& of) {
  return of.elements ? matrix_of(backend, Tetrahedra{of}) : matrix_of(backend, SevenPoints{of});
}

AssemblyTimes time_assembly(Backend& backend, const RowCase& of) {
  DeviceRows rows(static_cast<cuda::CudaBackend&>(backend));
  const std::int64_t all = of.n + 2, cells = of.n + 1, cubes = cells * cells * cells;
  const auto make = [&] {
    cuda::ElementArrays mesh;
    mesh.rows = std::int64_t{of.n} * of.n * of.n;
    mesh.points = rows.make<double>(3 * all * all * all);
    mesh.row = rows.make<int>(all * all * all);
    mesh.point_of = rows.make<int>(mesh.rows);
    rows.each(all * all * all, WritePoints{{of}, rows.at(mesh.points), rows.at(mesh.row), rows.at(mesh.point_of)});
    mesh.blocks.push_back({CellShape::tetrahedron, 6 * cubes, rows.make<int>(24 * cubes)});
    return mesh;
  };
  const Buffer kappa = rows.make<double>(6 * cubes);
  AssemblyTimes times;
  const auto wait = [&] { cuda::check(cudaStreamSynchronize(rows.stream())); };
  for (int round = 0; round < 2; ++round) {
    cuda::ElementArrays mesh = make();
    rows.each(cubes, WriteTetrahedra{{of}, rows.at(mesh.blocks[0].corner), rows.at(kappa)});
    wait();
    const Stopwatch pattern;
    const auto assembly = cuda::make_device_assembly(backend, std::move(mesh));
    wait();
    times.pattern = pattern.seconds();
    const auto compute = [&] { assembly->set_values(static_cast<const double*>(kappa.data()), 1, nullptr); };
    compute();
    wait();
    const Stopwatch values;
    compute();
    wait();
    times.values = values.seconds();
    if (round == 0) continue;
    const auto made = assembly->matrix(), known = make_rows(backend, of);
    const CsrView a = made->view(), b = known->view();
    times.difference = made->entries != known->entries
                           ? 1e99
                           : rows.most(made->entries, EntryDifference{a.value, b.value, a.column, b.column}, 0) /
                                 rows.most(made->entries, EntrySize{b.value}, 0);
  }
  return times;
}

ProductTimes time_products(Backend& backend, const DeviceMatrix& A, Precision precision, std::string& why_not) {
  DeviceRows rows(static_cast<cuda::CudaBackend&>(backend));
  return dispatch(precision, [&]<class T>(T) { return times_of<T>(rows, A, why_not); });
}

}  // namespace poisson::bench
