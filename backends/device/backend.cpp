#include "backends/device/backend.hpp"

#include <cstdlib>

#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/program.hpp"
#endif

namespace poisson {
namespace {

// Above this size the work on a box takes longer than dividing the box costs. On a GPU that is three launches and a
// fork, about 10 µs.
constexpr std::int64_t default_least_beside = std::int64_t{1} << 19;

}  // namespace

Backend::Backend() : least_beside_(default_least_beside) {
  if (const char* text = std::getenv("POISSON_OVERLAP")) set_least_beside(std::atoll(text));
}

void Backend::set_least_beside(std::int64_t values) {
  least_beside_ = values > 0 ? values : std::numeric_limits<std::int64_t>::max();
}

Scalar Backend::scalar(double value) {
  Scalar s(allocate(sizeof(double)));
  write(&value, s.address(), sizeof value);
  return s;
}

void Backend::do_run_exchange(const Exchange& exchange, const Field& from, Field& to, int width) {
#ifdef POISSON_HAVE_CUDA
  if (kind() == BackendKind::cuda) return cuda::run_program(*this, exchange.program(width), from, to);
#endif
  const auto host = make_cpu_backend();
  Field source(*host, from.space(), from.precision()), result;
  transfer(from, source);
  if (&from != &to) {
    result = Field(*host, to.space(), to.precision());
    transfer(to, result);
  }
  Field& moved = &from == &to ? source : result;
  host->run_exchange(exchange, source, moved, width);
  transfer(moved, to);
}

double Backend::value(const Scalar& s) {
  double value = 0;
  read(s.address(), &value, sizeof value);
  return value;
}

}  // namespace poisson
