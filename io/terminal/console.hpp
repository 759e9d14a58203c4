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

/// What the terminal says before a solve starts.
struct RunHeader {
  std::string title;
  std::string version;
  std::string parameters;           ///< names and values; left out where empty
  std::string problem;              ///< the equation in words or symbols
  std::string boundary;             ///< the faces and their conditions; left out where empty
  std::string grid;                 ///< in words; where empty, box and cells say it
  std::string matrix;               ///< what is known of a matrix from a file
  std::vector<std::int64_t> cells;  ///< per axis
  std::array<double, 3> lower{}, upper{};
  bool equidistant = true;
  std::string widths;  ///< of the cells
  std::int64_t unknowns = 0;
  int levels = 0;        ///< 0 where the method has none
  std::string method;    ///< method, cycle, smoother and precision
  std::string assembly;  ///< the mode and why; left out where empty
  std::string device;
  std::string processes;          ///< how many, and what each has; left out where empty
  std::int64_t memory_bytes = 0;  ///< what the solve allocates
  std::string hint;               ///< what would suit the problem better; left out where empty
};

/// One line of the residual table.
struct CycleRecord {
  double relative = 0;  ///< ‖b − Au‖ over its reference
  double elapsed = 0;   ///< seconds since the solve began
};

/// What a run shows on the terminal: a header, a live line while it works, a table of residuals, and a closing block.
/// Colours and the live line appear on terminals only; anywhere else the text has no control characters.
/// Warnings and errors go to the error stream; a quiet console shows nothing but errors.
class Console {
 public:
  explicit Console(bool quiet = false, std::FILE* out = stdout, std::FILE* errors = stderr);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void header(const RunHeader&);
  /// What rounding will allow: the predicted relative residual below which the iteration cannot get. Says so where the
  /// tolerance is below it.
  void floor(double relative, double tolerance);
  /// The live line, redrawn at most 20 times a second. The tolerance sets the length of its bar; with 0 the share of
  /// `limit` cycles does. Where there is no terminal, a line of its own at most once a second.
  void progress(int cycle, int limit, const CycleRecord&, double tolerance);
  /// A fallback, before its work begins, or one that is not started.
  void fallback(const std::string& text);
  /// The first record is the start. Long histories are elided in the middle.
  void table(std::span<const CycleRecord> history);
  /// Verdict, extrema, probes, errors against `exact`, source and fluxes, times, speed and the files, which `directory`
  /// precedes.
  void closing(const Summary&, double tolerance, const std::string& directory);

  /// One line of its own, such as what `--validate` answers.
  void line(const std::string& text);
  void warning(const std::string& text);
  /// All of them so far, those too that a quiet console has not shown.
  const std::vector<std::string>& warnings() const { return warnings_; }
  void error(const std::string& text);

  /// Why the output could not be written, if that has happened; what follows is then dropped, and nothing else stops.
  const std::string& lost();

 private:
  enum class Style { plain, bold, dim, good, bad, caution };
  std::string styled(Style, const std::string& text) const;
  void row(std::string_view label, const std::string& text);
  void probes(const Summary&);
  void balance(const Summary&);
  void erase_live_line();
  void report(int level, const std::string& text);
  void flush();

  bool quiet_;
  std::FILE* out_;
  std::unique_ptr<spdlog::logger> log_;  ///< of warnings and errors
  bool terminal_;                        ///< out_ may be redrawn
  bool colour_;                          ///< and coloured
  bool live_ = false;                    ///< a live line stands
  std::chrono::steady_clock::time_point drawn_{};
  std::string lost_;
  std::vector<std::string> warnings_;
};

}  // namespace poisson
