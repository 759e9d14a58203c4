#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Contains a study that has finished.
struct Outcome {
  const Study* study = nullptr;
  Findings findings;
  double seconds = 0;  ///< checks included
};

/// Names a study without results, and the reason.
struct Omission {
  const Study* study = nullptr;
  std::string why;
};

/// Contains all results of one run of the program.
struct Report {
  std::string device;
  bool quick = false;
  Machine machine = {};
  std::vector<Fact> facts = {};  ///< page head
  std::vector<Outcome> outcomes = {};
  std::vector<Omission> left_out = {}, failed = {};
};

/// Returns STUDY-PANEL, the name of a panel's files.
std::string panel_name(const Study& study, const Panel& panel);

/// Formats a value with as many digits as a reader compares: 4296, 0.0123, 1.23e+07.
std::string readable_value(double value);
/// Formats a place of a sweep; as 64 KiB if the axis counts bytes.
std::string readable_place(double x, const Panel& panel);

/// Formats a panel as an aligned table. The longer of variants and places forms the rows, so that lines stay short;
/// columns that still exceed `width` characters are split into several tables.
std::string text_table(const Panel& panel, std::size_t width = 110);

/// Formats the value of the lecture: "24 clocks", "400 to 600 clocks".
std::string readable_then(const Historical& then);

/// Formats a panel as comma-separated values: variant, place, seconds, value and spread, under a header with units.
/// Values that are not finite are left empty.
std::string csv(const Panel& panel);

/// Returns the run as JSON, which page.py draws. Values that are not finite are null.
std::string json(const Report& report);

/// Reads the run of a lab.json, and derives conclusions and today's figures again with the studies of this table.
/// Throws InputError if the file is no lab.json, or if it names a study that the table lacks.
Report read_report(const std::filesystem::path& file, std::span<const Study> table);

/// Creates the directory and removes the files that an earlier run left in it. Throws InputError if that fails.
void clear_output(const std::filesystem::path& directory);
/// Writes DIRECTORY/STUDY-PANEL.csv for every panel, and DIRECTORY/lab.json. Throws RunError.
void write_report(const Report& report, const std::filesystem::path& directory);

}  // namespace poisson::lab
