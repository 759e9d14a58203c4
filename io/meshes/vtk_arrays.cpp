#include "io/meshes/vtk_arrays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <zlib.h>

#include "io/config/spelling.hpp"

namespace poisson {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 37;

struct NumberType {
  std::string_view name;
  std::size_t bytes;
  bool integer;
};
constexpr std::array number_types{NumberType{"Float32", 4, false}, NumberType{"Float64", 8, false},
                                  NumberType{"Int8", 1, true},     NumberType{"UInt8", 1, true},
                                  NumberType{"Int16", 2, true},    NumberType{"UInt16", 2, true},
                                  NumberType{"Int32", 4, true},    NumberType{"UInt32", 4, true},
                                  NumberType{"Int64", 8, true},    NumberType{"UInt64", 8, true}};

const NumberType& type_of_array(const MeshBytes& in, const VtkArray& array) {
  const auto found = std::ranges::find(number_types, array.type, &NumberType::name);
  if (found == number_types.end())
    in.fail("the array " + printable(array.name) + " has the unknown type \"" + printable(array.type) +
            "\"; save the mesh again");
  return *found;
}

// Delivers the bytes of an array one after another, raw or from base64. Encoders pad each part of an array on its own,
// so a group of four characters may have fewer than three bytes anywhere.
class ByteSource {
 public:
  ByteSource(MeshBytes& in, bool base64) : in_(in), base64_(base64) {}

  void take(char* to, std::size_t bytes, const char* what) {
    if (!base64_) {
      std::memcpy(to, in_.skip(bytes, what), bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes;) {
      if (next_ == have_) decode(what);
      while (next_ < have_ && done < bytes) to[done++] = buffer_[next_++];
    }
  }

 private:
  static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? -1 : -2;
  }
  void decode(const char* what) {
    std::uint32_t bits = 0;
    int padding = 0;
    for (int k = 0; k < 4; ++k) {
      in_.skip_spaces();
      const int d = digit(*in_.skip(1, what));
      if (d == -2)
        in_.fail(std::string("base64 data end where ") + what + " should follow: the file is damaged; save it again");
      padding += d == -1 ? 1 : 0;
      bits = bits << 6 | static_cast<std::uint32_t>(d == -1 ? 0 : d);
    }
    for (std::size_t k = 0; k < 3; ++k) buffer_[k] = static_cast<char>(bits >> (16 - 8 * k) & 0xff);
    have_ = static_cast<std::size_t>(std::max(0, 3 - padding));
    next_ = 0;
  }

  MeshBytes& in_;
  bool base64_;
  std::array<char, 3> buffer_{};
  std::size_t next_ = 0, have_ = 0;
};

std::uint64_t take_header(MeshBytes& in, ByteSource& source, const VtkEncoding& encoding) {
  std::array<char, 8> bytes{};
  source.take(bytes.data(), encoding.wide_header ? 8 : 4, "the header of an array");
  in.swapped = encoding.swapped;
  return encoding.wide_header ? in.read_at<std::uint64_t>(bytes.data()) : in.read_at<std::uint32_t>(bytes.data());
}

// Returns the uncompressed bytes of an array of `bytes` bytes.
UnsetVector<char> array_bytes(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding, std::size_t bytes) {
  const bool inside = array.format == VtkArray::Format::binary;
  if (!inside && encoding.appended == 0)
    in.fail("the array " + printable(array.name) + " is appended, but the file has no AppendedData");
  in.move_to(inside ? array.place : std::min(encoding.appended + array.offset, in.bytes().size()));
  in.binary = !inside;
  ByteSource source(in, inside || !encoding.appended_raw);
  const auto wrong_size = [&](std::uint64_t found) {
    in.fail("the array " + printable(array.name) + " has " + std::to_string(found) +
            " bytes, but its type and the numbers of points and cells need " + std::to_string(bytes) +
            ": the file is damaged; save it again");
  };
  UnsetVector<char> all;
  if (!encoding.compressed) {
    if (const std::uint64_t found = take_header(in, source, encoding); found != bytes) wrong_size(found);
    if (bytes > in.left())
      in.fail("the file ends within the array " + printable(array.name) + ": it is incomplete; save it again");
    all.resize(bytes);
    source.take(all.data(), bytes, "an array");
    return all;
  }
  const std::uint64_t blocks = take_header(in, source, encoding), size = take_header(in, source, encoding),
                      last = take_header(in, source, encoding);
  if (blocks > in.left() || size > most_bytes || last > size)
    in.fail("the header of the compressed array " + printable(array.name) + " is damaged; save the mesh again");
  const std::uint64_t whole = blocks == 0 ? 0 : (blocks - (last > 0 ? 1 : 0)) * size + last;
  if (whole != bytes) wrong_size(whole);
  if (bytes > in.left() * 1100 + 4096)
    in.fail("the array " + printable(array.name) + " cannot be so large: the file is damaged; save it again");
  std::vector<std::uint64_t> packed(blocks);
  for (auto& p : packed) {
    p = take_header(in, source, encoding);
    if (p > in.left())
      in.fail("a block of the array " + printable(array.name) +
              " is longer than the file: it is incomplete; save it again");
  }
  all.resize(bytes);
  std::size_t done = 0;
  UnsetVector<char> block;
  for (const std::uint64_t p : packed) {
    block.resize(p);
    source.take(block.data(), p, "a compressed block");
    uLongf room = static_cast<uLongf>(std::min<std::uint64_t>(size, bytes - done));
    const uLongf expected = room;
    if (uncompress(reinterpret_cast<Bytef*>(all.data()) + done, &room, reinterpret_cast<const Bytef*>(block.data()),
                   static_cast<uLong>(p)) != Z_OK ||
        room != expected)
      in.fail("a compressed block of the array " + printable(array.name) + " is damaged; save the mesh again");
    done += room;
  }
  return all;
}

template <class To>
std::vector<To> converted(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding, std::int64_t count) {
  const NumberType& type = type_of_array(in, array);
  if (count < 0 || static_cast<std::uint64_t>(count) > most_bytes / 8)
    in.fail("the array " + printable(array.name) + " cannot have " + std::to_string(count) + " values");
  std::vector<To> values;
  if (array.format == VtkArray::Format::ascii) {
    in.move_to(array.place);
    in.binary = false;
    if (static_cast<std::uint64_t>(count) > in.left())
      in.fail("the array " + printable(array.name) + " needs " + std::to_string(count) +
              " values, more than the file can have");
    values.resize(static_cast<std::size_t>(count));
    for (To& value : values) {
      in.skip_spaces();
      if (in.at() >= array.inline_end)
        in.fail("the array " + printable(array.name) + " has fewer than " + std::to_string(count) +
                " values: the file is damaged");
      value = type.integer ? static_cast<To>(in.number<std::int64_t>("a value of an array"))
                           : static_cast<To>(in.number<double>("a value of an array"));
    }
    return values;
  }
  const UnsetVector<char> bytes = array_bytes(in, array, encoding, type.bytes * static_cast<std::size_t>(count));
  values.resize(static_cast<std::size_t>(count));
  const auto convert = [&]<class From>(From) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<To>(in.read_at<From>(bytes.data() + i * sizeof(From)));
  };
  in.swapped = encoding.swapped;
  if (type.name == "Float32") convert(float{});
  if (type.name == "Float64") convert(double{});
  if (type.name == "Int8") convert(std::int8_t{});
  if (type.name == "UInt8") convert(std::uint8_t{});
  if (type.name == "Int16") convert(std::int16_t{});
  if (type.name == "UInt16") convert(std::uint16_t{});
  if (type.name == "Int32") convert(std::int32_t{});
  if (type.name == "UInt32") convert(std::uint32_t{});
  if (type.name == "Int64") convert(std::int64_t{});
  if (type.name == "UInt64") convert(std::uint64_t{});
  return values;
}

