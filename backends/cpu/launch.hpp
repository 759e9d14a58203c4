#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
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
  return space.all()[2] == 1;
}

/// Joins the planes of the boxes of all patches of a grid, in order; `own` are the planes of this process.
template <class Result, class Join>
Result join_planes(const Space& space, const Box& box, const std::vector<Result>& own, const Result& none,
                   const Join& join) {
  if (space.is_global()) return std::accumulate(own.begin(), own.end(), none, join);
  // Every process sends as many planes as the largest patch has, with their numbers.
  const bool flat = is_flat(space);
  const auto most = static_cast<std::size_t>(flat ? space.most_values()[1] : space.most_values()[2]);
  struct Plane {
    Result value;
    int number;  // −1 if unused
  };
  std::vector<Plane> part(most, {none, -1});
  const int first = flat ? space.origin()[1] + box.first[1] : space.origin()[2] + box.first[2];
  for (std::size_t p = 0; p < own.size(); ++p) part[p] = {own[p], first + static_cast<int>(p)};
  std::vector<Plane> planes(most * static_cast<std::size_t>(space.processes().count()));
  space.processes().gather(part.data(), most * sizeof(Plane), planes.data());
  std::erase_if(planes, [](const Plane& p) { return p.number < 0; });
  std::ranges::stable_sort(planes, {}, &Plane::number);
  Result all = none;
  for (auto plane = planes.begin(); plane != planes.end();) {
    const int number = plane->number;
    Result of_plane = (plane++)->value;
    for (; plane != planes.end() && plane->number == number; ++plane) of_plane = join(of_plane, plane->value);
    all = join(all, of_plane);
  }
  return all;
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
