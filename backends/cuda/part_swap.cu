#include <algorithm>

#include "backends/cuda/batches.cuh"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/factories.hpp"
#include "backends/cuda/ticket.cuh"

namespace poisson::cuda {
namespace {

using Unit = uint4;
static_assert(sizeof(Unit) == part_alignment);

struct Parts {
  Mailbox mail;
  const Unit* from;
  Unit* to;
  int n, members, own;  // n is in units
  int ranks[most_peers];
};

// Each process begins with its successor, so that not all processes write to the same one first. All processes meet,
// whoever their members are. Each therefore knows that all messages of two epochs ago have been read.
__global__ void __launch_bounds__(256) swap_parts_kernel(const __grid_constant__ Parts parts) {
  await_others();
  const Mailbox& mail = parts.mail;
  const int n = parts.n;
  const unsigned epoch = mail.epoch_of(Mailbox::of_parts);
  for (int i = 1; i <= parts.members; ++i) {
    const int m = (parts.own + i) % parts.members;
    const Unit* const from = parts.from + std::int64_t{m} * n;
    Unit* const to =
        m == parts.own ? parts.to + std::int64_t{m} * n : mail.part<Unit>(parts.ranks[m], mail.rank, epoch);
    in_batches<Unit>(
        n, [&](int at) { return from[at]; }, [&](int at, const Unit& unit) { to[at] = unit; });
  }
  mail.meet(epoch);
  for (int m = 0; m < parts.members; ++m) {
    if (m == parts.own) continue;
    const Unit* const slot = mail.part<Unit>(mail.rank, parts.ranks[m], epoch);
    Unit* const to = parts.to + std::int64_t{m} * n;
    // The loads bypass the caches, which do not see stores of other GPUs.
    in_batches<Unit>(
        n, [&](int at) { return __ldcv(slot + at); }, [&](int at, const Unit& unit) { to[at] = unit; });
  }
  end_epoch(&mail.channels[Mailbox::of_parts], epoch, gridDim.x);
}

class CudaPartSwap final : public PartSwap {
 public:
  CudaPartSwap(CudaBackend& device, const Members& members, std::size_t most)
      : device_(device), members_(members), most_(most) {}

  void reserve_halo_buffers() override {
    device_.reserve_halo_buffers(*members_.processes, MailSizes::of_parts(most_));
  }
  void swap(const void* from, void* to, std::size_t bytes) override {
    reserve_halo_buffers();
    device_.swap_parts(members_, from, to, bytes, [&] {
      const auto values = static_cast<std::int64_t>(members_.count() * bytes / sizeof(double));
      launch(swap_parts_kernel, mail_blocks(values), 256, device_.stream(), by_mail(from, to, bytes));
    });
  }

 private:
  Parts by_mail(const void* from, void* to, std::size_t bytes) const {
    Parts parts{device_.mail()->box(),
                static_cast<const Unit*>(from),
                static_cast<Unit*>(to),
                static_cast<int>(bytes / sizeof(Unit)),
                static_cast<int>(members_.count()),
                static_cast<int>(members_.own()),
                {}};
    std::ranges::copy(members_.ranks, parts.ranks);
    return parts;
  }

  CudaBackend& device_;
  Members members_;
  std::size_t most_;
};

}  // namespace

std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most) {
  return std::make_unique<CudaPartSwap>(dynamic_cast<CudaBackend&>(backend), members, most);
}

}  // namespace poisson::cuda
