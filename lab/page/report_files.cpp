#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include <nlohmann/json.hpp>

#include "backends/memory/error.hpp"
#include "lab/page/report.hpp"

namespace poisson::lab {
namespace {

using Json = nlohmann::ordered_json;

// The library writes values that are not finite as null.
Json points(const Panel& panel) {
  Json all = Json::array();
  for (const Point& point : panel.points)
    all.push_back({{"variant", point.variant},
                   {"x", point.x},
                   {"seconds", point.seconds.median},
                   {"value", point.value},
                   {"spread", point.spread()}});
  return all;
}

Json guides(const Panel& panel) {
  Json all = Json::array();
  for (const Guide& guide : panel.guides) all.push_back({{"name", guide.name}, {"points", guide.points}});
  return all;
}

Json panel_json(const Study& study, const Panel& panel) {
  return {{"name", panel.name},       {"files", panel_name(study, panel)},
          {"title", panel.title},     {"x_label", panel.x_label},
          {"y_label", panel.y_label}, {"log_x", panel.log_x},
          {"log_y", panel.log_y},     {"bars", panel.bars},
          {"noise", panel.noise},     {"points", points(panel)},
          {"guides", guides(panel)}};
}

std::string lecture_text(Lecture lecture) {
  const LectureTitle& title = title_of(lecture);
  return (title.author.empty() ? "" : std::string(title.author) + ", ") + std::string(title.title);
}

// Each historical number is paired with this device's value, null if the panels lack it.
Json history(const Outcome& outcome) {
  Json all = Json::array();
  for (std::size_t i = 0; i < outcome.study->history.size(); ++i) {
    const Historical& then = outcome.study->history[i];
    all.push_back({{"lecture", lecture_text(then.lecture)},
                   {"device", then.device},
                   {"what", then.what},
                   {"value", then.value},
                   {"up_to", then.up_to},
                   {"unit", then.unit},
                   {"today", i < outcome.findings.today.size() ? Json(outcome.findings.today[i]) : Json()}});
  }
  return all;
}

// Lists the variants that these panels are too old for, and the historical figures that need them.
Json not_measured(const Findings& findings) {
  Json all = Json::array();
  for (const Addition& addition : findings.not_measured) {
    const Json one{{"what", addition.what}, {"row", addition.row}};
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  return all;
}

Json lectures(const Study& study) {
  Json all = Json::array();
  for (const Lecture lecture : study.lectures) all.push_back(lecture_text(lecture));
  return all;
}

Json machine_json(const Machine& machine) {
  return {{"gpu", machine.gpu},
          {"copy", machine.copy},
          {"theory", machine.theory},
          {"multiprocessors", machine.multiprocessors},
          {"gigahertz", machine.gigahertz},
          {"host", machine.host}};
}

Json study_json(const Outcome& outcome) {
  Json panels = Json::array();
  for (const Panel& panel : outcome.findings.panels) panels.push_back(panel_json(*outcome.study, panel));
  return {{"name", outcome.study->name},
          {"question", outcome.study->question},
          {"lectures", lectures(*outcome.study)},
          {"seconds", outcome.seconds},
          {"panels", panels},
          {"conclusions", outcome.findings.conclusions},
          {"history", history(outcome)},
          {"not_measured", not_measured(outcome.findings)}};
}

Json omissions(const std::vector<Omission>& omitted) {
  Json all = Json::array();
  for (const auto& [study, why] : omitted)
    all.push_back({{"name", study->name}, {"question", study->question}, {"why", why}});
  return all;
}

// Quotes a field whose comma or quote would break the line.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? Json(value).dump() : std::string();
}

// Returns the files that an earlier run wrote according to its lab.json; none if that file belongs to another program.
std::vector<std::filesystem::path> earlier_files(const std::filesystem::path& directory) {
  std::ifstream file(directory / "lab.json");
  if (!file) return {};
  std::vector<std::filesystem::path> files{"lab.json", "lab.html"};
  try {
    const Json earlier = Json::parse(file);
    for (const Json& study : earlier.at("studies"))
      for (const Json& panel : study.at("panels"))
        for (const char* ending : {".csv", ".png"}) files.emplace_back(panel.at("files").get<std::string>() + ending);
  } catch (const Json::exception&) {
    return {};
  }
  return files;
}

void write(const std::filesystem::path& place, const std::string& text) {
  std::ofstream file(place, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw RunError(place.string() + " cannot be written (the file system refuses it): choose another --output");
}

// Reading it back: points are measured once, and conclusions may be derived again.

// null means not finite.
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

std::string panel_name(const Study& study, const Panel& panel) {
  return std::string(study.name) + '-' + panel.name;
}

std::string csv(const Panel& panel) {
  std::string text = "variant," + csv_field(panel.x_label) + ",seconds," + csv_field(panel.y_label) + ",spread\n";
  for (const Point& point : panel.points)
    text += csv_field(point.variant) + ',' + csv_number(point.x) + ',' + csv_number(point.seconds) + ',' +
            csv_number(point.value) + ',' + csv_number(point.spread()) + '\n';
  return text;
}

std::string json(const Report& report) {
  Json studies = Json::array();
  for (const Outcome& outcome : report.outcomes) studies.push_back(study_json(outcome));
  Json facts = Json::array(), titles = Json::array();
  for (const Fact& fact : report.facts) facts.push_back({{"what", fact.what}, {"value", fact.value}});
  for (const LectureTitle& title : lecture_titles) titles.push_back(lecture_text(title.lecture));
  const Json all{{"device", report.device},
                 {"quick", report.quick},
                 {"facts", facts},
                 {"machine", machine_json(report.machine)},
                 {"lectures", titles},
                 {"studies", studies},
                 {"left_out", omissions(report.left_out)},
                 {"failed", omissions(report.failed)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void clear_output(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw InputError("--output: the directory " + directory.string() + " cannot be made (" + error.message() +
                     "): choose another one");
  for (const auto& file : earlier_files(directory)) std::filesystem::remove(directory / file.filename(), error);
}

void write_report(const Report& report, const std::filesystem::path& directory) {
  for (const Outcome& outcome : report.outcomes)
    for (const Panel& panel : outcome.findings.panels)
      write(directory / (panel_name(*outcome.study, panel) + ".csv"), csv(panel));
  write(directory / "lab.json", json(report));
}

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
