#pragma once

#include <functional>
#include <memory>

#include "grids/sampling/kappa_summary.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "solver/model.hpp"
#include "solver/plan.hpp"

namespace poisson {

/// Sets the bytes of a plan. It runs the set-up of the problem, as far as memory goes, on a backend that counts what is
/// allocated (RehearsalBackend), on behalf of the process that stores most. `kappa` contains the properties of κ that
/// set-up would measure. No datum is evaluated; of a face with several conditions, a Dirichlet part is everywhere.
void rehearse(Plan& plan, const Problem& problem, Assembly assembly, const KappaSummary& kappa, const Sharing& sharing);
/// Does the same for the models of a problem on a grid that make(backend, problem, processes) returns.
using MakeModel =
    std::function<std::unique_ptr<Model>(Backend&, const Problem&, const std::shared_ptr<const Processes>&)>;
void rehearse(Plan& plan, const Problem& problem, const KappaSummary& kappa, const Sharing& sharing,
              const MakeModel& make);
/// Does the same for a matrix, whose entries are not read.
void rehearse(Plan& plan, const BandedMatrix& matrix, const Sharing& sharing);

}  // namespace poisson
