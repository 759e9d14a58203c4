#pragma once

#include <filesystem>
#include <string>

namespace poisson::lab {

/// Has page.py draw the lab.json of a directory, and says in one line where the page is, or, where there is no Python
/// with matplotlib, how to make it later: measurements are worth keeping without plots. Throws RunError where page.py
/// fails.
std::string draw_page(const std::filesystem::path& directory);

}  // namespace poisson::lab
