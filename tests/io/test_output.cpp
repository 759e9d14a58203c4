// Every reader must get back the values that the program wrote, the same run must write the same bytes, and failures to
// write or read must be reported in a sentence.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include "backends/memory/error.hpp"
#include "io/files/hdf5.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"
#include "io/files/summary.hpp"

#ifdef POISSON_HAVE_VTK
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkStringArray.h>
#include <vtkXMLImageDataReader.h>
#include <vtkXMLRectilinearGridReader.h>
#if __has_include(<vtkHDFReader.h>) && !defined(H5_HAVE_PARALLEL)  // other HDF5 than VTK's
#include <vtkHDFReader.h>
#endif
#endif

namespace poisson::output_tests {
namespace {

namespace fs = std::filesystem;

/// Provides an empty directory for one test.
class OutputTest : public testing::Test {
 protected:
  OutputTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name)
      if (c == '/') c = '_';
    directory = fs::temp_directory_path() / ("poisson-" + name + "-" + std::to_string(getpid()));
    fs::remove_all(directory);
    fs::create_directories(directory);
  }
  ~OutputTest() override { fs::remove_all(directory); }

  fs::path directory;
};

/// Returns a grid of 7 × 5 × 3 or 7 × 5 cells with spacings that have no exact decimal form.
OutputGrid awkward_grid(int dimension, bool equidistant) {
  constexpr std::array<int, 3> cells{7, 5, 3};
  OutputGrid grid;
  grid.dimension = dimension;
  grid.equidistant = equidistant;
  grid.nodes[2] = {0.0};
  for (int axis = 0; axis < dimension; ++axis) {
    grid.nodes[axis].clear();
    for (int i = 0; i <= cells[axis]; ++i) {
      const double t = static_cast<double>(i) / cells[axis];
      grid.nodes[axis].push_back(-1.0 / 3 + (1 + axis / 7.0) * (equidistant ? t : t * t));
    }
  }
  return grid;
}

OutputField numbered(const OutputGrid& grid, const std::string& name, Location location, int components) {
  const auto n = grid.shape(location);
  OutputField field{{name, location, components}, {}};
  for (std::int64_t i = 0; i < n[0] * n[1] * n[2] * components; ++i)
    field.values.push_back(std::sin(1.0 + static_cast<double>(i) * components) / 3);
  return field;
}

std::vector<OutputField> awkward_fields(const OutputGrid& grid) {
  return {numbered(grid, "u", Location::node, 1), numbered(grid, "gradient", Location::node, 3),
          numbered(grid, "coefficient", Location::cell, 1)};
}

const OutputNote note{"Würfel, κ = 10⁴", false, R"({"domain":{"lower":[0,0]}})"};

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

template <class Exception, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

fs::path written_hdf5(const fs::path& place, const OutputGrid& grid, const std::vector<OutputField>& fields) {
  return write_whole(*open_hdf5(place, grid, heads(fields), note, one_process()), grid, fields);
}
fs::path written_vtk(const fs::path& place, const OutputGrid& grid, const std::vector<OutputField>& fields) {
  return write_whole(*open_vtk(place, grid, heads(fields), note, one_process()), grid, fields);
}
#ifdef POISSON_HAVE_VTK
fs::path written_png(const fs::path& place, const OutputGrid& grid, const OutputField& field,
                     const OutputNote& noted = note) {
  return write_whole(*open_picture(place, grid, {field}, noted, one_process()), grid, {field});
}
#endif

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(contains(text, part)) << text

/// The parameters are dimension and equidistant.
class FieldFiles : public OutputTest, public testing::WithParamInterface<std::tuple<int, bool>> {
 protected:
  OutputGrid grid = awkward_grid(std::get<0>(GetParam()), std::get<1>(GetParam()));
  std::vector<OutputField> fields = awkward_fields(grid);
};

INSTANTIATE_TEST_SUITE_P(Grids, FieldFiles, testing::Combine(testing::Values(2, 3), testing::Bool()));

