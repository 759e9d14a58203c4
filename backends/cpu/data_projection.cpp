#include "backends/cpu/factories.hpp"
#include "backends/cpu/launch.hpp"

namespace poisson::cpu {
namespace {

class CpuDataProjection final : public DataProjection {
 public:
  CpuDataProjection(const Space& space, const TensorDiagonal& A, const TensorMass& mass) : A_(A), mass_(mass) {
    taken_off_ = sum(space, [&](const Line& line, int, int) {
      double sum = 0;
      for (int i = A_.box.first[0]; i < A_.box.last[0]; ++i) sum += line.mass(i) * line.mass(i) / line.diagonal(i);
      return sum;
    });
    taken_off_ /= mass_.volume * mass_.volume;
  }

  void do_apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    dispatch(b.precision(), [&]<class T>(T) {
      const View<T> v = b.view<T>();
      const int first = A_.box.first[0], last = A_.box.last[0];
      const double total = sum(b.space(), [&](const Line&, int j, int k) {
        const T* const line = v.line(j, k);
        double sum = 0;
        for (int i = first; i < last; ++i) sum += static_cast<double>(line[i]);
        return sum;
      });
      const double share = total / mass_.volume;
      const double left = sum(b.space(), [&](const Line& rows, int j, int k) {
        T* const line = v.line(j, k);
        double sum = 0;
        for (int i = first; i < last; ++i) {
          line[i] -= static_cast<T>(share * rows.mass(i));
          const auto value = static_cast<double>(line[i]);
          sum += value * value / rows.diagonal(i);
        }
        return sum;
      });
      *amount.address() = total;
      *after.address() = left;
      *before.address() = left + total * total * taken_off_;
    });
  }

 private:
  // Describes the rows of a line along x.
  struct Line {
    const CpuDataProjection& of;
    double ky, my, wy, kz, mz, wz;

    double mass(int i) const { return of.at(of.mass_.sums[0], 0, i) * wy * wz; }
    double diagonal(int i) const {
      return TensorDiagonal::entry(of.at(of.A_.stiffness[0], 0, i), of.at(of.A_.mass[0], 0, i), ky, my, kz, mz,
                                   of.A_.sigma);
    }
  };
  double at(const std::vector<double>& table, std::size_t axis, int i) const {
    return table[static_cast<std::size_t>(i - A_.box.first[axis])];
  }
  // Returns Σ f(line, j, k) over the lines of all processes.
  template <class F>
  double sum(const Space& space, const F& f) const {
    return sum_over_lines(space, A_.box, [&](int j, int k) {
      return f(Line{*this, at(A_.stiffness[1], 1, j), at(A_.mass[1], 1, j), at(mass_.sums[1], 1, j),
                    at(A_.stiffness[2], 2, k), at(A_.mass[2], 2, k), at(mass_.sums[2], 2, k)},
               j, k);
    });
  }

  TensorDiagonal A_;
  TensorMass mass_;
  double taken_off_ = 0;  ///< ‖M1‖²/(1ᵀM1)²
};

}  // namespace

std::unique_ptr<DataProjection> make_data_projection(Backend&, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass) {
  return std::make_unique<CpuDataProjection>(space, A, mass);
}

}  // namespace poisson::cpu
