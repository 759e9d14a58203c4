#include "grids/kernels/cell_codes.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/code_loops.hpp"
#ifdef POISSON_HAVE_CUDA
#include "grids/kernels/cuda/cell_codes.hpp"
#endif

namespace poisson {
namespace {

struct SharedMemory {
  using Cell = CellCodes::Cell;
  static Cell load(Cell* at) { return std::atomic_ref(*at).load(std::memory_order_relaxed); }
  static void store(Cell* at, Cell value) { std::atomic_ref(*at).store(value, std::memory_order_relaxed); }
  static bool replace(Cell* at, Cell expected, Cell value) {
    return std::atomic_ref(*at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  }
};

class HostCodes final : public CellCodes {
 public:
  HostCodes(const std::array<int, 3>& n, const LineOfCodes& write)
      : cell_{{n[0], n[1], n[2]}}, box_{{0, 0, 0}, n}, codes_(static_cast<std::size_t>(box_.size())) {
    cpu::for_each_line(box_, [&](int j, int k) {
      write(j, k, {codes_.data() + cell_(0, j, k), static_cast<std::size_t>(box_.last[0])});
    });
  }

  void look_up(std::span<const double> table, Field& out) const override {
    dispatch(out.precision(), [&]<class T>(T) {
      const code_loops::LookUp<Code, T> look_up{codes_.data(), table.data(), cell_, out.view<T>()};
      for_each_cell(look_up);
    });
  }

  void find_parts(std::span<const char> connects, const std::array<bool, 3>& closed) override {
    parent_.resize(codes_.size());
    // Each cell of a run along x starts below the first cell of the run.
    cpu::for_each_line(box_, [&](int j, int k) {
      Cell first = nowhere;
      for (int i = 0; i < box_.last[0]; ++i) {
        const Cell here = cell_(i, j, k);
        if (connects[codes_[here]] == 0)
          first = nowhere;
        else if (first == nowhere)
          first = here;
        parent_[here] = first;
      }
    });
    const code_loops::Parts<SharedMemory> parts{parent_.data()};
    for_each_cell(code_loops::LinkCell<SharedMemory>{parts, cell_, {closed[0], closed[1], closed[2]}});
    for_each_cell([&](int i, int j, int k) { parts.flatten(cell_(i, j, k)); });
  }

  std::vector<Cell> parts_of(std::span<const Cell> cells) const override {
    std::vector<Cell> parts;
    parts.reserve(cells.size());
    for (const Cell cell : cells) parts.push_back(parent_[cell]);
    return parts;
  }

  Cell largest_part() const override { return largest_part_of(parent_); }

  void set_others(std::span<const Cell> cells, Code code) override {
    std::vector<char> chosen(codes_.size());
    for (const Cell cell : cells)
      if (parent_[cell] != nowhere) chosen[parent_[cell]] = 1;
    for_each_cell([&](int i, int j, int k) {
      const Cell here = cell_(i, j, k);
      if (parent_[here] != nowhere && chosen[parent_[here]] == 0) codes_[here] = code;
    });
  }

  void forget_parts() override { parent_ = {}; }

  std::vector<std::uint32_t> cells_with(Code code) const override {
    std::vector<std::uint32_t> words(divide_up(codes_.size(), std::size_t{32}));
#pragma omp parallel for schedule(static)
    for (std::size_t w = 0; w < words.size(); ++w) {
      const std::size_t first = 32 * w, count = std::min<std::size_t>(32, codes_.size() - first);
      for (std::size_t c = 0; c < count; ++c)
        if (codes_[first + c] == code) words[w] |= 1U << c;
    }
    return words;
  }

  std::vector<Moments> moments(const Fields& fields, std::span<const char> wanted) const override {
    std::vector<Moments> all(wanted.size());
    const code_loops::AxisLengths lengths(fields.block);
    dispatch(fields.u.precision(), [&]<class T>(T) {
      for (std::size_t c = 0; c < wanted.size(); ++c) {
        if (wanted[c] == 0) continue;
        const auto add = code_loops::add_moments<Code, T>(codes_.data(), cell_, fields, c, lengths);
        all[c] = code_loops::result_of(cpu::reduce_over_lines(
            box_, code_loops::Moments(),
            [&](int j, int k) {
              code_loops::Moments line;
              for (int i = 0; i < box_.last[0]; ++i) add(i, j, k, line);
              return line;
            },
            [](code_loops::Moments a, const code_loops::Moments& b) {
              a.join(b);
              return a;
            }));
      }
    });
    return all;
  }

