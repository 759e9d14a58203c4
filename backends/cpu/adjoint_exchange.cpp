#include "backends/cpu/adjoint_exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backends/cpu/packed_lines.hpp"

namespace poisson::cpu {
namespace {

class HostAdjointExchange final : public AdjointExchange {
  void add_own(Field& x, const Exchange::Turn& turn) override {
    dispatch(x.precision(), [&]<class T>(T) {
      const auto v = x.view<T>();
      for (const auto& [patch, side, from, to] : turn)
        for_each_line(to, [&](int j, int k) {
          T* const copy = &v(to.first[0], j, k);
          T* const own = &v(from.first[0], j - to.first[1] + from.first[1], k - to.first[2] + from.first[2]);
          for (int i = 0; i < to.last[0] - to.first[0]; ++i) own[i] += std::exchange(copy[i], T(0));
        });
    });
  }

  void send(Field& x, int width, std::size_t t) override {
    const Exchange::Turn& turn = x.space().halo().turns(width)[t];
    std::vector<Processes::Message> out, in;
    dispatch(x.precision(), [&]<class T>(T) {
      for (std::size_t p = 0; p < turn.size(); ++p) {
        const auto& [patch, side, from, to] = turn[p];
        const std::size_t bytes = static_cast<std::size_t>(to.size()) * sizeof(T);
        out_[p].resize(bytes);
        in_[p].resize(bytes);
        for_each_packed_line(x.view<T>(), to, out_[p].data(), [](T* line, T* row, std::int64_t n) {
          std::copy_n(line, n, row);
          std::fill_n(line, n, T(0));
        });
        out.push_back({patch, -side, out_[p].data(), bytes});
        in.push_back({patch, side, in_[p].data(), bytes});
      }
    });
    transit_ = x.space().processes().start(out, in);
  }
  void receive(Field& x, int width, std::size_t t) override {
    std::exchange(transit_, nullptr)->finish();
    const Exchange::Turn& sent = x.space().halo().sent(width)[t];
    dispatch(x.precision(), [&]<class T>(T) {
      for (std::size_t p = 0; p < sent.size(); ++p)
        for_each_packed_line(x.view<T>(), sent[p].from, in_[p].data(), [](T* line, const T* row, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) line[i] += row[i];
        });
    });
  }

  std::array<std::vector<char>, 2> out_, in_;    // layers in flight
  std::unique_ptr<Processes::Transit> transit_;  // null if nothing is in flight
};

}  // namespace

std::unique_ptr<AdjointExchange> make_adjoint_exchange() {
  return std::make_unique<HostAdjointExchange>();
}

}  // namespace poisson::cpu
