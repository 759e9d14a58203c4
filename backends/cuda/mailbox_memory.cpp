#include "backends/cuda/mailbox_memory.hpp"

#include <vector>

#include <cuda_runtime.h>

#include "backends/cuda/check.cuh"
#include "backends/processes/shared_pieces.hpp"

namespace poisson::cuda {
namespace {

// Allocates one piece on each GPU. The other processes open it by CUDA IPC.
class OnDevices final : public MailboxMemory {
 public:
  OnDevices(const Processes& processes, std::size_t bytes) : processes_(processes) {
    try {
      cudaIpcMemHandle_t own{};
      together(processes, [&] {
        check(cudaMalloc(&own_, bytes));
        check(cudaMemset(own_, 0, bytes));
        check(cudaDeviceSynchronize());
        check(cudaIpcGetMemHandle(&own, own_));
      });
      const std::vector<cudaIpcMemHandle_t> all = processes.gather(own);
      together(processes, [&] {
        for (int p = 0; p < processes.count(); ++p) {
          void* there = own_;
          if (p != processes.rank()) {
            check(cudaIpcOpenMemHandle(&there, all[static_cast<std::size_t>(p)], cudaIpcMemLazyEnablePeerAccess));
            opened_.push_back(there);
          }
          pieces_.push_back(static_cast<char*>(there));
        }
      });
    } catch (...) {  // thrown on every process
      give_back();
      throw;
    }
  }
  ~OnDevices() override { give_back(); }
  OnDevices(const OnDevices&) = delete;
  char* of(int process) const override { return pieces_[static_cast<std::size_t>(process)]; }

 private:
  // If another process has not arrived here, it may still have this memory open. The memory then stays until this
  // process ends.
  void give_back() {
    for (void* memory : opened_) cudaIpcCloseMemHandle(memory);
    if (processes_.meet(2)) cudaFree(own_);
  }

  const Processes& processes_;
  void* own_ = nullptr;
  std::vector<void*> opened_;
  std::vector<char*> pieces_;
};

struct Unregister {
  void operator()(char* memory) const { cudaHostUnregister(memory); }
};

// Allocates memory that the processes share and registers it with their GPUs.
class OnHost final : public MailboxMemory {
 public:
  OnHost(const Processes& processes, std::size_t bytes) : pieces_(processes, bytes) {
    together(processes, [&] {
      for (int p = 0; p < processes.count(); ++p) {
        char* const piece = pieces_.of(p);
        check(cudaHostRegister(piece, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable));
        known_.emplace_back(piece);
        void* there = nullptr;
        check(cudaHostGetDevicePointer(&there, piece, 0));
        seen_.push_back(static_cast<char*>(there));
      }
    });
  }
  char* of(int process) const override { return seen_[static_cast<std::size_t>(process)]; }

 private:
  SharedPieces pieces_;
  std::vector<std::unique_ptr<char, Unregister>> known_;
  std::vector<char*> seen_;
};

}  // namespace

std::unique_ptr<MailboxMemory> MailboxMemory::make(MailPlace place, const Processes& processes, std::size_t bytes) {
  if (place == MailPlace::host) return std::make_unique<OnHost>(processes, bytes);
  return std::make_unique<OnDevices>(processes, bytes);
}

}  // namespace poisson::cuda
