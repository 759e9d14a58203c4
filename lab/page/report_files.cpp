#include <cmath>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "backends/error.hpp"
#include "lab/page/report.hpp"

namespace poisson::lab {
namespace {

using Json = nlohmann::ordered_json;

// The library writes what is not finite as null.
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

// Each historical number with this device's beside it, null where the panels do not have it.
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
          {"history", history(outcome)}};
}

Json omissions(const std::vector<Omission>& omitted) {
  Json all = Json::array();
  for (const auto& [study, why] : omitted)
    all.push_back({{"name", study->name}, {"question", study->question}, {"why", why}});
  return all;
}

// Quoted where a comma or a quote would break the line.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? Json(value).dump() : std::string();
}

// What lab.json says that the run before wrote; nothing where it is another program's file.
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

}  // namespace poisson::lab
