#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/surfaces/surface_file.hpp"
#include "tests/drawings/mesh_makers.hpp"

namespace poisson {

/// Writes files into a folder of the test, which it deletes afterwards.
class MeshFiles : public testing::Test {
 protected:
  MeshFiles() { std::filesystem::create_directories(folder); }
  ~MeshFiles() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  static double volume(const Triangles& triangles) {
    SurfaceReport report;
    close_surface(triangles, report);
    return report.volume;
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("poisson-mesh-" + std::to_string(::getpid()));
};

/// Appends the bytes of a number, in the other order than that of this machine if `swapped`.
template <class T>
void put_bytes(std::string& bytes, T value, bool swapped = false) {
  std::string raw(reinterpret_cast<const char*>(&value), sizeof value);
  if (swapped) std::reverse(raw.begin(), raw.end());
  bytes += raw;
}

}  // namespace poisson
