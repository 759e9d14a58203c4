// This case solves on a mesh from a file, or on blocks.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cases/case.hpp"
#include "app/cases/rows_words.hpp"
#include "backends/memory/error.hpp"
#include "grids/meshes/device_assembly.hpp"
#include "grids/meshes/mesh_results.hpp"
#include "io/meshes/mesh_input.hpp"
#include "io/meshes/vtu_output.hpp"
#include "solver/blocks_model.hpp"
#include "solver/external_amg.hpp"
#include "solver/rows_model.hpp"

namespace poisson {
namespace {

constexpr const char* condition_name(BoundaryKind kind) {
  return kind == BoundaryKind::dirichlet ? "dirichlet" : kind == BoundaryKind::neumann ? "neumann" : "robin";
}

class MeshCase final : public Case {
 public:
  MeshCase(const Config& config, const std::shared_ptr<const Processes>& processes)
      : config_(config), problem_(config.mesh->problem), options_(config.options) {
    sharing_.processes = processes;
  }

  void check_values() const override { places(); }
  const Plan& plan(bool gpu) const override {
    if (!plan_ && in_blocks()) {
      const int count = sharing_.processes->count();
      const std::vector<BlockLevelSize> sizes =
          block_level_sizes(data(), cut_blocks(), count, coarsest_in_blocks(data(), *config_.mesh->blocks, stretch()),
                            stretch().needle, gpu);
      can_compute_ = sizes.front().computed > 0;
      plan_ = plan_blocks(sizes, options_, stretch(), mesh().dimension, gpu, computes_residual_, data().range);
      host_bytes_ = gpu ? host_bytes_of_rows(sizes, plan_->options, mesh().dimension) : 0;
      on_gpu_ = gpu;
    }
    if (!plan_ && gpu) {
      const RowEstimate size = estimate_rows(data());
      plan_ = plan_rows(options_, {size.rows, size.entries, true, true});
      plan_->setup += static_cast<std::size_t>(size.entries) * 12 + static_cast<std::size_t>(size.rows) * 40 +
                      static_cast<std::size_t>(data().topology.cells()) * 40;
    }
    if (!plan_) {
      const auto host = make_cpu_backend();
      const std::unique_ptr<Model> model = make_model(*host);
      plan_ = model->plan(options_);
      model->count_bytes(*plan_);
    }
    return *plan_;
  }
  double host_bytes() const override { return host_bytes_; }
  const Sharing& sharing() const override { return sharing_; }
  void economize(const Backend& backend) override {
    if (!in_blocks() || !backend.on_gpu() || computes_residual_) return;
    const Plan& wanted = plan(true);
    if (!can_compute_ || wanted.bytes + wanted.setup <= backend.available()) return;
    computes_residual_ = true;
    plan_.reset();
  }
  std::vector<std::string> statement() const override { return {"problem   " + equation()}; }
  bool on_boxes() const override { return false; }
  std::string smaller(bool, double, const Claim&) const override {
    if (in_blocks() && plan_->options.method == Method::multigrid && plan_->levels.size() == 1 &&
        plan_->levels[0].unknowns > most_in_blocks)
      return "algebraic multigrid follows the finest level of blocks, because cells are needles or coefficients jump "
             "between many cells, and every process stores its rows: use a coarser mesh or more memory";
    return "use a coarser mesh, a machine with more memory, or precision: single";
  }

  Solver& make_solver(Backend& backend, Profile* profile) override {
    places();
    model_ = make_model(backend);
    solver_ = poisson::make_solver(*model_, options_, profile, &plan(backend.on_gpu()));
    if (system_) system_->rows.on_device.reset();  // the levels contain it
    return *solver_;
  }
  void widen() override {
    options_.precision = SolvePrecision::mixed;
    plan_.reset();
    solver_.reset();
    model_.reset();
  }
  double sampling_seconds() const override { return 0; }
  double fill() override {
    if (problem_.initial && in_blocks() && guess_.empty()) {
      guess_ = cut_blocks().on_nodes(initial_at_points());
    } else if (problem_.initial && !in_blocks() && system_->rows.guess.empty()) {
      const std::vector<double> initial = initial_at_points();
      for (const int p : system_->point) system_->rows.guess.push_back(initial[static_cast<std::size_t>(p)]);
    }
    return model_->fill(solver_->rhs(), solver_->solution());
  }
  Result solve(bool given_guess, const Solver::Listener& listener, Model::Data) const override {
    Result result = solver_->solve(given_guess, listener);
    add_library_steps(*model_, result);
    return result;
  }
  std::vector<std::string> doubts() const override {
    std::vector<std::string> all = config_.mesh->warnings;
    std::vector<std::int64_t> sides(problem_.conditions.size(), 0);
    for (const ConditionedFacet& f : data().facets) ++sides[static_cast<std::size_t>(f.condition)];
    for (std::size_t c = 0; c < sides.size(); ++c)
      if (sides[c] == 0 && problem_.conditions[c].where)
        all.push_back(config_.describe("boundary." + problem_.conditions[c].name + ".where") +
                      " is 0 at the centres of all sides, or earlier conditions apply there. Smaller cells may resolve "
                      "a small part");
    return all;
  }
  std::vector<std::string> table() const override { return config_.mesh->table; }

