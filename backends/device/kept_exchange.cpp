#include "backends/device/kept_exchange.hpp"

#include <utility>

#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/program.hpp"
#endif

namespace poisson {

std::shared_ptr<const void> keep_exchange([[maybe_unused]] Backend& backend, [[maybe_unused]] const Exchange& exchange,
                                          [[maybe_unused]] const Space& from, [[maybe_unused]] const Space& to) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::keep_program(backend, exchange.program(), from, to);
#endif
  return nullptr;
}

void exchange_with_others(Backend& backend, const Field& field) {
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::exchange_with_others(backend, field);
#endif
  ExchangeProgram others;
  for (const ExchangeStep& step : field.space().halo().program()) others.push_back({{}, step.channels});
  backend.run_exchange(Exchange(std::move(others)), field, const_cast<Field&>(field));
}

}  // namespace poisson