 private:
  template <class F>
  void for_each_cell(const F& f) const {
    cpu::for_each_line(box_, [&](int j, int k) {
      for (int i = 0; i < box_.last[0]; ++i) f(i, j, k);
    });
  }

  code_loops::Cells cell_;
  Box box_;
  UnsetVector<Code> codes_;
  UnsetVector<Cell> parent_;
};

}  // namespace

#ifdef POISSON_HAVE_CUDA
namespace cuda {

template <class Stored>
void write_codes(const Box& slab, const LineOfCodes& write, Stored* values) {
  const int nx = slab.last[0], ny = slab.last[1];
  cpu::for_each_line(slab, [&](int j, int k) {
    std::vector<CellCodes::Code> line(static_cast<std::size_t>(nx));
    write(j, k, line);
    std::ranges::transform(line, values + (std::int64_t{k - slab.first[2]} * ny + j) * nx,
                           [](CellCodes::Code code) { return static_cast<Stored>(code); });
  });
}
template void write_codes(const Box&, const LineOfCodes&, std::uint8_t*);
template void write_codes(const Box&, const LineOfCodes&, std::uint16_t*);

}  // namespace cuda
#endif

CellCodes::Cell largest_part_of(std::span<const CellCodes::Cell> parts) {
  std::vector<CellCodes::Cell> sizes(parts.size());
  CellCodes::Cell largest = CellCodes::nowhere, most = 0;
  for (const CellCodes::Cell part : parts)
    if (part != CellCodes::nowhere) ++sizes[part];
  for (std::size_t p = 0; p < sizes.size(); ++p)
    if (sizes[p] > most) {
      most = sizes[p];
      largest = static_cast<CellCodes::Cell>(p);
    }
  return largest;
}

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const LineOfCodes& write) {
  if (Box{{0, 0, 0}, n}.size() >= std::int64_t{CellCodes::nowhere})
    throw std::length_error("a process has too many cells to number");
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::make_cell_codes(backend, n, codes_used, write);
#endif
  static_cast<void>(backend);
  static_cast<void>(codes_used);
  return std::make_unique<HostCodes>(n, write);
}

std::unique_ptr<CellCodes> make_cell_codes(Backend& backend, const std::array<int, 3>& n, std::size_t codes_used,
                                           const BytesOfCells& from) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu() && codes_used <= 256 && Box{{0, 0, 0}, n}.size() < std::int64_t{CellCodes::nowhere})
    return cuda::make_cell_codes(backend, n, from);
#endif
  return make_cell_codes(backend, n, codes_used, [&](int j, int k, std::span<CellCodes::Code> line) {
    const std::uint8_t* const bytes = from.bytes + (std::int64_t{k} * n[1] + j) * n[0];
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = from.table[bytes[i]];
  });
}

double sum_of_differences(const Field& faces, const Field& u, const Block& block, std::size_t axis) {
  Box box = u.layout().box();
  const Axis& along = block.axes[axis];
  if (along.open(0) || along.periodic()) ++box.first[axis];
#ifdef POISSON_HAVE_CUDA
  if (u.backend().on_gpu()) return cuda::sum_of_differences(faces, u, block, axis, box);
#endif
  double sum = 0;
  const auto add_up = [&]<class T, class F>(T, F) {
    const View<const T> v = u.view<T>();
    const View<const F> kappa = faces.view<F>();
    const int step[3] = {axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0};
    sum = cpu::reduce_over_lines(
        box, 0.0,
        [&](int j, int k) {
          double line = 0;
          for (int i = box.first[0]; i < box.last[0]; ++i)
            line += static_cast<double>(kappa(i, j, k)) * block.face_area(static_cast<int>(axis), i, j, k) *
                    (static_cast<double>(v(i, j, k)) - static_cast<double>(v(i - step[0], j - step[1], k - step[2])));
          return line;
        },
        std::plus());
  };
  dispatch(u.precision(), [&]<class T>(T t) {
    dispatch(faces.precision(), [&]<class F>(F f) { add_up(t, f); });
  });
  return sum;
}

}  // namespace poisson
