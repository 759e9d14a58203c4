#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cases/case.hpp"
#include "io/files/result_folder.hpp"

namespace poisson {

/// Writes the fields in each format of the configuration and adds their files to the summary. Each field is computed
/// once, in pieces of several planes; one piece is written while the next is computed.
/// Each process writes its own sub-block into a folder that all processes can access. The first process records the
/// files.
void write_fields(const Config& config, Case& work, const std::filesystem::path& folder,
                  const std::shared_ptr<const Processes>& processes, Summary& summary);

/// Records the course of an iteration in the summary, with norms in the units of the equation.
void record(const Result& result, const Solver& solver, Summary& summary);

/// Measures seconds since the last lap, or since construction.
class Stopwatch {
 public:
  double lap() {
    const auto now = clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }
  double total() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now(), last_ = start_;
};

/// Reports a run, whatever it solves: it shows the iteration on the terminal and completes the results.
class Report {
 public:
  /// `results` is null on processes that write no results.
  Report(const Config& config, const Case& work, const Processes& processes, Stopwatch& watch, Console& console,
         ResultFolder* results, Summary& summary)
      : config_(config),
        work_(work),
        processes_(processes),
        watch_(watch),
        console_(console),
        results_(results),
        summary_(summary) {}

  /// Solves, prints header, progress and table, and records the iteration in the summary with norms in the units of the
  /// equation.
  /// `stopped` is called after every iteration. `size` is Σ|b|, the reference for the projected amount. Throws RunError
  /// if the iteration broke down. In single precision, it announces mixed precision instead (`widens`).
  Result iterate(Solver& solver, Backend& backend, Profile* profile, const RunHeader& header,
                 const std::function<bool()>& stopped, double size);
  /// Returns true if a solve broke down that mixed precision may finish.
  static bool widens(const Result& result, const Solver& solver);
  /// Writes the summary, publishes the results, prints the closing lines and returns the exit status.
  int close(const Result& result, const Backend& backend);

 private:
  const Config& config_;
  const Case& work_;
  const Processes& processes_;
  Stopwatch& watch_;
  Console& console_;
  ResultFolder* results_;
  Summary& summary_;
  std::vector<std::string> profile_lines_;
  std::vector<std::string> before_;  ///< steps of earlier solves
};

}  // namespace poisson
