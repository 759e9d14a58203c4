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

}  // namespace

std::string to_csv(const Summary& s) {
  const auto dimension = static_cast<std::size_t>(s.dimension);
  std::string text = "name,material,cells,volume,power,flow,through_faces,mean,min,max";
  for (const char* end : {"min", "max"})
    for (std::size_t d = 0; d < dimension; ++d) text += fmt::format(",{}_at_{}", end, "xyz"[d]);
  text += "\r\n";
  for (const Summary::Body& b : s.bodies) {
    text += fmt::format("{},{},{}", quoted(b.name), quoted(b.material), b.cells);
    for (const double value : {b.volume, b.power, b.flow, b.through_faces, b.mean, b.min, b.max})
      text += "," + entry(value);
    for (const std::vector<double>& at : {b.min_at, b.max_at})
      for (std::size_t d = 0; d < dimension; ++d) text += "," + (std::isfinite(b.mean) ? entry(at[d]) : "");
    text += "\r\n";
  }
  return text;
}

std::filesystem::path write_bodies(const std::filesystem::path& folder, const Summary& summary) {
  PendingFile pending(folder / bodies_csv);
  pending.write(to_csv(summary));
  return pending.commit();
}

}  // namespace poisson
