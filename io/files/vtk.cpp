// VTK's XML files: ImageData on equidistant grids, RectilinearGrid on the others.

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>
#include <vtkCallbackCommand.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkXMLImageDataWriter.h>
#include <vtkXMLRectilinearGridWriter.h>

#include "io/files/descriptor.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

/// The values as VTK sees them, without a copy: they have to outlive the array. (VTK names nameless arrays after their
/// addresses, which differ from run to run.)
vtkSmartPointer<vtkDoubleArray> borrow(std::span<const double> values, int components, const std::string& name) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(components);
  // VTK takes a mutable pointer, but a writer only reads.
  array->SetArray(const_cast<double*>(values.data()), static_cast<vtkIdType>(values.size()), /*save=*/1);
  return array;
}

vtkSmartPointer<vtkDataSet> image(const OutputGrid& grid) {
  auto data = vtkSmartPointer<vtkImageData>::New();
  int points[3];
  double origin[3], spacing[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto& x = grid.nodes[axis];
    points[axis] = static_cast<int>(x.size());
    origin[axis] = x.front();
    spacing[axis] = x.size() > 1 ? (x.back() - x.front()) / static_cast<double>(x.size() - 1) : 1.0;
  }
  data->SetDimensions(points);
  data->SetOrigin(origin);
  data->SetSpacing(spacing);
  return data;
}

vtkSmartPointer<vtkDataSet> rectilinear(const OutputGrid& grid) {
  auto data = vtkSmartPointer<vtkRectilinearGrid>::New();
  data->SetDimensions(static_cast<int>(grid.nodes[0].size()), static_cast<int>(grid.nodes[1].size()),
                      static_cast<int>(grid.nodes[2].size()));
  data->SetXCoordinates(borrow(grid.nodes[0], 1, "x"));
  data->SetYCoordinates(borrow(grid.nodes[1], 1, "y"));
  data->SetZCoordinates(borrow(grid.nodes[2], 1, "z"));
  return data;
}

/// Adds the field; the first scalar and the first vector of nodes and of cells become the active ones.
void add(vtkDataSet& data, const OutputField& field) {
  const auto array = borrow(field.values, field.components, field.name);
  vtkDataSetAttributes* attributes = data.GetPointData();
  if (field.location == Location::cell) attributes = data.GetCellData();
  attributes->AddArray(array);
  if (field.components == 1 && !attributes->GetScalars()) attributes->SetActiveScalars(field.name.c_str());
  if (field.components == 3 && !attributes->GetVectors()) attributes->SetActiveVectors(field.name.c_str());
}

void add(vtkDataSet& data, const OutputNote& note) {
  vtkNew<vtkStringArray> title;
  title->SetName("title");
  title->InsertNextValue(note.title);
  data.GetFieldData()->AddArray(title);
  vtkNew<vtkIntArray> converged;
  converged->SetName("converged");
  converged->InsertNextValue(note.converged ? 1 : 0);
  data.GetFieldData()->AddArray(converged);
}

/// Why nothing can be written to a file, if that is still so: VTK may notice a failure after other calls.
int reason_of_disk(const std::filesystem::path& file) {
  const Descriptor probe(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  constexpr std::array<char, 4096> block{};
  if (probe < 0 || write(probe, block.data(), block.size()) < 0) return errno;
  const int error = flush_to_disk(probe);
  return error != 0 ? error : EIO;
}

/// Whether a file ends as VTK's do: of closing it, VTK does not see the errors.
bool is_whole(const std::filesystem::path& file) {
  constexpr std::string_view end = "</VTKFile>\n";
  std::ifstream stream(file, std::ios::binary);
  std::string last(end.size(), ' ');
  stream.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  return stream.read(last.data(), static_cast<std::streamsize>(last.size())) && last == end;
}

}  // namespace

std::filesystem::path write_vtk(const std::filesystem::path& directory, const OutputGrid& grid,
                                const std::vector<OutputField>& fields, const OutputNote& note) {
  const std::uintmax_t bytes = bytes_of(grid, fields);
  const auto data = grid.equidistant ? image(grid) : rectilinear(grid);
  for (const auto& field : fields) add(*data, field);
  add(*data, note);

  vtkSmartPointer<vtkXMLWriter> writer;
  if (grid.equidistant)
    writer = vtkSmartPointer<vtkXMLImageDataWriter>::New();
  else
    writer = vtkSmartPointer<vtkXMLRectilinearGridWriter>::New();
  PendingFile file(directory / vtk_name(grid), bytes);
  writer->SetFileName(file.path().c_str());
  writer->SetInputData(data);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToNone();
  writer->SetHeaderTypeToUInt64();
  // An observer keeps VTK from printing the error that is thrown below, and asks for the reason while it is known: VTK
  // says of every failure that the disk is full.
  int reason = 0;
  vtkNew<vtkCallbackCommand> silent;
  silent->SetClientData(&reason);
  silent->SetCallback([](vtkObject*, unsigned long, void* kept, void*) {
    if (int& first = *static_cast<int*>(kept); first == 0) first = errno;
  });
  writer->AddObserver(vtkCommand::ErrorEvent, silent);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, silent);
  const bool written = writer->Write() == 1;
  if (!written || writer->GetErrorCode() != vtkErrorCode::NoError)
    file.fail(std::strerror(reason != 0 && reason != ENOENT ? reason : reason_of_disk(file.path())));
  if (!is_whole(file.path())) file.fail("the file is not complete");
  return file.commit();
}

}  // namespace poisson
