#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grids/problem/bodies.hpp"
#include "grids/problem/media.hpp"
#include "grids/problem/problem.hpp"
#include "grids/problem/shapes.hpp"

namespace poisson {

/// Is an image of bytes in the memory of the caller, which must keep them: voxel (x, y, z) has
/// labels[(z·ny + y)·nx + x]. In the plane counts[2] is 1.
struct ByteImage {
  std::span<const std::uint8_t> labels;
  std::array<std::int64_t, 3> counts{1, 1, 1};
  Point lower{}, voxel{1, 1, 1};  ///< the corner of the first voxel, and the widths of a voxel
};

/// Returns a problem in cells whose cells are the voxels of an image: three dimensions, or two if counts[2] is 1.
/// Throws std::invalid_argument if the sizes do not fit.
Problem problem_of(const ByteImage& image);

/// Describes materials and bodies by the words of configurations. A program names materials first, then the background
/// or an image, and bodies, of which later ones cover earlier ones:
///
///     MediaDescription media;
///     media.material("air", 0.026).material("copper", 390).fixed("lead", 5);
///     media.background("air").body("copper", make_sphere({0.5, 0.5, 0.5}, 0.3));
///     media.use(problem);
///
/// All functions throw std::invalid_argument for a name that is unknown or given twice.
class MediaDescription {
 public:
  /// Add a conducting material: κ of all directions, or one for each axis, a number or a function.
  MediaDescription& material(const std::string& name, Quantity coefficient);
  MediaDescription& material(const std::string& name, const std::array<Quantity, 3>& coefficient);
  /// Adds a material with a power in W of each of its bodies (in the plane per metre), or with any other properties.
  MediaDescription& heated(const std::string& name, Quantity coefficient, double power);
  MediaDescription& material(Material material);
  MediaDescription& fixed(const std::string& name, double value);
  MediaDescription& floating(const std::string& name, double charge = 0);
  MediaDescription& insulator(const std::string& name);

  /// Sets the material where no body is; without one it is the coefficient of the problem.
  MediaDescription& background(const std::string& material);
  /// Sets the image that bodies cover, with the material of each label. Other labels become the background.
  MediaDescription& image(const ByteImage& image, const std::map<int, std::string>& materials);
  /// Adds a body. Its name, for answers, is that of its material unless it is given; a number makes it unique.
  MediaDescription& body(const std::string& material, ShapePtr shape, const std::string& name = {});
  MediaDescription& surfaces(Surfaces surfaces);
  /// Adds a resistance, in m² K/W, on each surface between two materials.
  MediaDescription& contact(const std::string& a, const std::string& b, double resistance);
  /// Adds a thin layer on the surface of a material, which conducts along the surface.
  MediaDescription& sheet(const std::string& on, double thickness, double coefficient);

  /// Makes this description the source of κ of a problem in cells, whose nodes are set.
  void use(Problem& problem) const;

 private:
  std::size_t number(const std::string& name) const;

  std::vector<Material> materials_;
  std::optional<std::size_t> background_;
  struct Placed {
    std::size_t material;
    ShapePtr shape;
    std::string name;
  };
  std::vector<Placed> bodies_;
  std::optional<ByteImage> image_;
  std::map<int, std::size_t> labels_;
  Surfaces surfaces_ = Surfaces::sharp;
  std::vector<Contact> contacts_;
  std::vector<Sheet> sheets_;
};

}  // namespace poisson
