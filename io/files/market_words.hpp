#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/error.hpp"

namespace poisson {

/// Reads the words of a Matrix Market file line by line (Boisvert, Pozo, Remington, NISTIR 5935, 1996). Only a piece of
/// the file is in memory. Words remain valid until the next line.
class Market {
 public:
  explicit Market(const std::filesystem::path& file)
      : name_(file.string()), stream_(file, std::ios::binary), unread_(std::filesystem::file_size(file)) {}

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(name_ + ":" + std::to_string(line_) + ": " + problem + "; " + remedy);
  }

  /// Returns the words of the banner, which begins with %%MatrixMarket, in lower case.
  std::vector<std::string> banner() {
    next_line();
    std::vector<std::string> words;
    while (const auto word = this->word()) {
      std::string lower(*word);
      std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      words.push_back(lower);
    }
    if (words.empty() || words.front() != "%%matrixmarket")
      fail("the file does not begin with %%MatrixMarket", "give a Matrix Market or an HDF5 file");
    if (words.size() != 5 || words[1] != "matrix")
      fail("the first line is not `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`", "write the matrix again");
    return words;
  }

  /// Moves to the next line with numbers. Returns false at the end of the file.
  bool next() {
    while (next_line()) {
      const std::size_t first = line_text_.find_first_not_of(" \t\r");
      if (first != std::string_view::npos && line_text_[first] != '%') return true;
    }
    return false;
  }
  std::optional<std::string_view> word() {
    const std::size_t first = line_text_.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    const std::size_t end = std::min(line_text_.find_first_of(" \t\r", first), line_text_.size());
    const std::string_view found = line_text_.substr(first, end - first);
    line_text_.remove_prefix(end);
    return found;
  }
  std::int64_t integer(const char* what) {
    const auto found = word();
    std::int64_t value = 0;
    if (!found) fail(std::string(what) + " is missing", "give it as an integer");
    const auto [end, error] = std::from_chars(found->data(), found->data() + found->size(), value);
    if (error != std::errc() || end != found->data() + found->size())
      fail(std::string(what) + " is not an integer ('" + std::string(*found) + "')", "write the matrix again");
    return value;
  }
  /// Reads a number of the field that the banner declares.
  double number(bool whole) {
    auto found = word();
    double value = 0;
    if (!found) fail("there is no value", "give one number");
    std::string_view digits = *found;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() || (error != std::errc() && error != std::errc::result_out_of_range))
      fail("the value is not a number ('" + std::string(*found) + "')", "write the matrix again");
    if (error == std::errc::result_out_of_range || !std::isfinite(value))
      fail("the value is not finite or out of range ('" + std::string(*found) + "')", "entries are finite numbers");
    if (whole && value != std::trunc(value))
      fail("the value is not an integer ('" + std::string(*found) + "')", "declare the field real");
    return value;
  }
  /// Returns true if the rest of the file is long enough for this many lines; "1 1 1" and its end have 6 bytes.
  bool may_contain(std::int64_t lines) const {
    return static_cast<std::uint64_t>(lines) <= (unread_ + text_.size() - next_ + 1) / 6;
  }
  void end_of_line() {
    if (const auto more = word()) fail("'" + std::string(*more) + "' follows the last number", "remove it");
  }

 private:
  bool next_line() {
    std::size_t end = text_.find('\n', next_);
    while (end == std::string::npos) {
      const std::size_t searched = text_.size() - next_;
      if (!read_on()) break;
      end = text_.find('\n', searched);
    }
    if (next_ == text_.size()) {
      line_text_ = {};
      return false;
    }
    end = std::min(end, text_.size());
    line_text_ = std::string_view(text_).substr(next_, end - next_);
    next_ = std::min(end + 1, text_.size());
    ++line_;
    return true;
  }
  // Appends the next piece of the file to the current line. Returns false at the end of the file.
  bool read_on() {
    constexpr std::size_t piece = std::size_t{1} << 16, longest = std::size_t{1} << 20;
    text_.erase(0, next_);
    next_ = 0;
    const std::size_t begun = text_.size();
    if (begun > longest) {
      ++line_;
      fail("the line has more than 10^6 characters", "give a Matrix Market or an HDF5 file");
    }
    text_.resize(begun + piece);
    stream_.read(text_.data() + begun, piece);
    const auto found = static_cast<std::size_t>(stream_.gcount());
    text_.resize(begun + found);
    unread_ -= std::min<std::uintmax_t>(found, unread_);
    return found > 0;
  }

  std::string name_;
  std::ifstream stream_;
  std::uintmax_t unread_;
  std::string text_;      // begins with the current line
  std::size_t next_ = 0;  // start of the next line in it
  std::string_view line_text_;
  std::int64_t line_ = 0;
};

}  // namespace poisson