  void describe(RunHeader& header, Summary& summary) const override {
    summary.unknowns = header.unknowns = in_blocks() ? plan_->levels.front().unknowns : row_count();
    summary.dimension = 0;  // a mesh has no faces of a box
    const auto [least, widest] = extreme_widths(data());
    summary.least_cell = least;
    summary.widest_cell = widest;
    header.problem = equation();
    header.grid = fmt::format("{}: {} points, {} elements of width {:.3g} to {:.3g}", mesh().source,
                              mesh().points.size(), data().topology.cells(), least, widest);
    for (const MeshCondition& condition : problem_.conditions)
      header.boundary +=
          fmt::format("{}{} {}", header.boundary.empty() ? "" : ", ", condition.name, condition_name(condition.kind));
    header.matrix = in_blocks() ? matrix_of_blocks() : fmt::format("{} rows, {} entries", row_count(), entries_);
    if (model_) header.matrix += size_of_levels(*model_);
  }
  std::string demand() const override { return "; and coefficients must be within the range of numbers"; }

  void observe(Summary& summary) override {
    u_ = in_blocks() ? cut_blocks().at_points(get_nodes(solver_->solution(), *block_system().levels.front().space))
                     : point_values(data(), *system_, get_rows(solver_->solution(), RowSpace(row_count())));
    for_rows(std::ssize(u_), [&](std::int64_t p) {  // nodes of blocks with given values differ by the residual
      const auto at = static_cast<std::size_t>(p);
      if (data().holder[at] >= 0) u_[at] = data().held[at];
    });
    const MeshIntegrals all = integrate(data(), u_);
    const auto place = [&](const std::array<double, 3>& x) {
      return std::vector<double>(x.begin(), x.begin() + mesh().dimension);
    };
    summary.solution = {all.least, all.largest, all.integral, all.l2, place(all.least_at), place(all.largest_at)};
    if (problem_.exact) {
      const MeshError error = error_of(data(), u_, *problem_.exact);
      summary.error = Summary::ErrorNorms{error.largest, error.l2};
    }
    for (std::size_t i = 0; i < places().size(); ++i)
      summary.probes.push_back({config_.output.probes[i], interpolate(data(), u_, places()[i])});
    observe_flows(all, summary);
    summary.flux_error = recovered_error(data(), u_);
  }

  OutputGrid output_grid() const override { return {}; }
  OutputMesh output_mesh() const override {
    if (in_blocks()) return config_.mesh->blocks.get();
    return problem_.mesh.get();
  }
  Pieces field(const FieldChoice&) override { throw std::logic_error("a mesh has no planes"); }
  // Its values are chunks of the list of all points or elements.
  ShownField shown(const std::string& name, Centering) override {
    auto field = std::make_shared<const MeshField>(field_of(name));
    const int count = static_cast<int>(field->values.size()) / field->components;
    const auto fill = [field](int first, int last, std::span<double> values) {
      const std::ptrdiff_t n = field->components;
      std::copy(field->values.begin() + first * n, field->values.begin() + last * n, values.begin());
    };
    return {{name, field->on_cells ? Location::cell : Location::node, field->components},
            Pieces({{0, 0, 0}, {1, 1, count}}, field->components, fill)};
  }

