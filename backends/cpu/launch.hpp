#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cpu {

/// Up to this many values, one thread works alone. Threads that sleep between parallel regions need about 10 µs to
/// wake, on a busy machine perhaps on the first thread's core. A sweep needs about 0.5 ns per value.
inline constexpr std::int64_t parallel_threshold = 65536;

/// The threshold for work that is about 10 times as expensive per value: solving lines, expressions.
inline constexpr std::int64_t heavy_threshold = parallel_threshold / 8;

/// Calls f(j, k) for every line of the box on all threads, in contiguous shares. One thread does all if the box has at
/// most `threshold` values.
template <class F>
void for_each_line(const Box& box, std::int64_t threshold, const F& f) {
  const int nj = box.last[1] - box.first[1], nk = box.last[2] - box.first[2];
  if (nj <= 0 || nk <= 0 || box.last[0] <= box.first[0]) return;
  const std::int64_t lines = std::int64_t{nj} * nk;
#pragma omp parallel for schedule(static) if (box.size() > threshold)
  for (std::int64_t line = 0; line < lines; ++line)
    f(box.first[1] + static_cast<int>(line % nj), box.first[2] + static_cast<int>(line / nj));
}

/// Does the same with the threshold for light work.
template <class F>
void for_each_line(const Box& box, const F& f) {
  for_each_line(box, parallel_threshold, f);
}

/// Calls f(p, j, k) for every line of a box of every patch of a group on all threads, in contiguous shares.
template <class F>
void for_each_patch_line(const PatchGroup& group, const Box& box, const F& f) {
  const int nj = box.last[1] - box.first[1], nk = box.last[2] - box.first[2];
  const auto patches = static_cast<std::int64_t>(group.patches.size());
  if (nj <= 0 || nk <= 0 || box.last[0] <= box.first[0]) return;
  const std::int64_t planes = patches * nk;
#pragma omp parallel for collapse(2) schedule(static) if (patches * box.size() > parallel_threshold)
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (int j = 0; j < nj; ++j)
      f(static_cast<int>(plane / nk), box.first[1] + j, box.first[2] + static_cast<int>(plane % nk));
}

/// Joins f(j, k) over the lines of each plane of the box, starting from `none`. In two dimensions a line is a plane.
template <class Result, class F, class Join>
std::vector<Result> reduce_planes(const Box& box, bool flat, const Result& none, const F& f, const Join& join) {
  const int nj = box.last[1] - box.first[1], nk = box.last[2] - box.first[2];
  if (nj <= 0 || nk <= 0 || box.last[0] <= box.first[0]) return {};
  const int most = flat ? 1 : 16;  // lines per partial sum
  const int chunks = divide_up(nj, most);
  std::vector<Result> partial(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(nk));
#pragma omp parallel for collapse(2) schedule(static) if (box.size() > parallel_threshold)
  for (int k = 0; k < nk; ++k)
    for (int c = 0; c < chunks; ++c) {
      Result own = none;
      for (int j = c * most; j < std::min(nj, (c + 1) * most); ++j)
        own = join(own, f(box.first[1] + j, box.first[2] + k));
      partial[static_cast<std::size_t>(k) * static_cast<std::size_t>(chunks) + static_cast<std::size_t>(c)] = own;
    }
  if (flat) return partial;
  std::vector<Result> planes;
  for (auto plane = partial.begin(); plane != partial.end(); plane += chunks)
    planes.push_back(std::accumulate(plane, plane + chunks, none, join));
  return planes;
}

/// Joins f(j, k) over the lines of the box, starting from `none`: first within planes, then the planes in order. The
/// bits of the result do not depend on the number of threads or on where the box is cut between planes.
template <class Result, class F, class Join>
Result reduce_over_lines(const Box& box, const Result& none, const F& f, const Join& join) {
  const std::vector<Result> planes = reduce_planes(box, box.last[2] - box.first[2] == 1, none, f, join);
  return std::accumulate(planes.begin(), planes.end(), none, join);
}

/// Returns whether the planes of a space are its lines.
inline bool is_flat(const Space& space) {
  return space.is_flat();
}

/// Is the joined value of a plane, with its number among all patches; −1 if unused.
template <class Result>
struct Plane {
  Result value;
  int number;
};

/// Joins the planes of all processes in the order of their numbers. Planes of one number are joined first. `own` are
/// the planes of this process, in any order.
template <class Result, class Join>
Result join_planes(const Space& space, std::vector<Plane<Result>> own, const Result& none, const Join& join) {
  if (!space.is_global()) {
    // Every process sends as many planes as the process that has most.
    const auto most = static_cast<std::size_t>(space.most_planes());
    own.resize(most, {none, -1});
    std::vector<Plane<Result>> all(most * static_cast<std::size_t>(space.processes().count()));
    space.processes().gather(own.data(), most * sizeof(Plane<Result>), all.data());
    own = std::move(all);
    std::erase_if(own, [](const Plane<Result>& p) { return p.number < 0; });
  }
  if (!std::ranges::is_sorted(own, {}, &Plane<Result>::number))
    std::ranges::stable_sort(own, {}, &Plane<Result>::number);
  Result all = none;
  for (auto plane = own.begin(); plane != own.end();) {
    const int number = plane->number;
    Result of_plane = (plane++)->value;
    for (; plane != own.end() && plane->number == number; ++plane) of_plane = join(of_plane, plane->value);
    all = join(all, of_plane);
  }
  return all;
}

