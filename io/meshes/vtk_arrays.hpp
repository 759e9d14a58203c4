#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/meshes/xml_tags.hpp"

namespace poisson {

/// Describes how a VTK file stores its arrays.
struct VtkEncoding {
  bool swapped = false;      ///< other byte order
  bool wide_header = false;  ///< headers have 64 bits
  bool compressed = false;   ///< blocks of zlib
  bool appended_raw = true;  ///< appended data are raw, not base64
  std::size_t appended = 0;  ///< place of the first appended byte; 0: none
};

/// Contains a data array that a file states: its tag, and the place of inline data.
struct VtkArray {
  std::string name, type;
  std::int64_t components = 1;
  enum class Format { ascii, binary, appended } format = Format::ascii;
  std::size_t place = 0;   ///< of inline data
  std::size_t offset = 0;  ///< of appended data
  std::size_t inline_end = 0;
};
/// Reads the description of an array behind its tag, and moves behind its closing tag.
VtkArray state_array(MeshBytes& in, const XmlTag& tag);

/// Returns the values of an array: at most `most` of them, and fails if there are not exactly `count`. Integers beyond
/// 2⁵³ lose digits as double.
std::vector<double> read_numbers(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding, std::int64_t count);
/// Returns the values of an integer array. Fails for other types.
std::vector<std::int64_t> read_integers(MeshBytes& in, const VtkArray& array, const VtkEncoding& encoding,
                                        std::int64_t count);

}  // namespace poisson
