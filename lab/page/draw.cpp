#include "lab/page/draw.hpp"

#include <cstdlib>
#include <system_error>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/memory/error.hpp"

namespace poisson::lab {
namespace {

// Returns the path of page.py: next to an installed program, otherwise in the source tree.
std::filesystem::path page_script() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path() / POISSON_LAB_SHARE / "page.py";
  if (!error && std::filesystem::exists(installed, error)) return installed.lexically_normal();
  return std::filesystem::path(POISSON_ROOT) / "lab" / "page" / "page.py";
}

// Returns the exit status of a program found through PATH; 127 if it cannot be started.
int status_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  int status = 0;
  if (posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return 127;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return 1;
  return WEXITSTATUS(status);
}

// Returns the first Python that has matplotlib, or an empty string. Distributions install matplotlib for their own
// Python, which another Python may hide. POISSON_LAB_PYTHON names the only candidate.
std::string python() {
  const char* const named = std::getenv("POISSON_LAB_PYTHON");
  const auto candidates =
      named ? std::vector<std::string>{named} : std::vector<std::string>{"python3", "/usr/bin/python3"};
  const std::string probe = "import importlib.util as u, sys; sys.exit(u.find_spec('matplotlib') is None)";
  for (const std::string& candidate : candidates)
    if (status_of({candidate, "-c", probe}) == 0) return candidate;
  return {};
}

}  // namespace

std::string draw_page(const std::filesystem::path& directory) {
  const std::string script = page_script().string(), interpreter = python();
  if (interpreter.empty())
    return "no page was made (there is no python3 with matplotlib): install python3-matplotlib, then run python3 " +
           script + " " + directory.string();
  const int status = status_of({interpreter, script, directory.string()});
  if (status != 0)
    throw RunError("no page was made (" + script + " ended with status " + std::to_string(status) +
                   "): the numbers lie in " + directory.string() + "; run " + interpreter + " " + script + " " +
                   directory.string());
  return "plots and page: " + (directory / "lab.html").string();
}

}  // namespace poisson::lab
