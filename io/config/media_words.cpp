#include "io/config/media_words.hpp"

#include <algorithm>
#include <array>

#include "io/config/synonyms.hpp"

namespace poisson {
namespace {

// The first row counts whose key the map has.
constexpr std::array rows{
    MediaWords{"bodies", "body objects object shapes parts solids"},
    MediaWords{"materials", "media phases labels values segmentation mapping"},
    MediaWords{"image", "images picture voxels ct scan"},
    MediaWords{"contacts", "contactresistance interfaces interface"},
    MediaWords{"sheets", "films film foil foils"},

    MediaWords{"box", "cube block cuboid brick rectangle rect hexahedron"},
    MediaWords{"sphere", "ball disk disc circle"},
    MediaWords{"cylinder", "tube rod wire via pipe fibre fiber"},
    MediaWords{"ellipsoid", "ellipse spheroid"},
    MediaWords{"polygon", "prism polyline extrusion triangle"},
    MediaWords{"layer", "slab plane halfspace plate"},
    MediaWords{"where", "if condition expression function inside region shape"},
    MediaWords{"union", "add merge or combine group"},
    MediaWords{"intersection", "and intersect common"},
    MediaWords{"difference", "subtract minus cut without not subtraction"},
    MediaWords{"move", "translate shift translation displacement"},
    MediaWords{"rotate", "rotation turn"},
    MediaWords{"repeat", "array pattern copies replicate lattice"},
    MediaWords{"scale", "scaling stretch"},

    MediaWords{"lower", "min minimum low lo start origin corner from p0 lowercorner"},
    MediaWords{"upper", "max maximum high hi end to p1 uppercorner"},
    MediaWords{"upper", "size length lengths extent width", ", the opposite corner"},
    MediaWords{"from", "center centre", " and 'to', the centres of both ends"},
    MediaWords{"from", "start begin lower min low base bottom origin"},
    MediaWords{"to", "axis height length direction", ", the centre of the other end"},
    MediaWords{"to", "end upper max high top"},
    MediaWords{"center", "position origin at location middle c"},
    MediaWords{"radius", "diameter d", ", half the diameter"},
    MediaWords{"radius", "r rad radii"},
    MediaWords{"radii", "radius semiaxes axes halfaxes r size"},
    MediaWords{"extrude", "height z thickness length depth", ": [lower, upper]"},
    MediaWords{"points", "vertices nodes corners coordinates"},
    MediaWords{"angle", "degrees deg"},
    MediaWords{"about", "origin center centre point through"},
    MediaWords{"count", "n number copies counts"},
    MediaWords{"step", "spacing pitch period distance delta"},

    MediaWords{"resistance", "conductance htc h", ", one over the conductance"},
    MediaWords{"resistance", "r value thermalresistance contactresistance rth"},
    MediaWords{"between", "materials bodies pair from to of"},
    MediaWords{"thickness", "t d height"},
    MediaWords{"on", "material body surface at of"},
    MediaWords{"power", "heat watts heatsource dissipation losses q qdot w"},
    MediaWords{"source", "powerdensity heatgeneration density charge f rho"},
    MediaWords{"fixed", "dirichlet temperature voltage potential t v u fixedvalue"},
    MediaWords{"coefficient",
               "kappa k lambda conductivity thermalconductivity electricalconductivity permittivity permeability "
               "diffusivity dielectric epsilon eps epsr epsilonr mobility coeff coef sigma value"},

    MediaWords{"file", "path name filename src source"},
    MediaWords{"files", "slices stack pattern glob"},
    MediaWords{"voxel", "voxelsize resolution spacing pixel pixelsize dx size"},
    MediaWords{"crop", "roi subset region slice box window"},
    MediaWords{"type", "dtype datatype format"},
    MediaWords{"shape", "dims dimensions"},
    MediaWords{"dataset", "key variable"},
    MediaWords{"offset", "skip header headerbytes"},
};

}  // namespace

std::span<const MediaWords> media_words() {
  return rows;
}

bool is_in_media(std::string_view path) {
  constexpr std::array<std::string_view, 5> maps{"materials", "bodies", "contacts", "sheets", "image"};
  return std::ranges::any_of(maps, [&](std::string_view map) {
    return path.starts_with(map) && (path.size() == map.size() || path[map.size()] == '.' || path[map.size()] == '[');
  });
}

std::string meant_in_media(std::string_view word, const std::vector<std::string>& candidates) {
  for (const MediaWords& row : rows)
    if (has_word(row.words, word) && std::ranges::find(candidates, row.key) != candidates.end())
      return "did you mean '" + std::string(row.key) + "'" + std::string(row.note) + "?";
  return {};
}

}  // namespace poisson
