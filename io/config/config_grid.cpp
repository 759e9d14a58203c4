#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "grids/axes/layers.hpp"
#include "grids/axes/stretching.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/schema.hpp"
#include "io/files/hdf5.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;

/// Reads the grid's keys in the order of their dependence: dimension, explicit nodes, bounds and cells, rules.
class GridReader {
 public:
  explicit GridReader(ConfigParts& parts)
      : parts_(parts),
        lower_(parts.document.at("domain.lower")),
        upper_(parts.document.at("domain.upper")),
        cells_(parts.document.at("grid.cells")),
        axes_(parts.document.at("grid.axes")) {}

  bool run() {
    find_dimension();
    check_type();
    check_bounds();
    check_cells();
    for (int axis = 0; axis < dimension(); ++axis) read_axis(axis);
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

  const Value* axis(int d) const { return axes_ ? axes_->find(axis_names[d]) : nullptr; }

  bool has_explicit_nodes(int d) const {
    const Value* spec = axis(d);
    return given(spec) && (spec->find("nodes") || spec->find("file") || spec->find("segments"));
  }

  /// Returns the entry of grid.cells for an axis; null if it is missing.
  const Value* cells_along(int d) const {
    const auto i = static_cast<std::size_t>(d);
    return given(cells_) && i < cells_->items.size() && given(&cells_->items[i]) ? &cells_->items[i] : nullptr;
  }

  bool is_layered(int d) const { return given(axis(d)) && axis(d)->find("segments"); }

  void find_dimension() {
    const Value* from = given(lower_) ? lower_ : given(upper_) ? upper_ : given(cells_) ? cells_ : nullptr;
    parts_.dimension_known = from || (axes_ && given(axis(0)));
    dimension() = from ? static_cast<int>(from->items.size()) : given(axis(2)) || !parts_.dimension_known ? 3 : 2;
    if (from == cells_ && from && given(axis(2)) && has_explicit_nodes(2)) dimension() = 3;  // grid.cells may omit z
    const auto agree = [&](const Value* list, const char* key) {
      if (!given(list) || !from || list->items.size() == from->items.size()) return;
      if (list == cells_ && list->items.size() < from->items.size() && ends_in_nodes(list->items.size())) return;
      const char* first = from == lower_ ? "domain.lower" : from == upper_ ? "domain.upper" : "grid.cells";
      fail(list->mark, key,
           "has " + std::to_string(list->items.size()) + " numbers, but " + first + " has " +
               std::to_string(from->items.size()) + "; give both the same length");
    };
    agree(upper_, "domain.upper");
    agree(cells_, "grid.cells");
    if (dimension() == 2 && given(axis(2)))
      fail(axis(2)->mark, "grid.axes.z", "does not exist in two dimensions; remove it, or give domain three numbers");
    for (const std::string_view key : {"domain", "grid"}) {
      // An absent section was wrong and has been reported.
      const Value* part = parts_.document.find(key);
      good_ = good_ && part && (part->kind == Kind::null || !part->entries.empty());
    }
    good_ = good_ && cells_ && axes_ && axis(0) && axis(1) && axis(2);
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
    if (!type->given && axes_ && std::ranges::any_of(axes_->entries, shapes)) type->text = "tensor-product";
    parts_.config.equidistant = type->text == "equidistant";
    if (!parts_.config.equidistant || !axes_) return;
    for (const Value::Entry& entry : axes_->entries)
      if (shapes(entry))
        fail(entry.mark, "grid.axes." + entry.key,
             "describes an axis of an equidistant grid; write type: tensor-product under grid, or remove axes");
  }

  void check_bounds() {
    if (!given(lower_) || !given(upper_)) {
      if (!good_) return;
      for (int d = 0; d < dimension(); ++d)
        if (!has_explicit_nodes(d)) {
          missing("domain", d, "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}");
          return;
        }
      return;
    }
    for (std::size_t d = 0; d < std::min(lower_->items.size(), upper_->items.size()); ++d) {
      const Value& low = lower_->items[d];
      const Value& high = upper_->items[d];
      if (low.number >= high.number)
        fail(high.mark, "domain.upper[" + std::to_string(d) + "]",
             "must be greater than domain.lower (" + high.text + " <= " + low.text + ")");
    }
  }

  void check_cells() {
    if (!good_) return;
    for (int d = 0; d < dimension(); ++d)
      if (given(cells_) && !cells_along(d) && !has_explicit_nodes(d))
        fail(cells_->items[static_cast<std::size_t>(d)].mark, "grid.cells[" + std::to_string(d) + "]",
             "is null and axis " + std::string(axis_names[d]) + " has no nodes or segments; give its number of cells");
    if (given(cells_)) return;
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
    fail(given(cells_) ? cells_->mark : grid->mark, "grid.cells",
         std::string("requests ") + count.data() + " cells in total; give at most 10^15");
  }

  void missing(const std::string& key, int d, const std::string& remedy) {
    const Value* grid = parts_.document.find("grid");
    fail(grid ? grid->mark : parts_.document.mark, key,
         "is missing and axis " + std::string(axis_names[d]) + " has no explicit nodes; add " + remedy);
  }

  void read_axis(int d) {
    const Value* spec = axis(d);
    std::vector<double>& nodes = parts_.config.problem.nodes[static_cast<std::size_t>(d)];
    if (has_explicit_nodes(d)) {
      if (is_layered(d))
        read_layers(d, *spec->find("segments"), nodes);
      else
        read_nodes(d, *spec, nodes);
      return;
    }
    const Value* rule = given(spec) ? read_rule(d, *spec) : nullptr;
    if (given(spec) && !rule) {
      good_ = false;
      return;
    }
    if (!good_ || !given(lower_)) return;
    const auto i = static_cast<std::size_t>(d);
    const double low = lower_->items[i].number;
    const double high = upper_->items[i].number;
    const int count = static_cast<int>(cells_along(d)->number);
    if (!given(spec)) {
      nodes = uniform_nodes(low, high, count);
    } else {
      const Value* end = spec->find("at");
      if (!end) {
        good_ = false;
        return;
      }
      const auto at = static_cast<StretchedEnd>(end->choice);
      const bool geometric = spec->find("stretching")->text == "geometric";
      if (rule == spec->find("first_cell")) {
        read_first_cell(d, *rule, geometric, low, high, count, at, nodes);
        return;
      }
      const double ratio = rule == spec->find("expansion") ? geometric_ratio(rule->number, count, at) : rule->number;
      nodes = geometric ? geometric_nodes(low, high, count, ratio, at) : tanh_nodes(low, high, count, rule->number, at);
    }
    if (degenerate(nodes))
      fail(given(spec) ? spec->mark : lower_->items[i].mark, given(spec) ? key(d) : "domain.lower",
           "its cells are lost to rounding; stretch less, use fewer cells, or move the box closer to the origin");
  }

  static std::string rounded(double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.4g", value);
    return digits.data();
  }

  static constexpr double most_cells = 10'000'000;

  static bool degenerate(const std::vector<double>& nodes) {
    const auto falls = [](double a, double b) { return !(a < b); };
    return std::ranges::adjacent_find(nodes, falls) != nodes.end() || !std::isfinite(nodes.back() - nodes.front());
  }

  /// Returns the only key that sets the stretching of an axis; null if none or several are given, or if it is wrong.
  const Value* read_rule(int d, const Value& spec) {
    const bool geometric = spec.find("stretching")->text == "geometric";
    const std::vector<std::string_view> names = geometric
                                                    ? std::vector<std::string_view>{"ratio", "expansion", "first_cell"}
                                                    : std::vector<std::string_view>{"strength", "first_cell"};
    const Value* rule = nullptr;
    for (const std::string_view name : names) {
      const Value* value = spec.find(name);
      if (!value) return nullptr;  // it was wrong and has been reported
      if (!given(value)) continue;
      if (rule) {
        const auto other = std::ranges::find_if(spec.entries, [&](const Value::Entry& e) { return &e.value == rule; });
        fail(value->mark, key(d) + "." + std::string(name),
             "conflicts with " + other->key + ", because each determines the other; keep one of the two");
        return nullptr;
      }
      rule = value;
    }
    if (!rule)
      fail(spec.mark, key(d),
           geometric
               ? "a geometric stretching needs ratio, expansion or first_cell; add ratio: 1.05, expansion: 1000 or "
                 "first_cell: 1e-3"
               : "a tanh stretching needs strength or first_cell; add strength: 2.5 or first_cell: 1e-3");
    return rule;
  }

  void read_first_cell(int d, const Value& first, bool geometric, double low, double high, int count, StretchedEnd at,
                       std::vector<double>& nodes) {
    const double length = high - low, equal = length / count;
    const auto stretched = [&](double width) {
      return geometric ? geometric_nodes(low, high, count, geometric_ratio_of_first_cell(width, length, count, at), at)
                       : tanh_nodes(low, high, count, tanh_strength_of_first_cell(width, length, count, at), at);
    };
    // The tolerance is 0.1 %; far from the origin, rounding may prevent even that.
    const auto reached = [&](double width) {
      nodes = stretched(width);
      const bool upper = at == StretchedEnd::upper;
      const double found = upper ? nodes[nodes.size() - 1] - nodes[nodes.size() - 2] : nodes[1] - nodes[0];
      return !degenerate(nodes) && std::abs(found - width) <= 1e-3 * width;
    };
    if (first.number < equal && reached(first.number)) return;
    double least = equal;
    for (double width = std::pow(10, std::floor(std::log10(equal))); width > 0 && width >= 1e-30 * equal; width /= 10)
      if (width < equal && reached(width)) least = width;
    fail(
        first.mark, key(d) + ".first_cell",
        first.text + " cannot be reached with " + std::to_string(count) + " cells on a length of " + rounded(length) +
            " (equal cells are " + rounded(equal) + " wide); " +
            (least < equal ? "give a width of at least " + rounded(least) + " and less than that" : "use equal cells") +
            (first.number < equal ? "" : ", or use fewer cells"));
  }

  static std::string key(int d) { return "grid.axes." + std::string(axis_names[d]); }

  void read_nodes(int d, const Value& spec, std::vector<double>& nodes) {
    const Value* list = spec.find("nodes");
    const std::string name = key(d) + (list ? ".nodes" : "");
    const Mark& mark = list ? list->mark : spec.mark;
    try {
      nodes = list ? numbers(list) : read_file(spec);
    } catch (const InputError& error) {
      fail(spec.find("file")->mark, key(d), error.what());
      return;
    }
    if (nodes.size() < 3) {
      fail(mark, name, "has " + std::to_string(nodes.size()) + " nodes; give at least 3 (two cells)");
      return;
    }
    const auto falling = std::ranges::adjacent_find(nodes, [](double a, double b) { return !(a < b); });
    if (falling != nodes.end()) {
      const auto i = static_cast<std::size_t>(falling - nodes.begin()) + 1;
      fail(list ? list->items[i].mark : mark, name,
           "node " + std::to_string(i) + " is not greater than the previous one (" + text(nodes[i - 1]) + ", " +
               text(nodes[i]) + "); nodes must increase");
      return;
    }
    if (!std::isfinite(nodes.front()) || !std::isfinite(nodes.back())) {
      fail(mark, name, "has a node that is not finite; give finite numbers");
      return;
    }
    fit_bounds(d, mark, name, nodes);
    if (const Value* cells = cells_along(d); cells && cells->number + 1 != static_cast<double>(nodes.size()))
      fail(mark, name,
           "has " + std::to_string(nodes.size()) + " nodes, but grid.cells requests " + cells->text +
               " cells; give one node more than cells, or omit cells");
  }

  /// Reads the layers of an axis. They start at the lower end of the domain, or at 0 without a domain.
  void read_layers(int d, const Value& list, std::vector<double>& nodes) {
    const std::string name = key(d) + ".segments";
    const auto i = static_cast<std::size_t>(d);
    const bool bounded = given(lower_) && given(upper_) && i < lower_->items.size() && i < upper_->items.size();
    std::vector<Layer> layers;
    double count = 0;
    for (std::size_t l = 0; l < list.items.size(); ++l) {
      const Value& thickness = list.items[l].items[0];
      const Value& cells = list.items[l].items[1];
      const std::string here = name + "[" + std::to_string(l) + "]";
      if (!(thickness.number > 0))
        fail(thickness.mark, here + "[0]", "the thickness is " + thickness.text + "; give one greater than 0");
      if (cells.number < 1 || cells.number != std::floor(cells.number))
        fail(cells.mark, here + "[1]", "the number of cells is " + cells.text + "; give a whole number, at least 1");
      count += cells.number;
      layers.push_back({thickness.number, static_cast<int>(std::min(cells.number, most_cells))});
    }
    if (count < 2 || count > most_cells)
      fail(list.mark, name,
           "has " + shortest(count) + " cells in total; give 2 to " + shortest(most_cells) + " cells per axis");
    if (const Value* cells = cells_along(d); cells && cells->number != count)
      fail(list.mark, name,
           "has " + shortest(count) + " cells in total, but grid.cells requests " + cells->text +
               "; make them agree, or write null there");
    if (!good_) return;
    const double low = bounded ? lower_->items[i].number : 0;
    nodes = layered_nodes(low, layers);
    if (bounded) fit_layers(d, list.mark, name, layers, nodes);
    if (degenerate(nodes))
      fail(list.mark, name,
           "has a layer whose cells are lost to rounding; make it thicker, or move the box closer to the origin");
  }

  /// Checks that the layers fill the domain up to rounding, and sets the last node to its upper end.
  void fit_layers(int d, const Mark& mark, const std::string& name, const std::vector<Layer>& layers,
                  std::vector<double>& nodes) {
    const auto i = static_cast<std::size_t>(d);
    const double low = lower_->items[i].number, high = upper_->items[i].number;
    const double thickness = layered_nodes(0, layers).back();
    if (std::abs(thickness - (high - low)) <= 1e-9 * (high - low)) {
      nodes.back() = high;
      return;
    }
    fail(mark, name,
         "has layers of total thickness " + text(thickness) + ", but domain spans " + text(low) + " to " + text(high) +
             ", a length of " + text(high - low) + "; make them agree");
  }

  std::vector<double> read_file(const Value& spec) {
    const std::filesystem::path file = parts_.path(*spec.find("file"));
    const std::string& name = spec.find("dataset")->text;
    const std::vector<std::int64_t> shape = dataset_shape(file, name);
    if (shape.size() != 1)
      throw InputError("dataset " + name + " of " + file.string() + " has " + std::to_string(shape.size()) +
                       " dimensions; the nodes of an axis are one-dimensional");
    if (constexpr std::int64_t most = 10'000'001; shape[0] > most)
      throw InputError("dataset " + name + " of " + file.string() + " has " + std::to_string(shape[0]) +
                       " values; an axis has at most " + std::to_string(most) + " nodes");
    check_stored(file, name);
    return read_dataset(file, name).values;
  }

  /// Checks that explicit nodes span the domain, if one is given, up to rounding. Sets their ends to the exact bounds.
  void fit_bounds(int d, const Mark& mark, const std::string& name, std::vector<double>& nodes) {
    const auto i = static_cast<std::size_t>(d);
    if (!given(lower_) || !given(upper_) || i >= lower_->items.size() || i >= upper_->items.size()) return;
    const double low = lower_->items[i].number;
    const double high = upper_->items[i].number;
    const double slack = 1e-12 * (high - low);
    if (std::abs(nodes.front() - low) > slack || std::abs(nodes.back() - high) > slack) {
      fail(mark, name,
           "spans " + text(nodes.front()) + " to " + text(nodes.back()) + ", but domain spans " + text(low) + " to " +
               text(high) + "; make them agree, or omit domain");
      return;
    }
    nodes.front() = low;
    nodes.back() = high;
  }

  static std::string text(double value) {
    Value number;
    number.kind = Kind::number;
    number.number = value;
    return to_json(number, -1);
  }

  /// Writes bounds and cells that follow from explicit nodes and layers into the document.
  void write_back() {
    Value* domain = parts_.document.find("domain");
    Value* cells = parts_.document.find("grid")->find("cells");
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
    if (cells->kind == Kind::null) *cells = lists[2];
    for (std::size_t d = 0; d < lists[2].items.size(); ++d) {
      if (d == cells->items.size()) cells->items.push_back(lists[2].items[d]);
      if (cells->items[d].kind == Kind::null) cells->items[d] = lists[2].items[d];
    }
  }

  ConfigParts& parts_;
  const Value* lower_;
  const Value* upper_;
  const Value* cells_;
  const Value* axes_;
  bool good_ = true;
};

}  // namespace

bool read_grid(ConfigParts& parts) {
  if (const Value* type = parts.document.at("grid.type"); type && type->text == "banded")
    return read_matrix_grid(parts);
  return GridReader(parts).run();
}

}  // namespace poisson
