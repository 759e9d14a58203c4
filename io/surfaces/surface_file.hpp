#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "grids/surfaces/triangles.hpp"

namespace poisson {

/// Reads the triangles of an STL (ASCII or binary), OBJ or PLY file (ASCII or binary). The content decides on the
/// format; an OBJ file has its ending. Polygons become fans of triangles. Throws InputError, which names the file, the
/// line or byte, and a remedy. Memory is allocated for what the file has, not for what its header counts.
Triangles read_surface(const std::filesystem::path& path);

/// Is the content of a surface file, with its errors.
class SurfaceFile {
 public:
  SurfaceFile(const std::filesystem::path& path, std::span<const std::byte> bytes) : path_(path), bytes_(bytes) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  [[noreturn]] void fail(const std::string& where, const std::string& why, const std::string& remedy) const;
  [[noreturn]] void fail_line(std::size_t line, const std::string& why, const std::string& remedy) const;
  [[noreturn]] void fail_byte(std::size_t byte, const std::string& why, const std::string& remedy) const;
  /// Checks that there are not too many points or triangles, and that volumes of its coordinates are finite.
  void check_size(const Triangles& triangles) const;

 private:
  const std::filesystem::path& path_;
  std::span<const std::byte> bytes_;
};

/// Reads words of a text file line by line.
class SurfaceText {
 public:
  SurfaceText(const SurfaceFile& file, std::string_view text) : file_(file), text_(text) {}

  std::size_t line() const { return line_; }
  std::size_t at() const { return at_; }  ///< bytes before the next one
  /// Returns the next word of the line; empty at its end.
  std::string_view word();
  /// Goes to the next line. Returns false at the end of the file.
  bool next_line();
  /// Returns the next word, also of later lines; empty at the end of the file.
  std::string_view any_word();
  /// Returns a finite number in a word. `what` names it in messages.
  double number(std::string_view word, std::string_view what) const;
  /// Returns a whole number in a word.
  long long integer(std::string_view word, std::string_view what) const;
  [[noreturn]] void fail(const std::string& why, const std::string& remedy) const;

 private:
  const SurfaceFile& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

/// Returns text of a file for a message: at most 40 bytes, without control characters.
std::string quoted_text(std::string_view text);

// read_surface calls these functions for each format.
Triangles read_stl(const SurfaceFile& file);
Triangles read_obj(const SurfaceFile& file);
Triangles read_ply(const SurfaceFile& file);

}  // namespace poisson
