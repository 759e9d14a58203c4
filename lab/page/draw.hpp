#pragma once

#include <filesystem>
#include <string>

namespace poisson::lab {

/// Runs page.py on the lab.json of a directory and returns one line: the place of the page, or, without a Python that
/// has matplotlib, how to make it later, because measurements are useful without plots. Throws RunError if page.py
/// fails.
std::string draw_page(const std::filesystem::path& directory);

}  // namespace poisson::lab
