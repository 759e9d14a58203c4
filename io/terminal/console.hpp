#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/summary.hpp"

namespace spdlog {
class logger;
}

namespace poisson {

/// Contains the information that the terminal shows before a solve starts.
struct RunHeader {
  std::string title;
  std::string version;
  std::string parameters;           ///< is omitted if empty
  std::string problem;              ///< is the equation
  std::string boundary;             ///< is omitted if empty
  std::string grid;                 ///< in words; if empty, box and cells replace it
  std::string matrix;               ///< describes a matrix from a file
  std::vector<std::int64_t> cells;  ///< per axis
  std::array<double, 3> lower{}, upper{};
  bool equidistant = true;
  std::string widths;  ///< cell widths
  std::int64_t unknowns = 0;
  int levels = 0;        ///< 0 without multigrid
  std::string method;    ///< method, cycle, smoother and precision
  std::string assembly;  ///< includes the reason; is omitted if empty
  std::string device;
  std::string processes;          ///< is omitted if empty
  std::int64_t memory_bytes = 0;  ///< allocated memory
  std::string hint;               ///< names a better setting; is omitted if empty
};

/// A record is a line of the residual table.
struct CycleRecord {
  double relative = 0;  ///< ‖b − Au‖ over its reference
  double elapsed = 0;   ///< seconds since the solve began
};

/// Prints a run: a header, a progress line, a table of residuals and a closing block.
/// Colours and the progress line appear only on terminals; any other output has no control characters. Warnings and
/// errors go to the error stream. A quiet console prints only errors.
class Console {
 public:
  explicit Console(bool quiet = false, std::FILE* out = stdout, std::FILE* errors = stderr);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void header(const RunHeader&);
  /// Prints the rounding limit: the predicted relative residual below which the iteration cannot converge. Warns if the
  /// tolerance is lower.
  void floor(double relative, double tolerance);
  /// Draws the progress line, at most 20 times a second. The tolerance scales its bar; with tolerance 0, `limit` does.
  /// Without a terminal, prints a separate line at most once a second.
  void progress(int cycle, int limit, const CycleRecord&, double tolerance);
  /// Prints a fallback before it starts, or one that is refused.
  void fallback(const std::string& text);
  /// Prints the table. The first record is the start. Long histories are shortened in the middle.
  void table(std::span<const CycleRecord> history);
  /// Prints the verdict, extrema, probes, errors against `exact`, source, fluxes, times, speed and files. `directory`
  /// is the prefix of the files.
  void closing(const Summary&, double tolerance, const std::string& directory);

  /// Prints one separate line, such as the result of `--validate`.
  void line(const std::string& text);
  void warning(const std::string& text);
  /// Returns all warnings so far, including any that a quiet console has not printed.
  const std::vector<std::string>& warnings() const { return warnings_; }
  void error(const std::string& text);

  /// Returns why the output could not be written; empty if it could. The console drops later output and the run
  /// continues.
  const std::string& lost();

 private:
  enum class Style { plain, bold, dim, good, bad, caution };
  std::string styled(Style, const std::string& text) const;
  void row(std::string_view label, const std::string& text);
  void probes(const Summary&);
  void bodies(const Summary&);
  void floating_bodies(const Summary&);
  void faces(const Summary&);
  void answers(const Summary& s);
  void balance(const Summary&);
  void erase_live_line();
  void report(int level, const std::string& text);
  void flush();

  bool quiet_;
  std::FILE* out_;
  std::unique_ptr<spdlog::logger> log_;  ///< prints warnings and errors
  bool terminal_;                        ///< out_ can be redrawn
  bool colour_;                          ///< out_ can be coloured
  bool live_ = false;                    ///< a progress line is visible
  std::chrono::steady_clock::time_point drawn_{};
  std::string lost_;
  std::vector<std::string> warnings_;
};

}  // namespace poisson
