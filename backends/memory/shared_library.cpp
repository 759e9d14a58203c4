#include "backends/memory/shared_library.hpp"

#include <cstdlib>

#include <dlfcn.h>

namespace poisson {

SharedLibrary::SharedLibrary(const char* variable, const std::vector<std::string>& names) {
  const char* named = std::getenv(variable);
  for (const std::string& name : named ? std::vector<std::string>{named} : names) {
    library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_) return;
    if (const char* text = dlerror(); text && reason_.empty()) reason_ = text;
  }
}

void* SharedLibrary::find(const char* name) const {
  return dlsym(library_, name);
}

}  // namespace poisson
