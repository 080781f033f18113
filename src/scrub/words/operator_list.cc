#include "scrub/words/operator_list.h"

#include <cstddef>

// The file goes into the program as it is: no array of numbers has to be generated and compiled.
asm(".pushsection .rodata,\"a\"\n"
    "orrery_pytorch_operators: .incbin \"" ORRERY_PYTORCH_OPERATORS
    "\"\n"
    "orrery_pytorch_operators_end:\n"
    ".popsection\n");
// Hidden, so that they are reached without the global offset table: its entries for labels inside a section are wrong
// on aarch64.
#pragma GCC visibility push(hidden)
extern "C" {
extern const char orrery_pytorch_operators[], orrery_pytorch_operators_end[];
}
#pragma GCC visibility pop

namespace orrery::scrub {

std::string_view operator_list() {
  return {orrery_pytorch_operators, static_cast<std::size_t>(orrery_pytorch_operators_end - orrery_pytorch_operators)};
}

}  // namespace orrery::scrub