std::size_t number_of(MeshBytes& in, std::string_view text, const char* what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    in.fail(std::string("the attribute ") + what + " is \"" + printable(text.substr(0, 40)) + "\", not a number");
  return value;
}

}  // namespace

VtkArray state_array(MeshBytes& in, const XmlTag& tag) {
  VtkArray array;
  array.name = tag.attribute("Name");
  array.type = tag.attribute("type");
  if (const auto n = tag.attribute("NumberOfComponents"); !n.empty())
    array.components = static_cast<std::int64_t>(std::min<std::size_t>(number_of(in, n, "NumberOfComponents"), 1000));
  const std::string_view format = tag.attribute("format");
  if (format == "appended") {
    array.format = VtkArray::Format::appended;
    array.offset = number_of(in, tag.attribute("offset"), "offset");
  } else if (format == "binary") {
    array.format = VtkArray::Format::binary;
  } else if (!format.empty() && format != "ascii") {
    in.fail("the array " + printable(array.name) + " has the unknown format \"" + printable(format) + "\"");
  }
  array.place = in.at();
  if (tag.empty) {
    array.inline_end = in.at();
    return array;
  }
  const std::size_t end = in.bytes().find("</" + tag.name, in.at());
  if (end == std::string_view::npos)
    in.fail("the array " + printable(array.name) + " has no end: the file is incomplete; save it again");
  // Arrays may contain elements such as InformationKey before their values.
  while (true) {
    in.skip_spaces();
    if (in.at() >= end || in.bytes()[in.at()] != '<') break;
    const XmlTag inner = next_tag(in);
    if (!inner.empty) in.move_to(std::min(end, in.bytes().find("</" + inner.name, in.at())));
    if (!inner.empty && in.at() < end) next_tag(in);
  }
  array.place = in.at();
  array.inline_end = end;
  in.move_to(end);
  next_tag(in);
  return array;
}

std::vector<double> read_numbers(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding,
                                 std::int64_t count) {
  return converted<double>(in, array, encoding, count);
}

std::vector<std::int64_t> read_integers(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding,
                                        std::int64_t count) {
  if (type_of_array(in, array).integer) return converted<std::int64_t>(in, array, encoding, count);
  std::vector<std::int64_t> rounded;
  for (const double value : converted<double>(in, array, encoding, count)) {
    if (value != std::round(value) || std::abs(value) > 2e9)
      in.fail("the array " + printable(array.name) + " contains " + std::to_string(value) +
              ", which is not a whole number; choose an array of integers in grid.groups");
    rounded.push_back(static_cast<std::int64_t>(value));
  }
  return rounded;
}

}  // namespace poisson
