#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/slices.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/code_loops.hpp"
#include "grids/kernels/cuda/cell_codes.hpp"
#include "grids/kernels/cuda/read_slices.cuh"

namespace poisson::cuda {
namespace {

using Cell = CellCodes::Cell;
constexpr int threads = 256;

// Functors are launched one by one: they run outside recordings.
struct Alone {
  template <class T>
  using Columns = ColumnList<>;
};

struct DeviceMemory {
  __host__ __device__ static Cell load(const Cell* at) { return *static_cast<const volatile Cell*>(at); }
  __host__ __device__ static void store(Cell* at, Cell value) { *static_cast<volatile Cell*>(at) = value; }
  __host__ __device__ static bool replace(Cell* at, Cell expected, Cell value) {
#ifdef __CUDA_ARCH__
    return atomicCAS(at, expected, value) == expected;
#else
    return false;
#endif
  }
};
using Parts = code_loops::Parts<DeviceMemory>;

template <class F>
struct EachCell {
  F f;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) f(i, j, k);
  }
};

template <class F>
__global__ void __launch_bounds__(threads) for_each_number(Cell count, F f) {
  await_others();
  const std::uint64_t at = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (at < count) f(static_cast<Cell>(at));
}
template <class F>
void for_numbers(cudaStream_t stream, std::size_t count, const F& f) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(divide_up(count, std::size_t{threads}));
  launch(for_each_number<F>, blocks, threads, stream, static_cast<Cell>(count), f);
}

// A warp passes along a line. Each cell of a run starts below the first cell of the run.
template <class Code>
__global__ void __launch_bounds__(threads) link_runs(const Code* codes, const char* mark, int n, Cell lines, Cell* to) {
  await_others();
  constexpr Cell warps = threads / 32;
  const Cell line = blockIdx.x * warps + threadIdx.x / 32;
  if (line >= lines) return;
  const Cell begin = line * static_cast<Cell>(n);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Cell open = CellCodes::nowhere;  // the first cell of the run that reaches the last cell before these
  for (int i0 = 0; i0 < n; i0 += 32) {
    const int i = i0 + lane;
    const Cell here = begin + static_cast<Cell>(i);
    const bool own = i < n && mark[codes[here]] != 0;
    const unsigned all = __ballot_sync(0xffffffffu, own);
    const unsigned gaps_below = ~all & ((1u << lane) - 1);
    Cell first = begin + static_cast<Cell>(i0) + static_cast<Cell>(32 - __clz(static_cast<int>(gaps_below)));
    if (gaps_below == 0 && open != CellCodes::nowhere) first = open;
    if (gaps_below == 0 && open == CellCodes::nowhere) first = begin + static_cast<Cell>(i0);
    if (i < n) to[here] = own ? first : CellCodes::nowhere;
    open = __shfl_sync(0xffffffffu, own ? first : CellCodes::nowhere, 31);
  }
}

struct Flatten {
  Parts parts;
  __device__ void operator()(Cell cell) const { parts.flatten(cell); }
};
struct Gather {
  const Cell* parent;
  const Cell* cells;
  Cell* to;
  __device__ void operator()(Cell at) const { to[at] = parent[cells[at]]; }
};
struct Choose {
  const Cell* parent;
  const Cell* cells;
  char* chosen;
  __device__ void operator()(Cell at) const {
    const Cell part = parent[cells[at]];
    if (part != CellCodes::nowhere) chosen[part] = 1;
  }
};
template <class Code>
struct SetOthers {
  const Cell* parent;
  const char* chosen;
  Code* codes;
  Code code;
  __device__ void operator()(Cell cell) const {
    const Cell part = parent[cell];
    if (part != CellCodes::nowhere && chosen[part] == 0) codes[cell] = code;
  }
};

// Replaces bytes by their codes, four at a time.
struct MapBytes {
  std::uint32_t* words;
  const std::uint8_t* table;
  __device__ void operator()(Cell at) const {
    const std::uint32_t from = words[at];
    std::uint32_t to = 0;
    for (int b = 0; b < 32; b += 8) to |= std::uint32_t{table[from >> b & 255u]} << b;
    words[at] = to;
  }
};

