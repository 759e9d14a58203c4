#include "io/files/bodies_csv.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// A number that does not exist is an empty entry.
std::string entry(double value) {
  return std::isfinite(value) ? fmt::format("{:.17g}", value) : "";
}

// Returns the names of the columns with the places of the extrema, and their entries.
std::string place_columns(std::size_t dimension) {
  std::string text;
  for (const char* end : {"min", "max"})
    for (std::size_t d = 0; d < dimension; ++d) text += fmt::format(",{}_at_{}", end, "xyz"[d]);
  return text + "\r\n";
}
template <class Answer>
std::string place_entries(const Answer& answer, std::size_t dimension) {
  std::string text;
  for (const std::vector<double>* at : {&answer.min_at, &answer.max_at})
    for (std::size_t d = 0; d < dimension; ++d)
      text += "," + (std::isfinite(answer.mean) && d < at->size() ? entry((*at)[d]) : "");
  return text + "\r\n";
}

std::filesystem::path write_text(const std::filesystem::path& path, const std::string& text) {
  PendingFile pending(path);
  pending.write(text);
  return pending.commit();
}

}  // namespace

std::string to_csv(const Summary& s) {
  const auto dimension = static_cast<std::size_t>(s.dimension);
  std::string text = "name,material,cells,volume,power,flow,through_faces,mean,min,max" + place_columns(dimension);
  for (const Summary::Body& b : s.bodies) {
    text += fmt::format("{},{},{}", quoted(b.name), quoted(b.material), b.cells);
    for (const double value : {b.volume, b.power, b.flow, b.through_faces, b.mean, b.min, b.max})
      text += "," + entry(value);
    text += place_entries(b, dimension);
  }
  return text;
}

std::string faces_to_csv(const Summary& s) {
  const auto dimension = static_cast<std::size_t>(s.dimension);
  std::string text = "name,condition,cells,area,flow,mean,min,max" + place_columns(dimension);
  for (const Summary::Face& f : s.faces) {
    text += fmt::format("{},{},{}", f.name, f.condition, f.cells);
    for (const double value : {f.area, f.flow, f.mean, f.min, f.max}) text += "," + entry(value);
    text += place_entries(f, dimension);
  }
  return text;
}

std::string floating_to_csv(const Summary& s) {
  std::string text = "name,cells,value,charge,held\r\n";
  for (const Summary::FloatingBody& b : s.floating_bodies)
    text += fmt::format("{},{},{},{},{}\r\n", quoted(b.name), b.cells, entry(b.value), entry(b.charge), b.held);
  return text;
}

std::filesystem::path write_floating(const std::filesystem::path& folder, const Summary& summary) {
  return write_text(folder / floating_csv, floating_to_csv(summary));
}

std::filesystem::path write_bodies(const std::filesystem::path& folder, const Summary& summary) {
  return write_text(folder / bodies_csv, to_csv(summary));
}

std::filesystem::path write_faces(const std::filesystem::path& folder, const Summary& summary) {
  return write_text(folder / faces_csv, faces_to_csv(summary));
}

}  // namespace poisson
