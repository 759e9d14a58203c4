#include "app/report.hpp"

#include <cmath>

namespace poisson {

void record(const Result& result, const Solver& solver, Summary& summary) {
  const double scale = solver.A().scale();
  summary.converged = result.converged();
  summary.reason = result.reason(solver.options());
  summary.iterations = result.iterations;
  summary.residual.initial = result.initial / std::sqrt(scale);
  summary.residual.final = result.final / std::sqrt(scale);
  summary.residual.relative = result.relative();
  summary.residual.history = result.history;
  summary.estimated_error = result.estimated_error;
  summary.balance.projected = result.projected / scale;
}

void write_fields(const Config& config, const OutputGrid& grid, const std::vector<OutputField>& fields,
                  Summary& summary) {
  const OutputNote note{config.title, summary.converged, config.effective};
  for (const std::string& format : config.output.formats) {
    const auto& directory = config.output.directory;
    const auto path = format == "vtk"    ? write_vtk(directory, grid, fields, note)
                      : format == "hdf5" ? write_hdf5(directory, grid, fields, note)
                                         : write_png(directory, grid, fields.front(), note);
    summary.files.push_back(path.filename().string());
  }
}

}  // namespace poisson
