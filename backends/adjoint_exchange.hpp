#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"

namespace poisson {

/// Applies the transpose Eᵀ of a halo exchange E (exchange.hpp), which sums over elements need if the nodes of an
/// element lie in several patches. Halo values are added to the values that they are copies of, in the patches that own
/// them, and are then set to zero.
///
/// E is a product of turns, so Eᵀ applies them in reverse order, each piece from its destination to its source. Edges
/// and corners are therefore correct, as in E. Halos past open ends belong to the patch in both.
///
/// All processes that share the grid make the same calls. Only one exchange may be in flight at a time.
class AdjointExchange {
 public:
  virtual ~AdjointExchange() = default;

  /// Computes x = Eᵀ x for halos that are `width` values wide where the grid is cut.
  void add(Field& x, int width = 1) {
    start(x, width);
    finish(x, width);
  }
  /// These are the halves of `add`. Work between them must not touch the halo, nor values of the patch that are less
  /// than `width` away from its ends.
  void start(Field& x, int width);
  void finish(Field& x, int width);

 private:
  /// Steps that differ between devices: a turn of the patch with itself, and the halves of a turn with others. Copies
  /// return to the owners of the values. A patch and its neighbour exchange equal numbers of values, so each sent piece
  /// pairs with a received one.
  virtual void add_own(Field& x, const Exchange::Turn&) = 0;
  virtual void send(Field& x, int width, std::size_t turn) = 0;
  virtual void receive(Field& x, int width, std::size_t turn) = 0;
};

/// Makes the adjoint exchange of a backend. The backend must outlive it.
std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend);

}  // namespace poisson
