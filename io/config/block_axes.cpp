#include "io/config/block_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "grids/axes/stretching.hpp"

namespace poisson {
namespace {

/// Gives each class of edges its number of cells and its grading.
class AxisSpreader {
 public:
  AxisSpreader(ConfigParts& parts, const Value* blocks, BlockGeometry& geometry)
      : parts_(parts),
        blocks_(blocks),
        geometry_(geometry),
        topology_(*geometry.topology),
        joined_(geometry.joined ? *geometry.joined : *geometry.topology) {}

  bool run() {
    const std::size_t classes = joined_.classes().size();
    cells_.assign(classes, 0);
    fractions_.resize(classes);
    source_.assign(classes, -1);
    graded_by_.assign(classes, -1);
    for (int b = 0; blocks_ && b < topology_.blocks(); ++b) read_cells(b);
    const Value* rest = parts_.document.at("grid.cells");
    for (std::size_t c = 0; c < classes; ++c)
      if (cells_[c] == 0 && given(rest)) cells_[c] = static_cast<int>(rest->number);
    for (std::size_t c = 0; c < classes && good_; ++c)
      if (cells_[c] == 0 && !rest)
        good_ = false;  // an error names the number
      else if (cells_[c] == 0)
        fail(parts_.document.find("grid")->mark, "grid.cells",
             "no block gives the number of cells along " + joined_.describe(joined_.classes()[c].edge) +
                 "; add grid: {cells: 32}, or cells to a block with this edge");
    for (int b = 0; blocks_ && b < topology_.blocks() && good_; ++b) read_gradings(b);
    for (std::size_t c = 0; c < classes && good_; ++c)
      if (fractions_[c].empty()) fractions_[c] = uniform_nodes(0, 1, cells_[c]);
    if (good_) hand_over();
    return good_;
  }

 private:
  void fail(const Mark& mark, const std::string& key, const std::string& message) {
    parts_.errors.add(mark, key, message);
    good_ = false;
  }
  // Periodic sides are one in `joined_`, but not in the geometry.
  void hand_over() {
    geometry_.cells.assign(topology_.classes().size(), 0);
    geometry_.fractions.resize(topology_.classes().size());
    for (int b = 0; b < topology_.blocks(); ++b)
      for (std::size_t d = 0; d < static_cast<std::size_t>(topology_.dimension()); ++d) {
        const auto from = static_cast<std::size_t>(joined_.edge_class(b, d)),
                   to = static_cast<std::size_t>(topology_.edge_class(b, d));
        if (geometry_.cells[to] > 0) continue;
        geometry_.cells[to] = cells_[from];
        std::vector<double> own = fractions_[from];
        if (joined_.against(b, d) != topology_.against(b, d)) {
          std::ranges::reverse(own);
          for (double& x : own) x = 1 - x;
        }
        geometry_.fractions[to] = std::move(own);
      }
  }
  static std::string path(int b) { return "grid.blocks[" + std::to_string(b) + "]"; }
  const Value& block(int b) const { return blocks_->items[static_cast<std::size_t>(b)]; }

  // Returns the edge of a block along an axis at its first corner.
  int edge(int b, std::size_t axis) const { return topology_.place(b, axis == 0 ? 1 : axis == 1 ? 3 : 9).part; }

  void read_cells(int b) {
    const Value* cells = block(b).find("cells");
    if (!given(cells)) return;
    if (std::ssize(cells->items) != topology_.dimension())
      return fail(cells->mark, path(b) + ".cells",
                  fmt::format("has {} numbers, but the blocks have {} dimensions; give {}", cells->items.size(),
                              topology_.dimension(), topology_.dimension()));
    for (std::size_t d = 0; d < cells->items.size(); ++d) {
      if (!given(&cells->items[d])) continue;
      const int n = static_cast<int>(cells->items[d].number), of = joined_.edge_class(b, d);
      int& known = cells_[static_cast<std::size_t>(of)];
      int& source = source_[static_cast<std::size_t>(of)];
      if (known == 0) {
        known = n;
        source = b;
      } else if (known != n) {
        fail(cells->items[d].mark, path(b) + ".cells",
             fmt::format("{} has {} cells here, but {} through {} or its opposite edges; give both blocks the same "
                         "number along this axis",
                         topology_.describe(edge(b, d)), n, known, path(source)));
      }
    }
  }

  double length(int edge) const {
    const MacroPart& part = topology_.parts()[static_cast<std::size_t>(edge)];
    const auto& vertices = topology_.mesh().vertices;
    const auto found = geometry_.curves.find(edge);
    const Curve curve = found != geometry_.curves.end() ? found->second
                                                        : straight(vertices[static_cast<std::size_t>(part.corners[0])],
                                                                   vertices[static_cast<std::size_t>(part.corners[1])]);
    double sum = 0;
    Place3 last = curve(0);
    for (int s = 1; s <= 256; ++s) {
      const Place3 next = curve(s / 256.0);
      sum += std::hypot(next[0] - last[0], next[1] - last[1], next[2] - last[2]);
      last = next;
    }
    return sum;
  }

