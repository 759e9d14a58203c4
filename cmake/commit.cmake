# Every build runs this: FILE, a source, says which commit the tree ROOT is. Where that is no other one than before the
# file stays as it is, and nothing is compiled.
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
