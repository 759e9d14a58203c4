#include "io/config/config_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "grids/axes/layers.hpp"
#include "grids/axes/stretching.hpp"
#include "io/config/schema.hpp"
#include "io/files/hdf5.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;

/// Reads the nodes of one axis.
class AxisReader {
 public:
  AxisReader(ConfigParts& parts, const GridKeys& grid, int d, bool good)
      : parts_(parts),
        grid_(grid),
        d_(d),
        key_("grid.axes." + std::string(axis_names[d])),
        nodes_(parts.config.problem.nodes[static_cast<std::size_t>(d)]),
        good_(good) {}

  void run() {
    const Value* spec = grid_.axis(d_);
    if (grid_.has_explicit_nodes(d_)) {
      if (grid_.is_layered(d_))
        read_layers(*spec->find("segments"));
      else
        read_nodes(*spec);
      return;
    }
    const Value* rule = given(spec) ? read_rule(*spec) : nullptr;
    if (given(spec) && !rule) {
      good_ = false;
      return;
    }
    if (!good_ || !given(grid_.lower)) return;
    const auto i = static_cast<std::size_t>(d_);
    const double low = grid_.lower->items[i].number;
    const double high = grid_.upper->items[i].number;
    const int count = static_cast<int>(grid_.cells_along(d_)->number);
    if (!given(spec)) {
      nodes_ = uniform_nodes(low, high, count);
    } else {
      const Value* end = spec->find("at");
      if (!end) {
        good_ = false;
        return;
      }
      const auto at = static_cast<StretchedEnd>(end->choice);
      const bool geometric = spec->find("stretching")->text == "geometric";
      if (rule == spec->find("first_cell")) {
        read_first_cell(*rule, geometric, low, high, count, at);
        return;
      }
      const double ratio = rule == spec->find("expansion") ? geometric_ratio(rule->number, count, at) : rule->number;
      nodes_ =
          geometric ? geometric_nodes(low, high, count, ratio, at) : tanh_nodes(low, high, count, rule->number, at);
    }
    if (degenerate())
      fail(given(spec) ? spec->mark : grid_.lower->items[i].mark, given(spec) ? key_ : "domain.lower",
           "its cells are lost to rounding; stretch less, use fewer cells, or move the box closer to the origin");
  }
  bool good() const { return good_; }

 private:
  void fail(const Mark& mark, const std::string& key, const std::string& message) {
    parts_.errors.add(mark, key, message);
    good_ = false;
  }

  static std::string rounded(double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.4g", value);
    return digits.data();
  }

  static constexpr double most_cells = 10'000'000;

  bool degenerate() const {
    const auto falls = [](double a, double b) { return !(a < b); };
    return std::ranges::adjacent_find(nodes_, falls) != nodes_.end() || !std::isfinite(nodes_.back() - nodes_.front());
  }

