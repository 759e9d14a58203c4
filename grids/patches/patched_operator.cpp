#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "backends/device/arrays.hpp"
#include "backends/device/device.hpp"
#include "grids/patches/patched.hpp"
#include "grids/patches/patched_fields.hpp"

namespace poisson {
namespace {

using Parts = std::vector<std::shared_ptr<const Operator>>;

/// Is a splitting of all patches. It needs the splittings of the patches.
template <class Base, class Own>
class PatchedSplitting : public Base {
 public:
  PatchedSplitting(std::shared_ptr<const PatchTeam> team, const Parts& parts, std::vector<std::unique_ptr<Own>> own)
      : team_(std::move(team)), parts_(parts), own_(std::move(own)) {}

  void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
    std::vector<char> swapped(own_.size());
    team_->run([&](int m) {
      FieldsOfPatch fields(*team_, parts_, m);
      Field &now = fields[*u.now], *const other = u.other ? &fields[*u.other] : nullptr;
      Iterate iterate{&now, other, u.zero};
      own(m).take(steps, reversed, fields[b], iterate);
      swapped[static_cast<std::size_t>(m)] = iterate.now != &now;
    });
    u.zero = false;
    if (swapped.front()) std::swap(u.now, u.other);
  }

 protected:
  Own& own(int m) const { return *own_[static_cast<std::size_t>(m)]; }
  std::shared_ptr<const PatchTeam> team_;
  const Parts& parts_;

 private:
  std::vector<std::unique_ptr<Own>> own_;
};

class PatchedSymmetricSplitting final : public PatchedSplitting<SymmetricSplitting, SymmetricSplitting> {
 public:
  using PatchedSplitting::PatchedSplitting;
  double largest_eigenvalue() const override {
    double largest = 0;
    team_->run([&](int m) {
      const double found = own(m).largest_eigenvalue();
      if (m == 0) largest = found;
    });
    return largest;
  }
  void start(double alpha, const Field& b, Field& u) const override {
    team_->run([&](int m) {
      FieldsOfPatch fields(*team_, parts_, m);
      own(m).start(alpha, fields[b], fields[u]);
    });
  }
  void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    team_->run([&](int m) {
      FieldsOfPatch fields(*team_, parts_, m);
      own(m).step(step, fields[u], fields[b], fields[previous]);
    });
  }
};

class PatchedOperator final : public Operator {
 public:
  PatchedOperator(std::shared_ptr<const PatchTeam> team, Parts parts)
      : team_(std::move(team)),
        parts_(std::move(parts)),
        space_(space_of_patches(parts_.front()->space(), team_->processes())) {
    for (int m = 0; m < team_->size(); ++m)
      for (int s = 0; s < 4; ++s) scalars_.push_back(team_->backend(m).scalar());
  }

  Backend& backend() const override { return team_->backend(); }
  Precision precision() const override { return parts_.front()->precision(); }
  const Space& space() const override { return space_; }
  std::string_view assembly() const override { return parts_.front()->assembly(); }
  double scale() const override { return parts_.front()->scale(); }
  bool singular() const override { return parts_.front()->singular(); }
  std::size_t bytes() const override {
    std::size_t all = 0;
    for (const auto& part : parts_) all += part->bytes();
    return all;
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    auto own = splittings<SymmetricSplitting>([&](const Operator& part) { return part.split(relaxation); });
    return std::make_unique<PatchedSymmetricSplitting>(team_, parts_, std::move(own));
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    auto own = splittings<Splitting>([](const Operator& part) { return part.split_by_colours(); });
    return std::make_unique<PatchedSplitting<Splitting, Splitting>>(team_, parts_, std::move(own));
  }
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    each(
        [&](const Operator& part, FieldsOfPatch& fields, Scalar* s) { part.project_rhs(fields[b], s[0], s[1], s[2]); });
    give({&amount, &before, &after});
  }

 private:
  template <class Own, class Make>
  std::vector<std::unique_ptr<Own>> splittings(const Make& make) const {
    std::vector<std::unique_ptr<Own>> own(parts_.size());
    team_->run([&](int m) { own[static_cast<std::size_t>(m)] = make(*parts_[static_cast<std::size_t>(m)]); });
    return own;
  }
  // Calls f(operator, fields, scalars) for all patches.
  template <class F>
  void each(const F& f) const {
    team_->run([&](int m) {
      FieldsOfPatch fields(*team_, parts_, m);
      f(*parts_[static_cast<std::size_t>(m)], fields, &scalars_[static_cast<std::size_t>(4 * m)]);
    });
  }
  // All members have the same results.
  void give(std::initializer_list<Scalar*> results) const {
    std::size_t s = 0;
    for (Scalar* const result : results) backend().assign(scalars_[s++], *result);
  }

  void do_apply(const Field& u, Field& Au) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar*) { part.apply(fields[u], fields[Au]); });
  }
  void do_apply_everywhere(const Field& u, Field& Au) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar*) { part.apply_everywhere(fields[u], fields[Au]); });
  }
  void do_diagonal(Field& d) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar*) { part.diagonal(fields[d]); });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar*) { part.residual(fields[u], fields[b], fields[r]); });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar* s) {
      part.residual(fields[u], fields[b], fields[r], scale, s[0]);
    });
    give({&norm});
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar* s) { part.norm(fields[r], s[0]); });
    give({&norm});
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar* s) { part.rounding(fields[u], s[0]); });
    give({&norm});
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar* s) { part.project_rhs(fields[b], s[0]); });
    give({&amount});
  }
  void do_project_solution(Field& u) const override {
    each([&](const Operator& part, FieldsOfPatch& fields, Scalar*) { part.project_solution(fields[u]); });
  }

  std::shared_ptr<const PatchTeam> team_;
  Parts parts_;
  Space space_;
  mutable std::vector<Scalar> scalars_;  // four for each patch
};

}  // namespace

PatchTeam::PatchTeam(Backend& backend, const std::shared_ptr<const Processes>& processes, int patches)
    : processes_(processes), team_(processes, patches) {
  const bool gpu = backend.on_gpu();
  const std::string device = gpu ? "cuda:" + std::to_string(device_number(backend)) : "cpu";
  backends_.push_back(&backend);
  while (std::ssize(backends_) < team_.size())
    backends_.push_back(own_.emplace_back(make_backend(device, nullptr, 0, Transport::staged)).get());
  for (Backend* const own : backends_) {
    if (gpu) own->run_immediately();
    marks_.push_back(own->scalar());
  }
}

void PatchTeam::run(const std::function<void(int)>& f) const {
  const bool gpu = backends_.front()->on_gpu();
  const auto wait = [&](int m) {
    if (gpu) backend(m).value(marks_[static_cast<std::size_t>(m)]);
  };
  wait(0);
  team_.run([&](int m) {
    const auto device = gpu ? use_device_of(backend(m)) : nullptr;
    f(m);
    wait(m);
  });
}

std::unique_ptr<Operator> make_patched_operator(std::shared_ptr<const PatchTeam> team, Parts parts) {
  return std::make_unique<PatchedOperator>(std::move(team), std::move(parts));
}

}  // namespace poisson
