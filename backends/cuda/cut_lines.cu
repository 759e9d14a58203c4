#include <utility>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/eliminate_lines.hpp"
#include "backends/cuda/factories.hpp"
#include "backends/cuda/marched.hpp"

namespace poisson::cuda {
namespace {

// Computes next = u + alpha e + beta (u − next). `remembers`: beta is not 0.
template <class T, bool remembers>
struct Step {
  View<const T> u, e;
  View<T> next;
  T alpha, beta;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const T now = u(i, j, k), to = now + alpha * e(i, j, k);
      next(i, j, k) = remembers ? to + beta * (now - next(i, j, k)) : to;
    }
  }
};

template <class T>
struct Start {
  View<const T> e;
  View<T> next;
  T alpha;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) next(i, j, k) = alpha * e(i, j, k);
  }
};

class CudaCutLines final : public CutLines {
 public:
  explicit CudaCutLines(LineRows rows) : CutLines(std::move(rows)) {}

  void step(double alpha, double beta, const Field& u, const Field& e, Field& next) const override {
    dispatch(e.precision(), [&]<class T>(T) {
      const auto take = [&]<bool remembers>() {
        columns(e, Step<T, remembers>{marched(u.view<T>()), marched(e.view<T>()), marched(next.view<T>()),
                                      static_cast<T>(alpha), static_cast<T>(beta)});
      };
      beta == 0 ? take.template operator()<false>() : take.template operator()<true>();
    });
  }
  void start(double alpha, const Field& e, Field& next) const override {
    dispatch(e.precision(), [&]<class T>(T) {
      columns(e, Start<T>{marched(e.view<T>()), marched(next.view<T>()), static_cast<T>(alpha)});
    });
  }

 protected:
  void reduce(Field& x, int first) override {
    dispatch(x.precision(), [&]<class T>(T) {
      const StoredLines<T> some = some_of<T>(x, first);
      reduce_lines(device().stream(), some, ends().sent<T>(some.lanes));
    });
  }
  void solve_ends(std::int64_t lines) override {
    dispatch(precision(), [&]<class T>(T) { cuda::solve_ends(device().stream(), ends().systems<T>(lines)); });
  }
  void take_ends(Field& x, int first) override {
    dispatch(x.precision(), [&]<class T>(T) {
      const StoredLines<T> some = some_of<T>(x, first);
      cuda::take_ends<T>(device().stream(), some, ends().ends<T>(some.lanes));
    });
  }
  void eliminate(Field& x) override {
    dispatch(x.precision(), [&]<class T>(T) {
      eliminate_lines(device().stream(), lines_of<T>(x), true, static_cast<T*>(ends().kept()));
    });
  }

 private:
  CudaBackend& device() const { return static_cast<CudaBackend&>(backend()); }
  template <class Column>
  void columns(const Field& field, const Column& column) const {
    for_columns(device().stream(), marched(unknowns(), field.layout()), column);
  }
};

}  // namespace

std::unique_ptr<CutLines> make_cut_lines(LineRows rows) {
  return std::make_unique<CudaCutLines>(std::move(rows));
}

}  // namespace poisson::cuda
