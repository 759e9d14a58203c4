#include "app/hypre.hpp"

#ifdef POISSON_HAVE_HYPRE
#include <filesystem>
#include <memory>
#include <string>

#include <dlfcn.h>

#include "backends/memory/error.hpp"
#include "solver/external_amg.hpp"
#endif

namespace poisson {

#ifdef POISSON_HAVE_HYPRE
namespace {

using MakeHypre = ExternalAmg*(const Processes&, const RowSystem&, const Options&);

// Loads the module from the folder of the program, or from where it is installed beside it.
MakeHypre* load_hypre() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string reason;
  for (const auto& path : {folder / POISSON_HYPRE_MODULE, folder / POISSON_HYPRE_INSTALLED / POISSON_HYPRE_MODULE}) {
    void* const module = std::filesystem::exists(path) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (module)
      if (void* const make = dlsym(module, "poisson_make_hypre")) return reinterpret_cast<MakeHypre*>(make);
    if (const char* const error = std::filesystem::exists(path) ? dlerror() : nullptr) reason = error;
  }
  throw InputError("solver.amg: hypre: " + std::string(POISSON_HYPRE_MODULE) + " cannot be loaded (" +
                   (reason.empty() ? "it is not beside the program" : reason) +
                   "): install the program and hypre again, or remove the key");
}

}  // namespace

void provide_hypre() {
  provide_external_amg([](const Processes& processes, const RowSystem& system, const Options& options) {
    static MakeHypre* const make = load_hypre();
    return std::unique_ptr<ExternalAmg>(make(processes, system, options));
  });
}
#else
void provide_hypre() {}
#endif

}  // namespace poisson
