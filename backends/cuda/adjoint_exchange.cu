#include "backends/cuda/adjoint_exchange.hpp"
#include "backends/cuda/batches.cuh"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/ticket.cuh"
#include "backends/layer_lines.hpp"

namespace poisson::cuda {
namespace {

// Adds each halo value to the value `shift` places away and clears it.
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

/// Describes an exchange step between peers, in one kernel. Halos are sent and cleared, and received values are added
/// to their layers.
template <class T>
struct AddByTicket {
  Ticket<T> ticket;
  LayerLines out[2], in[2];  // halos and adjacent layers
};
template <class T>
__global__ void __launch_bounds__(256) add_kernel(const __grid_constant__ AddByTicket<T> add) {
  await_others();
  const Ticket<T>& ticket = add.ticket;
  const unsigned turn = ticket.turn();
  const int lines = add.out[0].lines(), layers = add.out[0].layers();
  const auto value = [&](const LayerLines& of, int layer, int line) -> T& {
    const auto [x, y, z] = of.place(line, layer);
    return ticket.v(x, y, z);
  };
  for (int p = 0; p < ticket.sent; ++p)
    for (int layer = 0; layer < layers; ++layer)
      in_batches<T>(
          lines, [&](int line) { return value(add.out[p], layer, line); },
          [&](int line, T halo) {
            ticket.put(p, turn, layer * lines + line, halo);
            value(add.out[p], layer, line) = 0;
          });
  ticket.post(turn);
  ticket.wait(turn);
  for (int p = 0; p < ticket.received; ++p)
    for (int layer = 0; layer < layers; ++layer)
      in_batches<T>(
          lines, [&](int line) { return ticket.get(p, turn, layer * lines + line); },
          [&](int line, T halo) { value(add.in[p], layer, line) += halo; });
  ticket.end(turn);
}

/// Adds halos to the values that they are copies of. Through the host, neighbours swap halos, which have equal size on
/// both sides. Each process then adds its halo, with the received values, to the adjacent layer. Between peers a step
/// is one kernel.
class CudaAdjointExchange final : public AdjointExchange {
 public:
  explicit CudaAdjointExchange(Backend& backend) : device_(dynamic_cast<CudaBackend&>(backend)) {}

 private:
  void add_own(Field& x, const Exchange::Turn& turn) override {
    for (const Exchange::Piece& piece : turn) add(x, piece.to, piece.from);
  }
  void send(Field& x, int width, std::size_t t) override {
    device_.join(x.space());
    const Exchange::Turn &turn = x.space().halo().turns(width)[t], &layers = x.space().halo().sent(width)[t];
    Exchange::Turn sent, received;
    for (const auto& [patch, side, from, to] : turn) {
      sent.push_back({patch, -side, to, from});
      received.push_back({patch, side, from, to});
    }
    if (!device_.mail()) return device_.begin_swap(x, sent, received);
    const int axis = axis_across(turn.front());
    dispatch(x.precision(), [&]<class T>(T) {
      const View<T> v = x.view<T>();
      AddByTicket<T> add{Ticket<T>::of(device_.mail()->box(), {&v, 1}, axis, sent, received), {}, {}};
      for (std::size_t p = 0; p < turn.size(); ++p) {
        add.out[p] = LayerLines::of(turn[p].to, axis);
        add.in[p] = LayerLines::of(layers[p].from, axis);
      }
      launch(add_kernel<T>, mail_blocks(turn.front().to.size()), 256, device_.stream(), add);
    });
  }
  void receive(Field& x, int width, std::size_t t) override {
    if (device_.mail()) return;
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
