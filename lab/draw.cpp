#include "lab/draw.hpp"

#include <system_error>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace poisson::lab {
namespace {

// page.py beside an installed program, in the source tree otherwise.
std::filesystem::path page_script() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path() / POISSON_LAB_SHARE / "page.py";
  if (!error && std::filesystem::exists(installed, error)) return installed.lexically_normal();
  return std::filesystem::path(POISSON_ROOT) / "lab" / "page.py";
}

// The exit status of a program found through PATH; 127 where it cannot be started.
int status_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  int status = 0;
  if (posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return 127;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return 1;
  return WEXITSTATUS(status);
}

}  // namespace

std::string draw_page(const std::filesystem::path& directory) {
  const std::string script = page_script().string();
  constexpr int no_interpreter = 127, no_matplotlib = 3;  // the latter as page.py says
  // Distributions give matplotlib to their own Python, which another one may hide.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const int status = status_of({python, script, directory.string()});
    if (status == 0) return "plots and page: " + (directory / "lab.html").string();
    if (status != no_interpreter && status != no_matplotlib) break;
  }
  return "no page was made (it takes python3 with matplotlib): install python3-matplotlib, then run python3 " + script +
         " " + directory.string();
}

}  // namespace poisson::lab
