// This file writes meshes as VTKHDF through HDF5's C interface.

#include <algorithm>
#include <numeric>
#include <string>

#include "backends/memory/error.hpp"
#include "io/files/hdf5_handle.hpp"
#include "io/files/pending_file.hpp"
#include "io/meshes/vtu_output.hpp"

namespace poisson {

using namespace hdf5;

namespace {

template <class T>
struct HdfType;
template <>
struct HdfType<double> {
  static hid_t file() { return H5T_IEEE_F64LE; }
  static hid_t memory() { return H5T_NATIVE_DOUBLE; }
};
template <>
struct HdfType<std::int64_t> {
  static hid_t file() { return H5T_STD_I64LE; }
  static hid_t memory() { return H5T_NATIVE_INT64; }
};
template <>
struct HdfType<std::uint8_t> {
  static hid_t file() { return H5T_STD_U8LE; }
  static hid_t memory() { return H5T_NATIVE_UINT8; }
};

Handle timeless(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  check(H5Pset_obj_track_times(properties, false));
  return properties;
}

Handle make_group(hid_t parent, const char* name) {
  return Handle(H5Gcreate2(parent, name, H5P_DEFAULT, timeless(H5P_GROUP_CREATE), H5P_DEFAULT), H5Gclose);
}

// Writes an array of values; more than one component are the last axis.
template <class T>
void write_array(hid_t parent, const std::string& name, const T* values, std::size_t count, int components = 1) {
  Shape shape{count};
  if (components > 1) shape.push_back(static_cast<hsize_t>(components));
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  Handle dataset(H5Dcreate2(parent, name.c_str(), HdfType<T>::file(), space, H5P_DEFAULT, timeless(H5P_DATASET_CREATE),
                            H5P_DEFAULT),
                 H5Dclose);
  check(H5Dwrite(dataset, HdfType<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  dataset.close();
}

void write_head(hid_t root) {
  const hsize_t two = 2;
  const Handle pair(H5Screate_simple(1, &two, nullptr), H5Sclose), one(H5Screate(H5S_SCALAR), H5Sclose);
  constexpr std::int64_t version[]{1, 0};
  Handle number(H5Acreate2(root, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(number, H5T_NATIVE_INT64, version));
  number.close();
  const std::string name = "UnstructuredGrid";
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, name.size()));
  check(H5Tset_strpad(type, H5T_STR_NULLPAD));
  Handle kind(H5Acreate2(root, "Type", type, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(kind, type, name.c_str()));
  kind.close();
}

void write_cells(hid_t root, const Mesh& mesh) {
  std::vector<std::int64_t> corners, offsets{0};
  std::vector<std::uint8_t> types;
  for (const MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension != mesh.dimension) continue;
    for (std::int64_t e = 0; e < block.count(); ++e) {
      for (const int p : block.of(e)) corners.push_back(p);
      offsets.push_back(static_cast<std::int64_t>(corners.size()));
      types.push_back(static_cast<std::uint8_t>(facts_of(block.shape).vtk));
    }
  }
  const std::int64_t points = static_cast<std::int64_t>(mesh.points.size()),
                     cells = static_cast<std::int64_t>(types.size()),
                     entries = static_cast<std::int64_t>(corners.size());
  write_array(root, "NumberOfPoints", &points, 1);
  write_array(root, "NumberOfCells", &cells, 1);
  write_array(root, "NumberOfConnectivityIds", &entries, 1);
  write_array(root, "Points", mesh.points.front().data(), mesh.points.size(), 3);
  write_array(root, "Connectivity", corners.data(), corners.size());
  write_array(root, "Offsets", offsets.data(), offsets.size());
  write_array(root, "Types", types.data(), types.size());
}

}  // namespace

std::filesystem::path write_mesh_hdf(const std::filesystem::path& directory, const Mesh& mesh,
                                     const std::vector<MeshField>& fields, bool converged) {
  PendingFile pending(directory / "solution.hdf");
  silence();
  try {
    Handle file(H5Fcreate(pending.path().c_str(), H5F_ACC_TRUNC, timeless(H5P_FILE_CREATE), without_locks()), H5Fclose);
    const Handle root = make_group(file, "VTKHDF");
    write_head(root);
    write_cells(root, mesh);
    for (const bool on_cells : {false, true}) {
      const Handle group = make_group(root, on_cells ? "CellData" : "PointData");
      for (const MeshField& field : fields)
        if (field.on_cells == on_cells)
          write_array(group, field.name, field.values.data(),
                      field.values.size() / static_cast<std::size_t>(field.components), field.components);
    }
    const Handle facts = make_group(root, "FieldData");
    const std::int64_t flag = converged ? 1 : 0;
    write_array(facts, "converged", &flag, 1);
    file.close();
  } catch (const Failure& failure) {
    pending.fail(failure.what());
  }
  return pending.commit();
}

}  // namespace poisson
