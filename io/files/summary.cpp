#include "io/files/summary.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "grids/problem/problem.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

std::string dump(const Json& scalar) {
  return scalar.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns JSON indented by two spaces. Objects and lists that fit into 100 characters have one line; long lists of
/// numbers fill their lines. `key_length` is the length of the key on the same line.
std::string pretty(const Json& json, const std::string& indent = "", std::size_t key_length = 0) {
  if (!json.is_structured() || json.empty()) return dump(json);
  const bool object = json.is_object();
  const std::string inner = indent + "  ";
  std::vector<std::string> items;
  std::size_t length = indent.size() + key_length + 2;
  bool flat = true;  // no item is structured
  for (const auto& [key, value] : json.items()) {
    const std::string name = object ? dump(key) + ": " : "";
    items.push_back(name + pretty(value, inner, name.size()));
    length += items.back().size() + 2;
    flat = flat && !value.is_structured();
  }
  constexpr std::size_t width = 100;
  const bool one_line = length <= width && std::none_of(items.begin(), items.end(), [](const std::string& item) {
                          return item.find('\n') != std::string::npos;
                        });
  std::string text(1, object ? '{' : '[');
  std::size_t column = one_line ? 0 : width;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ',';
    if (one_line || (flat && !object && column + items[i].size() + 2 <= width)) {
      text += (i > 0 ? " " : "") + items[i];
      column += items[i].size() + 2;
    } else {
      text += '\n' + inner + items[i];
      column = inner.size() + items[i].size();
    }
  }
  if (!one_line) text += '\n' + indent;
  return text + (object ? '}' : ']');
}

Json seconds_of(const Summary::Profile& p) {
  return {{"computing", number(p.computing)},
          {"exchanges", number(p.exchanges)},
          {"coarse", number(p.coarse)},
          {"gathers", number(p.gathers)}};
}

Json json_of(const Summary::Transport& t) {
  if (!t.obstacle.empty()) return {{"name", t.name}, {"obstacle", t.obstacle}};
  return {{"name", t.name}, {"latency", number(t.latency)}, {"bandwidth", number(t.bandwidth)}};
}

// Returns the mean of all processes and, if there are several, the values of each.
Json profile_of(const std::vector<Summary::Profile>& profiles) {
  const auto count = static_cast<double>(profiles.size());
  Summary::Profile mean;
  for (const Summary::Profile& p : profiles) {
    mean.computing += p.computing / count;
    mean.exchanges += p.exchanges / count;
    mean.coarse += p.coarse / count;
    mean.gathers += p.gathers / count;
  }
  Json json = seconds_of(mean);
  if (profiles.size() > 1)
    for (const Summary::Profile& p : profiles) json["processes"].push_back(seconds_of(p));
  return json;
}

Json answers_of(const std::vector<Summary::Body>& bodies) {
  Json list = Json::array();
  for (const Summary::Body& b : bodies)
    list.push_back({{"name", b.name},
                    {"material", b.material},
                    {"cells", b.cells},
                    {"volume", number(b.volume)},
                    {"power", number(b.power)},
                    {"flow", number(b.flow)},
                    {"through_faces", number(b.through_faces)},
                    {"mean", number(b.mean)},
                    {"min", number(b.min)},
                    {"max", number(b.max)},
                    {"min_at", numbers(b.min_at)},
                    {"max_at", numbers(b.max_at)}});
  return list;
}

Json answers_of(const std::vector<Summary::Face>& faces) {
  Json list = Json::array();
  for (const Summary::Face& f : faces)
    list.push_back({{"name", f.name},
                    {"condition", f.condition},
                    {"cells", f.cells},
                    {"area", number(f.area)},
                    {"flow", number(f.flow)},
                    {"mean", number(f.mean)},
                    {"min", number(f.min)},
                    {"max", number(f.max)},
                    {"min_at", numbers(f.min_at)},
                    {"max_at", numbers(f.max_at)}});
  return list;
}

Json effective_of(const Summary::Effective& e, int dimension) {
  constexpr std::array names{"x", "y", "z"};
  const auto n = static_cast<std::size_t>(dimension);
  Json json;
  json["faces"] = e.periodic ? "periodic" : "fixed";
  json["axes"] = Json::array();
  for (const int axis : e.axes) json["axes"].push_back(names[static_cast<std::size_t>(axis)]);
  for (std::size_t row = 0; row < n; ++row)
    json["tensor"].push_back(numbers({e.tensor[row].begin(), e.tensor[row].begin() + dimension}));
  json["tortuosity"] = numbers({e.tortuosity.begin(), e.tortuosity.begin() + dimension});
  json["percolates"] = Json::array();
  for (std::size_t a = 0; a < n; ++a)
    json["percolates"].push_back(
        std::ranges::find(e.axes, static_cast<int>(a)) == e.axes.end() ? Json(nullptr) : Json(e.percolates[a]));
  json["porosity"] = number(e.porosity);
  json["failed"] = Json::array();
  for (const int axis : e.failed) json["failed"].push_back(names[static_cast<std::size_t>(axis)]);
  json["further_iterations"] = e.iterations;
  return json;
}