TEST_P(FieldFiles, Hdf5IsReadBack) {
  const auto file = written_hdf5(directory, grid, fields);
  const bool vtkhdf = grid.dimension == 3 && grid.equidistant;
  EXPECT_EQ(file.filename(), vtkhdf ? "solution.hdf" : "solution.h5");
  for (const auto& field : fields) {
    const std::string group = !vtkhdf ? "/" : field.location == Location::node ? "/VTKHDF/PointData/" : "/poisson/";
    const auto n = grid.shape(field.location);
    std::vector<std::int64_t> shape{n[1], n[0]};
    if (grid.dimension == 3) shape.insert(shape.begin(), n[2]);
    if (field.components > 1) shape.push_back(field.components);
    EXPECT_EQ(dataset_shape(file, group + field.name), shape);
    const auto read = read_dataset(file, group + field.name);
    EXPECT_EQ(read.shape, shape);
    EXPECT_EQ(read.values, field.values);
  }
  for (int axis = 0; axis < grid.dimension; ++axis)
    EXPECT_EQ(read_dataset(file, (vtkhdf ? "/poisson/" : "/") + std::string(1, "xyz"[axis])).values, grid.nodes[axis]);
}

TEST_P(FieldFiles, SameBytesTwice) {
  const auto twice = [&](auto&& write) { return bytes_of(write(directory / "a")) == bytes_of(write(directory / "b")); };
  EXPECT_TRUE(twice([&](const fs::path& place) { return written_hdf5(place, grid, fields); }));
#ifdef POISSON_HAVE_VTK
  EXPECT_TRUE(twice([&](const fs::path& place) { return written_vtk(place, grid, fields); }));
  EXPECT_TRUE(twice([&](const fs::path& place) { return written_png(place, grid, fields[0]); }));
#endif
}

#ifdef POISSON_HAVE_VTK

void expect_values(vtkDataSet& data, const OutputField& field) {
  vtkDataSetAttributes* attributes = data.GetPointData();
  if (field.location == Location::cell) attributes = data.GetCellData();
  vtkDataArray* array = attributes->GetArray(field.name.c_str());
  ASSERT_NE(array, nullptr) << field.name;
  ASSERT_EQ(array->GetNumberOfComponents(), field.components);
  ASSERT_EQ(array->GetNumberOfValues(), std::ssize(field.values));
  for (std::size_t i = 0; i < field.values.size(); ++i)
    ASSERT_EQ(array->GetComponent(static_cast<vtkIdType>(i) / field.components, static_cast<int>(i) % field.components),
              field.values[i])
        << field.name << " " << i;
}

/// The coordinates of ImageData are stored as decimal attributes and are therefore not exact.
void expect_nodes(vtkDataSet& data, const OutputGrid& grid, double tolerance) {
  vtkIdType point = 0;
  for (const double z : grid.nodes[2])
    for (const double y : grid.nodes[1])
      for (const double x : grid.nodes[0]) {
        const double* p = data.GetPoint(point++);
        ASSERT_NEAR(p[0], x, tolerance);
        ASSERT_NEAR(p[1], y, tolerance);
        ASSERT_NEAR(p[2], z, tolerance);
      }
  EXPECT_EQ(point, data.GetNumberOfPoints());
}

TEST_P(FieldFiles, VtkReadsItsFormatBack) {
  const auto file = written_vtk(directory, grid, fields);
  vtkSmartPointer<vtkXMLReader> reader;
  if (grid.equidistant)
    reader = vtkSmartPointer<vtkXMLImageDataReader>::New();
  else
    reader = vtkSmartPointer<vtkXMLRectilinearGridReader>::New();
  EXPECT_EQ(file.extension(), grid.equidistant ? ".vti" : ".vtr");
  reader->SetFileName(file.c_str());
  reader->Update();
  auto* data = vtkDataSet::SafeDownCast(reader->GetOutputAsDataSet());
  ASSERT_NE(data, nullptr);
  expect_nodes(*data, grid, grid.equidistant ? 1e-10 : 0.0);
  for (const auto& field : fields) expect_values(*data, field);
  EXPECT_STREQ(data->GetPointData()->GetScalars()->GetName(), "u");
  EXPECT_STREQ(data->GetPointData()->GetVectors()->GetName(), "gradient");
  EXPECT_STREQ(data->GetCellData()->GetScalars()->GetName(), "coefficient");
  auto* title = vtkStringArray::SafeDownCast(data->GetFieldData()->GetAbstractArray("title"));
  ASSERT_NE(title, nullptr);
  EXPECT_EQ(title->GetValue(0), note.title);
  EXPECT_EQ(data->GetFieldData()->GetArray("converged")->GetComponent(0, 0), 0.0);
}

