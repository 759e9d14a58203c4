# Installs the build POISSON_BUILD into a temporary folder, builds the consumer against it and runs it.
#     cmake -DPOISSON_BUILD=... -DCONFIG=Release -P check.cmake
foreach(name POISSON_BUILD)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "${name} is not set.")
  endif()
endforeach()
load_cache(${POISSON_BUILD} READ_WITH_PREFIX built_ CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_GENERATOR CMAKE_MAKE_PROGRAM)
set(work ${POISSON_BUILD}/tests/install-check)
file(REMOVE_RECURSE ${work})
set(settings "-DCMAKE_CXX_COMPILER=${built_CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${built_CMAKE_CXX_FLAGS}"
             "-DCMAKE_MAKE_PROGRAM=${built_CMAKE_MAKE_PROGRAM}" "-DCMAKE_BUILD_TYPE=${CONFIG}")

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
step(${CMAKE_COMMAND} --install ${POISSON_BUILD} --prefix ${work}/prefix)
# Moved after it was installed: nothing in it may remember where it was.
file(RENAME ${work}/prefix ${work}/moved)
step(${CMAKE_COMMAND} -G ${built_CMAKE_GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build ${settings}
     -DCMAKE_PREFIX_PATH=${work}/moved)
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/consumer)
if(EXISTS ${work}/moved/bin/poisson)
  step(${work}/moved/bin/poisson --version)
endif()
file(REMOVE_RECURSE ${work})
