// Reads the polygons of Wavefront OBJ files.

#include <algorithm>
#include <array>
#include <string>

#include "io/surfaces/surface_file.hpp"

namespace poisson {
namespace {

constexpr std::array<std::string_view, 21> ignored{
    "vt",     "vn",     "vp",  "g",     "o",        "s",        "mg",         "usemtl",    "mtllib", "l",  "p",
    "usemap", "maplib", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj", "call",   "end"};
constexpr std::array<std::string_view, 12> free_form{"cstype", "deg",  "bmat", "step", "curv", "curv2",
                                                     "surf",   "parm", "trim", "hole", "scrv", "sp"};

class ObjReader {
 public:
  explicit ObjReader(const SurfaceFile& file) : file_(file), text_(file, file.text()) {}

  Triangles read() {
    do {
      const std::string_view key = text_.word();
      if (key.empty() || key[0] == '#') continue;
      if (key == "v")
        vertex();
      else if (key == "f")
        face();
      else if (std::ranges::find(free_form, key) != free_form.end())
        text_.fail(quoted_text(key) + " describes a free-form curve or surface, which is not read",
                   "Export the drawing as triangles.");
      else if (std::ranges::find(ignored, key) == ignored.end())
        text_.fail("unknown keyword " + quoted_text(key), "Correct the line, or write the file again.");
      else
        skip();
    } while (text_.next_line());
    return std::move(all_);
  }

 private:
  // Returns the next word of a statement, which a backslash continues on the next line.
  std::string_view next() {
    std::string_view word = text_.word();
    while (word == "\\") {
      if (!text_.next_line()) text_.fail("the file ends after a backslash", "Write it again.");
      word = text_.word();
    }
    return !word.empty() && word[0] == '#' ? std::string_view() : word;
  }
  void skip() {
    while (!next().empty()) {
    }
  }
  // A vertex may have a weight or a colour.
  void vertex() {
    Point p{};
    for (double& x : p) x = text_.number(next(), "a coordinate");
    skip();
    all_.points.push_back(p);
    if (all_.points.size() > most_triangles) file_.check_size(all_);
  }
  // A corner is vertex, vertex/texture, vertex//normal or vertex/texture/normal. Negative numbers count backwards.
  std::uint32_t corner(std::string_view word) {
    const std::string_view digits = word.substr(0, word.find('/'));
    const long long number = text_.integer(digits, "the number of a vertex");
    const auto count = static_cast<long long>(all_.points.size());
    const long long at = number < 0 ? count + number : number - 1;
    if (number == 0) text_.fail("a face has the vertex 0, but vertices count from 1", "Write the file again.");
    if (at < 0 || at >= count)
      text_.fail("a face has the vertex " + std::to_string(number) + ", but only " + std::to_string(count) +
                     " vertices come before it",
                 "The file is incomplete or damaged; write it again.");
    return static_cast<std::uint32_t>(at);
  }
  void face() {
    std::string_view word = next();
    std::array<std::uint32_t, 3> fan{};
    int corners = 0;
    for (; !word.empty(); word = next(), ++corners) {
      const std::uint32_t c = corner(word);
      if (corners < 2) {
        fan[static_cast<std::size_t>(corners)] = c;
        continue;
      }
      fan[2] = c;
      all_.faces.push_back(fan);
      fan[1] = c;
    }
    if (corners < 3)
      text_.fail("a face has " + std::to_string(corners) + (corners == 1 ? " vertex" : " vertices"),
                 "A face needs at least three; correct the line.");
    if (all_.faces.size() > most_triangles) file_.check_size(all_);
  }

  const SurfaceFile& file_;
  SurfaceText text_;
  Triangles all_;
};

}  // namespace

Triangles read_obj(const SurfaceFile& file) {
  return ObjReader(file).read();
}

}  // namespace poisson
