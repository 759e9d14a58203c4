#include <utility>

#include "backends/cpu/eliminate_lines.hpp"
#include "backends/cpu/factories.hpp"
#include "backends/cpu/launch.hpp"

namespace poisson::cpu {
namespace {

class CpuCutLines final : public CutLines {
 public:
  explicit CpuCutLines(LineRows rows) : CutLines(std::move(rows)) {}

  void step(double alpha, double beta, const Field& u, const Field& e, Field& next) const override {
    dispatch(e.precision(), [&]<class T>(T) {
      const auto from = u.view<T>(), by = e.view<T>();
      const auto to = next.view<T>();
      const T length = static_cast<T>(alpha), memory = static_cast<T>(beta);
      each_line(to, [&](int j, int k, T* at) {
        const T *now = from.line(j, k), *more = by.line(j, k);
        for (int i = unknowns().first[0]; i < unknowns().last[0]; ++i)
          at[i] = now[i] + length * more[i] + (memory == T(0) ? T(0) : memory * (now[i] - at[i]));
      });
    });
  }
  void start(double alpha, const Field& e, Field& next) const override {
    dispatch(e.precision(), [&]<class T>(T) {
      const auto by = e.view<T>();
      const auto to = next.view<T>();
      const T length = static_cast<T>(alpha);
      each_line(to, [&](int j, int k, T* at) {
        const T* more = by.line(j, k);
        for (int i = unknowns().first[0]; i < unknowns().last[0]; ++i) at[i] = length * more[i];
      });
    });
  }

 protected:
  void reduce(Field& x, int first) override {
    dispatch(x.precision(), [&]<class T>(T) {
      const StoredLines<T> some = some_of<T>(x, first);
      cpu::reduce(some, ends().sent<T>(some.lanes));
    });
  }
  void solve_ends(std::int64_t lines) override {
    dispatch(precision(), [&]<class T>(T) { cpu::solve_ends(ends().systems<T>(lines)); });
  }
  void take_ends(Field& x, int first) override {
    dispatch(x.precision(), [&]<class T>(T) {
      const StoredLines<T> some = some_of<T>(x, first);
      cpu::take_ends<T>(some, ends().ends<T>(some.lanes));
    });
  }
  void eliminate(Field& x) override {
    dispatch(x.precision(), [&]<class T>(T) { cpu::eliminate(lines_of<T>(x), true); });
  }

 private:
  template <class T, class F>
  void each_line(const View<T>& to, const F& f) const {
    for_each_line(unknowns(), [&](int j, int k) { f(j, k, to.line(j, k)); });
  }
};

}  // namespace

std::unique_ptr<CutLines> make_cut_lines(LineRows rows) {
  return std::make_unique<CpuCutLines>(std::move(rows));
}

}  // namespace poisson::cpu
