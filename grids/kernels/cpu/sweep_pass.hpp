#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <omp.h>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cpu/aligned_loop.hpp"
#include "grids/kernels/cpu/kept_rows.hpp"
#include "grids/kernels/cpu/stream.hpp"
#include "grids/kernels/cpu/sweep.hpp"
#include "grids/kernels/cpu/sweep_tiles.hpp"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/stencil.hpp"
#include "grids/rows/swept_axis.hpp"

namespace poisson::cpu {

/// `TiledSweeps` runs Jacobi's method in tiles of complete lines, marched along the last axis. In two dimensions a tile
/// is one line wide. Each sweep is one plane behind the previous sweep and reads three of its stored planes. Its result
/// replaces the lowest of the three. The neighbours of a tile compute its margins as well.
template <class T, class Coefficients>
class TiledSweeps final : public SweepPass {
  using Tables = typename TablesFor<T, Coefficients>::Type;
  using Line = decltype(std::declval<const Coefficients&>().line(0, 0));
  static constexpr bool keeps_rows = StoresKappa<Coefficients>;

 public:
  template <class Own>
  TiledSweeps(Backend& backend, const Own& rows)
      : backend_(backend),
        space_(rows.block.space()),
        tables_(backend, rows),
        c_(tables_.template model<Coefficients>()),
        flat_(space_.part().layout().n[2] == 1),
        sweeps_(sweeps_on(space_, sweeps_of_pass(space_.part().layout()))),
        streams_(space_.part().layout().size() * static_cast<std::int64_t>(sizeof(T)) >= streamed_bytes),
        in_line_(swept_axis(space_, 0, sweeps_)),
        across_(swept_axis(space_, flat_ ? 2 : 1, sweeps_)),
        along_(swept_axis(space_, flat_ ? 1 : 2, sweeps_)) {}

  int sweeps() const override { return sweeps_; }

  void do_take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const override {
    backend_.exchange(u, space_.is_global() ? 1 : sweeps_);
    const Box& box = space_.part().unknowns();
    if (norm) squares_.resize(static_cast<std::size_t>(box.last[1]) * static_cast<std::size_t>(box.last[2]));
    const March march{*this,       static_cast<T>(omega), u.view<T>(),
                      b.view<T>(), next.view<T>(),        norm ? squares_.data() : nullptr};
    const Tiles tiles = box.size() > 0 ? cut() : Tiles{};
#pragma omp parallel for schedule(static) if (box.size() > parallel_threshold)
    for (int tile = 0; tile < tiles.across * tiles.along; ++tile) {
      const auto part = [&](const SweptAxis& axis, int number, int count) {
        const std::int64_t values = axis.last - axis.first;
        return std::array{axis.first + static_cast<int>(values * number / count),
                          axis.first + static_cast<int>(values * (number + 1) / count)};
      };
      march.go(part(across_, tile % tiles.across, tiles.across), part(along_, tile / tiles.across, tiles.along));
      end_stream();
    }
    if (norm)
      *norm->address() = sum_over_lines(
          space_, box, [&](int j, int k) { return squares_[static_cast<std::size_t>(k * box.last[1] + j)]; });
  }

 private:
  // `Tiles` is the number of tiles: as large as the cache allows, and at least one for each thread.
  struct Tiles {
    int across = 0, along = 0;
  };
  Tiles cut() const {
    const int d = sweeps_, threads = omp_get_max_threads(), lines = across_.last - across_.first;
    const auto pitch = space_.part().layout().pitch(precision_of<T>) * static_cast<std::int64_t>(sizeof(T));
    // `planes` counts the planes of sweeps, d planes of b, and the stored rows; u and `next` only pass through the
    // cache.
    const int planes = kept_planes() + d + (keeps_rows ? KeptRows<T>::arrays * d : 0);
    const auto most = static_cast<int>(std::max<std::int64_t>(tile_bytes<Coefficients> / (pitch * planes) - d, d));
    Tiles tiles{};
    tiles.across = divide_up(lines, most);
    if (tiles.across < threads) tiles.across = std::min(threads, std::max(1, lines / (2 * d)));
    // Give each thread the same number.
    if (tiles.across > threads) tiles.across = round_up(tiles.across, threads);
    tiles.across = std::min(tiles.across, lines);
    tiles.along = std::clamp(divide_up(threads, tiles.across), 1, along_.last - along_.first);
    return tiles;
  }

  // Calls f<flat, reacts>() with the form in which stored rows are read.
  template <class F>
  void with_kind(const F& f) const {
    if (c_.reaction.data || c_.sigma != T(0))
      flat_ ? f.template operator()<true, true>() : f.template operator()<false, true>();
    else
      flat_ ? f.template operator()<true, false>() : f.template operator()<false, false>();
  }

