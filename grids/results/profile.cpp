#include "grids/results/profile.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace poisson {

namespace {

/// Collects the verbs that the decorators report.
class Log {
 public:
  explicit Log(Backend& backend) : timer_(backend.make_timer()) {}

  int level_of(const Layout& layout) {
    const auto found = std::find(levels_.begin(), levels_.end(), layout);
    if (found == levels_.end()) {
      levels_.push_back(layout);
      return static_cast<int>(levels_.size()) - 1;
    }
    return static_cast<int>(found - levels_.begin());
  }

  template <class Verb>
  void time(const Traffic& row, const Layout& layout, double bytes, const Verb& verb) {
    const std::size_t entry = entry_of(row.verb, level_of(layout));
    entries_[entry].calls += 1;
    entries_[entry].bytes += bytes;
    timer_->start(row.verb.data());
    verb();
    timer_->stop();
    pending_.push_back(entry);
    if (pending_.size() == most_pending) settle();
  }

  std::vector<Profile::Entry> take() {
    settle();
    std::vector<Profile::Entry> entries = std::exchange(entries_, {});
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.level != b.level ? a.level < b.level : a.seconds > b.seconds;
    });
    return entries;
  }

 private:
  static constexpr std::size_t most_pending = 1 << 14;  // bounds the number of events, however long the solve is

  std::size_t entry_of(std::string_view verb, int level) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& e) { return e.verb == verb && e.level == level; });
    if (found != entries_.end()) return static_cast<std::size_t>(found - entries_.begin());
    entries_.push_back({verb, level, levels_[static_cast<std::size_t>(level)].cut()});
    return entries_.size() - 1;
  }
  void settle() {
    const std::vector<double> laps = timer_->laps();
    for (std::size_t i = 0; i < laps.size(); ++i) entries_[pending_[i]].seconds += laps[i];
    pending_.clear();
  }

  std::unique_ptr<Timer> timer_;
  std::vector<Layout> levels_;
  std::vector<Profile::Entry> entries_;
  std::vector<std::size_t> pending_;  // entries of pending laps
};

class ProfiledBackend final : public Backend {
 public:
  ProfiledBackend(Backend& backend, Log& log) : backend_(backend), log_(log) {}

  BackendKind kind() const override { return backend_.kind(); }
  std::string device() const override { return backend_.device(); }
  Buffer allocate(std::size_t bytes) override { return backend_.allocate(bytes); }
  const MemoryCount& memory() const override { return backend_.memory(); }
  void reserve(std::size_t bytes) override { backend_.reserve(bytes); }
  std::size_t available() const override { return backend_.available(); }
  void write(const void* host, void* device, std::size_t bytes) override { backend_.write(host, device, bytes); }
  void read(const void* device, void* host, std::size_t bytes) override { backend_.read(device, host, bytes); }

