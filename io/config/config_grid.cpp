#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "grids/axes/layers.hpp"
#include "grids/axes/stretching.hpp"
#include "io/config/config_axis.hpp"
#include "io/config/schema.hpp"
#include "io/files/hdf5.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;

/// Reads the grid's keys in the order of their dependence: dimension, explicit nodes, bounds and cells, rules.
class GridReader : GridKeys {
 public:
  explicit GridReader(ConfigParts& parts)
      : GridKeys{parts.document.at("domain.lower"), parts.document.at("domain.upper"), parts.document.at("grid.cells"),
                 parts.document.at("grid.axes")},
        parts_(parts) {}

  bool run() {
    find_dimension();
    check_type();
    check_bounds();
    check_cells();
    for (int axis = 0; axis < dimension(); ++axis) good_ = read_axis(parts_, *this, axis, good_);
    if (good_) check_size();
    if (good_) write_back();
    return good_;
  }

 private:
  int& dimension() { return parts_.config.problem.dimension; }

  void fail(const Mark& mark, const std::string& key, const std::string& message) {
    parts_.errors.add(mark, key, message);
    good_ = false;
  }

  void find_dimension() {
    const Value* from = given(lower) ? lower : given(upper) ? upper : given(cells) ? cells : nullptr;
    parts_.dimension_known = from || (axes && given(axis(0)));
    dimension() = from ? static_cast<int>(from->items.size()) : given(axis(2)) || !parts_.dimension_known ? 3 : 2;
    if (from == cells && from && given(axis(2)) && has_explicit_nodes(2)) dimension() = 3;  // grid.cells may omit z
    const auto agree = [&](const Value* list, const char* key) {
      if (!given(list) || !from || list->items.size() == from->items.size()) return;
      if (list == cells && list->items.size() < from->items.size() && ends_in_nodes(list->items.size())) return;
      const char* first = from == lower ? "domain.lower" : from == upper ? "domain.upper" : "grid.cells";
      fail(list->mark, key,
           "has " + std::to_string(list->items.size()) + " numbers, but " + first + " has " +
               std::to_string(from->items.size()) + "; give both the same length");
    };
    agree(upper, "domain.upper");
    agree(cells, "grid.cells");
    if (dimension() == 2 && given(axis(2)))
      fail(axis(2)->mark, "grid.axes.z", "does not exist in two dimensions; remove it, or give domain three numbers");
    for (const std::string_view key : {"domain", "grid"}) {
      // An absent section was wrong and has been reported.
      const Value* part = parts_.document.find(key);
      good_ = good_ && part && (part->kind == Kind::null || !part->entries.empty());
    }
    good_ = good_ && cells && axes && axis(0) && axis(1) && axis(2);
  }

  /// Returns true if all axes from `first` on have explicit nodes, so that grid.cells may omit them.
  bool ends_in_nodes(std::size_t first) const {
    for (std::size_t d = first; d < static_cast<std::size_t>(parts_.config.problem.dimension); ++d)
      if (!has_explicit_nodes(static_cast<int>(d))) return false;
    return true;
  }

  void check_type() {
    Value* grid = parts_.document.find("grid");
    Value* type = grid ? grid->find("type") : nullptr;
    if (!type) {
      good_ = false;
      return;
    }
    const auto shapes = [](const Value::Entry& entry) { return entry.value.kind != Kind::null; };
    if (!type->given && axes && std::ranges::any_of(axes->entries, shapes)) type->text = "tensor-product";
    parts_.config.equidistant = type->text == "equidistant";
    if (!parts_.config.equidistant || !axes) return;
    for (const Value::Entry& entry : axes->entries)
      if (shapes(entry))
        fail(entry.mark, "grid.axes." + entry.key,
             "describes an axis of an equidistant grid; write type: tensor-product under grid, or remove axes");
  }

  // Products of lengths and coefficients must be representable.
  static constexpr double least_length = 1e-60, most_length = 1e60;

