#include <array>
#include <cmath>
#include <vector>

#include "backends/cuda/toolkit.hpp"
#include "backends/memory/error.hpp"
#include "bench/row_cases.hpp"
#include "bench/stopwatch.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"
#include "grids/meshes/cuda/element_matrix.hpp"

namespace poisson::bench {
namespace {

using cuda::DeviceRows;

__device__ double random_number(std::uint64_t number) {
  std::uint64_t bits = number * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>(bits >> 11) / 9007199254740992.0;
}
// Returns κ of a cell.
__device__ double kappa_of(const RowCase& of, int x, int y, int z) {
  return of.jump == 1 || random_number(((x / 8 + 1) * 4099ULL + y / 8) * 4099ULL + z / 8) < 0.5 ? 1 : of.jump;
}

struct SevenPoints {
  RowCase of;

  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    const int n = of.n;
    const int at[3] = {static_cast<int>(i % n), static_cast<int>(i / n % n), static_cast<int>(i / n / n)};
    const std::int64_t step[3] = {1, n, std::int64_t{n} * n};
    const double own = kappa_of(of, at[0], at[1], at[2]);
    double coupling[6], sum = 0;
    for (int side = 0; side < 6; ++side) {
      const int d = side / 2, to = at[d] + (side % 2 == 0 ? -1 : 1);
      const bool inside = to >= 0 && to < n;
      int there[3] = {at[0], at[1], at[2]};
      there[d] = to;
      const double other = inside ? kappa_of(of, there[0], there[1], there[2]) : own;
      const double a = (d == 2 ? of.along_z : 1) * 2 * own * other / (own + other);
      coupling[side] = inside ? a : 0;
      if (inside || !of.neumann) sum += a;
    }
    for (int d = 2; d >= 0; --d)
      if (coupling[2 * d] > 0) emit(i - step[d], -coupling[2 * d]);
    emit(i, sum);
    for (int d = 0; d < 3; ++d)
      if (coupling[2 * d + 1] > 0) emit(i + step[d], -coupling[2 * d + 1]);
  }
};

// The six tetrahedra of a cube follow the paths from corner 0 to corner 7 along the axes in these orders.
__constant__ const int paths[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

struct Tetrahedra {
  RowCase of;

  __device__ void point(const int (&at)[3], double (&x)[3]) const {
    const int cells = of.n + 1;
    for (int d = 0; d < 3; ++d) {
      const bool inside = at[d] > 0 && at[d] < cells;
      const auto number = ((at[2] * 4099ULL + at[1]) * 4099ULL + at[0]) * 3 + d;
      const double moved = at[d] + (inside ? 2 * of.shift * (random_number(number) - 0.5) : 0);
      x[d] = of.stretching == 1 ? moved : cells * pow(moved / cells, of.stretching);
    }
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
    const double factor = kappa_of(of, corner[0][0], corner[0][1], corner[0][2]) / (6 * fabs(volume));
    for (int c = 0; c < 4; ++c) {
      double product = 0;
      for (int d = 0; d < 3; ++d) product += slope[own][d] * slope[c][d];
      int place = 13, step = 1;
      for (int d = 0; d < 3; ++d, step *= 3) place += (corner[c][d] - centre[d]) * step;
      sum[place] += product * factor;
    }
  }
  template <class Emit>
  __device__ void row(std::int64_t i, const Emit& emit) const {
    const int n = of.n;
    const int centre[3] = {static_cast<int>(i % n) + 1, static_cast<int>(i / n % n) + 1,
                           static_cast<int>(i / n / n) + 1};
    double sum[27] = {};
    for (const auto& path : paths)
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

// Writes the points, and the corners of the tetrahedra of a cube.
struct WritePoints {
  Tetrahedra from;
  double* point;
  int *row, *point_of;
  __device__ void operator()(std::int64_t number) const {
    const int n = from.of.n, all = n + 2;
    const int at[3] = {static_cast<int>(number % all), static_cast<int>(number / all % all),
                       static_cast<int>(number / all / all)};
    double x[3];
    from.point(at, x);
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      point[3 * number + d] = x[d];
      inside = inside && at[d] > 0 && at[d] <= n;
    }
    const std::int64_t i = (std::int64_t{at[2] - 1} * n + at[1] - 1) * n + at[0] - 1;
    row[number] = inside ? static_cast<int>(i) : -1;
    if (inside) point_of[i] = static_cast<int>(number);
  }
};
struct WriteTetrahedra {
  Tetrahedra from;
  int* corner;
  double* kappa;
  __device__ void operator()(std::int64_t cube) const {
    const int cells = from.of.n + 1;
    const std::int64_t all = from.of.n + 2, step[3] = {1, all, all * all};
    const int at[3] = {static_cast<int>(cube % cells), static_cast<int>(cube / cells % cells),
                       static_cast<int>(cube / cells / cells)};
    for (int t = 0; t < 6; ++t) {
      std::int64_t here = (at[2] * all + at[1]) * all + at[0];
      for (int c = 0; c < 4; ++c) {
        corner[(cube * 6 + t) * 4 + c] = static_cast<int>(here);
        if (c < 3) here += step[paths[t][c]];
      }
      kappa[cube * 6 + t] = kappa_of(from.of, at[0], at[1], at[2]);
    }
  }
};
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
