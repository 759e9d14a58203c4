#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace poisson {

/// A file that appears whole or not at all: it is written under a temporary name beside its place, which no link leads
/// away from, and flushed and renamed by commit(); without commit() nothing stays behind. Creates the directory where
/// it is missing.
class PendingFile {
 public:
  /// Throws RunError where no file can be created there, or where the space left is less than the `bytes` to come.
  explicit PendingFile(std::filesystem::path place, std::uintmax_t bytes = 0);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// The temporary name, to be written to.
  const std::filesystem::path& path() const { return temporary_; }
  /// Writes the whole content. Throws RunError.
  void write(std::string_view bytes) const;
  /// Puts the file into its place and returns that. Throws RunError.
  std::filesystem::path commit();
  /// Throws the RunError that says why the file could not be written.
  [[noreturn]] void fail(const std::string& why) const { fail(place_, why); }

  /// The temporary name of a file, and how what could not be written is said, for those that write to it beside the
  /// one that has it.
  static std::filesystem::path temporary(const std::filesystem::path& place);
  [[noreturn]] static void fail(const std::filesystem::path& place, const std::string& why);

 private:
  std::filesystem::path place_, temporary_;
};

}  // namespace poisson