/// Does the same for the planes of a box of this process's patch of a grid.
template <class Result, class Join>
Result join_planes(const Space& space, const Box& box, const std::vector<Result>& own, const Result& none,
                   const Join& join) {
  if (space.is_global()) return std::accumulate(own.begin(), own.end(), none, join);
  const std::size_t across = space.is_flat() ? 1 : 2;
  std::vector<Plane<Result>> planes;
  for (std::size_t p = 0; p < own.size(); ++p)
    planes.push_back({own[p], space.part().origin()[across] + box.first[across] + static_cast<int>(p)});
  return join_planes(space, std::move(planes), none, join);
}

/// Sums f(group, p, box, j, k) over the memory lines of a box of every patch of a space, by patch and plane. The box is
/// `box_of` a patch: what it counts, or its unknowns within that. The bits of the result do not depend on the number of
/// threads, and those of a patch not on how it is cut between planes.
template <class BoxOf, class F>
double sum_over_patches(const Space& space, const BoxOf& box_of, const F& f) {
  const bool flat = space.is_flat();
  const int most = flat ? 1 : 16;  // lines per partial sum
  struct Part {
    std::size_t group;
    int patch, first_plane, chunks;  // chunks of lines in each plane
    Box box;
    std::int64_t first;  // chunk of all
  };
  std::vector<Part> parts;
  std::int64_t size = 0, count = 0;
  for (std::size_t g = 0; g < space.groups().size(); ++g)
    for (int p = 0; p < std::ssize(space.groups()[g].patches); ++p) {
      const PatchGroup::Patch& patch = space.groups()[g].patches[static_cast<std::size_t>(p)];
      const Box box = box_of(patch);
      if (box.size() == 0) continue;
      const int chunks = divide_up(box.last[1] - box.first[1], most);
      parts.push_back({g, p, patch.first_plane, chunks, box, count});
      size += box.size();
      count += std::int64_t{chunks} * (box.last[2] - box.first[2]);
    }
  std::vector<double> partial(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(static) if (size > parallel_threshold)
  for (std::int64_t c = 0; c < count; ++c) {
    const Part& of = *std::prev(std::ranges::upper_bound(parts, c, {}, &Part::first));
    const int k = of.box.first[2] + static_cast<int>((c - of.first) / of.chunks);
    const int j = of.box.first[1] + static_cast<int>((c - of.first) % of.chunks) * most;
    double own = 0;
    for (int line = j; line < std::min(j + most, of.box.last[1]); ++line) own += f(of.group, of.patch, of.box, line, k);
    partial[static_cast<std::size_t>(c)] = own;
  }
  std::vector<Plane<double>> planes;
  for (const Part& of : parts) {
    const int in_plane = flat ? 1 : of.chunks, number = of.first_plane + of.box.first[flat ? 1 : 2];
    const int count_here = flat ? of.chunks : of.box.last[2] - of.box.first[2];
    for (int p = 0; p < count_here; ++p) {
      const auto begin = partial.begin() + of.first + std::int64_t{p} * in_plane;
      planes.push_back({std::accumulate(begin, begin + in_plane, 0.0), number + p});
    }
  }
  return join_planes(space, std::move(planes), 0.0, std::plus());
}

/// Returns what a patch counts, and its unknowns among that.
inline Box counted_values(const PatchGroup::Patch& patch) {
  return patch.counted;
}
inline Box counted_unknowns(const PatchGroup::Patch& patch) {
  return intersection(patch.counted, patch.unknowns);
}

/// Does the same over the boxes of all patches of a grid, plane by plane however thin the patches are. Calls f(j, k)
/// for the patch of this process.
template <class Result, class F, class Join>
Result reduce_over_lines(const Space& space, const Box& box, const Result& none, const F& f, const Join& join) {
  return join_planes(space, box, reduce_planes(box, is_flat(space), none, f, join), none, join);
}

/// Sums f(j, k) over the lines of the box in the same order.
template <class F>
double sum_over_lines(const Space& space, const Box& box, const F& f) {
  return reduce_over_lines(space, box, 0.0, f, std::plus());
}

/// Does the same for lines that read a field one value beyond the box, and overlaps the exchange of its halo.
template <class F>
double sum_over_lines_beside(Backend& backend, const Field& read, const Box& box, const F& f) {
  const Space& space = read.space();
  if (!space.halo().with_others()) {
    backend.exchange(read);
    return sum_over_lines(space, box, f);
  }
  const bool flat = is_flat(space);
  const std::size_t across = flat ? 1 : 2;
  std::vector<double> planes(box.size() > 0 ? static_cast<std::size_t>(box.last[across] - box.first[across]) : 0);
  const auto of_part = [&](const Box& part) {
    std::ranges::copy(reduce_planes(part, flat, 0.0, f, std::plus()),
                      planes.begin() + (part.first[across] - box.first[across]));
  };
  backend.exchange_overlapped(read, box, of_part, across);
  return join_planes(space, box, planes, 0.0, std::plus());
}

/// Returns the largest f(j, k) over the lines of the box; `least` if there are none.
template <class F>
double max_over_lines(const Box& box, double least, const F& f) {
  const int nj = box.last[1] - box.first[1], nk = box.last[2] - box.first[2];
  if (nj <= 0 || nk <= 0 || box.last[0] <= box.first[0]) return least;
  const std::int64_t lines = std::int64_t{nj} * nk;
  double largest = least;
#pragma omp parallel for schedule(static) reduction(max : largest) if (box.size() > parallel_threshold)
  for (std::int64_t line = 0; line < lines; ++line)
    largest =
        std::max(largest, f(box.first[1] + static_cast<int>(line % nj), box.first[2] + static_cast<int>(line / nj)));
  return largest;
}

}  // namespace poisson::cpu