  void check_bounds() {
    if (!given(lower) || !given(upper)) {
      if (!good_) return;
      for (int d = 0; d < dimension(); ++d)
        if (!has_explicit_nodes(d)) {
          missing("domain", d, "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}");
          return;
        }
      return;
    }
    for (std::size_t d = 0; d < std::min(lower->items.size(), upper->items.size()); ++d) {
      const Value& low = lower->items[d];
      const Value& high = upper->items[d];
      if (low.number >= high.number)
        fail(high.mark, "domain.upper[" + std::to_string(d) + "]",
             "must be greater than domain.lower (" + high.text + " <= " + low.text + ")");
      else if (const double length = high.number - low.number; length < least_length || length > most_length)
        fail(high.mark, "domain.upper[" + std::to_string(d) + "]",
             "makes the domain " + shortest(length) +
                 " long, whose volume may leave the range of numbers; use a unit " +
                 "in which the length is between 1e-60 and 1e60");
    }
  }

  void check_cells() {
    if (!good_) return;
    for (int d = 0; d < dimension(); ++d)
      if (given(cells) && !cells_along(d) && !has_explicit_nodes(d))
        fail(cells->items[static_cast<std::size_t>(d)].mark, "grid.cells[" + std::to_string(d) + "]",
             "is null and axis " + std::string(axis_names[d]) + " has no nodes or segments; give its number of cells");
    if (given(cells)) return;
    for (int d = 0; d < dimension(); ++d)
      if (!has_explicit_nodes(d)) {
        missing("grid.cells", d, dimension() == 2 ? "cells: [64, 64]" : "cells: [64, 64, 64]");
        return;
      }
  }

  /// Limits the number of cells so that byte counts do not overflow.
  void check_size() {
    constexpr double most = 0x1p50;
    double all = 1;
    for (int d = 0; d < dimension(); ++d)
      all *= static_cast<double>(parts_.config.problem.nodes[static_cast<std::size_t>(d)].size() - 1);
    if (all <= most) return;
    std::array<char, 32> count{};
    std::snprintf(count.data(), count.size(), "%.3g", all);
    const Value* grid = parts_.document.find("grid");
    fail(given(cells) ? cells->mark : grid->mark, "grid.cells",
         std::string("requests ") + count.data() + " cells in total; give at most 10^15");
  }

  void missing(const std::string& key, int d, const std::string& remedy) {
    const Value* grid = parts_.document.find("grid");
    fail(grid ? grid->mark : parts_.document.mark, key,
         "is missing and axis " + std::string(axis_names[d]) + " has no explicit nodes; add " + remedy);
  }

  /// Writes bounds and cells that follow from explicit nodes and layers into the document.
  void write_back() {
    Value* domain = parts_.document.find("domain");
    Value* all_cells = parts_.document.find("grid")->find("cells");
    std::array<Value, 3> lists;  // lower, upper, cells
    for (Value& list : lists) list.kind = Kind::list;
    for (int d = 0; d < dimension(); ++d) {
      const std::vector<double>& nodes = parts_.config.problem.nodes[static_cast<std::size_t>(d)];
      for (std::size_t k = 0; k < lists.size(); ++k) {
        Value number;
        number.kind = Kind::number;
        number.number = k == 0 ? nodes.front() : k == 1 ? nodes.back() : static_cast<double>(nodes.size() - 1);
        number.integer = k == 2;
        lists[k].items.push_back(number);
      }
    }
    if (domain->kind == Kind::null) {
      domain->kind = Kind::map;
      domain->entries = {{"lower", {}, lists[0]}, {"upper", {}, lists[1]}};
    }
    if (all_cells->kind == Kind::null) *all_cells = lists[2];
    for (std::size_t d = 0; d < lists[2].items.size(); ++d) {
      if (d == all_cells->items.size()) all_cells->items.push_back(lists[2].items[d]);
      if (all_cells->items[d].kind == Kind::null) all_cells->items[d] = lists[2].items[d];
    }
  }

  ConfigParts& parts_;
  bool good_ = true;
};

}  // namespace

bool read_grid(ConfigParts& parts) {
  if (const Value* type = parts.document.at("grid.type"); type && type->text == "banded")
    return read_matrix_grid(parts);
  return GridReader(parts).run();
}

}  // namespace poisson