// Each warp writes a word of bits. Warps beyond the last cell write none.
template <class Code>
__global__ void __launch_bounds__(threads) mark_code(const Code* codes, Cell count, Code code, std::uint32_t* words) {
  await_others();
  const std::uint64_t at = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const unsigned bits = __ballot_sync(0xffffffffu, at < count && codes[at] == code);
  if (threadIdx.x % 32 == 0 && at < count) words[at / 32] = bits;
}

// Counts the cells of each part. Neighbouring cells often belong to one part, so the lanes of a warp count together.
__global__ void __launch_bounds__(threads) count_parts(const Cell* parent, Cell count, Cell* sizes) {
  await_others();
  const std::uint64_t at = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const Cell part = at < count ? parent[at] : CellCodes::nowhere;
  const unsigned alike = __match_any_sync(0xffffffffu, part);
  const bool first = static_cast<unsigned>(__ffs(static_cast<int>(alike))) == threadIdx.x % 32 + 1;
  if (first && part != CellCodes::nowhere) atomicAdd(sizes + part, static_cast<Cell>(__popc(alike)));
}
// Finds the largest size. The low half of the result is larger for the first of equal parts.
struct LargestSize {
  const Cell* sizes;
  unsigned long long* largest;
  __device__ void operator()(Cell cell) const {
    if (sizes[cell] == 0) return;
    const unsigned long long found = static_cast<unsigned long long>(sizes[cell]) << 32 | (CellCodes::nowhere - cell);
    // A stale value only causes an unnecessary atomic operation.
    if (found > *static_cast<volatile unsigned long long*>(largest)) atomicMax(largest, found);
  }
};

// Finds the moments of one code, slice after slice.
template <class Code, class T>
__global__ void __launch_bounds__(tile_threads)
    find_code_moments(Range box, Slices slices, code_loops::AddMoments<Code, T> add, code_loops::Moments* partial) {
  await_others();
  code_loops::Moments own;
  const auto column = [&](int i, int j, int k0, int k1) {
    for (int k = k0; k < k1; ++k) add(i, j, k, own);
  };
  reduce_slice(box, slices, own, column, partial);
}
static_assert(most_slices * sizeof(code_loops::Moments) <= CudaBackend::always_partials * sizeof(double));

template <class Stored>
class DeviceCodes final : public CellCodes {
 public:
  DeviceCodes(Backend& backend, const std::array<int, 3>& n, const LineOfCodes& write)
      : device_(static_cast<CudaBackend&>(backend)),
        cell_{{n[0], n[1], n[2]}},
        size_(static_cast<std::size_t>(Box{{0, 0, 0}, n}.size())),
        codes_(device_.allocate(size_ * sizeof(Stored))) {
    for_each_slab([&](const Box& slab, UnsetVector<Stored>& values, std::size_t bytes, Stored* there) {
      write_codes(slab, write, values.data());
      device_.write(values.data(), there, bytes);
    });
  }

  DeviceCodes(Backend& backend, const std::array<int, 3>& n, const BytesOfCells& from)
      : device_(static_cast<CudaBackend&>(backend)),
        cell_{{n[0], n[1], n[2]}},
        size_(static_cast<std::size_t>(Box{{0, 0, 0}, n}.size())),
        codes_(device_.allocate(round_up(size_, sizeof(std::uint32_t)))) {
    static_assert(sizeof(Stored) == 1);
    device_.write(from.bytes, codes_.data(), size_);
    std::array<std::uint8_t, 256> table;
    std::ranges::transform(from.table, table.begin(), [](Code code) { return static_cast<std::uint8_t>(code); });
    const Buffer there = sent<std::uint8_t>(table);
    for_numbers(device_.stream(), divide_up(size_, sizeof(std::uint32_t)),
                MapBytes{static_cast<std::uint32_t*>(codes_.data()), static_cast<const std::uint8_t*>(there.data())});
  }

  void look_up(std::span<const double> table, Field& out) const override {
    const Buffer there = sent<double>(table);
    dispatch(out.precision(), [&]<class T>(T) {
      using LookUp = code_loops::LookUp<Stored, T>;
      const LookUp look_up{codes(codes_), static_cast<const double*>(there.data()), cell_, out.view<T>()};
      device_.for_columns<Alone>(out.layout().box(), EachCell<LookUp>{look_up});
    });
  }

