#include "grids/blocks/macro_mesh.hpp"

#include <algorithm>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/meshes/place_text.hpp"

namespace poisson {
namespace {

// Is a part in its own axes: they start at the corner of the smallest number, and the first axis leads to the smaller
// neighbour. `bit[a]` is the axis of the given corners that is axis a, and `origin` the given corner at the start.
struct Canonical {
  std::array<int, 8> corners{};
  std::array<std::size_t, 3> bit{0, 1, 2};
  std::size_t origin = 0;
};

Canonical canonical(const std::array<int, 8>& given, int dimension, bool turns) {
  Canonical found;
  const auto m = static_cast<std::size_t>(dimension), count = std::size_t{1} << m;
  if (turns)
    for (std::size_t c = 1; c < count; ++c)
      if (given[c] < given[found.origin]) found.origin = c;
  if (turns && m == 2 && given[found.origin ^ 2] < given[found.origin ^ 1]) std::swap(found.bit[0], found.bit[1]);
  for (std::size_t c = 0; c < count; ++c) {
    std::size_t from = found.origin;
    for (std::size_t a = 0; a < m; ++a)
      if (c >> a & 1) from ^= std::size_t{1} << found.bit[a];
    found.corners[c] = given[from];
  }
  return found;
}

// Joins edges, and whether they run in opposite directions.
class DirectedClasses {
 public:
  explicit DirectedClasses(std::size_t count) : parent_(count), against_(count, false), twisted_(count, false) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = i;
  }
  std::pair<std::size_t, bool> root(std::size_t i) const {
    bool against = false;
    while (parent_[i] != i) {
      against = against != against_[i];
      i = parent_[i];
    }
    return {i, against};
  }
  void join(std::size_t i, std::size_t j, bool opposite) {
    auto [a, from_a] = root(i);
    auto [b, from_b] = root(j);
    const bool against = (from_a != from_b) != opposite;
    if (a == b) {
      if (against) twisted_[a] = true;
      return;
    }
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    against_[b] = against;
    twisted_[a] = twisted_[a] || twisted_[b];
  }
  bool twisted(std::size_t root) const { return twisted_[root]; }

 private:
  std::vector<std::size_t> parent_;
  std::vector<bool> against_, twisted_;
};

}  // namespace

MacroTopology::MacroTopology(const MacroMesh& mesh, std::vector<PeriodicFace> periodic)
    : mesh_(mesh), periodic_(std::move(periodic)) {
  for (const MacroMesh::Block& block : mesh_.blocks) {
    std::vector<int> sorted(block.corners.begin(), block.corners.begin() + static_cast<int>(mesh_.corners()));
    std::ranges::sort(sorted);
    if (const auto same = std::ranges::adjacent_find(sorted); same != sorted.end())
      throw InputError(block.name + " has the vertex " + std::to_string(*same) + " at two of its corners; give " +
                       std::to_string(mesh_.corners()) + " different ones");
  }
  find_parts();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].dimension == 0 || parts_[p].dimension == dimension()) continue;
    std::vector<int> sorted(parts_[p].corners.begin(), parts_[p].corners.begin() + (1 << parts_[p].dimension));
    std::ranges::sort(sorted);
    by_vertices_.emplace(std::move(sorted), static_cast<int>(p));
  }
  check();
  find_classes();
}

// Replaces the corners of a part on a periodic face. An edge on two periodic faces moves twice.
std::array<int, 8> MacroTopology::after_joining(std::array<int, 8> corners, int of_dimension) const {
  const auto end = corners.begin() + (1 << of_dimension);
  for (std::size_t moves = 0; moves < 3; ++moves) {
    const auto face = std::ranges::find_if(periodic_, [&](const PeriodicFace& f) {
      return std::all_of(corners.begin(), end, [&](int v) { return f.contains(v); });
    });
    if (face == periodic_.end()) break;
    std::transform(corners.begin(), end, corners.begin(), [&](int v) { return face->at(v); });
  }
  return corners;
}

