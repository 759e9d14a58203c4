// Times solves and kernels, and checks each before it prints the time:
//
//     poisson-bench --case solve residual --sizes 256,512 --device cuda --json bench/results/h200.json
//     poisson-bench --case sizes --device cpu --json bench/results/cpu-sizes.json

#include <algorithm>
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
#include "bench/cases.hpp"
#include "bench/size_problems.hpp"

namespace poisson::bench {

void summarize(std::span<double> seconds, Measurement& result) {
  std::sort(seconds.begin(), seconds.end());
  result.seconds = seconds[seconds.size() / 2];
  result.fastest = seconds.front();
  result.slowest = seconds.back();
}

namespace {

constexpr std::string_view sizes_prefix = "sizes-", cufft_case = "cufft", direct_case = "direct";

// Returns one case for all problems on boxes of any size, and one for each of them.
std::vector<Case> size_cases() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SizeProblem& problem : size_problems())
      all.push_back(std::string(sizes_prefix) + std::string(problem.name));
    return all;
  }();
  std::vector<Case> cases{{.name = "sizes",
                           .description = "solves on boxes of any size beside the powers of two: all of the following",
                           .sizes = true}};
  for (std::size_t i = 0; i < names.size(); ++i)
    cases.push_back({.name = names[i], .description = size_problems()[i].description, .sizes = true});
  cases.push_back(
      {.name = cufft_case, .description = "cuFFT's real transforms in fp64, there and back", .sizes = true});
  cases.push_back({.name = direct_case, .description = "direct solutions beside these and a copy", .sizes = true});
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases(solve_cases().begin(), solve_cases().end());
  cases.insert(cases.end(), expression_cases().begin(), expression_cases().end());
  cases.insert(cases.end(), kernel_cases().begin(), kernel_cases().end());
  cases.insert(cases.end(), assembly_cases().begin(), assembly_cases().end());
  cases.insert(cases.end(), jacobi_cases().begin(), jacobi_cases().end());
  cases.insert(cases.end(), output_cases().begin(), output_cases().end());
  const std::vector<Case> sizes = size_cases();
  cases.insert(cases.end(), sizes.begin(), sizes.end());
  return cases;
}

std::vector<Case> chosen_cases(const std::vector<std::string>& names) {
  std::vector<Case> all = all_cases();
  if (names.empty()) {
    std::erase_if(all, [](const Case& c) { return c.sizes; });
    return all;
  }
  std::vector<Case> cases;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Case& c) { return c.name == name; });
    if (found == all.end()) throw InputError("there is no case '" + name + "': see poisson-bench --list");
    cases.push_back(*found);
  }
  return cases;
}

nlohmann::ordered_json json_of(const Measurement& m) {
  nlohmann::ordered_json json{{"case", m.name},       {"cells", m.cells},     {"unknowns", m.unknowns},
                              {"seconds", m.seconds}, {"fastest", m.fastest}, {"slowest", m.slowest}};
  if (m.size) {
    json["size"] = name_of(*m.size);
    json["cells"] = std::vector(m.size->cells.begin(), m.size->cells.begin() + m.size->dimension);
  }
  if (m.failed) {
    for (const char* key : {"unknowns", "seconds", "fastest", "slowest"}) json.erase(key);
    json["failed"] = *m.failed;
    return json;
  }
  const auto put = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  put("bytes", m.bytes);
  if (m.bytes) json["bandwidth"] = *m.bytes / m.seconds;
  put("of_copy", m.of_copy);
  put("predicted", m.predicted);
  if (m.cycles) json["unknowns_per_second"] = static_cast<double>(m.unknowns) / m.seconds;
  put("sweeps", m.sweeps);
  put("cycles", m.cycles);
  put("setup", m.setup);
  put("first", m.first);
  put("residual", m.residual);
  put("error", m.error);
  put("bytes_per_unknown", m.bytes_per_unknown);
  put("levels", m.levels);
  put("per_cycle_and_unknown", m.per_cycle_and_unknown);
  put("ratio", m.ratio);
  return json;
}

void print_size(const Measurement& m) {
  std::printf("%-20s %-12s", m.name.c_str(), name_of(*m.size).c_str());
  if (m.failed) {
    std::printf("  failed: %s\n", m.failed->c_str());
  } else {
    std::printf(" %10.4f ms  %8.3f GDOF/s", 1e3 * m.seconds, 1e-9 * static_cast<double>(m.unknowns) / m.seconds);
    if (m.cycles)
      std::printf("  %3d cycles  %2d levels  set-up %8.2f ms  %5.1f B/unknown  %8.4f ns per cycle and unknown",
                  *m.cycles, *m.levels, 1e3 * *m.setup, *m.bytes_per_unknown, 1e9 * *m.per_cycle_and_unknown);
    std::printf(m.ratio ? "  ratio %.2f\n" : "\n", m.ratio.value_or(0));
  }
  std::fflush(stdout);
}

