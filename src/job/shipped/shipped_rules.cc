#include "job/shipped/shipped_rules.h"

#include <cstddef>

// The file goes into the program as it is: no array of numbers has to be generated and compiled.
asm(".pushsection .rodata,\"a\"\n"
    "orrery_shipped_rules: .incbin \"" ORRERY_SHIPPED_RULES
    "\"\n"
    "orrery_shipped_rules_end:\n"
    ".popsection\n");
// Hidden, so that they are reached without the global offset table: its entries for labels inside a section are wrong
// on aarch64.
#pragma GCC visibility push(hidden)
extern "C" {
extern const char orrery_shipped_rules[], orrery_shipped_rules_end[];
}
#pragma GCC visibility pop

namespace orrery::job {

std::string_view shipped_rules_text() {
  return {orrery_shipped_rules, static_cast<std::size_t>(orrery_shipped_rules_end - orrery_shipped_rules)};
}

}  // namespace orrery::job
