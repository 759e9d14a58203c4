#include "backends/cuda/runtime_module.hpp"

#include <future>

#include <cuda.h>
#include <dlfcn.h>

#include "backends/cuda/check.cuh"

namespace poisson::cuda {

// Contains the functions of the driver that modules need, by their unversioned names, which every version of the driver
// has.
struct RuntimeModule::Driver {
  CUresult (*load)(CUmodule*, const void*) = nullptr;
  CUresult (*unload)(CUmodule) = nullptr;
  CUresult (*function)(CUfunction*, CUmodule, const char*) = nullptr;
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) = nullptr;
  CUresult (*text)(CUresult, const char**) = nullptr;

  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) throw NoRuntimeCode("the driver's library cannot be loaded (" + std::string(dlerror()) + ")");
    const auto find = [&]<class F>(F*& to, const char* name) {
      to = reinterpret_cast<F*>(dlsym(library, name));
      if (!to) throw NoRuntimeCode("the driver's library lacks " + std::string(name));
    };
    find(load, "cuModuleLoadData");
    find(unload, "cuModuleUnload");
    find(function, "cuModuleGetFunction");
    find(launch, "cuLaunchKernel");
    find(text, "cuGetErrorString");
  }
  std::string describe(CUresult status) const {
    const char* words = nullptr;
    return text(status, &words) == CUDA_SUCCESS && words ? words : "error " + std::to_string(static_cast<int>(status));
  }
};

const RuntimeModule::Driver& RuntimeModule::driver() {
  static const Driver driver;
  return driver;
}

namespace {

std::string architecture() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

}  // namespace

// Returns the module, or null if the driver refuses the code.
std::shared_ptr<void> RuntimeModule::load(const std::string& binary) {
  CUmodule module = nullptr;
  if (driver().load(&module, binary.data()) != CUDA_SUCCESS) return nullptr;
  return {module, [](void* m) { driver().unload(static_cast<CUmodule>(m)); }};
}

std::vector<RuntimeModule> RuntimeModule::load(std::span<const std::string> sources,
                                               std::span<const RuntimeHeader> headers) {
  check(cudaFree(nullptr));  // creates the context of the device
  driver();
  const RuntimeCompiler compiler(architecture());
  std::vector<std::future<RuntimeCompiler::Code>> codes;  // their threads end before this function returns
  for (const std::string& source : sources)
    codes.push_back(std::async(std::launch::async, [&] { return compiler.compile(source, headers); }));
  std::vector<RuntimeModule> modules;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const RuntimeCompiler::Code code = codes[i].get();
    std::shared_ptr<void> loaded = load(code.binary);
    if (!loaded && code.cached) loaded = load(compiler.compile(sources[i], headers, true).binary);
    if (!loaded)
      throw NoRuntimeCode("the driver refused code compiled at run time (an older driver than the compiler)");
    modules.push_back(RuntimeModule(std::move(loaded)));
  }
  return modules;
}

RuntimeModule::Kernel RuntimeModule::kernel(const std::string& name) const {
  CUfunction function = nullptr;
  const CUresult status = driver().function(&function, static_cast<CUmodule>(module_.get()), name.c_str());
  if (status != CUDA_SUCCESS) throw NoRuntimeCode("no kernel " + name + " (" + driver().describe(status) + ")");
  return function;
}

void RuntimeModule::launch(Kernel kernel, dim3 blocks, unsigned threads, cudaStream_t stream, void** arguments) const {
  const CUresult status = driver().launch(static_cast<CUfunction>(kernel), blocks.x, blocks.y, blocks.z, threads, 1, 1,
                                          0, stream, arguments, nullptr);
  if (status != CUDA_SUCCESS)
    throw RunError("CUDA: " + driver().describe(status) + " (launching code compiled at run time)", Remedy::report);
  launched(stream);
}

}  // namespace poisson::cuda
