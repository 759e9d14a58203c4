#pragma once

#include <filesystem>
#include <string>

namespace poisson::lab {

/// Runs page.py on the lab.json of a directory and returns one line that names the page. Without a Python that has
/// matplotlib the line explains how to make the page later, because measurements are useful without plots. Throws
/// RunError if page.py fails.
std::string draw_page(const std::filesystem::path& directory);

}  // namespace poisson::lab