#if __has_include(<vtkHDFReader.h>) && !defined(H5_HAVE_PARALLEL)
TEST_F(OutputTest, VtkReadsVtkhdf) {
  const auto grid = awkward_grid(3, true);
  const auto fields = awkward_fields(grid);
  const auto file = written_hdf5(directory, grid, fields);
  vtkNew<vtkHDFReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  auto* data = reader->GetOutputAsDataSet();
  ASSERT_NE(data, nullptr);
  expect_nodes(*data, grid, 1e-14);
  for (const auto& field : fields)
    if (field.location == Location::node) expect_values(*data, field);
}
#endif

TEST_P(FieldFiles, PictureIsAnImage) {
  for (auto& field : fields) {
    const auto file = written_png(directory, grid, field);
    vtkNew<vtkPNGReader> reader;
    reader->SetFileName(file.c_str());
    reader->Update();
    EXPECT_EQ(reader->GetOutput()->GetNumberOfScalarComponents(), 3);
    EXPECT_GE(reader->GetOutput()->GetDimensions()[0], 640);
  }
}

TEST_F(OutputTest, PicturesOfStrangeFields) {
  auto grid = awkward_grid(2, true);
  auto field = numbered(grid, "u", Location::node, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, 1e-320, -1e308, infinity, std::nan("")}) {
    field.values.assign(field.values.size(), value);
    EXPECT_NO_THROW(written_png(directory, grid, field)) << value;
  }
  field.values.front() = 1e308;
  field.values.back() = -1e308;
  EXPECT_NO_THROW(written_png(directory, grid, field));
  grid.nodes[0].back() = 1e6;  // far from square
  grid.equidistant = false;
  EXPECT_NO_THROW(written_png(directory, grid, field, {}));
}

#endif

