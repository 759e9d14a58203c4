#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/lectures.hpp"
#include "lab/harness/machine.hpp"
#include "lab/harness/timing.hpp"

namespace poisson::lab {

class Session;

/// What one variant measured at one place of a sweep. Only verified results become points.
struct Point {
  std::string variant;
  double x = 0;      ///< place in the sweep, in the units of Panel::x_label
  Timing seconds;    ///< of one call
  double value = 0;  ///< what is plotted, in the units of Panel::y_label

  /// How far the value may be off by what its batches scatter, as a share of it.
  double spread() const { return seconds.spread; }
};

/// A line that a plot has beside its points: a ceiling, a prediction. A single point stands for a level line.
struct Guide {
  std::string name;
  std::vector<std::array<double, 2>> points;  ///< x, y
};

/// One plot and one table: points over one sweep, a curve (or, where the sweep has one place, a bar) per variant.
struct Panel {
  std::string name;  ///< of its files: letters, digits and '-', unique within the study
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Point> points = {};
  std::vector<Guide> guides = {};
  bool bars = false;         ///< the places are no numbers of a sweep: a bar per variant, whatever x is
  double noise = gpu_noise;  ///< differences below that share are none: the machine's, however little batches scatter

  /// Two runs on one GPU that does nothing else differ by less than that; on a CPU, which has others at work beside us,
  /// by less than this.
  static constexpr double gpu_noise = 0.05, host_noise = 0.5;
};
using Panels = std::vector<Panel>;

/// What was measured on a machine of its day, and how today's number beside it is read from the panels of the study.
struct Historical {
  Lecture lecture;
  std::string_view device, what;
  double value = 0;
  std::string_view unit;
  double (*today)(const Panels&, const Machine&) = nullptr;  ///< NaN where these panels do not have it
  double up_to = 0;                                          ///< the upper end where the lecture gives a range
};

/// A variant that a study measures since results were first kept: those that lack it say so, with their commit.
struct Addition {
  std::string_view panel, variant;
  std::string_view what;      ///< in the plural, between "before" and "were measured"
  std::string_view row = {};  ///< Historical::what that cannot be read without it
};

/// One question about a memory system, and how it is put to the device.
struct Study {
  std::string_view name;      ///< one word, as the command line takes it
  std::string_view question;  ///< one sentence that ends with a question mark
  std::span<const Lecture> lectures;
  bool needs_gpu = true;
  Panels (*measure)(Session&) = nullptr;  ///< throws WrongResult where a variant fails its check
  /// Whole sentences, worked out from the points: other numbers, other sentences.
  std::vector<std::string> (*conclude)(const Panels&, const Machine&) = nullptr;
  std::span<const Historical> history = {};
  std::span<const Addition> additions = {};
};

/// The outcome of a study.
struct Findings {
  Panels panels;
  std::vector<std::string> conclusions;
  std::vector<double> today;                ///< beside each of Study::history, NaN where the panels do not have it
  std::vector<Addition> not_measured = {};  ///< of Study::additions: their panels are older
};

/// What the panels of a study say.
Findings findings_of(const Study& study, Panels panels, const Machine& machine);

/// All studies of this build, in the order in which a course would take them.
std::span<const Study> studies();

}  // namespace poisson::lab
