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

/// The fields in every format that the configuration asks for, their files noted in the summary. Each is made once, in
/// pieces of some planes, of which one is written while the next is made. Of several processes each writes what it has
/// into a folder that all of them see; the first notes the files.
void write_fields(const Config& config, Case& work, const std::filesystem::path& folder,
                  const std::shared_ptr<const Processes>& processes, Summary& summary);

/// Seconds since the last lap, or since construction.
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

/// What is the same whatever a run solves: the iteration as the terminal shows it, and the end.
class Report {
 public:
  /// `results`: null on processes that write none.
  Report(const Config& config, const Case& work, const Processes& processes, Stopwatch& watch, Console& console,
         ResultFolder* results, Summary& summary)
      : config_(config),
        work_(work),
        processes_(processes),
        watch_(watch),
        console_(console),
        results_(results),
        summary_(summary) {}

  /// Header, live line and table; how the iteration went stands in the summary, norms in the units of the equation.
  /// `stopped`: asked after every iteration. `size`: Σ|b|, against which a projection is judged. Throws RunError where
  /// the iteration broke down, but in single precision, where it announces that mixed precision follows (`widens`).
  Result iterate(Solver& solver, Backend& backend, Profile* profile, const RunHeader& header,
                 const std::function<bool()>& stopped, double size);
  /// Returns whether a solve broke down that mixed precision may finish.
  static bool widens(const Result& result, const Solver& solver);
  /// Writes the summary, puts the results in their places, prints the closing lines and returns the exit status.
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
  std::vector<std::string> before_;  ///< steps of solves that others followed
};

}  // namespace poisson
