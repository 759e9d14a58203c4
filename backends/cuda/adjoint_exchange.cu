#include "backends/cuda/adjoint_exchange.hpp"
#include "backends/cuda/cuda_backend.cuh"

namespace poisson::cuda {
namespace {

// Halos come back to the values so many places further on.
template <class T>
struct AddHalo {
  View<T> v;
  int shift[3];
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      v(i + shift[0], j + shift[1], k + shift[2]) += v(i, j, k);
      v(i, j, k) = 0;
    }
  }
};

/// Neighbours swap halos: what one of them has in its halo is as large as the halo of the other, and comes to lie
/// there, whatever the transport. Then each adds its own halo to the layer beside it.
class CudaAdjointExchange final : public AdjointExchange {
 public:
  explicit CudaAdjointExchange(Backend& backend) : device_(dynamic_cast<CudaBackend&>(backend)) {}

  void start(Field& x, int width) override {
    const Exchange& halo = x.space().halo();
    if (!halo.with_others()) return;
    device_.join(x.space());
    for (std::size_t t = halo.turns(width).size(); --t > halo.under_way();) add_own(x, width, t);
    swap_halos(x, width, halo.under_way());
  }
  void finish(Field& x, int width) override {
    const Exchange& halo = x.space().halo();
    if (halo.with_others()) add_swapped(x, width, halo.under_way());
    for (std::size_t t = halo.under_way(); t-- > 0;) {
      if (halo.sent(width)[t].empty()) {
        add_own(x, width, t);
      } else {
        swap_halos(x, width, t);
        add_swapped(x, width, t);
      }
    }
  }

 private:
  void add_own(Field& x, int width, std::size_t t) {
    for (const Exchange::Piece& piece : x.space().halo().turns(width)[t]) add(x, piece.to, piece.from);
  }
  void swap_halos(Field& x, int width, std::size_t t) {
    Exchange::Turn sent, received;
    for (const auto& [patch, side, from, to] : x.space().halo().turns(width)[t]) {
      sent.push_back({patch, -side, to, from});
      received.push_back({patch, side, from, to});
    }
    device_.begin_swap(x, sent, received);
  }
  void add_swapped(Field& x, int width, std::size_t t) {
    const Exchange::Turn &turn = x.space().halo().turns(width)[t], &sent = x.space().halo().sent(width)[t];
    device_.end_swap(x, turn);
    for (std::size_t p = 0; p < turn.size(); ++p) add(x, turn[p].to, sent[p].from);
  }
  void add(Field& x, const Box& halo, const Box& own) {
    dispatch(x.precision(), [&]<class T>(T) {
      AddHalo<T> add{x.view<T>(), {}};
      for (std::size_t d = 0; d < 3; ++d) add.shift[d] = own.first[d] - halo.first[d];
      for_columns(device_.stream(), halo, add);
    });
  }

  CudaBackend& device_;
};

}  // namespace

std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend) {
  return std::make_unique<CudaAdjointExchange>(backend);
}

}  // namespace poisson::cuda
