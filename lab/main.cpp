#include <cstdio>

#include "lab/session.hpp"
#include "lab/study.hpp"

int main() {
  for (const poisson::lab::Study& study : poisson::lab::studies())
    std::printf("%-12s %s\n", std::string(study.name).c_str(), std::string(study.question).c_str());
}