/// Limits the size of files during its lifetime, like a full disk.
class FullDisk {
 public:
  FullDisk() {
    getrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, SIG_IGN);  // so that writing fails instead
    rlimit limit = before_;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(OutputTest, FullDiskIsAnErrorAndLeavesNothing) {
  OutputGrid grid = awkward_grid(2, true);
  for (int axis = 0; axis < 2; ++axis) {
    grid.nodes[axis].clear();
    for (int i = 0; i <= 300; ++i) grid.nodes[axis].push_back(i);
  }
  const std::vector<OutputField> fields{numbered(grid, "u", Location::node, 1)};
  const FullDisk full;
  EXPECT_CONTAINS(message_of<RunError>([&] { written_hdf5(directory, grid, fields); }), "cannot be written");
#ifdef POISSON_HAVE_VTK
  EXPECT_CONTAINS(message_of<RunError>([&] { written_vtk(directory, grid, fields); }), "cannot be written");
  EXPECT_CONTAINS(message_of<RunError>([&] { written_png(directory, grid, fields[0]); }), "cannot be written");
  grid.equidistant = false;
  EXPECT_CONTAINS(message_of<RunError>([&] { written_vtk(directory, grid, fields); }), "cannot be written");
#endif
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(OutputTest, MoreThanTheDiskHoldsIsRefusedAtOnce) {
  const auto message =
      message_of<RunError>([&] { PendingFile(directory / "solution.h5", std::numeric_limits<std::int64_t>::max()); });
  EXPECT_CONTAINS(message, "it needs 8.39e+06 TiB, but only ");
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(OutputTest, DirectoryThatIsAFileIsAnError) {
  std::ofstream(directory / "taken") << "x";
  const auto grid = awkward_grid(2, true);
  const auto message = message_of<RunError>([&] { written_hdf5(directory / "taken", grid, awkward_fields(grid)); });
  EXPECT_CONTAINS(message, "solution.h5 cannot be written (");
  EXPECT_CONTAINS(message, "output.directory");
}

TEST_F(OutputTest, FieldOfAnotherSizeIsRefused) {
  const auto grid = awkward_grid(3, true);
  auto fields = awkward_fields(grid);
  fields[0].values.pop_back();
  EXPECT_THROW(written_hdf5(directory, grid, fields), std::invalid_argument);
}

/// Writes a file as another program would, with integers, floats, text, and empty data.
fs::path foreign_file(const fs::path& directory) {
  auto path = directory / "foreign.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto add = [&](const char* name, hid_t type, hid_t space, const void* values) {
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (values) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  };
  H5Gclose(H5Gcreate2(file, "soil", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  constexpr hsize_t shape[2] = {2, 3};
  constexpr std::int16_t counts[6] = {1, -2, 3, -4, 5, -6};
  constexpr float reals[6] = {0.5F, 1.5F, 2.5F, 3.5F, 4.5F, 5.5F};
  add("counts", H5T_NATIVE_INT16, H5Screate_simple(2, shape, nullptr), counts);
  add("soil/conductivity", H5T_NATIVE_FLOAT, H5Screate_simple(2, shape, nullptr), reals);
  add("one", H5T_NATIVE_FLOAT, H5Screate(H5S_SCALAR), reals);
  add("nothing", H5T_NATIVE_FLOAT, H5Screate(H5S_NULL), nullptr);
  add("text", H5T_C_S1, H5Screate(H5S_SCALAR), "x");
  H5Fclose(file);
  return path;
}

TEST_F(OutputTest, ReadsIntegersAndFloats) {
  const auto file = foreign_file(directory);
  EXPECT_EQ(read_dataset(file, "counts").values, (std::vector<double>{1, -2, 3, -4, 5, -6}));
  EXPECT_EQ(read_dataset(file, "/counts").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read_dataset(file, "soil/conductivity").values, (std::vector<double>{0.5, 1.5, 2.5, 3.5, 4.5, 5.5}));
  EXPECT_EQ(read_dataset(file, "one").values, std::vector<double>{0.5});
  EXPECT_TRUE(read_dataset(file, "one").shape.empty());
}

TEST_F(OutputTest, ReadErrorsNameWhatIsThere) {
  const auto file = foreign_file(directory);
  const auto read = [&](const fs::path& path, const std::string& name) {
    return message_of<InputError>([&] { dataset_shape(path, name); });
  };
  EXPECT_CONTAINS(read(directory / "absent.h5", "u"), "there is no such file");
  EXPECT_CONTAINS(read(directory, "u"), "it is a directory");
  ASSERT_EQ(mkfifo((directory / "pipe.h5").c_str(), 0600), 0);
  EXPECT_CONTAINS(read(directory / "pipe.h5", "u"), "it is a pipe or a device");
  std::ofstream(directory / "notes.txt") << "not HDF5";
  EXPECT_CONTAINS(read(directory / "notes.txt", "u"), "it is not an HDF5 file");
  EXPECT_CONTAINS(read(file, "count"), "Did you mean '/counts'?");
  EXPECT_CONTAINS(read(file, "conductivity"), "Did you mean '/soil/conductivity'?");
  EXPECT_CONTAINS(read(file, "potential_of_the_cube"),
                  "Choose from /counts, /nothing, /one, /soil/conductivity, /text.");
  EXPECT_CONTAINS(read(file, "soil"), "there is no such dataset");
  EXPECT_CONTAINS(read(file, "text"), "it contains text");
  EXPECT_CONTAINS(read(file, "nothing"), "it is empty");
}

/// Writes datasets of 8 × 8 with external values, links to them, and one chunk of `side` × `side` values.
fs::path referring_file(const fs::path& directory, hsize_t side) {
  auto path = directory / "referring.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  constexpr hsize_t shape[2] = {8, 8};
  const hsize_t chunk[2] = {side, side}, unlimited[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
  const hid_t space = H5Screate_simple(2, shape, nullptr), growing = H5Screate_simple(2, shape, unlimited);
  const auto add = [&](const char* name, hid_t extent, const std::function<void(hid_t)>& store) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    store(properties);
    H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, extent, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
  };
  add("own", space, [](hid_t) {});
  add("external", space, [](hid_t p) { H5Pset_external(p, "/etc/passwd", 0, 512); });
  add("virtual", space, [&](hid_t p) { H5Pset_virtual(p, space, "foreign.h5", "/one", space); });
  add("chunked", growing, [&](hid_t p) {
    H5Pset_chunk(p, 2, chunk);
    H5Pset_deflate(p, 1);
  });
  H5Lcreate_external("foreign.h5", "/soil", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/elsewhere/conductivity", file, "away", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/own", file, "near", H5P_DEFAULT, H5P_DEFAULT);
  for (const hid_t extent : {space, growing}) H5Sclose(extent);
  H5Fclose(file);
  return path;
}

TEST_F(OutputTest, DatasetsThatReferToOtherFilesAreRefused) {
  foreign_file(directory);
  const auto file = referring_file(directory, 16);
  const auto refusals = [&](const std::string& name) {
    const std::vector<std::function<void()>> readers{
        [&] { dataset_shape(file, name); }, [&] { check_stored(file, name); }, [&] { read_dataset(file, name); },
        [&] {
          read_box(file, name, {0, 0}, {2, 3});
        }};
    std::string text;
    for (const auto& read : readers) {
      const std::string message = message_of<InputError>(read);
      EXPECT_TRUE(text.empty() || message == text) << message;
      text = message;
    }
    return text;
  };
  EXPECT_CONTAINS(refusals("external"), "it has external storage");
  EXPECT_CONTAINS(refusals("virtual"), "it is a virtual dataset");
  EXPECT_CONTAINS(refusals("elsewhere/conductivity"), "an external link points to '/soil' of 'foreign.h5'");
  EXPECT_CONTAINS(refusals("away"), "an external link points to '/soil' of 'foreign.h5'");
  EXPECT_EQ(read_dataset(file, "near").values, std::vector<double>(64));
}

TEST_F(OutputTest, ChunksFarLargerThanTheirDatasetAreRefused) {
  EXPECT_EQ(read_dataset(referring_file(directory, 1024), "chunked").values, std::vector<double>(64));  // 8 MiB
  const auto file = referring_file(directory, 2048);
  EXPECT_CONTAINS(message_of<InputError>([&] { dataset_shape(file, "chunked"); }),
                  "each chunk needs 32 MiB, the dataset only 512 B");
}

Summary some_summary() {
  Summary s;
  s.title = "Würfel";
  s.version = "0.2.0";
  s.converged = true;
  s.iterations = 9;
  s.unknowns = 3'000'000'000;
  s.residual.history = {1.0, 0.1, 1.0 / 3};
  s.solution.min = std::nan("");
  s.solution.max_at = {0.5, 1};
  s.least_cell = 0.25;
  s.widest_cell = 1;
  s.balance.residual = -3e-9;
  s.balance.flow = 30;
  s.probes = {{{0.5, 0.5}, 1.0 / 6}};
  s.flux = {{"x-", 1}, {"x+", 2}, {"y-", 3}, {"y+", 4}, {"z-", 5}, {"z+", 6}};
  s.time.total = std::numeric_limits<double>::infinity();
  s.configuration = R"({"title":"Würfel","grid":{"cells":[4,4]}})";
  return s;
}

TEST_F(OutputTest, SummaryHasTheKeysInOrder) {
  const auto json = nlohmann::ordered_json::parse(to_json(some_summary()));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  EXPECT_EQ(keys,
            (std::vector<std::string>{
                "title",    "version", "quantity",   "converged", "reason",          "iterations", "method",
                "unknowns", "levels",  "cell_width", "residual",  "estimated_error", "solution",   "error",
                "probes",   "flux",    "balance",    "time",      "device",          "ranks",      "peak_memory_bytes",
                "files",    "config"}));
  EXPECT_EQ(json["title"], "Würfel");
  EXPECT_EQ(json["unknowns"], 3'000'000'000);
  EXPECT_EQ(json["residual"]["history"], (std::vector<double>{1.0, 0.1, 1.0 / 3}));
  EXPECT_TRUE(json["solution"]["min"].is_null());
  EXPECT_EQ(json["solution"]["max_at"], (std::vector<double>{0.5, 1}));
  EXPECT_EQ(json["cell_width"]["ratio"], 4);
  EXPECT_EQ(json["balance"]["relative"], 1e-10);
  EXPECT_TRUE(json["time"]["total"].is_null());
  EXPECT_TRUE(json["error"].is_null());
  EXPECT_EQ(json["probes"][0]["point"], (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(json["probes"][0]["u"], 1.0 / 6);
  EXPECT_EQ(json["flux"].size(), 6u);
  EXPECT_EQ(json["flux"]["z+"], 6.0);
  EXPECT_EQ(json["config"]["grid"]["cells"][1], 4);
}

TEST_F(OutputTest, SummaryNamesTheFluxesOfAnyBoundary) {
  auto summary = some_summary();
  summary.flux = {{"inlet", 2}, {"wall \"a\"", -0.5}, {"default", std::nan("")}};
  summary.error = Summary::ErrorNorms{1e-3, 1e-4};
  const auto file = write_summary(directory, summary);
  EXPECT_EQ(file, directory / "summary.json");
  const auto json = nlohmann::json::parse(bytes_of(file));
  EXPECT_EQ(json["flux"].dump(), R"({"default":null,"inlet":2.0,"wall \"a\"":-0.5})");
  EXPECT_EQ(json["error"]["l2"], 1e-4);
}

TEST_F(OutputTest, LongHistoriesFillLines) {
  auto summary = some_summary();
  summary.residual.history.assign(1000, 0.1);
  const auto text = to_json(summary);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 120);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 102u) << line;
}

}  // namespace
}  // namespace poisson::output_tests
