#include <cstdlib>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "backends/cuda/nvrtc.hpp"

namespace poisson::cuda {
namespace {

constexpr const char* remedy = ": install libnvrtc of the CUDA toolkit, or name the library in POISSON_NVRTC";

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("POISSON_NVRTC")) return {named};
  // The release that this program was built with first: the driver knows its code.
  std::vector<std::string> names{"libnvrtc.so." + std::to_string(CUDART_VERSION / 1000)};
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"})
    if (names.front() != name) names.emplace_back(name);
  std::vector<std::string> folders{""};
#ifdef POISSON_CUDA_LIBRARY_DIR
  folders.emplace_back(POISSON_CUDA_LIBRARY_DIR "/");
#endif
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) folders.push_back(std::string(root) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> all;
  for (const std::string& name : names)
    for (const std::string& folder : folders) all.push_back(folder + name);
  return all;
}

}  // namespace

template <class F>
void Nvrtc::find(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(dlsym(library_.get(), name));
  if (!function)
    throw NoRuntimeCode("the run-time compiler lacks " + std::string(name) + " (an old libnvrtc)" + remedy);
}

Nvrtc::Nvrtc() {
  std::string reason;
  for (const std::string& path : candidates()) {
    library_ = std::shared_ptr<void>(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void*) {});  // stays loaded
    if (library_) break;
    if (const char* text = dlerror(); text && reason.empty()) reason = text;
  }
  if (!library_) throw NoRuntimeCode("no run-time compiler (" + reason + ")" + remedy);
  find(version_, "nvrtcVersion");
  find(error_text_, "nvrtcGetErrorString");
  find(create_, "nvrtcCreateProgram");
  find(destroy_, "nvrtcDestroyProgram");
  find(compile_, "nvrtcCompileProgram");
  find(log_size_, "nvrtcGetProgramLogSize");
  find(log_, "nvrtcGetProgramLog");
  find(code_size_, "nvrtcGetCUBINSize");
  find(code_, "nvrtcGetCUBIN");
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  version_(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string Nvrtc::compile(const std::string& source, std::span<const RuntimeHeader> headers,
                           const std::vector<std::string>& options) const {
  const auto checked = [&](int status) {
    if (status != 0) throw NoRuntimeCode("the run-time compiler failed (" + std::string(error_text_(status)) + ")");
  };
  std::vector<const char*> texts, names, flags;
  for (const RuntimeHeader& header : headers) {
    texts.push_back(header.text);
    names.push_back(header.name);
  }
  for (const std::string& option : options) flags.push_back(option.c_str());

  struct Owner {
    const Nvrtc& nvrtc;
    Program program = nullptr;
    ~Owner() { nvrtc.destroy_(&program); }
  } owner{*this};
  checked(create_(&owner.program, source.c_str(), "poisson.cu", static_cast<int>(headers.size()), texts.data(),
                  names.data()));
  const int status = compile_(owner.program, static_cast<int>(flags.size()), flags.data());
  if (status != 0) {
    std::size_t size = 0;
    std::string log;
    if (log_size_(owner.program, &size) == 0 && size > 1) {
      log.resize(size);
      log_(owner.program, log.data());
      log = log.substr(0, log.find('\n'));
    }
    throw NoRuntimeCode("the run-time compiler " + version() + " refused (" + std::string(error_text_(status)) +
                        (log.empty() ? "" : ": " + log) + ")");
  }
  std::size_t size = 0;
  checked(code_size_(owner.program, &size));
  std::string code(size, '\0');
  checked(code_(owner.program, code.data()));
  return code;
}

}  // namespace poisson::cuda
