#include "backends/lines/part_swap.hpp"

#include <cstring>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

class OnHost final : public PartSwap {
 public:
  explicit OnHost(const Members& members) : members_(members) {}
  void swap(const void* from, void* to, std::size_t bytes) override {
    const std::size_t own = members_.own() * bytes;
    std::memcpy(static_cast<char*>(to) + own, static_cast<const char*>(from) + own, bytes);
    swap_parts_of_others(members_, from, to, bytes);
  }

 private:
  Members members_;
};

class Rehearsed final : public PartSwap {
 public:
  Rehearsed(RehearsalBackend& backend, std::size_t most) : backend_(backend), most_(most) {}
  void reserve_halo_buffers() override { backend_.reserve_parts(most_); }
  void swap(const void*, void*, std::size_t) override {}

 private:
  RehearsalBackend& backend_;
  std::size_t most_;
};

}  // namespace

std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most) {
  if (auto* const rehearsal = dynamic_cast<RehearsalBackend*>(&backend))
    return std::make_unique<Rehearsed>(*rehearsal, most);
  if (backend.kind() == BackendKind::cpu) return std::make_unique<OnHost>(members);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::make_part_swap(backend, members, most);
#else
  static_cast<void>(most);
#endif
  throw RunError("there are no messages between GPUs (this build lacks CUDA)", Remedy::host);
}

}  // namespace poisson
