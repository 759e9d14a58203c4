#include "io/meshes/mesh_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/blocks/block_mesh.hpp"
#include "io/meshes/blocks_output.hpp"
#include "io/meshes/vtu_output.hpp"
#include "io/pictures/mesh_picture.hpp"

namespace poisson {
namespace {

/// Collects the values of its fields, and writes its files when it is closed.
class MeshFile final : public FieldFile {
 public:
  MeshFile(std::string_view format, std::filesystem::path directory, const Mesh& mesh, const BlockMesh* blocks,
           std::vector<FieldHead> heads, const OutputNote& note, std::shared_ptr<const Processes> processes)
      : format_(format),
        directory_(std::move(directory)),
        mesh_(mesh),
        blocks_(blocks),
        heads_(std::move(heads)),
        title_(note.title),
        converged_(note.converged),
        processes_(std::move(processes)) {
    for (const FieldHead& head : heads_)
      fields_.push_back({head.name, head.location == Location::cell, head.components, {}});
  }

  void write(std::span<const double> values) override {
    while (!values.empty()) {
      while (field_ < fields_.size() && left() == 0) ++field_;
      if (field_ == fields_.size()) throw std::invalid_argument("a file got more values than its fields have");
      const auto now = values.first(std::min(values.size(), left()));
      fields_[field_].values.insert(fields_[field_].values.end(), now.begin(), now.end());
      values = values.subspan(now.size());
    }
  }
  std::vector<std::filesystem::path> close() override {
    if (format_ == "vtk" && !blocks_ && !processes_->alone()) return write_pieces();
    std::vector<std::filesystem::path> paths;
    together(*processes_, [&] {
      if (processes_->first()) paths = write_whole_mesh();
    });
    return paths;
  }

 private:
  std::vector<std::filesystem::path> write_whole_mesh() const {
    if (format_ == "vtk" && blocks_) return write_block_files(directory_, *blocks_, fields_, converged_);
    if (format_ == "vtk") return {write_vtu(directory_, mesh_, fields_, converged_)};
    if (format_ == "hdf5") return {write_mesh_hdf(directory_, mesh_, fields_, converged_)};
    return {draw()};
  }
  // Returns the values of the present field that are still to come.
  std::size_t left() const {
    const MeshField& field = fields_[field_];
    const auto places = field.on_cells ? static_cast<std::size_t>(mesh_.count(mesh_.dimension)) : mesh_.points.size();
    return places * static_cast<std::size_t>(field.components) - field.values.size();
  }
  // Each process writes its elements.
  std::vector<std::filesystem::path> write_pieces() const {
    const int count = processes_->count();
    together(*processes_, [&] { write_vtu_piece(directory_, mesh_, fields_, converged_, processes_->rank(), count); });
    std::vector<std::filesystem::path> paths;
    together(*processes_, [&] {
      if (processes_->first()) paths.push_back(write_pvtu(directory_, fields_, count));
    });
    if (!processes_->first()) return {};
    for (int p = 0; p < count; ++p) paths.push_back(directory_ / vtu_piece_name(p));
    return paths;
  }
  std::filesystem::path draw() const {
#ifdef POISSON_HAVE_VTK
    const std::string& name = heads_.front().title.empty() ? heads_.front().name : heads_.front().title;
    return write_mesh_picture(directory_, mesh_, fields_.front().values,
                              {title_, name, converged_, blocks_ ? block_edges(*blocks_) : PointChains {}});
#else
    throw RunError("this program draws no pictures (it was built without VTK): remove png from output.formats");
#endif
  }

  std::string format_;
  std::filesystem::path directory_;
  const Mesh& mesh_;
  const BlockMesh* blocks_;
  std::vector<FieldHead> heads_;
  std::string title_;
  bool converged_;
  std::shared_ptr<const Processes> processes_;
  std::vector<MeshField> fields_;
  std::size_t field_ = 0;  // receives the next value
};

}  // namespace

std::vector<std::string> mesh_file_names(std::string_view format, const BlockMesh* blocks, int processes) {
  if (format == "hdf5") return {"solution.hdf"};
  if (format != "vtk") return {"solution.png"};
  if (blocks) return block_file_names(blocks->numbers->topology().blocks());
  if (processes == 1) return {"solution.vtu"};
  std::vector<std::string> names{"solution.pvtu"};
  for (int p = 0; p < processes; ++p) names.push_back(vtu_piece_name(p));
  return names;
}

std::unique_ptr<FieldFile> open_mesh_file(std::string_view format, const std::filesystem::path& directory,
                                          const Mesh& mesh, const BlockMesh* blocks, std::vector<FieldHead> heads,
                                          const OutputNote& note, const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<MeshFile>(format, directory, mesh, blocks, std::move(heads), note, processes);
}

}  // namespace poisson