  /// Returns the only key that sets the stretching of an axis; null if none or several are given, or if it is wrong.
  const Value* read_rule(const Value& spec) {
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
        fail(value->mark, key_ + "." + std::string(name),
             "conflicts with " + other->key + ", because each determines the other; keep one of the two");
        return nullptr;
      }
      rule = value;
    }
    if (!rule)
      fail(spec.mark, key_,
           geometric
               ? "a geometric stretching needs ratio, expansion or first_cell; add ratio: 1.05, expansion: 1000 or "
                 "first_cell: 1e-3"
               : "a tanh stretching needs strength or first_cell; add strength: 2.5 or first_cell: 1e-3");
    return rule;
  }

  void read_first_cell(const Value& first, bool geometric, double low, double high, int count, StretchedEnd at) {
    const double length = high - low, equal = length / count;
    const auto stretched = [&](double width) {
      return geometric ? geometric_nodes(low, high, count, geometric_ratio_of_first_cell(width, length, count, at), at)
                       : tanh_nodes(low, high, count, tanh_strength_of_first_cell(width, length, count, at), at);
    };
    // The tolerance is 0.1 %; far from the origin, rounding may prevent even that.
    const auto reached = [&](double width) {
      nodes_ = stretched(width);
      const bool upper = at == StretchedEnd::upper;
      const double found = upper ? nodes_[nodes_.size() - 1] - nodes_[nodes_.size() - 2] : nodes_[1] - nodes_[0];
      return !degenerate() && std::abs(found - width) <= 1e-3 * width;
    };
    if (first.number < equal && reached(first.number)) return;
    double least = equal;
    for (double width = std::pow(10, std::floor(std::log10(equal))); width > 0 && width >= 1e-30 * equal; width /= 10)
      if (width < equal && reached(width)) least = width;
    fail(
        first.mark, key_ + ".first_cell",
        first.text + " cannot be reached with " + std::to_string(count) + " cells on a length of " + rounded(length) +
            " (equal cells are " + rounded(equal) + " wide); " +
            (least < equal ? "give a width of at least " + rounded(least) + " and less than that" : "use equal cells") +
            (first.number < equal ? "" : ", or use fewer cells"));
  }

  void read_nodes(const Value& spec) {
    const Value* list = spec.find("nodes");
    const std::string name = key_ + (list ? ".nodes" : "");
    const Mark& mark = list ? list->mark : spec.mark;
    try {
      nodes_ = list ? numbers(list) : read_file(spec);
    } catch (const InputError& error) {
      fail(spec.find("file")->mark, key_, error.what());
      return;
    }
    if (nodes_.size() < 3) {
      fail(mark, name, "has " + std::to_string(nodes_.size()) + " nodes; give at least 3 (two cells)");
      return;
    }
    const auto falling = std::ranges::adjacent_find(nodes_, [](double a, double b) { return !(a < b); });
    if (falling != nodes_.end()) {
      const auto i = static_cast<std::size_t>(falling - nodes_.begin()) + 1;
      fail(list ? list->items[i].mark : mark, name,
           "node " + std::to_string(i) + " is not greater than the previous one (" + text(nodes_[i - 1]) + ", " +
               text(nodes_[i]) + "); nodes must increase");
      return;
    }
    if (!std::isfinite(nodes_.front()) || !std::isfinite(nodes_.back())) {
      fail(mark, name, "has a node that is not finite; give finite numbers");
      return;
    }
    fit_bounds(mark, name);
    if (const Value* cells = grid_.cells_along(d_); cells && cells->number + 1 != static_cast<double>(nodes_.size()))
      fail(mark, name,
           "has " + std::to_string(nodes_.size()) + " nodes, but grid.cells requests " + cells->text +
               " cells; give one node more than cells, or omit cells");
  }

  /// Reads the layers of an axis. They start at the lower end of the domain, or at 0 without a domain.
  void read_layers(const Value& list) {
    const std::string name = key_ + ".segments";
    const auto i = static_cast<std::size_t>(d_);
    const bool bounded =
        given(grid_.lower) && given(grid_.upper) && i < grid_.lower->items.size() && i < grid_.upper->items.size();
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
    if (const Value* cells = grid_.cells_along(d_); cells && cells->number != count)
      fail(list.mark, name,
           "has " + shortest(count) + " cells in total, but grid.cells requests " + cells->text +
               "; make them agree, or write null there");
    if (!good_) return;
    const double low = bounded ? grid_.lower->items[i].number : 0;
    nodes_ = layered_nodes(low, layers);
    if (bounded) fit_layers(list.mark, name, layers);
    if (degenerate())
      fail(list.mark, name,
           "has a layer whose cells are lost to rounding; make it thicker, or move the box closer to the origin");
  }

  /// Checks that the layers fill the domain up to rounding, and sets the last node to its upper end.
  void fit_layers(const Mark& mark, const std::string& name, const std::vector<Layer>& layers) {
    const auto i = static_cast<std::size_t>(d_);
    const double low = grid_.lower->items[i].number, high = grid_.upper->items[i].number;
    const double thickness = layered_nodes(0, layers).back();
    if (std::abs(thickness - (high - low)) <= 1e-9 * (high - low)) {
      nodes_.back() = high;
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
  void fit_bounds(const Mark& mark, const std::string& name) {
    const auto i = static_cast<std::size_t>(d_);
    if (!given(grid_.lower) || !given(grid_.upper) || i >= grid_.lower->items.size() || i >= grid_.upper->items.size())
      return;
    const double low = grid_.lower->items[i].number;
    const double high = grid_.upper->items[i].number;
    const double slack = 1e-12 * (high - low);
    if (std::abs(nodes_.front() - low) > slack || std::abs(nodes_.back() - high) > slack) {
      fail(mark, name,
           "spans " + text(nodes_.front()) + " to " + text(nodes_.back()) + ", but domain spans " + text(low) + " to " +
               text(high) + "; make them agree, or omit domain");
      return;
    }
    nodes_.front() = low;
    nodes_.back() = high;
  }

  static std::string text(double value) {
    Value number;
    number.kind = Kind::number;
    number.number = value;
    return to_json(number, -1);
  }

  ConfigParts& parts_;
  const GridKeys& grid_;
  int d_;
  std::string key_;
  std::vector<double>& nodes_;
  bool good_;
};

}  // namespace

bool read_axis(ConfigParts& parts, const GridKeys& grid, int d, bool good) {
  AxisReader reader(parts, grid, d, good);
  reader.run();
  return reader.good();
}

}  // namespace poisson