  // `Part` is the range of a line that a sweep computes, with the number of values of the line.
  struct Part {
    int first, last, values;
  };

  // `March` contains the data of one pass that all tiles share.
  struct March {
    const TiledSweeps& pass;
    T omega;
    View<const T> u, b;
    View<T> next;
    double* squares;  // one per line; null without norm

    // `Kept` is a ring of the planes of a tile after sweeps 1 … d − 1. Plane p after a sweep replaces plane p − 1 after
    // the previous sweep, whose lines only the same line of p still reads.
    struct Kept {
      T* memory;
      std::int64_t pitch;
      int first, lines, first_plane, planes;
      KeptRows<T> rows;
      T* last_line;  // result of the last sweep if streamed
      /// Returns the address from which line c is c pitches away.
      T* plane(int sweep, int p) const { return memory + ((p - sweep - first_plane) % planes * lines - first) * pitch; }
    };

    void go(std::array<int, 2> across, std::array<int, 2> along) const {
      const SweptAxis &cross = pass.across_, &way = pass.along_;
      const int d = pass.sweeps_;
      const auto alignment = static_cast<std::int64_t>(128 / sizeof(T));
      const std::int64_t pitch = pass.space_.part().layout().pitch(precision_of<T>);
      // The lines are those of the first sweep, and one line before them, which stores the couplings to them.
      const int first = cross.from(across[0], d - 1) - 1, lines = cross.before(across[1], d - 1) - first;
      thread_local std::vector<T> memory;
      const auto of_sweeps = static_cast<std::size_t>(pitch * lines * pass.kept_planes());
      const std::size_t of_rows = keeps_rows ? KeptRows<T>::values(d, lines, pitch) : 0;
      const auto needed = of_sweeps + of_rows + static_cast<std::size_t>(pitch + 3 * alignment);
      if (memory.size() < needed) memory.resize(needed);
      T* aligned = memory.data();
      while (reinterpret_cast<std::uintptr_t>(aligned) % 128 != 0) ++aligned;
      aligned += alignment;
      const Kept kept{aligned,
                      pitch,
                      first,
                      lines,
                      along[0] - d,
                      pass.kept_planes(),
                      {aligned + of_sweeps, d, lines, pitch, first, along[0] - d},
                      pass.streams_ ? aligned + of_sweeps + of_rows : nullptr};
      for (int front = way.from(along[0], d - 1) + 1; front < way.before(along[1], 0) + d; ++front)
        for (int sweep = 1; sweep <= d; ++sweep) {
          const int p = front - sweep, margin = d - sweep;
          if (p < way.from(along[0], margin) || p >= way.before(along[1], margin)) continue;
          if constexpr (keeps_rows)
            if (sweep == 1)
              keep_plane(kept.rows, p, p == way.from(along[0], margin), cross.from(across[0], margin),
                         cross.before(across[1], margin));
          if (sweep == 1 && squares && p >= along[0] && p < along[1]) sum_squares(kept.rows, p, across[0], across[1]);
          relax_plane(kept, sweep, p, cross.from(across[0], margin), cross.before(across[1], margin));
        }
    }

    int j(int c, int p) const { return pass.flat_ ? p : c; }
    int k(int c, int p) const { return pass.flat_ ? c : p; }
    // Returns the address of a line of a field.
    template <class X>
    X* line(const View<X>& v, int c, int p) const {
      const int at = pass.across_.place(c), plane = pass.along_.place(p);
      return v.line(j(at, plane), k(at, plane));
    }
    Line rows(int c, int p) const {
      const int at = pass.across_.place(c), plane = pass.along_.place(p);
      return pass.c_.line(j(at, plane), k(at, plane));
    }

    // Computes the rows of the first sweep in plane p; all later sweeps use them as well.
    void keep_plane(const KeptRows<T>& rows, int p, bool is_first, int first, int last) const {
      pass.with_kind([&]<bool flat, bool reacts>() { keep_plane<flat, reacts>(rows, p, is_first, first, last); });
    }
    template <bool flat, bool reacts>
    void keep_plane(const KeptRows<T>& rows, int p, bool is_first, int first, int last) const {
      const Part part = pass.part_of_line(pass.sweeps_ - 1);
      const auto plane = rows.plane(p);
      for (int c = first; c < last; ++c) {
        const Line line = this->rows(c, p);
        const auto to = plane.line(c);
        if (!flat && c == first) keep_couplings(line, part.first, part.last, &Row<T>::south, to.before);
        if (is_first) keep_couplings(line, part.first, part.last, flat ? &Row<T>::south : &Row<T>::bottom, to.below);
        keep_rows<flat, reacts, T>(line, part.first, part.last, omega, to);
      }
    }

