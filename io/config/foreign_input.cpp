#include "io/config/foreign_input.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "io/config/synonyms.hpp"

namespace poisson {
namespace {

const std::string mesh = "is a mesh, not a configuration; " + std::string(mesh_remedy);

bool is_map(const Value* value) {
  return value && value->kind == Value::Kind::map;
}

}  // namespace

void refuse_foreign_file(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 9> data{".h5",   ".hdf",  ".hdf5", ".vti", ".vtr",
                                                 ".pvti", ".pvtr", ".png",  ".mtx"};
  if (is_mesh(file.string())) throw ConfigError({file.string() + ": " + mesh});
  if (std::ranges::find(data, file.extension().string()) != data.end())
    throw ConfigError(
        {file.string() + ": contains data, not a configuration; give the YAML file that uses or produced them"});
}

void refuse_foreign_content(const Value& document) {
  if (document.kind == Value::Kind::string && document.text.starts_with("$MeshFormat"))
    throw ConfigError({document.mark.text() + ": " + mesh});
  // Every summary contains the configuration of its run as `config`, and a configuration has no such key.
  if (!is_map(document.find("config")) || document.find("domain") || document.find("grid")) return;
  throw ConfigError(
      {document.mark.text() + ": is the summary of a run; save its member `config` as a separate file and solve that"});
}

}  // namespace poisson
