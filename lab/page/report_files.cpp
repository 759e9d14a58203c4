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
    all.push_back({{"variant", point.variant}, {"x", point.x}, {"seconds", point.seconds}, {"value", point.value}});
  return all;
}

Json guides(const Panel& panel) {
  Json all = Json::array();
  for (const Guide& guide : panel.guides) all.push_back({{"name", guide.name}, {"points", guide.points}});
  return all;
}

Json panel_json(const Study& study, const Panel& panel) {
  return {{"name", panel.name},       {"files", panel_name(study, panel)}, {"title", panel.title},
          {"x_label", panel.x_label}, {"y_label", panel.y_label},          {"log_x", panel.log_x},
          {"log_y", panel.log_y},     {"points", points(panel)},           {"guides", guides(panel)}};
}

// Each historical number with this device's beside it, null where the study has none.
Json history(const Outcome& outcome) {
  Json all = Json::array();
  for (const Historical& then : outcome.study->history) {
    Json today;
    for (const Today& now : outcome.findings.today)
      if (now.what == then.what) today = now.value;
    all.push_back(
        {{"device", then.device}, {"what", then.what}, {"value", then.value}, {"unit", then.unit}, {"today", today}});
  }
  return all;
}

Json study_json(const Outcome& outcome) {
  Json panels = Json::array();
  for (const Panel& panel : outcome.findings.panels) panels.push_back(panel_json(*outcome.study, panel));
  return {{"name", outcome.study->name},
          {"question", outcome.study->question},
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
  std::string text = "variant," + csv_field(panel.x_label) + ",seconds," + csv_field(panel.y_label) + '\n';
  for (const Point& point : panel.points)
    text += csv_field(point.variant) + ',' + csv_number(point.x) + ',' + csv_number(point.seconds) + ',' +
            csv_number(point.value) + '\n';
  return text;
}

std::string json(const Report& report) {
  Json studies = Json::array();
  for (const Outcome& outcome : report.outcomes) studies.push_back(study_json(outcome));
  const Json all{{"device", report.device},
                 {"quick", report.quick},
                 {"copy_bandwidth", report.copy_bandwidth},
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