    // Relaxes lines first ≤ c < last of plane p.
    void relax_plane(const Kept& kept, int sweep, int p, int first, int last) const {
      const SweptAxis &cross = pass.across_, &way = pass.along_;
      // Returns the lines of a plane after the previous sweep.
      const auto source = [&, before = sweep - 1](int plane) {
        return [&, stored = before > 0 && way.holds(plane), plane,
                from = before > 0 ? kept.plane(before, plane) : nullptr](int c) -> const T* {
          return stored && cross.holds(c) ? from + c * kept.pitch : line(u, c, plane);
        };
      };
      const auto below = source(p - 1), own = source(p), above = source(p + 1);
      const Part part = pass.part_of_line(pass.sweeps_ - sweep);
      T* const to = sweep < pass.sweeps_ ? kept.plane(sweep, p) : nullptr;
      const bool single = cross.values == 1, alone = way.values == 1;  // an axis of one value is its own neighbour
      const T *before = single ? own(first) : own(first - 1), *here = own(first);
      InnerRow row(*this, first, p);
      const auto kept_plane = kept.rows.plane(p);
      for (int c = first; c < last; ++c) {
        if constexpr (!keeps_rows) row.go_to(*this, c, p);
        const T* const behind = single ? here : own(c + 1);
        const T *const bottom = alone ? here : below(c), *const top = alone ? here : above(c);
        T* const written = to ? to + c * kept.pitch : line(next, c, p);
        const bool streamed = !to && kept.last_line;
        T* const made = streamed ? kept.last_line : written;
        const T* const right = line(b, c, p);
        const Lines lines = pass.flat_ ? Lines{here, bottom, top, before, behind, right, made, omega}
                                       : Lines{here, before, behind, bottom, top, right, made, omega};
        const auto relax = [&](const auto& ask) {
          if constexpr (keeps_rows)
            pass.with_kind(
                [&]<bool flat, bool reacts>() { relax_line<flat, reacts>(part, kept_plane.line(c), lines, ask); });
          else
            relax_line(part, row, lines, ask);
        };
        sweep == 1 ? relax(read_after(c, p, first, last)) : relax(AskNothing{});
        if (streamed) stream_line(made, written, part.first, part.last);
        if (to) complete(part, c, p, made);
        before = here;
        here = behind;
      }
    }

    // Sets the values of a line that are no unknowns; no sweep changes them.
    void complete(const Part& part, int c, int p, T* to) const {
      const int n = part.values;
      if (pass.in_line_.closed) {
        to[-1] = to[n - 1];
        to[n] = to[0];
        return;
      }
      const T* given = line(u, c, p);
      for (int i = std::min(part.first, 0) - 1; i < part.first; ++i) to[i] = given[i];
      for (int i = part.last; i <= std::max(part.last, n); ++i) to[i] = given[i];
    }

    // `InnerRow` contains the rows of a line. On equal cells it also contains the interior row, which is the same for
    // all lines of a plane except those at ends.
    struct InnerRow {
      static constexpr bool equal_cells = std::is_same_v<Coefficients, Equidistant<T>>;
      Line line;
      Row<T> row{};
      T factor{};
      bool at_end = true;

      InnerRow(const March& march, int c, int p) : line(march.rows(c, p)) {}
      void go_to(const March& march, int c, int p) {
        const SweptAxis& cross = march.pass.across_;
        const bool was_at_end = std::exchange(at_end, cross.is_end(cross.place(c)));
        if (equal_cells && !at_end && !was_at_end) return;
        line = march.rows(c, p);
        if constexpr (equal_cells) {
          row = line.interior(1);
          factor = march.omega * stencil::reciprocal(row.diagonal());
        }
      }
    };

    // `Lines` are the lines that a sweep reads and writes.
    struct Lines {
      const T *here, *south, *north, *bottom, *top, *rhs;
      T* to;
      T omega;

      void relax(int i, const Row<T>& a, T factor) const {
        const Star<T> star{here[i], here[i - 1], here[i + 1], south[i], north[i], bottom[i], top[i]};
        to[i] = here[i] + factor * stencil::residual(a, star, rhs[i]);
      }
      void relax(int i, const Row<T>& a) const { relax(i, a, omega * stencil::reciprocal(a.diagonal())); }
    };

