// A program of someone else, which knows the installed library alone.
#include <iostream>

#include "grids/problem.hpp"

int main() {
  poisson::Problem problem;
  problem.source = 1.0;
  std::cout << "faces:";
  for (const auto face : poisson::face_names) std::cout << ' ' << face;
  std::cout << '\n';
  return problem.source.constant() != nullptr ? 0 : 1;
}
