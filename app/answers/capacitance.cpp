#include "app/answers/capacitance.hpp"

#include <cctype>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cases/model_case.hpp"
#include "solver/capacitance.hpp"
#include "solver/grid_model.hpp"

namespace poisson {
namespace {

Config without_data(const Config& config) {
  Config bare = config;
  bare.problem = without_data(config.problem);
  constexpr double accurate = 1e-10;
  bare.flow_tolerance = 0;
  bare.output.fields.clear();
  if (bare.options.tolerance > accurate) bare.options.tolerance = accurate;
  return bare;
}

std::string lower(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// Returns a node of SPICE for each name. SPICE ignores case, and 0 and gnd are the ground.
std::vector<std::string> nodes_of(const std::vector<std::string>& names) {
  std::set<std::string> taken{"0", "gnd"};
  std::vector<std::string> nodes;
  for (const std::string& name : names) {
    std::string word;
    for (const char c : name) word += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    std::string node = word;
    for (int n = 2; !taken.insert(lower(node)).second; ++n) node = word + "_" + std::to_string(n);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// Returns the sum of a row: the capacitance to ground.
double to_ground(const std::vector<double>& row) {
  return std::accumulate(row.begin(), row.end(), 0.0);
}

}  // namespace

Summary::Capacitance find_capacitance(const Config& config, Backend& backend,
                                      const std::shared_ptr<const Processes>& processes,
                                      const std::function<bool()>& stopped) {
  const Config bare = without_data(config);
  const std::unique_ptr<Case> work = make_case(bare, processes);
  Solver& solver = work->make_solver(backend, nullptr);
  auto& model = dynamic_cast<GridModel&>(dynamic_cast<ModelCase&>(*work).model());
  Summary::Capacitance matrix;
  const std::vector<RegionNumber>& conductors = config.output.conductors;
  for (const RegionNumber c : conductors) matrix.names.push_back(config.problem.media->regions[c].name);
  matrix.entries = capacitance(model, solver, conductors, [&](const Solver::Progress&) { return !stopped(); });
  return matrix;
}

std::string capacitance_table(const Summary::Capacitance& matrix) {
  std::string text = "conductor";
  for (const std::string& name : matrix.names) text += "," + name;
  text += ",ground\n";
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    text += matrix.names[i];
    for (const double entry : matrix.entries[i]) text += fmt::format(",{:.12g}", entry);
    text += fmt::format(",{:.12g}\n", to_ground(matrix.entries[i]));
  }
  return text;
}

std::string capacitance_netlist(const Summary::Capacitance& matrix, const std::string& title) {
  const std::vector<std::string> nodes = nodes_of(matrix.names);
  std::string text = "* " + (title.empty() ? "Capacitances" : title) + "\n.subckt capacitance";
  for (const std::string& node : nodes) text += " " + node;
  text += "\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    text += fmt::format("C{0}_gnd {0} 0 {1:.12g}\n", nodes[i], to_ground(matrix.entries[i]));
    for (std::size_t j = i + 1; j < nodes.size(); ++j)
      text += fmt::format("C{0}_{1} {0} {1} {2:.12g}\n", nodes[i], nodes[j],
                          -(matrix.entries[i][j] + matrix.entries[j][i]) / 2);
  }
  return text + ".ends capacitance\n";
}

}  // namespace poisson
