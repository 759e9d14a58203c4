#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/files/summary.hpp"

namespace poisson {

/// Manages the directory of a run's results.
/// Files are written into a private folder inside it. When all files are complete, they move to their final paths,
/// `summary.json` last. A reader therefore finds a summary with all the files that it lists, or no summary.
/// Earlier results remain until then, whatever fails. Files that no summary lists are never touched.
class ResultFolder {
 public:
  /// Creates the directory if necessary, locks it against other runs and clears the remains of killed runs. Throws
  /// InputError if it is in use or not writable, and RunError if its disk fails.
  explicit ResultFolder(std::filesystem::path directory);
  /// Removes unpublished files. The lock also ends with the process.
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// Returns the folder in which files are written, each under its final name.
  const std::filesystem::path& staging() const { return staging_; }
  /// Returns a warning if the file system has no locks; empty otherwise.
  const std::string& note() const { return note_; }

  /// Throws InputError if one of these names, or summary.json, belongs to a file that no earlier run has written.
  void check_names(const std::vector<std::string>& names) const;

  /// Throws RunError if the file system has less free space.
  void check_space(double bytes) const;

  /// Writes the summary and replaces earlier results by it and its files. Throws RunError; earlier results are then
  /// unchanged.
  void publish(const Summary& summary);

  /// Drops the written files and adds `summary.failed.json` to earlier results. Throws RunError.
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

/// Throws InputError if this process cannot write into the staging folder of the process that owns the ResultFolder.
void check_shared(const std::filesystem::path& staging, int process);

/// Returns the final path of a file written at `place`, for messages. If `place` is in a staging folder, the final path
/// is in the results directory.
std::filesystem::path published_place(const std::filesystem::path& place);

}  // namespace poisson
