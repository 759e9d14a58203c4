#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"

namespace poisson {

/// The transpose Eᵀ of an exchange of halos E (exchange.hpp), as sums over elements need it whose nodes lie in several
/// patches: what a halo holds is added to the values that it is a copy of, in the patches that own them, and is zero
/// then. E is a product of turns, so Eᵀ takes them backwards, each piece from where it went to where it came from;
/// edges and corners come right as they do in E. Halos past open ends are values of the patch here as there.
///
/// All processes that share the grid call the same. One is under way at a time.
class AdjointExchange {
 public:
  virtual ~AdjointExchange() = default;

  /// x = Eᵀ x, of halos so wide where the grid is cut.
  void add(Field& x, int width = 1) {
    start(x, width);
    finish(x, width);
  }
  /// Its halves. Between them work goes on that neither reads nor writes the halo, and of the patch only what lies
  /// `width` values away from its ends.
  void start(Field& x, int width);
  void finish(Field& x, int width);

 private:
  /// What differs between devices: a turn of the patch with itself, and the halves of one with others. Copies go back
  /// to those that own the values; a neighbour takes as many of this patch as this one of it, so that sent pieces stand
  /// beside received ones.
  virtual void add_own(Field& x, const Exchange::Turn&) = 0;
  virtual void send(Field& x, int width, std::size_t turn) = 0;
  virtual void receive(Field& x, int width, std::size_t turn) = 0;
};

/// That of a backend, which outlives it.
std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend);

}  // namespace poisson
