#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poisson::lab {

class Session;

/// What one variant measured at one place of a sweep. Only verified results become points.
struct Point {
  std::string variant;
  double x = 0;        ///< place in the sweep, in the units of Panel::x_label
  double seconds = 0;  ///< median of one call
  double value = 0;    ///< what is plotted, in the units of Panel::y_label
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
};

/// What was measured on a machine of its day, to show beside today's numbers.
struct Historical {
  std::string_view device, what;
  double value = 0;
  std::string_view unit;
};

/// This device's number beside a historical one.
struct Today {
  std::string what;  ///< as Historical::what, whose unit holds
  double value = 0;
};

/// The outcome of a study. Conclusions are whole sentences, worked out from the points: other numbers, other sentences.
struct Findings {
  std::vector<Panel> panels;
  std::vector<std::string> conclusions;
  std::vector<Today> today = {};
};

/// One question about a memory system, and how it is put to the device.
struct Study {
  std::string_view name;      ///< one word, as the command line takes it
  std::string_view question;  ///< one sentence that ends with a question mark
  bool needs_gpu = true;
  Findings (*run)(Session&) = nullptr;  ///< throws WrongResult where a variant fails its check
  std::span<const Historical> history = {};
};

/// All studies of this build, in the order in which a course would take them.
std::span<const Study> studies();

}  // namespace poisson::lab
