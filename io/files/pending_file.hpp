#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace poisson {

/// A PendingFile appears completely or not at all. It is written under a temporary name in the same folder, which is
/// never a link; commit() flushes and renames it. Without commit(), nothing remains. Creates the directory if
/// necessary.
class PendingFile {
 public:
  /// Throws RunError if the file cannot be created, or if fewer than `bytes` are free.
  explicit PendingFile(std::filesystem::path place, std::uintmax_t bytes = 0);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Returns the temporary name, under which the content is written.
  const std::filesystem::path& path() const { return temporary_; }
  /// Writes the complete content. Throws RunError.
  void write(std::string_view bytes) const;
  /// Moves the file to its final path and returns the path. Throws RunError.
  std::filesystem::path commit();
  /// Throws the RunError that explains why the file could not be written.
  [[noreturn]] void fail(const std::string& why) const { fail(place_, why); }

  /// Returns the temporary name of a file. This function and the next one serve processes that write to a file which
  /// another process owns.
  static std::filesystem::path temporary(const std::filesystem::path& place);
  [[noreturn]] static void fail(const std::filesystem::path& place, const std::string& why);

 private:
  std::filesystem::path place_, temporary_;
};

}  // namespace poisson