  void fill(Field& x, double value) override {
    time(traffic("fill"), {&x}, [&] { backend_.fill(x, value); });
  }
  void copy(const Field& x, Field& y) override {
    time(traffic("copy"), {&x, &y}, [&] { backend_.copy(x, y); });
  }
  void convert(const Field& x, Field& y) override {
    time(traffic("copy"), {&x, &y}, [&] { backend_.convert(x, y); });
  }
  void scale(const Scalar& a, const Field& x, Field& y) override {
    time(traffic("scale"), {&x, &y}, [&] { backend_.scale(a, x, y); });
  }
  void axpy(const Scalar& a, const Field& x, Field& y) override {
    time(traffic("axpy"), {&x, &y}, [&] { backend_.axpy(a, x, y); });
  }
  void axmy(const Scalar& a, const Field& x, Field& y) override {
    time(traffic("axmy"), {&x, &y}, [&] { backend_.axmy(a, x, y); });
  }
  void xpay(const Field& x, const Scalar& a, Field& y) override {
    time(traffic("xpay"), {&x, &y}, [&] { backend_.xpay(x, a, y); });
  }
  void subtract(const Field& x, const Scalar& a, const Field& y, Field& result) override {
    time(traffic("subtract"), {&x, &y, &result}, [&] { backend_.subtract(x, a, y, result); });
  }
  void dot(const Field& x, const Field& y, Scalar& result) override {
    time(traffic("dot"), {&x, &x == &y ? nullptr : &y}, [&] { backend_.dot(x, y, result); });
  }
  void gather(const Field& part, Field& whole) override {
    time(traffic("copy"), {&part, &whole}, [&] { backend_.gather(part, whole); });
  }
  void extract_part(const Field& whole, Field& part) override {
    time(traffic("copy"), {&part, &part}, [&] { backend_.extract_part(whole, part); });
  }
  void dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                     Field& y) override {
    log_.time(traffic("dense product"), x.layout(), static_cast<double>(matrix.bytes()),
              [&] { backend_.dense_product(matrix, index, rows, blocks, x, y); });
  }

  // Operations on scalars have no traffic and no level.
  void ratio(const Scalar& a, const Scalar& b, Scalar& result) override { backend_.ratio(a, b, result); }
  void negate(Scalar& a) override { backend_.negate(a); }
  void assign(const Scalar& a, Scalar& result) override { backend_.assign(a, result); }
  void scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) override {
    backend_.scale_to_unit(norm, count, scale, inverse);
  }

  void run(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs, Monitor& monitor) override {
    backend_.run(recording, verbs, monitor);
  }
  void begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial, const Scalar& start,
             const Scalar& rounding) override {
    backend_.begin(monitor, raw, data, initial, start, rounding);
  }
  void observe(Monitor& monitor, const Scalar& norm) override { backend_.observe(monitor, norm); }
  void when_risen(Monitor& monitor, const std::function<void()>& body) override { backend_.when_risen(monitor, body); }
  void repeat(int limit, const std::function<void()>& body, Monitor& monitor) override {
    backend_.repeat(limit, body, monitor);
  }

  std::unique_ptr<Timer> make_timer() override { return backend_.make_timer(); }
  void run_immediately() override { backend_.run_immediately(); }

 protected:
  void start(const Field& x, int width, bool) override {
    time(traffic("exchange"), {&x}, [&] { backend_.exchange(x, width); });
  }
  void finish(const Field&, int) override {}

 private:
  template <class Verb>
  void time(const Traffic& row, std::array<const Field*, 3> fields, const Verb& verb) {
    std::array<Touched, 3> touched{};
    for (std::size_t f = 0; f < 3; ++f)
      if (fields[f]) touched[f] = {fields[f]->layout().size(), fields[f]->precision()};
    log_.time(row, fields[0]->layout(), bytes_moved(row, touched), verb);
  }

  Backend& backend_;
  Log& log_;
};

class ProfiledOperator final : public Operator {
  class ProfiledSplitting final : public SymmetricSplitting {
   public:
    ProfiledSplitting(std::unique_ptr<SymmetricSplitting> splitting, bool lines, const ProfiledOperator& A)
        : splitting_(std::move(splitting)), lines_(lines), A_(A) {}
    double largest_eigenvalue() const override { return splitting_->largest_eigenvalue(); }
    void start(double alpha, const Field& b, Field& u) const override {
      A_.time(lines_ ? traffic("line start") : traffic("polynomial start"), {&b, &u},
              [&] { splitting_->start(alpha, b, u); });
    }
    void step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
      const bool forgets = step.beta == 0;
      A_.time(lines_    ? (forgets ? traffic("line step 0") : traffic("line step"))
              : forgets ? traffic("polynomial step 0")
                        : traffic("polynomial step"),
              {&u, &b, &previous}, [&] { splitting_->step(step, u, b, previous); });
    }