    // Returns the prefetch of the lines that the first sweep reads `lines_ahead` lines later.
    AskFor<T> read_after(int c, int p, int first, int last) const {
      const auto within = [](const SweptAxis& axis, int i) { return axis.closed ? i : std::min(i, axis.most); };
      const int at = c - first + lines_ahead, plane = p + at / (last - first), to = first + at % (last - first);
      return {line(u, to, within(pass.along_, plane + 1)), line(b, to, within(pass.along_, plane))};
    }

    // Descriptions of lines are passed by reference and copied where they are used. If passed by value, they are read
    // from the stack in larger pieces than they were written, which waits for all earlier stores.
    template <bool flat, bool reacts, class Ask>
    [[gnu::noinline]] static void relax_line(const Part& part, const typename KeptRows<T>::Line& of_rows,
                                             const Lines& of_line, const Ask& ask) {
      const auto kept = of_rows;
      const Lines lines = of_line;
      for_aligned<T>(part.first, part.last, ask,
                     [&](int i) { lines.relax(i, kept_row<flat, reacts, T>(kept, i), kept.factor[i]); });
    }
    // This is a separate function, so that all lines of all sweeps use the same loop, and no end value uses it.
    [[gnu::noinline]] static void relax_end(const InnerRow& row, const Lines& lines, int i) {
      lines.relax(i, row.line.row(i));
    }
    template <class Ask>
    [[gnu::noinline]] static void relax_line(const Part& part, const InnerRow& row, const Lines& of_line,
                                             const Ask& ask) {
      const Lines lines = of_line;
      const int n = part.values, from = std::max(part.first, 1), until = std::min(part.last, n - 1);
      for (int i = part.first; i < from; ++i) relax_end(row, of_line, i);
      if constexpr (InnerRow::equal_cells) {
        const Row<T> a = row.row;
        const T factor = row.factor;
        for_aligned<T>(from, until, ask, [&](int i) { lines.relax(i, a, factor); });
      } else {
        const Line at = coupled(row.line);
        for_aligned<T>(from, until, ask, [&](int i) { lines.relax(i, at.interior(i)); });
      }
      for (int i = std::max(from, until); i < part.last; ++i) relax_end(row, of_line, i);
    }

    // Sums the squares of plane p from stored rows or, without them, from rows computed here.
    void sum_squares(const KeptRows<T>& kept, int p, int first, int last) const {
      const auto plane = kept.plane(p);
      for (int c = first; c < last; ++c)
        if constexpr (keeps_rows)
          pass.with_kind(
              [&]<bool flat, bool reacts>() { sum_squares(KeptLine<flat, reacts, T>{plane.line(c)}, c, p); });
        else
          sum_squares(rows(c, p), c, p);
    }
    // This is a separate function: inlined, the surrounding code would decide which products are fused, and the norm
    // would round differently from the norm of a residual.
    template <class RowsOfLine>
    [[gnu::noinline]] void sum_squares(const RowsOfLine& rows, int c, int p) const {
      const int at = pass.across_.place(c), plane = pass.along_.place(p);
      const T *in = line(u, c, p), *rhs = line(b, c, p);
      const Box& box = pass.space_.part().unknowns();
      squares[k(at, plane) * box.last[1] + j(at, plane)] =
          sum_line(rows, box.first[0], box.last[0], u.n[0], [&](const Row<T>& a, int i) {
            const T r = stencil::residual(a, Star<T>::at(in + i, u.sy, u.sz), rhs[i]);
            return static_cast<double>(stencil::weighted_square(a, r));
          });
    }
  };

  // Returns the number of planes stored between sweeps: the lowest plane, and two for each sweep except the last.
  int kept_planes() const {
    return 2 * sweeps_ - 1;
  }

  // Returns the range of a line that a sweep computes for a margin: the complete line if the axis is periodic and
  // unpartitioned.
  Part part_of_line(int margin) const {
    if (in_line_.closed) return {in_line_.first, in_line_.last, in_line_.values};
    return {in_line_.from(in_line_.first, margin), in_line_.before(in_line_.last, margin), in_line_.values};
  }

  Backend& backend_;
  Space space_;
  Tables tables_;
  Coefficients c_;  // refers to the tables
  bool flat_;       // march along y
  int sweeps_;      // sweeps per pass
  bool streams_;    // store past caches
  SweptAxis in_line_, across_, along_;
  mutable std::vector<double> squares_;
};

}  // namespace poisson::cpu

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<SweepPass> SweepPassesOn<OnHost>::make(Backend& backend, const Own& rows) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<SweepPass> {
    return std::make_unique<cpu::TiledSweeps<T, Coefficients>>(backend, rows);
  });
}

}  // namespace poisson