void MacroTopology::find_parts() {
  const auto dim = static_cast<std::size_t>(dimension());
  std::map<std::pair<int, std::array<int, 8>>, int> known;
  places_.resize(mesh_.blocks.size() * index(places()));
  for (int of_dimension = dimension(); of_dimension >= 0; --of_dimension)
    for (int b = 0; b < blocks(); ++b)
      for (int p = 0; p < places(); ++p) {
        const std::array<int, 3> at = position(p);
        std::vector<std::size_t> along;
        for (std::size_t d = 0; d < dim; ++d)
          if (at[d] == 1) along.push_back(d);
        if (static_cast<int>(along.size()) != of_dimension) continue;
        std::array<int, 8> corners{};
        for (std::size_t c = 0; c < std::size_t{1} << along.size(); ++c) {
          std::size_t corner = 0;
          for (std::size_t d = 0; d < dim; ++d) corner |= at[d] == 2 ? std::size_t{1} << d : 0;
          for (std::size_t a = 0; a < along.size(); ++a) corner |= (c >> a & 1) << along[a];
          corners[c] = mesh_.blocks[index(b)].corners[corner];
        }
        const bool whole = of_dimension == dimension();
        if (!whole) corners = after_joining(corners, of_dimension);
        const Canonical own = canonical(corners, of_dimension, !whole);
        const auto [entry, fresh] =
            known.try_emplace({whole ? 4 + b : of_dimension, own.corners}, static_cast<int>(parts_.size()));
        if (fresh) parts_.push_back({.dimension = of_dimension, .corners = own.corners, .blocks = {}});
        MacroPart& part = parts_[index(entry->second)];
        if (part.blocks.empty() || part.blocks.back() != b) part.blocks.push_back(b);
        PartInBlock& place = places_[index(b) * index(places()) + index(p)];
        place.part = entry->second;
        int across = of_dimension;
        for (std::size_t d = 0; d < 3; ++d) place.axis[d] = d < dim && at[d] == 1 ? 0 : across++;
        for (std::size_t a = 0; a < along.size(); ++a) {
          place.axis[along[own.bit[a]]] = static_cast<int>(a);
          place.flipped[along[own.bit[a]]] = (own.origin >> own.bit[a] & 1) != 0;
        }
      }
}

void MacroTopology::check() const {
  std::map<std::vector<int>, int> seen;
  for (const MacroPart& part : parts_) {
    if (part.dimension < dimension() - 1) continue;
    std::vector<int> sorted(part.corners.begin(), part.corners.begin() + (1 << part.dimension));
    std::ranges::sort(sorted);
    const auto [same, fresh] = seen.try_emplace(std::move(sorted), part.blocks[0]);
    const auto name = [&](int block) { return mesh_.blocks[index(block)].name; };
    if (!fresh && part.dimension == dimension())
      throw InputError(name(same->second) + " and " + name(part.blocks[0]) +
                       " have the same vertices; remove one of them, or divide a ring into at least three blocks");
    if (!fresh)
      throw InputError(name(same->second) + " and " + name(part.blocks[0]) + " use the face " +
                       joined(same->first, "-") + " with its vertices in different orders; correct one");
    if (part.dimension == dimension() - 1 && part.blocks.size() > 2)
      throw InputError(describe(static_cast<int>(&part - parts_.data())) + " belongs to " +
                       std::to_string(part.blocks.size()) + " blocks: " + name(part.blocks[0]) + ", " +
                       name(part.blocks[1]) + " and " + name(part.blocks[2]) + "; it can separate two blocks at most");
  }
}

void MacroTopology::find_classes() {
  DirectedClasses joined(parts_.size());
  const auto dim = static_cast<std::size_t>(dimension());
  // Returns the edges of a block along an axis, and whether they run against it.
  const auto edges = [&](int b, std::size_t d) {
    std::vector<std::pair<std::size_t, bool>> found;
    for (int p = 0; p < places(); ++p) {
      const std::array<int, 3> at = position(p);
      bool edge = at[d] == 1;
      for (std::size_t other = 0; other < dim; ++other) edge = edge && (other == d || at[other] != 1);
      if (edge) found.emplace_back(index(place(b, p).part), place(b, p).flipped[d]);
    }
    return found;
  };
  for (int b = 0; b < blocks(); ++b)
    for (std::size_t d = 0; d < dim; ++d) {
      const auto all = edges(b, d);
      for (const auto& [edge, flipped] : all) joined.join(all[0].first, edge, flipped != all[0].second);
    }
  std::map<std::size_t, int> number;
  const auto class_of = [&](std::size_t edge) {
    const auto [root, against] = joined.root(edge);
    const auto [entry, fresh] = number.try_emplace(root, static_cast<int>(classes_.size()));
    if (fresh) classes_.push_back({static_cast<int>(root), joined.twisted(root)});
    return std::pair(entry->second, against);
  };
  for (int b = 0; b < blocks(); ++b)
    for (std::size_t d = 0; d < dim; ++d) {
      const auto [edge, flipped] = edges(b, d)[0];
      const auto [number_of_class, against] = class_of(edge);
      for (int p = 0; p < places(); ++p)
        if (position(p)[d] == 1) {
          const PartInBlock& in = place(b, p);
          const auto a = index(in.axis[d]);
          parts_[index(in.part)].edge_class[a] = number_of_class;
          parts_[index(in.part)].against[a] = (against != flipped) != in.flipped[d];
        }
    }
}

int MacroTopology::find(std::vector<int> vertices) const {
  std::ranges::sort(vertices);
  const auto found = by_vertices_.find(vertices);
  return found == by_vertices_.end() ? -1 : found->second;
}

std::string MacroTopology::describe(int number) const {
  const MacroPart& part = parts_[index(number)];
  constexpr std::array kinds{"vertex", "edge", "face", "block"};
  std::vector<int> own(part.corners.begin(), part.corners.begin() + (1 << part.dimension));
  if (part.dimension == 2) std::swap(own[2], own[3]);
  return "the " + std::string(kinds[index(part.dimension)]) + " " + joined(own, "-");
}

}  // namespace poisson