void print(const Measurement& m) {
  if (m.size && !m.bytes) return print_size(m);
  std::printf("%-32s %5s  %10.4f ms", m.name.c_str(),
              m.size ? name_of(*m.size).c_str() : std::to_string(m.cells).c_str(), 1e3 * m.seconds);
  if (m.bytes) std::printf("  %8.1f GB/s  %5.1f %% of copy", 1e-9 * *m.bytes / m.seconds, 100 * m.of_copy.value_or(0));
  if (m.sweeps) std::printf("  %8.3f Gpoint/s", 1e-9 * *m.sweeps * static_cast<double>(m.unknowns) / m.seconds);
  if (m.predicted) std::printf("  predicted %9.4f ms", 1e3 * *m.predicted);
  if (m.cycles) {
    std::printf("  %7.3f GDOF/s  %3d cycles  %5.1f B/unknown  set-up %.1f ms  first %.1f ms  residual %.2g",
                1e-9 * static_cast<double>(m.unknowns) / m.seconds, *m.cycles, *m.bytes_per_unknown, 1e3 * *m.setup,
                1e3 * *m.first, *m.residual);
    if (m.error) std::printf("  error %.2g", *m.error);
  }
  if (m.setup && !m.cycles) std::printf("  set-up %.1f ms", 1e3 * *m.setup);
  std::printf("\n");
  std::fflush(stdout);
}

struct Arguments {
  bool list = false;
  std::vector<std::string> cases;
  std::vector<std::string> sizes;
  Setting setting;
  std::string json;
};

// Returns the sizes of all cases except `sizes`; solves require cubes.
std::vector<Size> usual(const std::vector<Size>& sizes, bool solves) {
  if (sizes.empty()) return {parse_size("128"), parse_size("256")};
  for (const Size& size : sizes)
    if (solves && (!size.cube() || size.cells[0] < 8 || size.cells[0] > 4096))
      throw InputError("the size " + name_of(size) +
                       " is for kernels and the cases sizes alone (solves take cubes, 8 to 4096 cells along an axis)");
  return sizes;
}

void write(const nlohmann::ordered_json& json, const std::string& path) {
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  file.close();
  if (!file) throw InputError("cannot write " + path + " (no such directory, or no permission)");
}

/// Returns whether every case could be measured.
bool run(const Arguments& arguments) {
  if (arguments.list) {
    for (const Case& c : all_cases())
      std::printf("%-24s %s\n", std::string(c.name).c_str(), std::string(c.description).c_str());
    return true;
  }
  std::vector<Size> sizes;
  for (const std::string& text : arguments.sizes) sizes.push_back(parse_size(text));
  std::vector<Case> solves, kernels, any_size;
  for (const Case& c : chosen_cases(arguments.cases)) {
    if (c.sizes)
      any_size.push_back(c);
    else if (c.members)
      kernels.insert(kernels.end(), c.members().begin(), c.members().end());
    else
      (c.kernel ? kernels : solves).push_back(c);
  }

  nlohmann::ordered_json json;
  json["commit"] = commit();
  std::string note;
  bool gpu = false;
  {
    const auto backend = make_backend(arguments.setting.device, &note);
    json["device"] = backend->device();
    gpu = backend->on_gpu();
  }
  json["repeat"] = arguments.setting.repeat;
  json["results"] = nlohmann::ordered_json::array();
  std::printf("%s\n", json["device"].get<std::string>().c_str());
  if (!note.empty()) std::printf("%s\n", note.c_str());
  const Report report = [&](const Measurement& m) {
    print(m);
    json["results"].push_back(json_of(m));
    if (!arguments.json.empty()) write(json, arguments.json);  // an interrupted run keeps its results
  };
  if (!solves.empty() || !kernels.empty())
    for (const Size& size : usual(sizes, !solves.empty())) {
      for (const Case& c : solves)
        report(c.measure ? c.measure(size.cells[0], arguments.setting)
                         : measure_solve(c, size.cells[0], arguments.setting));
      if (!kernels.empty()) measure_kernels(kernels, size, arguments.setting, report);
    }
  bool all_right = true;
  for (const Case& c : any_size) {
    if (c.name == cufft_case || c.name == direct_case) {
      all_right &= (c.name == cufft_case ? measure_cufft : measure_direct)(sizes, arguments.setting, report);
      continue;
    }
    all_right &= measure_sizes(c.name.substr(std::min(c.name.size(), sizes_prefix.size())),
                               sizes.empty() ? usual_sizes(gpu) : sizes, arguments.setting, report);
  }
  return all_right;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  poisson::bench::Arguments arguments;
  CLI::App program{"Times solves and kernels, each result checked before its time is printed.", "poisson-bench"};
  program.add_flag("--list", arguments.list, "Print the cases and stop");
  program.add_option("--case", arguments.cases, "The cases (default: all but sizes)")
      ->type_name("NAME...")
      ->delimiter(',');
  program
      .add_option("--sizes", arguments.sizes,
                  "Cells per axis (default: 128,256), for kernels and the cases sizes also 300x300 or 600x431x277")
      ->type_name("N,...")
      ->delimiter(',');
  program.add_option("--device", arguments.setting.device, "auto, cpu, cuda or cuda:NUMBER")->type_name("NAME");
  program.add_option("--repeat", arguments.setting.repeat, "Measurements, of which the median counts")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  program.add_option("--json", arguments.json, "Write the results there")->type_name("FILE");
  CLI11_PARSE(program, argc, argv)
  poisson::wait_passively();
  try {
    if (!poisson::bench::run(arguments)) return 1;
  } catch (const poisson::InputError& error) {
    std::cerr << "poisson-bench: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "poisson-bench: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
