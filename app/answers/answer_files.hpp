#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/processes/processes.hpp"
#include "io/config/config.hpp"
#include "io/files/summary.hpp"

namespace poisson {

/// Returns the names of the tables that a run writes: of bodies, faces and conductors.
std::vector<std::string> answer_files(const Config& config);
/// Writes the tables of the answers that `summary` contains into `folder`, on the first process, and adds them to
/// summary.files. Throws RunError. Collective.
void write_answers(const Config& config, const Processes& processes, const std::filesystem::path& folder,
                   Summary& summary);

}  // namespace poisson
