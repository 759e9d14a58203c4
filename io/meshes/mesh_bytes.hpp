#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>

#include "backends/memory/error.hpp"
#include "backends/memory/unset_vector.hpp"

namespace poisson {

/// Returns the content of a regular file. Throws InputError.
UnsetVector<char> read_bytes(const std::filesystem::path& file);

/// Walks through the bytes of a file that mixes text and binary numbers. Its errors name the line of text or the byte.
class MeshBytes {
 public:
  MeshBytes(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  bool binary = false;   ///< later numbers are binary; errors then name the byte
  bool swapped = false;  ///< later binary numbers have the other byte order

  [[noreturn]] void fail(const std::string& what) const;
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  bool ended() const { return at_ >= bytes_.size(); }
  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }
  void move_to(std::size_t place) { at_ = place; }

  /// Returns the rest of a line without the line end.
  std::string_view line();
  /// Returns the next word, or an empty one at the end.
  std::string_view word();
  void skip_spaces();

  /// Reads a number, as text or binary. `what` describes it in errors.
  template <class T>
  T number(const char* what) {
    return binary ? raw<T>(what) : parsed<T>(what);
  }
  /// Reads a count whose things need at least `bytes` bytes each.
  template <class T>
  std::int64_t count(const char* what, std::size_t bytes) {
    const auto n = static_cast<std::int64_t>(number<T>(what));
    if (n < 0 || static_cast<std::uint64_t>(n) > left() / bytes + 1)
      fail(std::string("there cannot be ") + std::to_string(n) + " " + what + " in the " + std::to_string(left()) +
           " bytes that follow: the file is damaged or incomplete; save it again");
    return n;
  }
  /// Returns the place of binary data and skips them.
  const char* skip(std::size_t bytes, const char* what) {
    if (bytes > left()) ends_within(what);
    const char* const here = bytes_.data() + at_;
    at_ += bytes;
    return here;
  }
  template <class T>
  T read_at(const char* place) const {
    T value;
    std::memcpy(&value, place, sizeof value);
    return swapped ? reversed(value) : value;
  }

 private:
  [[noreturn]] void ends_within(const char* what) const;
  [[noreturn]] void wrong_number(std::string_view word, const char* what) const;

  template <class T>
  T raw(const char* what) {
    return read_at<T>(skip(sizeof(T), what));
  }
  template <class T>
  static T reversed(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  template <class T>
  T parsed(const char* what) {
    const std::string_view text = word();
    if (text.empty()) ends_within(what);
    T value{};
    const char* first = text.data();
    if (*first == '+') ++first;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) wrong_number(text, what);
    return value;
  }

  std::string name_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace poisson
