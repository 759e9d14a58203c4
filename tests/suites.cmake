# CTest includes this file for a test program. It adds a test ROOM.SUITE for each test suite that the program lists: one
# process a suite, because starting one for each of thousands of cases costs more than most of them. CTest prints the
# output of a suite that fails, which names the case.
#     PROGRAM  path of the program      ROOM  first part of the names
#     ENVIRONMENT, LABELS, TIMEOUT      properties of the tests
if(NOT EXISTS "${PROGRAM}")
  add_test("${ROOM}_NOT_BUILT" "${PROGRAM}")
  return()
endif()
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status)
string(REGEX MATCHALL "(^|\n)[A-Za-z_0-9/]+\\." suites "${listed}")
if(NOT status EQUAL 0 OR NOT suites)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed (${status}) or listed no test: run it and build it again.")
endif()
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
  add_test("${ROOM}.${suite}" "${PROGRAM}" "--gtest_filter=${suite}.*")
  set_tests_properties("${ROOM}.${suite}" PROPERTIES ENVIRONMENT "${ENVIRONMENT}" LABELS "${LABELS}"
                                                     TIMEOUT "${TIMEOUT}")
endforeach()
