#include "app/cases/rows_words.hpp"

#include <fmt/format.h>

#include "solver/external_amg.hpp"
#include "solver/general_rows_model.hpp"
#include "solver/rows_model.hpp"

namespace poisson {

void add_library_steps(const Model& model, Result& result) {
  if (const auto* external = dynamic_cast<const ExternalRowsModel*>(&model))
    result.steps.push_back(fmt::format("hypre needed {} iterations", external->iterations()));
}

std::string size_of_levels(const Model& model) {
  const auto* of_mesh = dynamic_cast<const RowsModel*>(&model);
  const auto* of_matrix = dynamic_cast<const GeneralRowsModel*>(&model);
  if (!of_mesh && !of_matrix) return {};
  return fmt::format("; the levels have {:.2f} times as many",
                     of_mesh ? of_mesh->operator_complexity() : of_matrix->operator_complexity());
}

}  // namespace poisson
