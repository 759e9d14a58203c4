#include "app/answers/answer_files.hpp"

#include <algorithm>
#include <utility>

#include "app/answers/capacitance.hpp"
#include "app/cases/media_description.hpp"
#include "io/files/bodies_csv.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

constexpr const char *matrix_csv = "capacitance.csv", *matrix_netlist = "capacitance.cir";

}  // namespace

std::vector<std::string> answer_files(const Config& config) {
  std::vector<std::string> names;
  if (config.problem.media && config.output.bodies) names.emplace_back(bodies_csv);
  if ((config.mesh || answers_faces(config.problem)) && config.output.bodies) names.emplace_back(faces_csv);
  const auto floats = [](const Material& m) { return m.floating.has_value(); };
  if (config.problem.media && config.output.bodies && std::ranges::any_of(config.problem.media->materials, floats))
    names.emplace_back(floating_csv);
  if (!config.output.conductors.empty()) names.insert(names.end(), {matrix_csv, matrix_netlist});
  return names;
}

void write_answers(const Config& config, const Processes& processes, const std::filesystem::path& folder,
                   Summary& summary) {
  together(processes, [&] {
    if (!processes.first()) return;
    const auto list = [&](const std::filesystem::path& path) {
      summary.files.push_back({path.filename().string(), std::filesystem::file_size(path)});
    };
    const auto write = [&](const char* name, const std::string& text) {
      PendingFile file(folder / name);
      file.write(text);
      file.commit();
      list(folder / name);
    };
    if (summary.capacitance) {
      write(matrix_csv, capacitance_table(*summary.capacitance));
      write(matrix_netlist, capacitance_netlist(*summary.capacitance, config.title));
    }
    if (!config.output.bodies) return;
    if (!summary.bodies.empty()) list(write_bodies(folder, summary));
    if (!summary.faces.empty()) list(write_faces(folder, summary));
    if (!summary.floating_bodies.empty()) list(write_floating(folder, summary));
  });
}

}  // namespace poisson