  void find_parts(std::span<const char> connects, const std::array<bool, 3>& closed) override {
    if (!parent_.data()) parent_ = device_.allocate(size_ * sizeof(Cell));
    const Buffer marks = sent<char>(connects);
    const auto lines = static_cast<Cell>(size_ / static_cast<std::size_t>(cell_.n[0]));
    launch(link_runs<Stored>, divide_up(lines, Cell{threads / 32}), threads, device_.stream(), codes(codes_),
           static_cast<const char*>(marks.data()), cell_.n[0], lines, parent());
    using Link = code_loops::LinkCell<DeviceMemory>;
    const Box all{{0, 0, 0}, {cell_.n[0], cell_.n[1], cell_.n[2]}};
    device_.for_columns<Alone>(all, EachCell<Link>{{Parts{parent()}, cell_, {closed[0], closed[1], closed[2]}}});
    for_numbers(device_.stream(), size_, Flatten{{parent()}});
  }

  std::vector<Cell> parts_of(std::span<const Cell> cells) const override {
    std::vector<Cell> parts(cells.size());
    if (parts.empty()) return parts;
    const Buffer there = sent<Cell>(cells), found = device_.allocate(cells.size_bytes());
    for_numbers(device_.stream(), cells.size(),
                Gather{parent(), static_cast<const Cell*>(there.data()), static_cast<Cell*>(found.data())});
    device_.read(found.data(), parts.data(), cells.size_bytes());
    return parts;
  }

  Cell largest_part() const override {
    const Buffer sizes = device_.allocate(size_ * sizeof(Cell)), largest = device_.allocate(sizeof(std::uint64_t));
    auto* const counted = static_cast<Cell*>(sizes.data());
    launch(count_parts, static_cast<unsigned>(divide_up(size_, std::size_t{threads})), threads, device_.stream(),
           static_cast<const Cell*>(parent()), static_cast<Cell>(size_), counted);
    for_numbers(device_.stream(), size_, LargestSize{counted, static_cast<unsigned long long*>(largest.data())});
    std::uint64_t found = 0;
    device_.read(largest.data(), &found, sizeof found);
    return found == 0 ? nowhere : nowhere - static_cast<Cell>(found);
  }

  void set_others(std::span<const Cell> cells, Code code) override {
    const Buffer chosen = device_.allocate(size_);
    if (!cells.empty()) {
      const Buffer there = sent<Cell>(cells);
      for_numbers(device_.stream(), cells.size(),
                  Choose{parent(), static_cast<const Cell*>(there.data()), static_cast<char*>(chosen.data())});
    }
    for_numbers(
        device_.stream(), size_,
        SetOthers<Stored>{parent(), static_cast<const char*>(chosen.data()), codes(codes_), static_cast<Stored>(code)});
  }

  void forget_parts() override { parent_ = {}; }

  std::vector<std::uint32_t> cells_with(Code code) const override {
    std::vector<std::uint32_t> words(divide_up(size_, std::size_t{32}));
    const Buffer there = device_.allocate(words.size() * sizeof(std::uint32_t));
    launch(mark_code<Stored>, static_cast<unsigned>(divide_up(size_, std::size_t{threads})), threads, device_.stream(),
           static_cast<const Stored*>(codes(codes_)), static_cast<Cell>(size_), static_cast<Stored>(code),
           static_cast<std::uint32_t*>(there.data()));
    device_.read(there.data(), words.data(), there.bytes());
    return words;
  }

  std::vector<Moments> moments(const Fields& fields, std::span<const char> wanted) const override {
    std::vector<Moments> all(wanted.size());
    const code_loops::AxisLengths lengths(fields.block);
    DeviceTables tables;
    const double *mass[3], *inverse_distance[3];
    for (std::size_t d = 0; d < 3; ++d) {
      tables.add(lengths.mass[d], mass[d]);
      tables.add(lengths.inverse_distance[d], inverse_distance[d]);
    }
    const Buffer memory = tables.upload(device_);
    const Box box{{0, 0, 0}, {cell_.n[0], cell_.n[1], cell_.n[2]}};
    const Slices slices(box, Tiling(box), cell_.n[2]);
    auto* const partial = reinterpret_cast<code_loops::Moments*>(device_.partials());
    dispatch(fields.u.precision(), [&]<class T>(T) {
      for (std::size_t c = 0; c < wanted.size(); ++c) {
        if (wanted[c] == 0) continue;
        auto add = code_loops::add_moments<Stored, T>(codes(codes_), cell_, fields, c, lengths);
        std::ranges::copy(mass, add.mass);
        std::ranges::copy(inverse_distance, add.inverse_distance);
        launch(find_code_moments<Stored, T>, slices.blocks(), tile_threads, device_.stream(), Range(box), slices, add,
               partial);
        code_loops::Moments sum;
        for (const code_loops::Moments& slice : read_slices(device_, slices, partial)) sum.join(slice);
        all[c] = code_loops::result_of(sum);
      }
    });
    return all;
  }