  // Returns the fractions of a rule along an axis of a block; nothing after an error.
  std::vector<double> fractions_of(const Value& rule, const std::string& here, int n, int along) {
    if (rule.kind == Value::Kind::number)
      return geometric_nodes(0, 1, n, geometric_ratio(rule.number, n, StretchedEnd::lower), StretchedEnd::lower);
    const Value* only = nullptr;
    std::string_view key;
    for (const std::string_view name : {"expansion", "ratio", "first_cell", "strength"}) {
      const Value* value = rule.find(name);
      if (!given(value)) continue;
      if (only) {
        fail(value->mark, here + "." + std::string(name),
             "conflicts with " + std::string(key) + ", because each determines the other; keep one of the two");
        return {};
      }
      only = value;
      key = name;
    }
    if (!only) {
      fail(rule.mark, here, "needs expansion, ratio, first_cell or strength; add expansion: 1000 or first_cell: 1e-3");
      return {};
    }
    const Value *at = rule.find("at"), *growth = rule.find("rule");
    if (key != "first_cell" && growth && growth->given && (growth->text == "tanh") != (key == "strength")) {
      fail(growth->mark, here + ".rule",
           fmt::format("{} does not fit {}, which implies {}; remove it, or give first_cell", growth->text, key,
                       key == "strength" ? "tanh" : "geometric"));
      return {};
    }
    const auto end = at ? static_cast<StretchedEnd>(at->choice) : StretchedEnd::lower;
    if (key == "expansion") return geometric_nodes(0, 1, n, geometric_ratio(only->number, n, end), end);
    if (key == "ratio") return geometric_nodes(0, 1, n, only->number, end);
    if (key == "strength") return tanh_nodes(0, 1, n, only->number, end);
    const double all = length(along), first = only->number / all;
    if (!(first < 1.0 / n)) {
      fail(only->mark, here + ".first_cell",
           fmt::format("{} is not below the width of equal cells, {:.4g}: {} has length {:.4g} and {} cells; give a "
                       "smaller width",
                       only->text, all / n, topology_.describe(along), all, n));
      return {};
    }
    return growth && growth->text == "tanh"
               ? tanh_nodes(0, 1, n, tanh_strength_of_first_cell(first, 1, n, end), end)
               : geometric_nodes(0, 1, n, geometric_ratio_of_first_cell(first, 1, n, end), end);
  }

  void read_gradings(int b) {
    const Value* grading = block(b).find("grading");
    if (!grading) return;
    for (std::size_t d = 0; d < 3; ++d) {
      const Value* rule = grading->find(axis_names[d]);
      if (!given(rule)) continue;
      const std::string here = path(b) + ".grading." + std::string(axis_names[d]);
      if (static_cast<int>(d) >= topology_.dimension()) {
        fail(rule->mark, here, "does not exist in two dimensions; remove it");
        continue;
      }
      const auto of = static_cast<std::size_t>(joined_.edge_class(b, d));
      std::vector<double> found = fractions_of(*rule, here, cells_[of], edge(b, d));
      if (found.empty()) return;
      if (std::ranges::adjacent_find(found, [](double x, double y) { return !(x < y); }) != found.end())
        return fail(rule->mark, here, "its cells are lost to rounding; stretch less, or use fewer cells");
      if (joined_.against(b, d)) {
        std::ranges::reverse(found);
        for (double& x : found) x = 1 - x;
      }
      const bool mirrored = std::equal(found.begin(), found.end(), found.rbegin(),
                                       [](double x, double y) { return std::abs(x + y - 1) < 1e-9; });
      if (joined_.classes()[of].twisted && !mirrored)
        return fail(rule->mark, here,
                    "a strip of blocks turns this axis around, so both ends are alike; use at: both or equal cells");
      std::vector<double>& known = fractions_[of];
      const bool same = std::ranges::equal(known, found, [](double x, double y) { return std::abs(x - y) < 1e-9; });
      if (!known.empty() && !same)
        return fail(rule->mark, here,
                    topology_.describe(edge(b, d)) + " has another grading through " + path(graded_by_[of]) +
                        " or its opposite edges; give both blocks the same, or leave one away");
      if (known.empty()) graded_by_[of] = b;
      known = std::move(found);
    }
  }

  ConfigParts& parts_;
  const Value* blocks_;
  BlockGeometry& geometry_;
  const MacroTopology &topology_, &joined_;
  std::vector<int> cells_;  // of each class of joined_
  std::vector<std::vector<double>> fractions_;
  std::vector<int> source_, graded_by_;  // blocks
  bool good_ = true;
};

}  // namespace

bool spread_cells(ConfigParts& parts, const Value* given, BlockGeometry& geometry) {
  return AxisSpreader(parts, given, geometry).run();
}

}  // namespace poisson
