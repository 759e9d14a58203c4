#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/config/config.hpp"

namespace poisson {

/// Creates a folder for each test, to write configurations into, and deletes it afterwards.
class ConfigFile : public testing::Test {
 protected:
  ConfigFile() { std::filesystem::create_directories(folder); }
  ~ConfigFile() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& text, const std::string& name = "bad.yaml") const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }

  Config load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return load_config(write(text), overrides);
  }

  /// Returns the errors of a configuration as one text, without the name of the folder.
  std::string errors(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    try {
      load(text, overrides);
    } catch (const ConfigError& error) {
      return without_folder(error.what());
    }
    return "no error";
  }

  std::string without_folder(std::string text) const {
    const std::string prefix = folder.string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("poisson-config-" + std::to_string(::getpid()));
};

inline const std::string cube = "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [4, 4, 4]}\n";
inline const std::string square = "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4]}\n";

/// Describes one wrong configuration of a table.
struct Malformed {
  std::string name;
  std::string base;  ///< two valid lines that precede `text`
  std::string text;
  std::vector<std::string> overrides;
  std::string message;
  friend std::ostream& operator<<(std::ostream& stream, const Malformed& m) { return stream << m.name; }
};

inline const std::string nothing;

/// Returns the value of a quantity at a point.
inline double at(const Quantity& quantity, double x, double y, double z) {
  if (quantity.constant()) return *quantity.constant();
  double value = 0;
  (*quantity.function())({&x, 1}, {&y, 1}, {&z, 1}, {&value, 1});
  return value;
}

}  // namespace poisson
