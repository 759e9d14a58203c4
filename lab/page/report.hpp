#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// A study that ran to its end.
struct Outcome {
  const Study* study = nullptr;
  Findings findings;
  double seconds = 0;  ///< of the whole study, checks included
};

/// A study of which nothing is shown, and why.
struct Omission {
  const Study* study = nullptr;
  std::string why;
};

/// Everything that one run of the program found.
struct Report {
  std::string device;
  bool quick = false;
  Machine machine = {};
  std::vector<Fact> facts = {};  ///< for the head of the page
  std::vector<Outcome> outcomes = {};
  std::vector<Omission> left_out = {}, failed = {};
};

/// STUDY-PANEL, the name of a panel's files.
std::string panel_name(const Study& study, const Panel& panel);

/// The value of a panel at one variant and place, in so many digits as a reader compares: 4296, 0.0123, 1.23e+07.
std::string readable_value(double value);
/// A place of a sweep; where the axis counts bytes, as 64 KiB.
std::string readable_place(double x, const Panel& panel);

/// A panel as an aligned text: the longer of variants and places goes down, so that lines stay short; where even that
/// exceeds `width` characters the columns are broken into several tables.
std::string text_table(const Panel& panel, std::size_t width = 110);

/// What stood in the lecture: "24 clocks", "400 to 600 clocks".
std::string readable_then(const Historical& then);

/// A panel as comma-separated values: variant, place, seconds, value, spread under a header that names their units.
/// What is not finite is left empty.
std::string csv(const Panel& panel);

/// The whole run as JSON: what page.py draws. What is not finite is null.
std::string json(const Report& report);

/// The run that a lab.json tells of, with what its points say to the studies of this table: conclusions and figures
/// beside history are worked out anew. Throws InputError where the file is none of these, or names a study that the
/// table does not have.
Report read_report(const std::filesystem::path& file, std::span<const Study> table);

/// Makes the directory, and takes away the files that an earlier run left in it. Throws InputError where it cannot be
/// made.
void clear_output(const std::filesystem::path& directory);
/// Writes DIRECTORY/STUDY-PANEL.csv for every panel, and DIRECTORY/lab.json. Throws RunError.
void write_report(const Report& report, const std::filesystem::path& directory);

}  // namespace poisson::lab
