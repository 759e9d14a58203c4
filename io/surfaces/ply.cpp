// Reads the polygons of PLY files (Turk, 1994): a header in text, then elements in text or binary.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/surfaces/surface_file.hpp"

namespace poisson {
namespace {

enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<PlyType> ply_type(std::string_view name) {
  using enum PlyType;
  constexpr std::array<std::pair<std::string_view, PlyType>, 16> names{{{"char", i8},
                                                                        {"uchar", u8},
                                                                        {"short", i16},
                                                                        {"ushort", u16},
                                                                        {"int", i32},
                                                                        {"uint", u32},
                                                                        {"float", f32},
                                                                        {"double", f64},
                                                                        {"int8", i8},
                                                                        {"uint8", u8},
                                                                        {"int16", i16},
                                                                        {"uint16", u16},
                                                                        {"int32", i32},
                                                                        {"uint32", u32},
                                                                        {"float32", f32},
                                                                        {"float64", f64}}};
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, PlyType>::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::size_t bytes_of(PlyType type) {
  constexpr std::array<std::size_t, 8> bytes{1, 1, 2, 2, 4, 4, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

struct PlyProperty {
  std::string name;
  PlyType type{};
  std::optional<PlyType> count{};  // of a list
};

struct PlyElement {
  std::string name;
  std::size_t count = 0, line = 0;
  std::vector<PlyProperty> properties{};
};

// Reads numbers in text or binary, and knows where it is.
class PlyNumbers {
 public:
  enum class Format { ascii, little, big };
  PlyNumbers(const SurfaceFile& file, SurfaceText& text, Format format)
      : file_(file), text_(text), format_(format), at_(text.at()) {}

  double next(PlyType type, const std::string& what) {
    if (format_ == Format::ascii) {
      const std::string_view word = text_.any_word();
      if (word.empty()) fail("the file ends before " + what, "It is truncated; write it again.");
      return text_.number(word, what);
    }
    const std::size_t bytes = bytes_of(type);
    if (left() < bytes) fail("the file ends before " + what, "It is truncated; write it again.");
    std::array<std::byte, 8> raw{};
    std::copy_n(file_.bytes().data() + at_, bytes, raw.begin());
    if ((format_ == Format::big) != (std::endian::native == std::endian::big))
      std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(bytes));
    const double value = value_of(type, raw.data());
    if (!std::isfinite(value))
      fail(what + " is " + (std::isnan(value) ? "not a number" : "infinite"),
           "Repair the mesh in the program that wrote it.");
    at_ += bytes;
    return value;
  }
  std::size_t left() const { return file_.bytes().size() - (format_ == Format::ascii ? text_.at() : at_); }
  // A number in text needs a digit and a blank; the last blank may be missing.
  std::size_t least_bytes(PlyType type) const { return format_ == Format::ascii ? 2 : bytes_of(type); }
  bool binary() const { return format_ != Format::ascii; }
  [[noreturn]] void fail(const std::string& why, const std::string& remedy) const {
    if (format_ == Format::ascii) text_.fail(why, remedy);
    file_.fail_byte(at_, why, remedy);
  }

 private:
  template <class T>
  static double as(const std::byte* raw) {
    std::array<std::byte, sizeof(T)> bytes{};
    std::copy_n(raw, sizeof(T), bytes.begin());
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
  static double value_of(PlyType type, const std::byte* raw) {
    switch (type) {
      case PlyType::i8:
        return as<std::int8_t>(raw);
      case PlyType::u8:
        return as<std::uint8_t>(raw);
      case PlyType::i16:
        return as<std::int16_t>(raw);
      case PlyType::u16:
        return as<std::uint16_t>(raw);
      case PlyType::i32:
        return as<std::int32_t>(raw);
      case PlyType::u32:
        return as<std::uint32_t>(raw);
      case PlyType::f32:
        return as<float>(raw);
      default:
        return as<double>(raw);
    }
  }

  const SurfaceFile& file_;
  SurfaceText& text_;
  Format format_;
  std::size_t at_;
};

// Returns a number of a file for a message.
std::string whole_text(double x) {
  constexpr double most = 9e15;
  return std::to_string(static_cast<long long>(std::clamp(x, -most, most)));
}

constexpr auto correct_header = "Correct the header, or write the file again.";

class PlyHeader {
 public:
  PlyHeader(const SurfaceFile& file, SurfaceText& text) : file_(file), text_(text) {}

  void read() {
    bool known = false;
    for (;;) {
      if (!text_.next_line()) text_.fail("the header has no end_header", "The file is truncated; write it again.");
      const std::string_view key = text_.word();
      if (key.empty() || key == "comment" || key == "obj_info") continue;
      if (key == "end_header") break;
      if (key == "format")
        known = read_format();
      else if (key == "element")
        read_element();
      else if (key == "property")
        read_property();
      else
        text_.fail("unknown keyword " + quoted_text(key), correct_header);
    }
    if (!known) text_.fail("the header has no format", "Add the line 'format ascii 1.0'.");
    text_.next_line();
  }

  PlyNumbers::Format format() const { return format_; }
  const std::vector<PlyElement>& elements() const { return elements_; }

 private:
  bool read_format() {
    const std::string_view name = text_.word(), version = text_.word();
    if (name == "ascii")
      format_ = PlyNumbers::Format::ascii;
    else if (name == "binary_little_endian")
      format_ = PlyNumbers::Format::little;
    else if (name == "binary_big_endian")
      format_ = PlyNumbers::Format::big;
    else
      text_.fail("unknown format " + quoted_text(name),
                 "Formats are ascii, binary_little_endian and binary_big_endian.");
    if (version != "1.0") text_.fail("the format has version " + quoted_text(version), "Version 1.0 is read.");
    return true;
  }
  void read_element() {
    PlyElement element{.name = std::string(text_.word()), .line = text_.line()};
    const long long count = text_.integer(text_.word(), "the number of elements");
    if (count < 0) text_.fail("the number of elements is negative", correct_header);
    element.count = static_cast<std::size_t>(count);
    elements_.push_back(std::move(element));
  }
  PlyType type_in(std::string_view word) const {
    const auto type = ply_type(word);
    if (!type)
      text_.fail("unknown type " + quoted_text(word),
                 "Types are char, uchar, short, ushort, int, uint, float, double.");
    return *type;
  }
  void read_property() {
    if (elements_.empty()) text_.fail("a property comes before the first element", correct_header);
    std::string_view word = text_.word();
    PlyProperty property;
    if (word == "list") {
      property.count = type_in(text_.word());
      if (*property.count == PlyType::f32 || *property.count == PlyType::f64)
        text_.fail("the length of a list is a floating-point number", correct_header);
      word = text_.word();
    }
    property.type = type_in(word);
    property.name = text_.word();
    if (property.name.empty()) text_.fail("a property has no name", correct_header);
    elements_.back().properties.push_back(std::move(property));
  }

  const SurfaceFile& file_;
  SurfaceText& text_;
  PlyNumbers::Format format_{};
  std::vector<PlyElement> elements_;
};

class PlyReader {
 public:
  explicit PlyReader(const SurfaceFile& file) : file_(file), text_(file, file.text()) {}

  Triangles read() {
    PlyHeader header(file_, text_);
    header.read();
    PlyNumbers numbers(file_, text_, header.format());
    bool points = false, faces = false;
    for (const PlyElement& element : header.elements()) {
      check_count(element, numbers);
      if (element.name == "tristrips")
        file_.fail_line(element.line, "strips of triangles are not read", "Export the drawing as faces.");
      if (element.name == "vertex") {
        read_points(element, numbers);
        points = true;
      } else if (element.name == "face") {
        if (!points) file_.fail_line(element.line, "faces come before vertices", "Write the file again.");
        read_faces(element, numbers);
        faces = true;
      } else {
        for (std::size_t i = 0; i < element.count && !element.properties.empty(); ++i)
          for (const PlyProperty& property : element.properties) skip(property, numbers);
      }
    }
    if (!points) file_.fail({}, "its header has no element vertex", "Export the surface of the solid.");
    if (!faces)
      file_.fail({}, "its header has no element face: it is a cloud of points", "Export the drawing with its faces.");
    return std::move(all_);
  }

 private:
  // The file must have the bytes of the elements that its header counts.
  void check_count(const PlyElement& element, const PlyNumbers& numbers) const {
    std::size_t each = 0;
    for (const PlyProperty& property : element.properties)
      each += numbers.least_bytes(property.count ? *property.count : property.type);
    if (each > 0 && element.count > (numbers.left() + 1) / each)
      file_.fail_line(element.line,
                      "the header counts " + std::to_string(element.count) + " elements '" + element.name +
                          "', which need at least " + std::to_string(each) + " bytes each, but only " +
                          std::to_string(numbers.left()) + " bytes are left",
                      "The file is truncated, or the count is wrong; write it again.");
    if (element.count > most_triangles) file_.fail_line(element.line, "it has more than 2^30 elements", "Simplify it.");
  }

  std::size_t length(const PlyProperty& property, PlyNumbers& numbers) const {
    const double count = numbers.next(*property.count, "the length of a list");
    const auto most = static_cast<double>((numbers.left() + 1) / numbers.least_bytes(property.type));
    if (!(count >= 0 && count <= most && count == std::floor(count)))
      numbers.fail("a list has the length " + whole_text(count) + ", but the file has " +
                       std::to_string(numbers.left()) + " bytes left",
                   "The file is damaged; write it again.");
    return static_cast<std::size_t>(count);
  }

  void skip(const PlyProperty& property, PlyNumbers& numbers) const {
    const std::size_t count = property.count ? length(property, numbers) : 1;
    for (std::size_t i = 0; i < count; ++i) numbers.next(property.type, "property " + property.name);
  }

  void read_points(const PlyElement& element, PlyNumbers& numbers) {
    constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(element.properties, name, &PlyProperty::name);
      if (found == element.properties.end() || found->count)
        file_.fail_line(element.line, "vertices have no property " + std::string(name), correct_header);
    }
    all_.points.reserve(element.count);
    for (std::size_t i = 0; i < element.count; ++i) {
      Point& p = all_.points.emplace_back();
      for (const PlyProperty& property : element.properties) {
        const auto d = static_cast<std::size_t>(std::ranges::find(names, property.name) - names.begin());
        if (d < 3)
          p[d] = numbers.next(property.type, "a coordinate of vertex " + std::to_string(i + 1));
        else
          skip(property, numbers);
      }
    }
  }

  void read_faces(const PlyElement& element, PlyNumbers& numbers) {
    const auto is_list = [](const PlyProperty& p) {
      return p.count && (p.name == "vertex_indices" || p.name == "vertex_index");
    };
    if (std::ranges::none_of(element.properties, is_list))
      file_.fail_line(element.line, "faces have no list vertex_indices", correct_header);
    for (std::size_t i = 0; i < element.count; ++i)
      for (const PlyProperty& property : element.properties) {
        if (is_list(property))
          read_face(property, numbers, i + 1);
        else
          skip(property, numbers);
      }
  }

  void read_face(const PlyProperty& property, PlyNumbers& numbers, std::size_t face) {
    const std::size_t count = length(property, numbers);
    if (count < 3)
      numbers.fail("face " + std::to_string(face) + " has " + std::to_string(count) + " vertices",
                   "A face needs at least three; repair the mesh.");
    Triangle fan{};
    for (std::size_t c = 0; c < count; ++c) {
      const double at = numbers.next(property.type, "a vertex of face " + std::to_string(face));
      if (!(at >= 0 && at < static_cast<double>(all_.points.size()) && at == std::floor(at)))
        numbers.fail("face " + std::to_string(face) + " has the vertex " + whole_text(at) + ", but there are " +
                         std::to_string(all_.points.size()) + ", from 0",
                     "The file is damaged; write it again.");
      const auto corner = static_cast<std::uint32_t>(at);
      if (c < 2) {
        fan[c] = corner;
        continue;
      }
      fan[2] = corner;
      all_.faces.push_back(fan);
      fan[1] = corner;
    }
    if (all_.faces.size() > most_triangles) file_.check_size(all_);
  }

  const SurfaceFile& file_;
  SurfaceText text_;
  Triangles all_;
};

}  // namespace

Triangles read_ply(const SurfaceFile& file) {
  return PlyReader(file).read();
}

}  // namespace poisson
