// Reads STL files. A binary file has 80 bytes of comment, the number of triangles, and 50 bytes for each triangle: the
// normal, three corners, and two bytes of attributes. Normals are ignored: the order of the corners gives the outside.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <omp.h>

#include "backends/memory/error.hpp"
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

// Reads facets of a text, or of a part of it that begins and ends between two facets.
class AsciiStl {
 public:
  AsciiStl(const SurfaceFile& file, std::string_view text, bool begins, bool ends)
      : file_(file), text_(file, text), begins_(begins), ends_(ends) {}

  Triangles read() {
    if (begins_) {
      expect("solid");
      text_.next_line();  // the rest is a name
    }
    for (;;) {
      const std::string_view word = text_.any_word();
      if (word.empty() && !ends_) return std::move(all_);
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
  bool begins_, ends_;
  Triangles all_;
};

// Returns the ends of parts of a text that threads read at once. Each part but the last ends with the word endfacet.
std::vector<std::size_t> parts_of(std::string_view text) {
  constexpr std::size_t least = std::size_t{1} << 20;
  constexpr std::string_view last_word = "endfacet";
  const auto most = static_cast<std::size_t>(4 * omp_get_max_threads());
  const std::size_t count = std::clamp<std::size_t>(text.size() / least, 1, most);
  std::vector<std::size_t> ends;
  for (std::size_t part = 1; part < count; ++part) {
    const std::size_t from = std::max(text.size() / count * part, ends.empty() ? 0 : ends.back());
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), last_word.begin(),
                                   last_word.end(), [](unsigned char x, char y) { return std::tolower(x) == y; });
    if (found == text.end()) break;
    ends.push_back(static_cast<std::size_t>(found - text.begin()) + last_word.size());
  }
  ends.push_back(text.size());
  return ends;
}

// Reads parts of a text at once. If one of them is not valid, the whole text is read in order: the error then names the
// first wrong line, and a name of a solid may contain any word.
Triangles read_ascii_stl(const SurfaceFile& file) {
  const std::string_view text = file.text();
  const std::vector<std::size_t> ends = parts_of(text);
  std::vector<Triangles> parts(ends.size());
  std::atomic<bool> valid = true;
  if (ends.size() > 1) {
#pragma omp parallel for schedule(dynamic)
    for (std::size_t part = 0; part < ends.size(); ++part) {
      const std::size_t begin = part == 0 ? 0 : ends[part - 1];
      try {
        AsciiStl reader(file, text.substr(begin, ends[part] - begin), part == 0, part + 1 == ends.size());
        parts[part] = reader.read();
      } catch (const InputError&) {
        valid = false;
      }
    }
  }
  std::vector<std::size_t> first(parts.size() + 1);
  for (std::size_t part = 0; part < parts.size(); ++part) first[part + 1] = first[part] + parts[part].faces.size();
  if (ends.size() == 1 || !valid || first.back() > most_triangles) return AsciiStl(file, text, true, true).read();
  Triangles all;
  all.points.resize(3 * first.back());
  all.faces.resize(first.back());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t part = 0; part < parts.size(); ++part) {
    std::ranges::copy(parts[part].points, all.points.begin() + static_cast<std::ptrdiff_t>(3 * first[part]));
    for (std::size_t face = first[part]; face < first[part + 1]; ++face) {
      const auto corner = static_cast<std::uint32_t>(3 * face);
      all.faces[face] = {corner, corner + 1, corner + 2};
    }
    parts[part] = {};
  }
  return all;
}

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
  if (solid && text) return read_ascii_stl(file);
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
