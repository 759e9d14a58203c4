#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poisson {

/// Lists flows with names: through the faces of a box, or through the parts of another boundary. Iteration and indices
/// give the values in the order of `add`.
class NamedFlows {
 public:
  NamedFlows() = default;
  NamedFlows(std::initializer_list<std::pair<std::string, double>> flows) {
    for (const auto& [name, flow] : flows) add(name, flow);
  }
  void add(std::string name, double flow) {
    names_.push_back(std::move(name));
    values_.push_back(flow);
  }
  /// Sets all flows, and keeps their names.
  void fill(double flow) { values_.assign(values_.size(), flow); }
  std::size_t size() const { return values_.size(); }
  const std::string& name(std::size_t at) const { return names_.at(at); }
  double operator[](std::size_t at) const { return values_[at]; }
  /// Returns the flow of this name. Throws std::invalid_argument, with all names, if there is none.
  double at(std::string_view name) const {
    std::string all;
    for (std::size_t i = 0; i < size(); ++i) {
      if (names_[i] == name) return values_[i];
      all += (i == 0 ? "" : ", ") + names_[i];
    }
    throw std::invalid_argument("there is no face '" + std::string(name) + "': choose from " + all);
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;
};

}  // namespace poisson
