#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/files/summary.hpp"

namespace poisson {

/// The directory that a run leaves its results in. Files are written into a folder of this process's own in it, and
/// take their places when all are complete, `summary.json` last: a reader finds a summary beside the files that it
/// lists, or none. Earlier results stay until then, and whatever goes wrong. What no summary lists is never touched.
class ResultFolder {
 public:
  /// Makes the directory where it is missing, locks it against other runs, and clears what killed ones have left.
  /// Throws InputError where it is in use or cannot be written to, RunError where its disk fails.
  explicit ResultFolder(std::filesystem::path directory);
  /// Takes away what was not published. The lock goes with the process, too.
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// Where files are written, each under its own name.
  const std::filesystem::path& staging() const { return staging_; }
  /// What a user should know: that the file system has no locks. Empty else.
  const std::string& note() const { return note_; }

  /// Throws InputError where one of these names, or summary.json, is held by what no earlier run has left.
  void check_names(const std::vector<std::string>& names) const;

  /// Throws RunError where the file system has less room.
  void check_space(double bytes) const;

  /// Writes the summary and puts it and its files in the place of earlier results. Throws RunError: then earlier
  /// results are what they were.
  void publish(const Summary& summary);

  /// Drops what was written and leaves `summary.failed.json` beside earlier results. Throws RunError.
  void fail(const Summary& summary);

 private:
  [[noreturn]] void refuse(const std::string& problem, int error) const;
  void lock();
  void unlock() const;
  void make_staging();
  void clear_leftovers() const;
  std::vector<std::string> earlier_results() const;

  std::filesystem::path directory_, staging_;
  Descriptor directory_fd_, staging_fd_, lock_;
  std::string note_;
};

/// Throws InputError where this process, beside the one that has the ResultFolder, cannot write into its staging
/// folder.
void check_shared(const std::filesystem::path& staging, int process);

/// Where a file will stand that is written at `place`: in the folder of the run's results where that is a
/// ResultFolder's own, for messages.
std::filesystem::path published_place(const std::filesystem::path& place);

}  // namespace poisson
