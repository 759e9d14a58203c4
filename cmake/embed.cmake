# Writes headers into a C++ source, for code that is compiled at run time to include:
#   cmake -DOUTPUT=FILE -DROOT=FOLDER -DHEADERS=a.hpp,b.hpp -DFREESTANDING=FOLDER -P embed.cmake
# HEADERS are named as they are included, under ROOT; all files of FREESTANDING by their bare names.
string(REPLACE "," ";" headers "${HEADERS}")
file(GLOB freestanding "${FREESTANDING}/*")
list(FILTER freestanding EXCLUDE REGEX "\\.md$")
set(rows "")
function(add name path)
  file(READ "${path}" text)
  string(APPEND rows "    {\"${name}\", R\"poisson(${text})poisson\"},\n")
  set(rows "${rows}" PARENT_SCOPE)
endfunction()
foreach(path IN LISTS freestanding)
  cmake_path(GET path FILENAME name)
  add("${name}" "${path}")
endforeach()
foreach(name IN LISTS headers)
  add("${name}" "${ROOT}/${name}")
endforeach()
file(WRITE "${OUTPUT}" "#include \"grids/kernels/cuda/runtime_headers.hpp\"

namespace poisson::cuda {
namespace {

constexpr RuntimeHeader table[]{
${rows}};

}  // namespace

std::span<const RuntimeHeader> runtime_headers() {
  return table;
}

}  // namespace poisson::cuda
")