// Adds u, its errors and the values that were asked for.
void add_solution(Json& json, const Summary& s) {
  json["residual"] = {{"initial", number(s.residual.initial)},
                      {"final", number(s.residual.final)},
                      {"relative", number(s.residual.relative)},
                      {"rounding_floor", number(s.residual.rounding_floor)},
                      {"history", numbers(s.residual.history)}};
  json["estimated_error"] = number(s.estimated_error);
  json["solution"] = {{"min", number(s.solution.min)},           {"max", number(s.solution.max)},
                      {"integral", number(s.solution.integral)}, {"l2", number(s.solution.l2)},
                      {"min_at", numbers(s.solution.min_at)},    {"max_at", numbers(s.solution.max_at)}};
  json["error"] = nullptr;
  if (s.error) json["error"] = {{"max", number(s.error->max)}, {"l2", number(s.error->l2)}};
  json["probes"] = Json::array();
  for (const auto& probe : s.probes)
    json["probes"].push_back({{"point", numbers(probe.point)}, {"u", number(probe.u)}});
  if (!s.bodies.empty()) {
    json["bodies"] = answers_of(s.bodies);
    json["materials"] = answers_of(s.materials);
    json["floating"] = {{"cells", s.floating.cells}, {"volume", number(s.floating.volume)}};
  }
  for (const Summary::FloatingBody& b : s.floating_bodies)
    json["floating_bodies"].push_back({{"name", b.name},
                                       {"cells", b.cells},
                                       {"value", number(b.value)},
                                       {"charge", number(b.charge)},
                                       {"held", b.held}});
  if (!s.faces.empty()) json["faces"] = answers_of(s.faces);
  if (s.effective) json["effective"] = effective_of(*s.effective, s.dimension);
  if (s.capacitance) {
    json["capacitance"] = {{"names", s.capacitance->names}};
    for (const auto& row : s.capacitance->entries) json["capacitance"]["entries"].push_back(numbers(row));
  }
}

void add_flows(Json& json, const Summary& s) {
  json["flux"] = Json::object();
  for (std::size_t face = 0; face < s.flux.size(); ++face) json["flux"][s.flux.name(face)] = number(s.flux[face]);
  json["balance"] = {{"source", number(s.balance.source)},
                     {"reaction", number(s.balance.reaction)},
                     {"projected", number(s.balance.projected)},
                     {"residual", number(s.balance.residual)},
                     {"relative", number(s.balance.relative())}};
  if (s.balance.in_cells) json["balance"]["in_cells"] = number(*s.balance.in_cells);
  if (s.balance.extrapolated) json["balance"]["extrapolated"] = number(*s.balance.extrapolated);
}

void add_machine(Json& json, const Summary& s) {
  json["device"] = s.device;
  json["ranks"] = s.ranks;
  if (!s.transports.empty()) {
    json["transport"] = json_of(s.transports.front());
    for (std::size_t i = 1; i < s.transports.size(); ++i)
      json["transport"]["others"].push_back(json_of(s.transports[i]));
  }
  if (!s.cuts.empty()) {
    json["machines"] = s.machines;
    json["cuts"] = s.cuts;
  }
}

Json to_object(const Summary& s) {
  Json json;
  json["title"] = s.title;
  json["version"] = s.version;
  json["quantity"] = {{"name", s.quantity}, {"unit", s.unit}};
  json["converged"] = s.converged;
  json["reason"] = s.reason;
  json["iterations"] = s.iterations;
  if (!s.steps.empty()) json["steps"] = s.steps;
  if (!s.warnings.empty()) json["warnings"] = s.warnings;
  json["method"] = s.method;
  json["unknowns"] = s.unknowns;
  json["levels"] = s.levels;
  if (!s.matrix && !s.rows)
    json["cell_width"] = {{"least", number(s.least_cell)},
                          {"widest", number(s.widest_cell)},
                          {"ratio", number(s.widest_cell / s.least_cell)}};
  if (s.matrix)
    json["matrix"] = {{"bands", s.matrix->bands},
                      {"symmetric", s.matrix->symmetric},
                      {"asymmetry", number(s.matrix->asymmetry)},
                      {"dominance", number(s.matrix->dominance)}};
  if (s.rows)
    json["matrix"] = {{"rows", s.rows->rows},
                      {"entries", s.rows->entries},
                      {"symmetric", s.rows->symmetric},
                      {"asymmetry", number(s.rows->asymmetry)},
                      {"singular", s.rows->singular}};
  add_solution(json, s);
  add_flows(json, s);
  if (s.flux_error) json["estimated_flux_error"] = number(*s.flux_error);
  json["time"] = {{"input", number(s.time.input)},
                  {"setup", number(s.time.setup)},
                  {"solve", number(s.time.solve)},
                  {"output", number(s.time.output)},
                  {"total", number(s.time.total)}};
  if (!s.profiles.empty()) json["profile"] = profile_of(s.profiles);
  add_machine(json, s);
  json["peak_memory_bytes"] = s.peak_memory_bytes;
  json["files"] = Json::array();
  for (const auto& file : s.files) json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}});
  json["config"] = s.configuration.empty() ? Json::object() : Json::parse(s.configuration);
  return json;
}

}  // namespace

std::string to_json(const Summary& summary) {
  return pretty(to_object(summary)) + '\n';
}

std::filesystem::path write_summary(const std::filesystem::path& directory, const Summary& summary,
                                    const std::string& name) {
  PendingFile pending(directory / name);
  pending.write(to_json(summary));
  return pending.commit();
}

}  // namespace poisson
