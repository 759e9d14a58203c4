#include "grids/problem/problem.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace poisson {

const Boundary& Problem::condition(std::string_view face) const {
  const auto found = static_cast<std::size_t>(std::ranges::find(face_names, face) - face_names.begin());
  const std::size_t faces = 2 * static_cast<std::size_t>(dimension);
  if (found < faces) return boundary[found / 2][found % 2];
  std::string names;
  for (std::size_t f = 0; f < faces; ++f) names += (f == 0 ? "" : ", ") + std::string(face_names[f]);
  throw std::out_of_range("the box has no face '" + std::string(face) + "': its faces are " + names);
}

Boundary& Problem::condition(std::string_view face) {
  return const_cast<Boundary&>(static_cast<const Problem&>(*this).condition(face));
}

}  // namespace poisson
