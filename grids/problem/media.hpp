#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/memory/box.hpp"
#include "grids/problem/quantity.hpp"

namespace poisson {

class Bodies;
struct Problem;

/// Describes a material. Exactly one of these holds: it conducts (`coefficient`), its value is `fixed` or `floating`,
/// or it is an insulator.
struct Material {
  std::string name;
  std::array<Quantity, 3> coefficient{1.0, 1.0, 1.0};  ///< κ > 0 along each axis; an expression is used at cell centres
  bool isotropic = true;                               ///< only the first coefficient counts
  std::optional<double> power;  ///< of each region of this material, in W; per metre in the plane
  Quantity source = 0.0;        ///< density of the source, added to that of the problem
  std::optional<double> fixed;  ///< the value of u; its cells leave the system
  bool insulator = false;       ///< κ = 0; its cells leave the system
  /// The flow out of each connected body, whose value is one unknown (a charge in electrostatics, W of heat); its cells
  /// leave the system.
  std::optional<double> floating = {};

  bool conducts() const { return !has_value() && !insulator; }
  /// Returns whether its bodies have one value each, given or unknown.
  bool has_value() const { return fixed || floating; }
};

/// Is a part of the domain with one material: the background, a label of an image, or a body.
struct MediaRegion {
  enum class Origin { background, image, body };
  std::string name;          ///< for results and messages, such as "die" or "bodies[3]"
  std::size_t material = 0;  ///< in Media::materials
  Origin origin = Origin::background;
};

/// Is the number of a region in Media::regions.
using RegionNumber = std::uint16_t;
inline constexpr std::size_t most_regions = 65'535;

/// Assigns a region to the centre of each cell of the grid. An image, bodies over an image, and bodies alone implement
/// it. Several threads may call it concurrently.
class RegionMap {
 public:
  virtual ~RegionMap() = default;
  /// Sets the regions of the cells of a box, x fastest: numbers[((k − k0)·ny + j − j0)·nx + i − i0]. The box has cells
  /// of the global grid, whose nodes are given; in the plane nodes[2] is empty and the box has one layer of cells.
  virtual void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
                    std::span<RegionNumber> numbers) const = 0;
};

/// Is a contact resistance per area (m² K/W) on each cell face between two materials.
struct Contact {
  std::array<std::size_t, 2> between{};  ///< numbers of materials
  double resistance = 0;
};

/// Is a thin layer on the surface of a material, which conducts along the surface.
struct Sheet {
  std::size_t on = 0;  ///< number of a material
  double thickness = 0, coefficient = 0;
};

/// Selects how surfaces between the bodies enter conductances of faces. `averaged`: the conductance of a face is
/// 1/∫ds/κ along lines between the centres, averaged over the face. `staircase`: a cell has the material of its centre.
/// `sharp`: as averaged between conductors; insulators cut faces and cells, and cells couple to bodies with one value
/// over the distance to their surface along each axis. Labels of images are always staircases.
enum class Surfaces { averaged, staircase, sharp };

/// Describes all materials of a problem and the regions that they fill. κ of a problem with media comes from here:
/// Problem::coefficient is ignored.
struct Media {
  std::vector<Material> materials;
  std::vector<MediaRegion> regions;
  std::shared_ptr<const RegionMap> map;
  std::shared_ptr<const Bodies> bodies;  ///< the shapes of the regions whose origin is a body; null without bodies
  Surfaces surfaces = Surfaces::sharp;
  std::vector<Contact> contacts;
  std::vector<Sheet> sheets;

  const Material& material_of(RegionNumber region) const { return materials[regions[region].material]; }
  /// Returns κ of a conducting region along an axis.
  const Quantity& kappa(RegionNumber region, std::size_t axis) const {
    const Material& m = material_of(region);
    return m.coefficient[m.isotropic ? 0 : axis];
  }
  /// Returns whether κ differs between the axes in some material.
  bool isotropic() const;
  /// Returns whether some region does not conduct, so that its cells leave the system.
  bool has_gaps() const;
};

/// Is the reaction of a problem in which cells leave the system: σ varies there, although its value is one number.
struct UniformReaction {
  double sigma = 0;
  void operator()(std::span<const double>, std::span<const double>, std::span<const double>,
                  std::span<double> values) const;
};
/// Returns the value of a reaction that is one number or a UniformReaction, else nothing.
std::optional<double> uniform_value(const Quantity& reaction);

/// Makes `media` the source of κ of a problem: coefficient becomes the κ of each cell's centre (0 in
/// insulators, very large in fixed bodies), and reaction varies if cells leave the system. Needs the nodes of the
/// problem.
void use_media(Problem& problem, std::shared_ptr<const Media> media);

}  // namespace poisson
