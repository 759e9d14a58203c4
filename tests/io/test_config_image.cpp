// The key `image` places an image in the domain, and its errors and warnings name values and remedies.

#include <fmt/format.h>

#include "grids/problem/media.hpp"
#include "tests/config_file.hpp"
#include "tests/io/image_files.hpp"

namespace poisson::config_image_tests {
namespace {

class ConfigImage : public ImageFiles {
 protected:
  ConfigImage() {
    // Voxels [z=2][y=3][x=4]; values 0, 1, 9.
    write("a.npy",
          npy("|u1", "(2, 3, 4)", std::string{0, 1, 0, 1, 1, 1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1}));
  }
  Config read(const std::string& image, const std::string& rest = {}) const {
    write("a.yaml",
          "materials: {pore: {coefficient: 2}, grain: insulator, cap: {coefficient: 3}}\n" + image + "\n" + rest);
    return load_config(folder / "a.yaml");
  }
  std::string error(const std::string& image, const std::string& rest = {}) const {
    try {
      read(image, rest);
    } catch (const ConfigError& failure) {
      std::string text = failure.what();
      const std::string prefix = folder.string() + "/";
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
      return text;
    }
    return "no error";
  }
  static std::string all(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line.substr(line.find(": ") + 2) + "\n";
    return text;
  }
};

constexpr const char* plain = "image: {file: a.npy, voxel: 0.5, materials: {0: pore, 1: grain, 9: cap}}";

TEST_F(ConfigImage, GivesDomainAndGrid) {
  const Config config = read(plain);
  EXPECT_EQ(config.problem.nodes[0], (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(config.problem.nodes[2].size(), 3U);
  EXPECT_EQ(config.problem.centering, Centering::cell);
  const Media& media = *config.problem.media;
  std::vector<RegionNumber> numbers(24);
  media.map->fill(config.problem.nodes, {{0, 0, 0}, {4, 3, 2}}, numbers);
  std::string names;
  for (const RegionNumber n : numbers) names += media.material_of(n).name[0];
  EXPECT_EQ(names,
            "pgpggg"
            "ppcpgp"
            "ppppgg"
            "ggpgpg");
}

TEST_F(ConfigImage, FillsAGivenDomain) {
  const Config config = read("image: {file: a.npy, materials: {0: pore, 1: grain, 9: cap}}",
                             "domain: {lower: [1, 1, 1], upper: [5, 4, 3]}\ngrid: {cells: [8, 6, 4]}");
  EXPECT_EQ(config.problem.nodes[0].size(), 9U);
  std::vector<RegionNumber> numbers(8);
  config.problem.media->map->fill(config.problem.nodes, {{0, 0, 0}, {8, 1, 1}}, numbers);
  EXPECT_EQ(numbers, (std::vector<RegionNumber>{1, 1, 2, 2, 1, 1, 2, 2}));
}

TEST_F(ConfigImage, IsCropped) {
  const Config config =
      read("image: {file: a.npy, crop: [[1, 4], [0, 2], [0, 2]], materials: {0: pore, 1: grain, 9: cap}}");
  EXPECT_EQ(config.problem.nodes[0], (std::vector<double>{0, 1, 2, 3}));
  std::vector<RegionNumber> numbers(3);
  config.problem.media->map->fill(config.problem.nodes, {{0, 0, 0}, {3, 1, 1}}, numbers);
  EXPECT_EQ(numbers, (std::vector<RegionNumber>{2, 1, 2}));
}

TEST_F(ConfigImage, WarnsAboutValuesWithoutMaterial) {
  EXPECT_NE(all(read("image: {file: a.npy, materials: {0: pore, 1: grain, 7: cap}}").warnings)
                .find("image.materials: no voxel has the value 7\n"),
            std::string::npos);
  const std::string text = all(read("image: {file: a.npy, materials: {0: pore, 1: grain, 7: cap}}").warnings);
  EXPECT_NE(text.find("image.materials: value 9 has no material and becomes the background: 1 voxel (4.1667 %); the "
                      "nearest value of the table is 7\n"),
            std::string::npos)
      << text;
}

TEST_F(ConfigImage, ExplainsErrors) {
  EXPECT_EQ(error("image: {file: b.npy, materials: {0: pore}}"),
            "a.yaml:2:15: image.file: image 'b.npy' cannot be read (there is no such file). Check the path.");
  EXPECT_EQ(error("image: {file: a.npy, materials: {0: por}}"),
            "a.yaml:2:37: image.materials.0: unknown material \"por\"; did you mean 'pore'?");
  EXPECT_EQ(error("image: {file: a.npy, materials: {pore: 0}}"),
            "a.yaml:2:40: image.materials.pore: is not a whole number; give values of voxels and their materials: {0: "
            "pore, 255: grain}");
  EXPECT_EQ(error("image: {file: a.npy, materials: {}}"),
            "a.yaml:2:33: image.materials: is empty; add the material of each value: {0: pore}");
  EXPECT_EQ(error("image: {file: a.npy, crop: [[0, 5], [0, 2], [0, 2]], materials: {0: pore}}"),
            "a.yaml:2:29: image.crop[0]: selects no voxels of the image, which has 4 along x; give [first, past the "
            "last]");
  EXPECT_EQ(error("image: {file: a.npy, crop: [[0, 2], [0, 2]], materials: {0: pore}}"),
            "a.yaml:2:28: image.crop: has 2 ranges, but the image has 3 axes; give one [first, past the last] for each "
            "axis");
  EXPECT_EQ(error("image: {file: a.npy, type: uint8, materials: {0: pore}}"),
            "a.yaml:2:8: image: has type without shape, or shape without type; a raw file needs both, others neither");
  EXPECT_EQ(error("image: {file: a.npy, materials: {0: pore}}", "domain: {lower: [0, 0], upper: [1, 1]}"),
            "a.yaml:2:8: domain.lower: has 2 numbers, but the image has 3 axes");
  EXPECT_NE(error(plain, "discretization: {scheme: q1}").find("discretization.centering: cell req"), std::string::npos);
}

}  // namespace
}  // namespace poisson::config_image_tests
