#include "io/config/config_rows.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "grids/compact/general_rows.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/spelling.hpp"
#include "io/files/row_file.hpp"
#include "solver/rows_model.hpp"

namespace poisson {
namespace {

// Reads the matrix and b. Reports what is wrong at the key of its file.
std::shared_ptr<const GeneralRows> read_system(ConfigParts& parts) {
  const Value* file = parts.document.at("grid.file");
  const Value* rhs = parts.document.at("grid.rhs");
  if (!file || !rhs) return nullptr;
  const Value* source = parts.document.at("equation.source");
  const auto reported = [&](const Value& at, const char* key, const auto& read) {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      parts.errors.add(at.mark, key, error.what());
      return false;
    }
  };
  CsrMatrix A;
  std::filesystem::path rhs_file;
  if (!reported(*file, "grid.file", [&] {
        A = read_rows(parts.path(*file));
        if (!given(rhs) && contains_row_rhs(parts.path(*file))) rhs_file = parts.path(*file);
      }))
    return nullptr;
  const Value& at = given(rhs) ? *rhs : *file;
  if (given(rhs)) rhs_file = parts.path(*rhs);
  std::vector<double> b;
  if (!rhs_file.empty()) {
    if (given(source))
      parts.errors.add(source->mark, "equation.source",
                       "conflicts with a right-hand side from a file; keep one of the two");
    if (!reported(at, given(rhs) ? "grid.rhs" : "grid.file", [&] { b = read_row_rhs(rhs_file, A.rows()); }))
      return nullptr;
  } else if (given(source)) {
    b.assign(static_cast<std::size_t>(A.rows()), source->number);
  } else {
    parts.errors.add(file->mark, "grid", "there is no right-hand side; write rhs: rhs.mtx, or equation: {source: 1}");
  }
  std::shared_ptr<const GeneralRows> rows;
  reported(*file, "grid.file", [&] { rows = std::make_shared<GeneralRows>(examine_rows(std::move(A), std::move(b))); });
  return rows;
}

void check_solver(ConfigParts& parts) {
  const Value* solver = parts.document.find("solver");
  if (!solver) return;
  try {
    resolve_row_options(parts.config.options);
  } catch (const InputError& error) {
    parts.errors.add(solver->mark, "solver", error.what());
  }
  parts.config.options.fallback = Fallback::never;
  keep_hypre_on_cpu(parts);
  if (parts.config.flow_tolerance > 0)
    parts.errors.add(solver->find("flow_tolerance")->mark, "solver.flow_tolerance",
                     "a matrix has no flows; remove it and choose solver.tolerance");
  if (const Value* initial = solver->find("initial"); given(initial)) {
    if (initial->kind != Value::Kind::number)
      parts.errors.add(initial->mark, "solver.initial", "must be a number here, because rows have no coordinates");
    else if (initial->number != 0)
      parts.config.problem.initial = initial->number;
  }
}

void read_rows_output(ConfigParts& parts, const std::filesystem::path& file) {
  Value* output = parts.document.find("output");
  if (!output) return;
  Config::Output& to = parts.config.output;
  if (Value* directory = output->find("directory")) {
    if (directory->kind == Value::Kind::null) {
      directory->kind = Value::Kind::string;
      directory->text = "results/" + (is_standard_input(file) ? "stdin" : file.stem().string());
      directory->mark.line = 0;
    }
    to.directory = parts.path(*directory);
  }
  if (const Value* fields = output->find("fields"))
    for (const Value& field : fields->items) to.fields.push_back(field.text);
  if (const Value* formats = output->find("formats"))
    for (const Value& format : formats->items) to.formats.push_back(format.text);
  if (const Value* quantity = output->find("quantity")) {
    if (const Value* name = quantity->find("name")) to.quantity = name->text;
    if (const Value* unit = quantity->find("unit"); given(unit)) to.unit = unit->text;
  }
}

}  // namespace

std::vector<std::string> describe_rows(const GeneralRows& rows, const std::string& file) {
  const CsrMatrix& A = rows.system.A;
  const double n = static_cast<double>(A.rows());
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < A.rows(); ++i)
    most = std::max(most, A.start[static_cast<std::size_t>(i) + 1] - A.start[static_cast<std::size_t>(i)]);
  std::vector<std::string> lines{
      fmt::format("matrix    {}: {} rows, {} entries, {:.3g} per row, {} at most", printable(file), A.rows(),
                  A.entries(), static_cast<double>(A.entries()) / n, most),
      "          " +
          (rows.is_symmetric() ? std::string("symmetric")
                               : fmt::format("unsymmetric (by {:.2g} of the diagonal): BiCGStab", rows.asymmetry)) +
          fmt::format("; the diagonal varies by a factor of {:.3g}", rows.spread)};
  if (rows.parts > 1) lines.push_back(fmt::format("          {} parts that no entry connects", rows.parts));
  if (rows.system.singular)
    lines.emplace_back("          maps constants to zero: b loses its mean, and the mean of u is 0");
  return lines;
}

void read_rows_document(Value& document, const std::filesystem::path& file, Diagnostics& errors, Config& config) {
  ConfigParts parts{document, file.parent_path(), errors, config};
  if (const Value* title = document.find("title")) config.title = title->text;
  const Value* const device = document.at("backend.device");
  if (device) config.device = device->text;
  if (device) config.marks["backend.device"] = device->mark.text() + ": backend.device";
  config.problem.dimension = 2;  // is not used
  for (std::vector<double>& nodes : config.problem.nodes) nodes = {0.0};
  auto rows = read_system(parts);
  read_solver(parts);
  check_solver(parts);
  if (rows && config.options.amg == Amg::hypre && !rows->is_symmetric())
    errors.add(document.at("solver.amg")->mark, "solver.amg",
               "hypre preconditions symmetric matrices here, and this one is unsymmetric; remove it");
  read_rows_output(parts, file);
  errors.raise();
  config.matrix_file = parts.path(*document.at("grid.file"));
  config.rows = std::move(rows);
}

}  // namespace poisson
