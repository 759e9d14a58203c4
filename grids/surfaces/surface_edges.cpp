#include "grids/surfaces/surface_edges.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

namespace poisson {
namespace {

// Sorts by a small whole number, key(item) < keys, then by `less` among equals.
template <class T, class Key, class Less>
void sort_by_key(std::vector<T>& items, std::size_t keys, const Key& key, const Less& less) {
  std::vector<std::size_t> begin(keys + 1);
  for (const T& item : items) ++begin[key(item) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<T> sorted(items.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const T& item : items) sorted[next[key(item)]++] = item;
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < keys; ++k)
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin[k]),
              sorted.begin() + static_cast<std::ptrdiff_t>(begin[k + 1]), less);
  items.swap(sorted);
}

std::size_t points_of(const std::vector<Triangle>& faces) {
  std::uint32_t last = 0;
  for (const Triangle& t : faces) last = std::max({last, t[0], t[1], t[2]});
  return std::size_t{last} + 1;
}

}  // namespace

std::vector<EdgeUse> edges_of(const std::vector<Triangle>& faces) {
  std::vector<EdgeUse> edges;
  edges.reserve(3 * faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = faces[f][c], b = faces[f][(c + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(f), a < b});
    }
  sort_by_key(
      edges, points_of(faces), [](const EdgeUse& e) { return e.low; },
      [](const EdgeUse& a, const EdgeUse& b) { return std::tie(a.high, a.face) < std::tie(b.high, b.face); });
  return edges;
}

namespace {

std::uint64_t hash_of(const Point& p) {
  std::uint64_t h = 0x9e3779b97f4a7c15;
  for (const double x : p) {
    h = (h ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0xff51afd7ed558ccd;  // −0 + 0 is 0
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

namespace {

// Returns for each point the first one with the same coordinates. Points are sorted into small groups by their hashes,
// so that threads need no common table.
std::vector<std::uint32_t> first_of_equal(const std::vector<Point>& points) {
  constexpr std::size_t groups = 1024;
  constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint64_t> hashes(points.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < points.size(); ++i) hashes[i] = hash_of(points[i]);
  const auto group_of = [&](std::size_t i) { return hashes[i] >> 54; };
  std::vector<std::size_t> begin(groups + 1);
  for (std::size_t i = 0; i < points.size(); ++i) ++begin[group_of(i) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> sorted(points.size()), first(points.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < points.size(); ++i) sorted[next[group_of(i)]++] = static_cast<std::uint32_t>(i);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<std::uint32_t> table(std::bit_ceil(2 * (begin[g + 1] - begin[g]) + 2), none);
    for (std::size_t at = begin[g]; at < begin[g + 1]; ++at) {
      const std::uint32_t i = sorted[at];
      for (std::size_t place = hashes[i];; ++place) {
        std::uint32_t& slot = table[place & (table.size() - 1)];
        if (slot == none)
          slot = i;
        else if (points[slot] != points[i])
          continue;
        first[i] = slot;
        break;
      }
    }
  }
  return first;
}

}  // namespace

std::size_t merge_points(Triangles& triangles) {
  const std::vector<Point>& all = triangles.points;
  const std::vector<std::uint32_t> first = first_of_equal(all);
  std::vector<std::uint32_t> number(all.size());
  std::vector<Point> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (first[i] == i) {
      number[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(all[i]);
    } else {
      number[i] = number[first[i]];
    }
  }
  for (Triangle& t : triangles.faces)
    for (std::uint32_t& corner : t) corner = number[corner];
  triangles.points = std::move(kept);
  return std::erase_if(triangles.faces, [](const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

namespace {

// Contains triangles with equal corners: one of them, and how many more of them have its orientation than the other.
struct Twins {
  std::uint32_t face = 0;
  int excess = 1, count = 1;
};

// Returns the corners in increasing order, and whether this order has the triangle's orientation.
std::pair<Triangle, bool> sorted(const Triangle& t) {
  Triangle s = t;
  std::ranges::sort(s);
  const bool even = (t[0] < t[1]) == (t[1] < t[2]) ? t[0] < t[1] : (t[2] < t[0]);
  return {s, even};
}

std::vector<Twins> find_twins(const std::vector<Triangle>& faces) {
  struct Item {
    Triangle corners;
    std::uint32_t face;
    bool even;
  };
  std::vector<Item> items(faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    const auto [corners, even] = sorted(faces[f]);
    items[f] = {corners, f, even};
  }
  sort_by_key(
      items, points_of(faces), [](const Item& i) { return i.corners[0]; },
      [](const Item& a, const Item& b) { return std::tie(a.corners, a.face) < std::tie(b.corners, b.face); });
  std::vector<Twins> twins;
  const Item* first = nullptr;
  for (const Item& item : items) {
    if (!first || first->corners != item.corners) {
      first = &item;
      twins.push_back({item.face});
      continue;
    }
    ++twins.back().count;
    twins.back().excess += first->even == item.even ? 1 : -1;
  }
  return twins;
}

// Marks the patches of triangles that appear once in each orientation and separate two bodies: at the rim of such a
// patch, two or another even number of other triangles meet.
std::vector<bool> find_walls(const std::vector<Triangle>& faces, const std::vector<bool>& balanced) {
  std::vector<std::uint32_t> patch(faces.size());
  std::iota(patch.begin(), patch.end(), 0u);
  const auto root = [&](std::uint32_t f) {
    while (patch[f] != f) f = patch[f] = patch[patch[f]];
    return f;
  };
  const std::vector<EdgeUse> edges = edges_of(faces);
  for_each_edge(edges, [&](std::span<const EdgeUse> uses) {
    for (const EdgeUse& use : uses)
      for (const EdgeUse& other : uses)
        if (balanced[use.face] && balanced[other.face]) patch[root(use.face)] = root(other.face);
  });
  std::vector<char> has_rim(faces.size()), bad(faces.size());
  for_each_edge(edges, [&](std::span<const EdgeUse> uses) {
    const auto walls = std::ranges::count_if(uses, [&](const EdgeUse& use) { return balanced[use.face]; });
    if (walls % 2 == 0) return;
    const auto others = std::ssize(uses) - walls;
    for (const EdgeUse& use : uses)
      if (balanced[use.face]) (others > 0 && others % 2 == 0 ? has_rim : bad)[root(use.face)] = 1;
  });
  std::vector<bool> wall(faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f) wall[f] = balanced[f] && has_rim[root(f)] && !bad[root(f)];
  return wall;
}

}  // namespace

std::size_t remove_duplicates(std::vector<Triangle>& faces) {
  const std::vector<Twins> twins = find_twins(faces);
  if (twins.size() == faces.size()) return 0;
  std::vector<Triangle> kept;
  std::vector<bool> balanced;
  for (const Twins& t : twins) {
    kept.push_back(faces[t.face]);
    if (t.excess < 0) std::swap(kept.back()[1], kept.back()[2]);
    balanced.push_back(t.excess == 0);
  }
  if (std::ranges::find(balanced, true) != balanced.end()) {
    const std::vector<bool> wall = find_walls(kept, balanced);
    std::size_t to = 0;
    for (std::size_t f = 0; f < kept.size(); ++f)
      if (!wall[f]) kept[to++] = kept[f];
    kept.resize(to);
  }
  const std::size_t removed = faces.size() - kept.size();
  faces = std::move(kept);
  return removed;
}

}  // namespace poisson