 private:
  const Mesh& mesh() const { return *problem_.mesh; }
  std::vector<double> initial_at_points() const {
    if (!config_.mesh->initial.empty()) return config_.mesh->initial;
    const std::vector<std::array<double, 3>> places(mesh().points.begin(), mesh().points.end());
    return sample_at(*problem_.initial, "initial", Sign::any, places);
  }
  const MeshData& data() const {
    if (!data_) {
      data_ = std::make_unique<MeshData>(problem_);
      if (in_blocks()) hold_images(*config_.mesh->blocks, data_->holder, data_->held);
    }
    return *data_;
  }
  // Finds the probes before the solve, since one outside ends the run.
  const std::vector<MeshPlace>& places() const {
    if (places_) return *places_;
    std::vector<std::array<double, 3>> at;
    for (const auto& point : config_.output.probes) {
      at.push_back({0, 0, mesh().points.empty() ? 0 : mesh().points.front()[2]});
      std::ranges::copy(point, at.back().begin());
    }
    const auto found = locate(data(), at);
    places_.emplace();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i])
        throw InputError(fmt::format("{}: ({}) is outside of the mesh; move it inside",
                                     config_.describe(fmt::format("output.probes[{}]", i)),
                                     fmt::join(config_.output.probes[i], ", ")));
      places_->push_back(*found[i]);
    }
    return *places_;
  }
  std::unique_ptr<Model> make_model(Backend& backend) const {
    if (in_blocks()) {
      if (held_.empty()) held_ = cut_blocks().on_nodes(data().held);
      auto model = std::make_unique<BlocksModel>(backend, block_system(backend.on_gpu()), held_, guess_);
      if (computes_residual_) model->compute_residual();
      return model;
    }
    if (options_.amg == Amg::hypre)
      return std::make_unique<ExternalRowsModel>(backend, system(backend).rows, sharing_.processes);
    return std::make_unique<RowsModel>(backend, system(backend).rows);
  }
  // Assembles in the memory of the solver. A GPU frees its matrix after the levels are made.
  const MeshSystem& system(Backend& backend) const {
    if (!system_ || (backend.on_gpu() && !system_->rows.on_device))
      system_ = std::make_unique<MeshSystem>(backend.on_gpu() ? assemble_on(backend, data()) : assemble(data()));
    entries_ = system_->rows.entries();
    return *system_;
  }
  std::int64_t row_count() const { return std::ssize(system_->point); }

  bool in_blocks() const { return config_.mesh->blocks != nullptr; }
  // Returns the blocks, which are cut if that helps several processes.
  const BlockMesh& cut_blocks() const {
    if (!cut_blocks_)
      cut_blocks_ =
          std::make_unique<const BlockMesh>(cut_for_processes(*config_.mesh->blocks, sharing_.processes->count()));
    return *cut_blocks_;
  }
  // Returns the stretching of cells, in relation to κ if it is a tensor.
  const CellStretch& stretch() const {
    if (!stretch_)
      stretch_ =
          data().kappa_entries == 1 ? config_.mesh->stretch : measure_cells(*config_.mesh->blocks, &data()).stretch();
    return *stretch_;
  }
  const BlockSystem& block_system(bool gpu = false) const {
    if (!block_system_)
      block_system_ = std::make_unique<BlockSystem>(
          assemble_blocks(data(), cut_blocks(), sharing_.processes,
                          coarsest_in_blocks(data(), *config_.mesh->blocks, stretch()), stretch(), gpu));
    return *block_system_;
  }
  std::string matrix_of_blocks() const {
    const Options& options = plan_->options;
    std::string text = fmt::format("{} blocks, {} levels of them", config_.mesh->blocks->numbers->topology().blocks(),
                                   plan_->levels.size());
    if (!cut_blocks().pieces.empty()) text += fmt::format(", cut into {} pieces", cut_blocks().pieces.size());
    if (options.method != Method::multigrid) return text;
    const bool lines = smoothing_of(options, stretch()) == BlockSmoothing::lines;
    if (on_gpu_ && computes_residual_)
      text +=
          "; products of axes in blocks of parallelepipeds, elsewhere the residual computes entries from corners to "
          "save memory, and corrections store them";
    else if (on_gpu_)
      text += "; products of axes in blocks of parallelepipeds, stored entries elsewhere";
    return text + fmt::format("; {} are relaxed, because cells are stretched up to {:.3g}:1{}; corrections in {}",
                              lines ? "lines of blocks" : "points", stretch().largest,
                              data().kappa_entries > 1 ? " in relation to the tensor" : "",
                              options.precision == SolvePrecision::double_ ? "fp64" : "fp32");
  }

  std::string equation() const {
    const double* sigma = problem_.reaction.constant();
    return std::string("-div(coefficient grad u)") + (sigma && *sigma == 0 ? "" : " + reaction u") +
           " = source, linear elements";
  }

  void observe_flows(const MeshIntegrals& all, Summary& summary) const {
    const std::vector<ConditionFlow> flows = condition_flows(data(), u_);
    // Sums what enters and what leaves, even if both pass one condition or source.
    double sum = 0, in = 0, out = 0;
    const auto pass = [&](double net, double size) {
      in += 0.5 * std::max(0.0, size + net);
      out += 0.5 * std::max(0.0, size - net);
    };
    pass(all.source, all.source_size);
    pass(-all.reaction, all.reaction_size);
    for (std::size_t c = 0; c < flows.size(); ++c) {
      const MeshCondition& condition = problem_.conditions[c];
      sum += flows[c].flow;
      pass(flows[c].flow, flows[c].size);
      if (!condition.list.empty() && (c == 0 || problem_.conditions[c - 1].list != condition.list))
        if (const ConditionFlow all_sides = total_of_list(flows, c); all_sides.facets > 0) {
          add_face(condition.list, "several", all_sides, summary);
          summary.flux.add(condition.list, all_sides.flow);
        }
      if ((flows[c].facets == 0 && condition.groups.empty()) || condition.name == periodic_condition) continue;
      add_face(condition.name, condition_name(condition.kind), flows[c], summary);
      if (condition.list.empty()) summary.flux.add(condition.name, flows[c].flow);
    }
    summary.balance.source = all.source;
    summary.balance.reaction = all.reaction;
    summary.balance.residual = summary.balance.projected - (all.source - all.reaction + sum);
    summary.balance.flow = std::max(in, out);
  }

  // Joins the conditions of a list. `first` is the first one of them.
  ConditionFlow total_of_list(const std::vector<ConditionFlow>& flows, std::size_t first) const {
    ConditionFlow total;
    double of_points = 0;  // the sum of means, for lists on points alone
    for (std::size_t c = first; c < flows.size() && problem_.conditions[c].list == problem_.conditions[first].list;
         ++c) {
      const ConditionFlow& part = flows[c];
      total.flow += part.flow;
      if (part.facets == 0) continue;
      total.least = total.facets == 0 ? part.least : std::min(total.least, part.least);
      total.largest = total.facets == 0 ? part.largest : std::max(total.largest, part.largest);
      total.facets += part.facets;
      total.measure += part.measure;
      total.mean += part.measure * part.mean;
      of_points += static_cast<double>(part.facets) * part.mean;
    }
    total.mean = total.measure > 0 ? total.mean / total.measure : of_points / static_cast<double>(total.facets);
    return total;
  }
  static void add_face(const std::string& name, const std::string& condition, const ConditionFlow& flow,
                       Summary& summary) {
    Summary::Face face;
    face.name = name;
    face.condition = condition;
    face.cells = flow.facets;
    face.area = flow.measure;
    face.flow = flow.flow;
    face.mean = flow.mean;
    face.min = flow.least;
    face.max = flow.largest;
    summary.faces.push_back(std::move(face));
  }

  MeshField field_of(const std::string& name) const {
    const auto cells = static_cast<std::size_t>(data().topology.cells());
    if (name == "u") return {name, false, 1, u_};
    if (name == "flux") return {name, true, 3, element_flux(data(), u_)};
    if (name == "error") {
      const std::vector<std::array<double, 3>> places(mesh().points.begin(), mesh().points.end());
      MeshField error{name, false, 1, sample_at(*problem_.exact, "exact", Sign::any, places)};
      for (std::size_t p = 0; p < u_.size(); ++p) error.values[p] = u_[p] - error.values[p];
      return error;
    }
    MeshField field{name, true, 1, std::vector<double>(cells)};
    for (std::size_t e = 0; e < cells; ++e) {
      const std::vector<int>& groups =
          mesh().labels[static_cast<std::size_t>(data().topology.cell(static_cast<std::int64_t>(e)).label)];
      field.values[e] = name == "coefficient" ? data().kappa[e * data().kappa_entries]
                        : groups.empty()      ? 0
                                              : mesh().groups[static_cast<std::size_t>(groups.front())].number;
    }
    return field;
  }

  const Config& config_;
  const MeshProblem& problem_;
  Options options_;
  Sharing sharing_;
  mutable std::unique_ptr<MeshData> data_;
  mutable std::unique_ptr<MeshSystem> system_;
  mutable std::int64_t entries_ = 0;
  mutable std::optional<Plan> plan_;
  mutable std::optional<std::vector<MeshPlace>> places_;  ///< of probes
  mutable std::unique_ptr<const BlockMesh> cut_blocks_;   ///< of blocks
  mutable std::optional<CellStretch> stretch_;            ///< of blocks
  mutable std::unique_ptr<BlockSystem> block_system_;     ///< of blocks, else null
  mutable bool can_compute_ = false;                      // entries of general hexahedra
  mutable double host_bytes_ = 0;
  mutable bool computes_residual_ = false;  // from corners
  mutable bool on_gpu_ = false;
  mutable std::vector<double> held_;  ///< of blocks, on nodes
  std::vector<double> guess_;         ///< of blocks, on nodes
  std::unique_ptr<Model> model_;
  std::unique_ptr<Solver> solver_;
  std::vector<double> u_;  ///< at points, after observe
};

}  // namespace

std::unique_ptr<Case> make_mesh_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (!processes->alone() && !config.mesh->blocks && config.options.amg != Amg::hypre)
    throw InputError(
        "several processes solve meshes with solver.amg: hypre only: write that, or start one process without mpirun; "
        "it uses all cores");
  return std::make_unique<MeshCase>(config, processes);
}

}  // namespace poisson
