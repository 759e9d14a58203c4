#include "io/config/config_parts.hpp"

namespace poisson {

std::shared_ptr<const RegionMap> read_image(ConfigParts&, Media&) {
  return nullptr;
}

}  // namespace poisson
