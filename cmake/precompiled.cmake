# Defines precompiled headers, which save up to a second of each translation unit. A header of the project in them would
# compile everything again after each of its changes, so these are headers of the standard library alone. The presets
# debug and asan do without (CMAKE_DISABLE_PRECOMPILE_HEADERS), so that a missing include does not stay unseen.

set(poisson_standard_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstring> <filesystem> <fstream> <functional>
    <iterator> <limits> <map> <memory> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view>
    <utility> <variant> <vector>)

# poisson_headers(NAME HEADER... [LINK target...] [PIC]) makes a target that precompiles headers for others.
function(poisson_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PIC" "" "LINK")
  set(source ${PROJECT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE poisson_flags OpenMP::OpenMP_CXX ${arg_LINK})
  if(arg_PIC)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_precompile_headers(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
endfunction()

# poisson_precompile(TARGET) compiles the C++ sources of a library or program with precompiled standard headers.
function(poisson_precompile target)
  get_target_property(pic ${target} POSITION_INDEPENDENT_CODE)
  set(headers poisson_program_headers)
  if(pic)
    set(headers poisson_library_headers)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

poisson_headers(poisson_library_headers ${poisson_standard_headers} PIC)
poisson_headers(poisson_program_headers ${poisson_standard_headers})
