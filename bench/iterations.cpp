// Counts iterations to 1e-8 of conjugate gradients for random right-hand sides on grids of growing size, and compares
// them with the bounds of the project:
//
//     poisson-iterations --sizes-2d 128,256,512,1024 --sizes-3d 32,64,128 --json bench/results/cpu-iterations.json

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "backends/processes/wait_policy.hpp"
#include "backends/utilities/commit.hpp"
#include "bench/iteration_cases.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"

namespace poisson::bench {
namespace {

struct Arguments {
  bool list = false;
  std::vector<std::string> cases, unknowns;
  std::vector<int> sizes_2d{128, 256, 512, 1024, 2048}, sizes_3d{32, 64, 128, 256};
  std::string device = "auto", cycle = "v", json;
};

constexpr int most_iterations = 1000;  // counting stops here

// Sets random numbers in the unknowns, independent of the fields' pitch.
void randomize(Field& b, const Box& box) {
  const auto host = make_cpu_backend();
  Field copy(*host, b.layout(), b.precision());
  dispatch(b.precision(), [&]<class T>(T) {
    const auto view = copy.view<T>();
    std::uint64_t n = 0;
    for (int k = box.first[2]; k < box.last[2]; ++k)
      for (int j = box.first[1]; j < box.last[1]; ++j)
        for (int i = box.first[0]; i < box.last[0]; ++i) view(i, j, k) = static_cast<T>(random_number(n++));
  });
  transfer(copy, b);
}

/// Returns the iterations, or nothing if the solver gave up.
std::optional<int> count(Backend& backend, const Problem& problem, Cycle cycle) {
  const Discretization discretization(backend, problem);
  Options options{.method = Method::multigrid};
  options.krylov = Krylov::cg;
  options.cycle = cycle;
  options.max_iterations = most_iterations;
  const auto solver = make_solver(discretization, options);
  randomize(solver->rhs(), discretization.block().unknowns());
  discretization.initialize(solver->solution());
  const Result result = solver->solve(false);
  if (!result.converged()) return std::nullopt;
  return result.iterations;
}

/// Returns the error in a row of counts, or an empty string.
std::string complaint(const std::vector<std::optional<int>>& counts, std::optional<int> bound,
                      std::optional<int> growth) {
  if (std::ranges::any_of(counts, [](const auto& c) { return !c; }))
    return bound ? "did not converge" : "";  // a row without a bound may exceed the count
  std::string text;
  const int most = **std::ranges::max_element(counts);
  if (bound && most > *bound) text = "above " + std::to_string(*bound);
  if (growth && *counts.back() - *counts.front() > *growth) text += std::string(text.empty() ? "" : ", ") + "grows";
  return text;
}

int run(const Arguments& arguments) {
  const std::vector<IterationCase> all = iteration_cases();
  if (arguments.list) {
    for (const IterationCase& c : all) std::printf("%-20s %s\n", c.name.c_str(), c.description.c_str());
    return 0;
  }
  const auto wanted = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  for (const std::string& name : arguments.cases)
    if (std::ranges::none_of(all, [&](const IterationCase& c) { return c.name == name; }))
      throw InputError("there is no case '" + name + "': see poisson-iterations --list");

  const auto backend = make_backend(arguments.device);
  const Cycle cycle = arguments.cycle == "w" ? Cycle::w : arguments.cycle == "f" ? Cycle::f : Cycle::v;
  nlohmann::ordered_json json;
  json["commit"] = commit();
  json["device"] = backend->device();
  json["cycle"] = arguments.cycle;
  json["iterations"] = nlohmann::ordered_json::array();
  std::printf("%s\n", backend->device().c_str());
  int complaints = 0;
  for (const int dimension : {2, 3})
    for (const IterationCase& c : all) {
      const auto& sizes = dimension == 2 ? arguments.sizes_2d : arguments.sizes_3d;
      if (sizes.empty() || !wanted(arguments.cases, c.name) || c.stretched > dimension || (dimension == 3 && !c.three))
        continue;
      for (std::size_t u = 0; u < unknowns_names.size(); ++u) {
        const auto unknowns = static_cast<Unknowns>(u);
        if (!wanted(arguments.unknowns, unknowns_names[u]) || (!c.others && unknowns != Unknowns::elements)) continue;
        std::printf("%dD %-20s %-9s", dimension, c.name.c_str(), std::string(unknowns_names[u]).c_str());
        const auto start = std::chrono::steady_clock::now();
        std::vector<std::optional<int>> counts;
        nlohmann::ordered_json row{{"case", c.name},         {"description", c.description},
                                   {"dimension", dimension}, {"unknowns", unknowns_names[u]},
                                   {"bound", nullptr},       {"counts", nlohmann::ordered_json::object()}};
        if (c.bound[u]) row["bound"] = *c.bound[u];
        for (const int n : sizes) {
          counts.push_back(count(*backend, problem_of(c, unknowns, dimension, n), cycle));
          auto& entry = row["counts"][std::to_string(n)];
          if (counts.back()) entry = *counts.back();
          std::printf(" %4s", counts.back() ? std::to_string(*counts.back()).c_str() : "-");
          std::fflush(stdout);
        }
        const std::string wrong = complaint(counts, c.bound[u], c.growth);
        complaints += !wrong.empty();
        std::printf("  %6.1f s  %s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                    wrong.c_str());
        std::fflush(stdout);
        json["iterations"].push_back(std::move(row));
      }
    }
  if (!arguments.json.empty()) {
    std::ofstream file(arguments.json);
    file << json.dump(2) << '\n';
    file.close();
    if (!file) throw InputError("cannot write " + arguments.json + " (no such directory, or no permission)");
  }
  if (complaints > 0) std::printf("%d rows above their bounds\n", complaints);
  return complaints > 0 ? 3 : 0;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  poisson::bench::Arguments arguments;
  CLI::App program{"Counts iterations to 1e-8, with bounds; exits with 3 where one is exceeded.", "poisson-iterations"};
  program.add_flag("--list", arguments.list, "Print the cases and stop");
  program.add_option("--case", arguments.cases, "The cases (default: all)")->type_name("NAME...")->delimiter(',');
  program.add_option("--unknowns", arguments.unknowns, "nodes, elements, cells (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"nodes", "elements", "cells"}).description(""))
      ->type_name("NAME...");
  const auto sizes = [&](const char* name, std::vector<int>& values) {
    program.add_option(name, values, "Cells per axis; 0 for none")
        ->type_name("N,...")
        ->delimiter(',')
        ->check(CLI::Range(0, 8192).description(""))
        ->capture_default_str();
  };
  sizes("--sizes-2d", arguments.sizes_2d);
  sizes("--sizes-3d", arguments.sizes_3d);
  program.add_option("--device", arguments.device, "auto, cpu, cuda or cuda:NUMBER")->type_name("NAME");
  program.add_option("--cycle", arguments.cycle, "v, w or f")
      ->check(CLI::IsMember({"v", "w", "f"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  program.add_option("--json", arguments.json, "Write the results there")->type_name("FILE");
  CLI11_PARSE(program, argc, argv)
  poisson::wait_passively();
  for (auto* sizes_of : {&arguments.sizes_2d, &arguments.sizes_3d})
    std::erase_if(*sizes_of, [](int n) { return n < 8; });
  try {
    return poisson::bench::run(arguments);
  } catch (const poisson::InputError& error) {
    std::cerr << "poisson-iterations: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "poisson-iterations: " << error.what() << '\n';
    return 1;
  }
}
