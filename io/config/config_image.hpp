#pragma once

#include <array>
#include <filesystem>
#include <memory>

#include "io/config/diagnostics.hpp"
#include "io/config/parameters.hpp"
#include "io/config/yaml.hpp"
#include "io/images/image_source.hpp"
#include "io/images/label_image.hpp"

namespace poisson {

/// Is the image of a configuration, opened, and its place in the domain.
struct ImageInput {
  std::shared_ptr<const ImageSource> source;
  std::filesystem::path path;
  Crop crop;
  std::array<double, 3> lower{0, 0, 0}, voxel{1, 1, 1};  ///< corner of the crop; widths of a voxel
};

/// Opens the image of a document that has not been validated, and adds the domain and grid.cells that follow from it.
/// `array` takes the place of the file, unless it is null. Returns null if there is no image, or if it is wrong; errors
/// of its keys are left to validation. Throws ConfigError if the image is wrong and there is no grid.
std::shared_ptr<const ImageInput> open_image_of(Value& raw, const std::filesystem::path& folder,
                                                const Parameters& parameters, std::shared_ptr<const ImageSource> array,
                                                Diagnostics& errors);

}  // namespace poisson