   private:
    std::unique_ptr<SymmetricSplitting> splitting_;
    bool lines_;
    const ProfiledOperator& A_;
  };

  class ProfiledColours final : public Splitting {
   public:
    ProfiledColours(std::unique_ptr<Splitting> splitting, const ProfiledOperator& A)
        : splitting_(std::move(splitting)), A_(A) {}
    void take(std::span<const PolynomialStep> steps, bool reversed, const Field& b, Iterate& u) const override {
      if (u.zero) A_.backend_.fill(*u.now, 0);
      u.zero = false;
      for (const PolynomialStep& step : steps)
        A_.time(traffic("gauss-seidel"), {&b, u.now}, [&] { splitting_->take({&step, 1}, reversed, b, u); });
    }

   private:
    std::unique_ptr<Splitting> splitting_;
    const ProfiledOperator& A_;
  };

 public:
  ProfiledOperator(std::shared_ptr<const Operator> A, Backend& backend, Log& log)
      : A_(std::move(A)), backend_(backend), log_(log) {}

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return A_->precision(); }
  const Space& space() const override { return A_->space(); }
  std::string_view assembly() const override { return A_->assembly(); }
  double scale() const override { return A_->scale(); }
  bool singular() const override { return A_->singular(); }
  std::size_t bytes() const override { return A_->bytes(); }

  void apply(const Field& u, Field& Au) const override {
    time(traffic("apply"), {&u, &Au}, [&] { A_->apply(u, Au); });
  }
  void apply_everywhere(const Field& u, Field& Au) const override {
    time(traffic("apply"), {&u, &Au}, [&] { A_->apply_everywhere(u, Au); });
  }
  void diagonal(Field& d) const override {
    time(traffic("diagonal"), {&d}, [&] { A_->diagonal(d); });
  }
  void residual(const Field& u, const Field& b, Field& r) const override {
    time(traffic("residual"), {&u, &b, &r}, [&] { A_->residual(u, b, r); });
  }
  void residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    time(traffic("residual + norm"), {&u, &b, &r}, [&] { A_->residual(u, b, r, scale, norm); });
  }
  void norm(const Field& r, Scalar& norm) const override {
    time(traffic("norm"), {&r}, [&] { A_->norm(r, norm); });
  }
  void rounding(const Field& u, Scalar& norm) const override {
    time(traffic("rounding"), {&u}, [&] { A_->rounding(u, norm); });
  }
  std::unique_ptr<SymmetricSplitting> split(std::optional<int> axis) const override {
    return std::make_unique<ProfiledSplitting>(A_->split(axis), axis.has_value(), *this);
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    return std::make_unique<ProfiledColours>(A_->split_by_colours(), *this);
  }
  void project_rhs(Field& b, Scalar& amount) const override {
    time(traffic("project rhs"), {&b}, [&] { A_->project_rhs(b, amount); });
  }
  void project_solution(Field& u) const override {
    time(traffic("project solution"), {&u}, [&] { A_->project_solution(u); });
  }

 private:
  template <class Verb>
  void time(const Traffic& row, std::array<const Field*, 3> fields, const Verb& verb) const {
    std::array<Touched, 3> touched{};
    for (std::size_t f = 0; f < 3; ++f)
      if (fields[f]) touched[f] = {A_->unknowns().size(), fields[f]->precision()};
    log_.time(row, A_->layout(), bytes_moved(row, touched, A_->bytes()), verb);
  }

  std::shared_ptr<const Operator> A_;
  Backend& backend_;
  Log& log_;
};

// A transfer belongs to its finer level.
class ProfiledTransfer final : public Transfer {
 public:
  ProfiledTransfer(std::unique_ptr<Transfer> transfer, const Operator& fine, const Operator& coarse, Log& log)
      : transfer_(std::move(transfer)),
        layout_(fine.layout()),
        fine_(fine.unknowns().size()),
        coarse_(coarse.unknowns().size()),
        log_(log) {}

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    time(traffic("restrict"), {fine_, fine.precision()}, {coarse_, coarse.precision()},
         [&] { transfer_->restrict_to(fine, coarse, scale); });
  }
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    time(traffic("restrict"), {fine_, fine.precision()}, {coarse_, coarse.precision()},
         [&] { transfer_->restrict_data(fine, coarse, scale); });
  }
  void prolong(const Field& coarse, Field& fine) const override {
    time(traffic("prolong"), {coarse_, coarse.precision()}, {fine_, fine.precision()},
         [&] { transfer_->prolong(coarse, fine); });
  }
  void prolong_add(const Field& coarse, Field& fine) const override {
    time(traffic("prolong + add"), {coarse_, coarse.precision()}, {fine_, fine.precision()},
         [&] { transfer_->prolong_add(coarse, fine); });
  }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    time(traffic("interpolate"), {coarse_, coarse.precision()}, {fine_, fine.precision()},
         [&] { transfer_->interpolate(coarse, fine, scale); });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    time(traffic("inject"), {coarse_, fine.precision()}, {coarse_, coarse.precision()},
         [&] { transfer_->inject(fine, coarse, scale); });
  }

 private:
  template <class Verb>
  void time(const Traffic& row, Touched first, Touched second, const Verb& verb) const {
    log_.time(row, layout_, bytes_moved(row, {first, second}), verb);
  }

  std::unique_ptr<Transfer> transfer_;
  Layout layout_;
  std::int64_t fine_, coarse_;
  Log& log_;
};

