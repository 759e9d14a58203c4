// What lab.json holds, read back: points are measured once and may be asked again.

#include <algorithm>
#include <fstream>
#include <limits>

#include <nlohmann/json.hpp>

#include "backends/error.hpp"
#include "lab/page/report.hpp"

namespace poisson::lab {
namespace {

using Json = nlohmann::json;

// null stands for what was not finite.
double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

Point point_from(const Json& point) {
  return {point.at("variant").get<std::string>(), number(point.at("x")),
          Timing{number(point.at("seconds")), number(point.at("spread"))}, number(point.at("value"))};
}

Guide guide_from(const Json& guide) {
  Guide found{guide.at("name").get<std::string>(), {}};
  for (const Json& point : guide.at("points")) found.points.push_back({number(point.at(0)), number(point.at(1))});
  return found;
}

Panel panel_from(const Json& panel) {
  Panel found{panel.at("name").get<std::string>(), panel.at("title").get<std::string>(),
              panel.at("x_label").get<std::string>(), panel.at("y_label").get<std::string>()};
  found.log_x = panel.at("log_x").get<bool>();
  found.log_y = panel.at("log_y").get<bool>();
  found.bars = panel.at("bars").get<bool>();
  found.noise = panel.at("noise").get<double>();
  for (const Json& point : panel.at("points")) found.points.push_back(point_from(point));
  for (const Json& guide : panel.at("guides")) found.guides.push_back(guide_from(guide));
  return found;
}

Machine machine_from(const Json& machine) {
  return {.gpu = machine.at("gpu").get<bool>(),
          .copy = number(machine.at("copy")),
          .theory = number(machine.at("theory")),
          .multiprocessors = machine.at("multiprocessors").get<int>(),
          .gigahertz = number(machine.at("gigahertz")),
          .host = machine.value("host", std::string())};
}

const Study& study_named(const std::string& name, std::span<const Study> table) {
  const auto found = std::ranges::find(table, name, &Study::name);
  if (found == table.end())
    throw InputError("the study '" + name +
                     "' is not in this build (it has no CUDA, or the file is of another "
                     "version): use a build that lists it");
  return *found;
}

std::vector<Omission> omissions_from(const Json& omitted, std::span<const Study> table) {
  std::vector<Omission> all;
  for (const Json& one : omitted)
    all.push_back({&study_named(one.at("name").get<std::string>(), table), one.at("why").get<std::string>()});
  return all;
}

}  // namespace

Report read_report(const std::filesystem::path& file, std::span<const Study> table) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file.string() + " cannot be read (there is no such file): name the lab.json of a run");
  try {
    const Json all = Json::parse(stream);
    Report report{.device = all.at("device").get<std::string>(),
                  .quick = all.at("quick").get<bool>(),
                  .machine = machine_from(all.at("machine"))};
    for (const Json& fact : all.at("facts"))
      report.facts.push_back({fact.at("what").get<std::string>(), fact.at("value").get<std::string>()});
    for (const Json& one : all.at("studies")) {
      const Study& study = study_named(one.at("name").get<std::string>(), table);
      Panels panels;
      for (const Json& panel : one.at("panels")) panels.push_back(panel_from(panel));
      report.outcomes.push_back(
          {&study, findings_of(study, std::move(panels), report.machine), one.at("seconds").get<double>()});
    }
    report.left_out = omissions_from(all.at("left_out"), table);
    report.failed = omissions_from(all.at("failed"), table);
    return report;
  } catch (const Json::exception& error) {
    throw InputError(file.string() + " is no lab.json of this version (" + error.what() + "): run the studies again");
  }
}

}  // namespace poisson::lab
