#include "backends/adjoint_exchange.hpp"

#include "backends/cpu/adjoint_exchange.hpp"
#include "backends/error.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/adjoint_exchange.hpp"
#endif

namespace poisson {

void AdjointExchange::start(Field& x, int width) {
  const Exchange& halo = x.space().halo();
  if (!halo.with_others()) return;
  const auto& turns = halo.turns(width);
  for (std::size_t t = turns.size(); --t > halo.under_way();) add_own(x, turns[t]);
  send(x, width, halo.under_way());
}

void AdjointExchange::finish(Field& x, int width) {
  const Exchange& halo = x.space().halo();
  if (halo.with_others()) receive(x, width, halo.under_way());
  for (std::size_t t = halo.under_way(); t-- > 0;) {
    if (halo.sent(width)[t].empty()) {
      add_own(x, halo.turns(width)[t]);
    } else {
      send(x, width, t);
      receive(x, width, t);
    }
  }
}

std::unique_ptr<AdjointExchange> make_adjoint_exchange(Backend& backend) {
  switch (backend.kind()) {
    case BackendKind::cpu:
      return cpu::make_adjoint_exchange();
    case BackendKind::cuda:
#ifdef POISSON_HAVE_CUDA
      return cuda::make_adjoint_exchange(backend);
#endif
      break;
  }
  throw RunError("there is no adjoint exchange for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
