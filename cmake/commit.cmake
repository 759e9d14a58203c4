# Every build runs this script, which writes the commit of the tree ROOT into the source FILE. If the commit is
# unchanged, the file is not touched and nothing is compiled.
execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
#include "backends/utilities/commit.hpp"

namespace poisson {

const char* commit() {
  return "@commit@";
}

}  // namespace poisson
]])
