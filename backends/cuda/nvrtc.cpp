#include "backends/cuda/nvrtc.hpp"

#include "backends/cuda/toolkit.hpp"

namespace poisson::cuda {
namespace {

constexpr const char* install_nvrtc = ": install libnvrtc of the CUDA toolkit, or name the library in POISSON_NVRTC";

}  // namespace

template <class F>
void Nvrtc::find(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(library_.find(name));
  if (!function)
    throw NoRuntimeCode("the run-time compiler lacks " + std::string(name) + " (an old libnvrtc)" + install_nvrtc);
}

Nvrtc::Nvrtc() : library_(toolkit_library("POISSON_NVRTC", "nvrtc")) {
  if (!library_) throw NoRuntimeCode("no run-time compiler (" + library_.reason() + ")" + install_nvrtc);
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
