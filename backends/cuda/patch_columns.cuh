#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/patch_tables.cuh"
#include "backends/memory/division.hpp"
#include "backends/spaces/is_box.hpp"

/// Launches functors on the groups of a space, one launch a group. A family of functors brings `Of`, whose of(p) is the
/// functor for patch p of a group; it compiles for host and device. A group of one patch is launched as the box that it
/// is.
namespace poisson::cuda {

/// Exchanges y and z of views of planes, as for boxes.
template <class T>
PatchView<T> marched(PatchView<T> patches) {
  patches.first = marched(patches.first);
  return patches;
}

/// Is the functor of a group of several patches, which it sees as one stack of planes: plane k of the stack is plane
/// k mod n of patch k/n.
template <class Of>
struct StackedColumns {
  static constexpr int resident_threads = cuda::resident_threads<decltype(std::declval<const Of&>()(0))>();
  Of of;
  int first, planes;  // of the box in a patch
  Division by_planes;
  const Range* within;  // limits each patch; null if nothing does

  StackedColumns(const Of& of, const Box& box, const Range* within)
      : of(of),
        first(box.first[2]),
        planes(box.last[2] - box.first[2]),
        by_planes(box.last[2] - box.first[2]),
        within(within) {}

  __device__ auto operator()(int i, int j, int k0, int k1) const {
    using Result = decltype(of(0)(i, j, k0, k1));
    if constexpr (std::is_void_v<Result>) {
      each_patch(i, j, k0, k1, [&](int p, int begin, int end) { of(p)(i, j, begin, end); });
    } else {
      Result sum{};
      each_patch(i, j, k0, k1, [&](int p, int begin, int end) { sum += of(p)(i, j, begin, end); });
      return sum;
    }
  }
  /// Reports planes of sums as those of a box, with several loads in flight.
  template <class Sink>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sink& of_plane) const {
    int done = k0;
    each_patch(i, j, k0, k1, [&](int p, int begin, int end) {
      const int shift = first - p * planes;
      for (; done < begin - shift; ++done) of_plane(done, 0.0);
      cuda::each_plane(of(p), i, j, begin, end, [&](int k, double value) { of_plane(k - shift, value); });
      done = end - shift;
    });
    for (; done < k1; ++done) of_plane(done, 0.0);
  }

 private:
  template <class F>
  __device__ void each_patch(int i, int j, int k0, int k1, const F& f) const {
    while (k0 < k1) {
      const int p = by_planes(k0), shift = first - p * planes, last = min(k1, (p + 1) * planes);
      int begin = k0 + shift, end = last + shift;
      bool inside = true;
      if (within) {
        const Range& range = within[p];
        inside = i >= range.first.x && i < range.last.x && j >= range.first.y && j < range.last.y;
        begin = max(begin, range.first.z);
        end = min(end, range.last.z);
      }
      if (inside && begin < end) f(p, begin, end);
      k0 = last;
    }
  }
};

/// Returns the stack of a box of `patches` patches.
inline Box stack_of(const Box& box, std::size_t patches) {
  return {{box.first[0], box.first[1], 0},
          {box.last[0], box.last[1], (box.last[2] - box.first[2]) * static_cast<int>(patches)}};
}

/// Calls f(box, functor) for a box of the patches of a group: the stack, or the box of a single patch. The box is in
/// the indices of kernels.
template <class Of, class F>
void with_stack(const PatchGroup& group, const Box& box, const Range* within, const Of& of, const F& f) {
  if (group.patches.empty() || box.size() == 0) return;
  if (group.patches.size() == 1) return f(box, of(0));
  f(stack_of(box, group.patches.size()), StackedColumns<Of>(of, box, within));
}

/// Runs of_group(g)(p) over a box of each patch p of each group g. `box_of` returns the box of a group.
template <class Steps, class BoxOf, class OfGroup>
void for_groups(CudaBackend& device, const Space& space, const BoxOf& box_of, const OfGroup& of_group) {
  for (std::size_t g = 0; g < space.groups().size(); ++g) {
    const PatchGroup& group = space.groups()[g];
    with_stack(group, marched(box_of(group), group.layout), nullptr, of_group(g),
               [&](const Box& box, const auto& column) { device.for_columns<Steps>(box, column); });
  }
}

/// Locates the partial sums of a group's planes.
struct PartialSums {
  const double* partial;
  int planes, blocks;  ///< planes, and partial sums of each
  int before;          ///< planes of earlier groups
};
/// Adds up the partial sums of the planes of all groups and processes, in the order of the planes' numbers. `room` is
/// the start of device.partials(), with 2·table.planes unused values.
void add_groups(CudaBackend& device, const Space& space, const SumTable& table, const std::vector<PartialSums>& groups,
                double* room, const Scalar& result);

/// Computes result = Σ of_group(g)(p) over what the table says of each patch p of each group g.
template <class OfGroup>
void sum_groups(CudaBackend& device, const Space& space, const SumTable& table, const OfGroup& of_group,
                const Scalar& result) {
  const bool sorted = !table.place && !table.begin;
  if (space.groups().size() == 1 && sorted && table.planes > 0) {
    const SumTable::Group& own = table.groups.front();
    return with_stack(space.groups().front(), own.box, own.within, of_group(0),
                      [&](const Box& box, const auto& column) { device.sum(space, box, table.depth, column, result); });
  }
  const auto each = [&](const auto& f) {
    for (std::size_t g = 0; g < space.groups().size(); ++g)
      with_stack(space.groups()[g], table.groups[g].box, table.groups[g].within, of_group(g), f);
  };
  const std::int64_t before = 2 * std::int64_t{table.planes};
  std::int64_t all = before;
  each([&]<class Column>(const Box& box, const Column&) {
    all += plane_sums<Column>(box, table.depth).partials(box.last[2] - box.first[2]);
  });
  double* const room = device.partials(all);
  std::vector<PartialSums> parts;
  double* at = room + before;
  int planes = 0;
  each([&]<class Column>(const Box& box, const Column& column) {
    const PlaneSums sums = plane_sums<Column>(box, table.depth);
    sum_columns(device.stream(), box, sums, 0, column, at);
    const int count = sums.count(box.last[2] - box.first[2]);
    parts.push_back({at, count, sums.groups, planes});
    at += std::int64_t{count} * sums.groups;
    planes += count;
  });
  add_groups(device, space, table, parts, room, result);
}

}  // namespace poisson::cuda
