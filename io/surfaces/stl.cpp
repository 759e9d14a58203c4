// Reads STL files. A binary file has 80 bytes of comment, the number of triangles, and 50 bytes for each triangle: the
// normal, three corners, and two bytes of attributes. Normals are ignored: the order of the corners gives the outside.

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>

#include "io/surfaces/surface_file.hpp"

namespace poisson {
namespace {

constexpr std::size_t head_bytes = 84, triangle_bytes = 50;

template <class T>
T little_endian(const std::byte* from) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::copy_n(from, sizeof(T), bytes.begin());
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

Triangles read_binary_stl(const SurfaceFile& file, std::size_t count) {
  Triangles all;
  all.points.reserve(3 * count);
  all.faces.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t at = head_bytes + t * triangle_bytes + 12 * (corner + 1);
      Point p{};
      for (std::size_t d = 0; d < 3; ++d) {
        p[d] = little_endian<float>(file.bytes().data() + at + 4 * d);
        if (!std::isfinite(p[d]))
          file.fail_byte(at + 4 * d,
                         "a coordinate of triangle " + std::to_string(t + 1) + " is " +
                             (std::isnan(p[d]) ? "not a number" : "infinite"),
                         "Repair the mesh in the program that wrote it.");
      }
      all.points.push_back(p);
    }
    const auto first = static_cast<std::uint32_t>(3 * t);
    all.faces.push_back({first, first + 1, first + 2});
  }
  return all;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == y; });
}

class AsciiStl {
 public:
  explicit AsciiStl(const SurfaceFile& file) : file_(file), text_(file, file.text()) {}

  Triangles read() {
    expect("solid");
    text_.next_line();  // the rest is a name
    for (;;) {
      const std::string_view word = text_.any_word();
      if (same_word(word, "facet")) {
        facet();
      } else if (same_word(word, "endsolid")) {
        text_.next_line();
        const std::string_view next = text_.any_word();
        if (next.empty()) return std::move(all_);
        if (!same_word(next, "solid")) wrong("solid, or the end of the file", next);
        text_.next_line();
      } else {
        wrong("facet or endsolid", word);
      }
    }
  }

 private:
  [[noreturn]] void wrong(const std::string& wanted, std::string_view word) const {
    text_.fail("expected " + wanted + ", found " + (word.empty() ? "the end of the file" : quoted_text(word)),
               word.empty() ? "The file is truncated; write it again." : "Correct the line, or write the file again.");
  }
  void expect(std::string_view wanted) {
    const std::string_view word = text_.any_word();
    if (!same_word(word, wanted)) wrong(std::string(wanted), word);
  }
  void facet() {
    expect("normal");
    for (int d = 0; d < 3; ++d)
      if (text_.any_word().empty()) wrong("the normal", {});
    expect("outer");
    expect("loop");
    const auto first = static_cast<std::uint32_t>(all_.points.size());
    if (all_.points.size() > 3 * most_triangles) file_.check_size(all_);
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      Point p{};
      for (double& x : p) x = text_.number(text_.word(), "a coordinate");
      all_.points.push_back(p);
    }
    expect("endloop");
    expect("endfacet");
    all_.faces.push_back({first, first + 1, first + 2});
  }

  const SurfaceFile& file_;
  SurfaceText text_;
  Triangles all_;
};

}  // namespace

// A binary file may begin with "solid", too: its size decides.
Triangles read_stl(const SurfaceFile& file) {
  const std::size_t size = file.bytes().size();
  const std::size_t begin = std::min(file.text().find_first_not_of(" \t\r\n"), size);
  const bool solid = same_word(file.text().substr(begin, 5), "solid");
  const std::size_t count = size < head_bytes ? 0 : little_endian<std::uint32_t>(file.bytes().data() + 80);
  const std::size_t wanted = head_bytes + count * triangle_bytes;
  if (size >= head_bytes && size == wanted && (count > 0 || !solid)) {
    if (count > most_triangles) file.fail_byte(80, "it has more than 2^30 triangles", "Simplify it.");
    return read_binary_stl(file, count);
  }
  // Text has no zero bytes; the comment and the numbers of a binary file have.
  const bool text = file.text().substr(0, 4096).find('\0') == std::string_view::npos;
  if (solid && text) return AsciiStl(file).read();
  if (size < head_bytes)
    file.fail_byte(size, "it ends within the 84 bytes of an STL header, and does not begin with 'solid'",
                   "Write it again.");
  file.fail_byte(80,
                 "the header counts " + std::to_string(count) + " triangles, which need " + std::to_string(wanted) +
                     " bytes, but the file has " + std::to_string(size),
                 size < wanted ? "The file is truncated, or it is no STL file; write it again."
                               : "Correct the count, or write the file again.");
}

}  // namespace poisson
