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

/// Contains the result of one variant at one place of a sweep. Only verified results become points.
struct Point {
  std::string variant;
  double x = 0;      ///< place in the sweep, in the units of Panel::x_label
  Timing seconds;    ///< per call
  double value = 0;  ///< is plotted, in the units of Panel::y_label

  /// Returns the relative uncertainty of the value, from the scatter of its batches.
  double spread() const { return seconds.spread; }
};

/// Describes a line that a plot shows with its points: a ceiling or a prediction. A single point means a horizontal
/// line.
struct Guide {
  std::string name;
  std::vector<std::array<double, 2>> points;  ///< x, y
};

/// Describes one plot and one table: points over one sweep, with a curve per variant (or a bar, if the sweep has one
/// place).
struct Panel {
  std::string name;  ///< names its files: letters, digits and '-', unique within the study
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Point> points = {};
  std::vector<Guide> guides = {};
  bool bars = false;         ///< places are no numbers: a bar per variant
  double noise = gpu_noise;  ///< relative differences below this count as none, however little batches scatter

  /// Two runs on an idle GPU differ by less than gpu_noise. Two runs on a CPU, which other processes share, differ by
  /// less than host_noise.
  static constexpr double gpu_noise = 0.05, host_noise = 0.5;
};
using Panels = std::vector<Panel>;

/// Contains a historical measurement, and a function that reads today's value from the panels of the study.
struct Historical {
  Lecture lecture;
  std::string_view device, what;
  double value = 0;
  std::string_view unit;
  double (*today)(const Panels&, const Machine&) = nullptr;  ///< returns NaN if the panels lack the value
  double up_to = 0;                                          ///< is the upper end if the lecture gives a range
};

/// Describes a variant that a study gained after results were first recorded. Pages of older results state that they
/// lack it.
struct Addition {
  std::string_view panel, variant;
  std::string_view what;      ///< reads well between "before" and "were measured" (plural)
  std::string_view row = {};  ///< Historical::what that needs it
};

/// Defines one question about a memory system, and the functions that answer it on a device.
struct Study {
  std::string_view name;      ///< is one word, for the command line
  std::string_view question;  ///< is one sentence that ends with a question mark
  std::span<const Lecture> lectures;
  bool needs_gpu = true;
  Panels (*measure)(Session&) = nullptr;  ///< throws WrongResult if a check fails
  /// Derives complete sentences from the points: other numbers give other sentences.
  std::vector<std::string> (*conclude)(const Panels&, const Machine&) = nullptr;
  std::span<const Historical> history = {};
  std::span<const Addition> additions = {};
};

/// Contains the outcome of a study.
struct Findings {
  Panels panels;
  std::vector<std::string> conclusions;
  std::vector<double> today;                ///< is parallel to Study::history, NaN if the panels lack a value
  std::vector<Addition> not_measured = {};  ///< lists Study::additions that older panels lack
};

/// Derives the conclusions and today's figures from the panels of a study.
Findings findings_of(const Study& study, Panels panels, const Machine& machine);

/// Returns all studies of this build, in the order of a course.
std::span<const Study> studies();

}  // namespace poisson::lab
