#include "io/surfaces/surface_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

// Products of five coordinates, as in the test of a crossing, stay finite.
constexpr double largest_coordinate = 1e60;
constexpr FileNoun mesh_noun{"mesh", "Give a file in it."};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

void SurfaceFile::fail(const std::string& where, const std::string& why, const std::string& remedy) const {
  refuse_file(mesh_noun.noun, path_, where.empty() ? why : where + ": " + why, remedy);
}

void SurfaceFile::fail_line(std::size_t line, const std::string& why, const std::string& remedy) const {
  fail("line " + std::to_string(line), why, remedy);
}

void SurfaceFile::fail_byte(std::size_t byte, const std::string& why, const std::string& remedy) const {
  fail("byte " + std::to_string(byte), why, remedy);
}

void SurfaceFile::check_size(const Triangles& triangles) const {
  if (triangles.points.size() > most_triangles || triangles.faces.size() > most_triangles)
    fail({}, "it has more than 2^30 points or triangles", "Simplify it.");
  for (const Point& p : triangles.points)
    for (const double x : p)
      if (!(std::abs(x) <= largest_coordinate))
        fail({}, "a coordinate is beyond 10^60", "Check its numbers and its unit.");
}

std::string quoted_text(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string quoted = "'";
  for (const char c : text.substr(0, most)) quoted += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return quoted + (text.size() > most ? "...'" : "'");
}

std::string_view SurfaceText::word() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
  return text_.substr(begin, at_ - begin);
}

bool SurfaceText::next_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ >= text_.size()) return false;
  ++at_;
  ++line_;
  return true;
}

std::string_view SurfaceText::any_word() {
  for (;;) {
    const std::string_view found = word();
    if (!found.empty() || !next_line()) return found;
  }
}

void SurfaceText::fail(const std::string& why, const std::string& remedy) const {
  file_.fail_line(line_, why, remedy);
}

double SurfaceText::number(std::string_view word, std::string_view what) const {
  const std::string wanted(what);
  if (word.empty()) fail("expected " + wanted + ", found the end of the line", "Write the file again.");
  const char* begin = word.data();
  const char* const end = begin + word.size();
  if (*begin == '+') ++begin;
  double value = 0;
  const auto [next, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && next == end)
    fail(wanted + " " + quoted_text(word) + " is out of range", "Scale the drawing, then write the file again.");
  if (error != std::errc() || next != end)
    fail("expected " + wanted + ", found " + quoted_text(word), "Correct the line, or write the file again.");
  if (!std::isfinite(value)) fail(wanted + " is " + quoted_text(word), "Repair the mesh in the program that wrote it.");
  return value;
}

long long SurfaceText::integer(std::string_view word, std::string_view what) const {
  const std::string wanted(what);
  if (word.empty()) fail("expected " + wanted + ", found the end of the line", "Write the file again.");
  long long value = 0;
  const auto [next, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || next != word.data() + word.size())
    fail("expected " + wanted + ", found " + quoted_text(word), "Correct the line, or write the file again.");
  return value;
}

Triangles read_surface(const std::filesystem::path& path) {
  const LoadedFile loaded(path, mesh_noun);
  const SurfaceFile file(path, loaded.bytes());
  const std::string_view text = file.text();
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Triangles triangles;
  if (text.starts_with("ply\n") || text.starts_with("ply\r"))
    triangles = read_ply(file);
  else if (ending == ".obj")
    triangles = read_obj(file);
  else if (ending == ".stl")
    triangles = read_stl(file);
  else if (ending == ".ply")
    file.fail_line(1, "a PLY file begins with the line 'ply', found " + quoted_text(text.substr(0, text.find('\n'))),
                   "Write it again.");
  else
    file.fail({}, "its ending is " + (ending.empty() ? "missing" : quoted_text(ending)),
              "Meshes are .stl, .obj or .ply files; export the drawing to one of them.");
  file.check_size(triangles);
  if (triangles.faces.empty()) file.fail({}, "it has no triangle", "Export the surface of the solid, not its edges.");
  return triangles;
}

}  // namespace poisson