 private:
  // Calls f(slab, host values of a slab, their bytes, device address) for slabs of planes, which bound the host's
  // memory.
  template <class F>
  void for_each_slab(const F& f) const {
    constexpr std::int64_t values_of_slab = std::int64_t{1} << 25;
    const std::int64_t plane = std::int64_t{cell_.n[0]} * cell_.n[1];
    const int planes = static_cast<int>(std::clamp<std::int64_t>(values_of_slab / plane, 1, cell_.n[2]));
    UnsetVector<Stored> values(static_cast<std::size_t>(plane * planes));
    for (int k = 0; k < cell_.n[2]; k += planes) {
      const Box slab{{0, 0, k}, {cell_.n[0], cell_.n[1], std::min(cell_.n[2], k + planes)}};
      f(slab, values, static_cast<std::size_t>(slab.size()) * sizeof(Stored), codes(codes_) + plane * k);
    }
  }
  template <class T>
  Buffer sent(std::span<const T> values) const {
    Buffer there = device_.allocate(std::max(values.size_bytes(), sizeof(T)));
    device_.write(values.data(), there.data(), values.size_bytes());
    return there;
  }
  static Stored* codes(const Buffer& buffer) { return static_cast<Stored*>(buffer.data()); }
  Cell* parent() const { return static_cast<Cell*>(parent_.data()); }

  CudaBackend& device_;
  code_loops::Cells cell_;
  std::size_t size_;
  Buffer codes_, parent_;
};

template <class T, class F>
struct Differences {
  View<const F> faces;
  View<const T> u;
  int3 step;  // to the cell above, as the kernel marches
  const double *x, *y, *z;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k)
      sum += z[k] * static_cast<double>(faces(i, j, k)) *
             (static_cast<double>(u(i, j, k)) - static_cast<double>(u(i - step.x, j - step.y, k - step.z)));
    return x[i] * y[j] * sum;
  }
};

}  // namespace

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write) {
  if (codes_used <= std::numeric_limits<std::uint8_t>::max() + std::size_t{1})
    return std::make_unique<DeviceCodes<std::uint8_t>>(backend, n, write);
  return std::make_unique<DeviceCodes<CellCodes::Code>>(backend, n, write);
}

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, const BytesOfCells& from) {
  return std::make_unique<DeviceCodes<std::uint8_t>>(backend, n, from);
}

double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis, const Box& box) {
  auto& device = static_cast<CudaBackend&>(u.backend());
  std::array<std::vector<double>, 3> area;
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i < block.axes[d].size(); ++i) area[d].push_back(d == axis ? 1 : block.axes[d].mass(i));
  const bool plane = is_plane(u.layout());
  DeviceTables tables;
  std::array<const double*, 3> there{};
  for (std::size_t d = 0; d < 3; ++d) tables.add(area[d], there[d]);
  const Buffer memory = tables.upload(device);
  int step[3] = {axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0};
  if (plane) {
    std::swap(step[1], step[2]);
    std::swap(there[1], there[2]);
  }
  const Scalar result = device.scalar();
  dispatch(u.precision(), [&]<class T>(T) {
    dispatch(faces.precision(), [&]<class F>(F) {
      device.sum_here(marched(box, u.layout()),
                      Differences<T, F>{marched(faces.view<F>()),
                                        marched(u.view<T>()),
                                        {step[0], step[1], step[2]},
                                        there[0],
                                        there[1],
                                        there[2]},
                      result);
    });
  });
  return device.value(result);
}

}  // namespace poisson::cuda