class ProfiledProducts final : public AxisProducts {
 public:
  ProfiledProducts(std::unique_ptr<AxisProducts> products, Log& log) : products_(std::move(products)), log_(log) {}
  void forward(const Field& values, Field& w) override {
    time(traffic("axis products"), w, [&] { products_->forward(values, w); });
  }
  void solve_lines(Field& w) override {
    time(traffic("line systems"), w, [&] { products_->solve_lines(w); });
  }
  void backward(Field& w) override {
    time(traffic("axis products"), w, [&] { products_->backward(w); });
  }
  void backward_to(Field& w, Field& u, const Scalar* a) override {
    time(a ? traffic("axis products + add") : traffic("axis products"), w, [&] { products_->backward_to(w, u, a); });
  }

 private:
  template <class Verb>
  void time(const Traffic& row, const Field& w, const Verb& verb) {
    log_.time(row, w.layout(), bytes_moved(row, {of(w), of(w)}), verb);
  }

  static Touched of(const Field& w) { return {w.layout().size(), w.precision()}; }

  std::unique_ptr<AxisProducts> products_;
  Log& log_;
};

class ProfiledPass final : public SweepPass {
 public:
  ProfiledPass(std::unique_ptr<SweepPass> pass, Log& log) : pass_(std::move(pass)), log_(log) {}
  int sweeps() const override { return pass_->sweeps(); }
  void take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const override {
    const Touched unknowns{u.space().unknowns().size(), u.precision()};
    log_.time(traffic("jacobi pass"), u.layout(), bytes_moved(traffic("jacobi pass"), {unknowns, unknowns, unknowns}),
              [&] { pass_->take(omega, u, b, next, norm); });
  }

 private:
  std::unique_ptr<SweepPass> pass_;
  Log& log_;
};

class ProfiledProjection final : public DataProjection {
 public:
  ProfiledProjection(std::unique_ptr<DataProjection> projection, Log& log)
      : projection_(std::move(projection)), log_(log) {}
  void apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    const Touched unknowns{b.space().unknowns().size(), b.precision()};
    log_.time(traffic("project rhs"), b.layout(), bytes_moved(traffic("project rhs"), {unknowns}),
              [&] { projection_->apply(b, amount, before, after); });
  }

 private:
  std::unique_ptr<DataProjection> projection_;
  Log& log_;
};

}  // namespace

class Profile::Recorder {
 public:
  explicit Recorder(Backend& of) : backend(of), log(of), profiled(of, log) {}
  Backend& backend;
  Processes::Waits before;
  Log log;
  ProfiledBackend profiled;
};

Profile::Profile(Backend& backend) : recorder_(std::make_unique<Recorder>(backend)) {
  backend.run_immediately();
}

Profile::~Profile() = default;

Backend& Profile::backend() {
  return recorder_->profiled;
}

std::shared_ptr<const Operator> Profile::wrap(std::shared_ptr<const Operator> A) {
  return std::make_shared<ProfiledOperator>(std::move(A), recorder_->profiled, recorder_->log);
}

std::unique_ptr<AxisProducts> Profile::wrap(std::unique_ptr<AxisProducts> products) {
  return std::make_unique<ProfiledProducts>(std::move(products), recorder_->log);
}

std::unique_ptr<SweepPass> Profile::wrap(std::unique_ptr<SweepPass> pass) {
  return std::make_unique<ProfiledPass>(std::move(pass), recorder_->log);
}

std::unique_ptr<DataProjection> Profile::wrap(std::unique_ptr<DataProjection> projection) {
  return std::make_unique<ProfiledProjection>(std::move(projection), recorder_->log);
}

Hierarchy Profile::wrap(Hierarchy h) {
  for (auto& planes : h.planes)
    if (planes) *planes = wrap(std::move(*planes));
  for (const auto& A : h.operators) recorder_->log.level_of(A->layout());
  for (std::size_t l = 0; l < h.transfers.size(); ++l)
    h.transfers[l] = std::make_unique<ProfiledTransfer>(std::move(h.transfers[l]), *h.operators[l], *h.operators[l + 1],
                                                        recorder_->log);
  for (auto& A : h.operators) A = wrap(std::move(A));
  return h;
}

std::vector<Profile::Entry> Profile::take() {
  return recorder_->log.take();
}

void Profile::clear() {
  take();
  recorder_->before = recorder_->backend.waits();
}

Processes::Waits Profile::waits() const {
  return recorder_->backend.waits() - recorder_->before;
}

}  // namespace poisson
