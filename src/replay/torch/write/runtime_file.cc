#include "replay/torch/write/runtime_file.h"

#include <cstddef>

// The file goes into the program as it is: no array of numbers has to be generated and compiled.
asm(".pushsection .rodata,\"a\"\n"
    "orrery_replay_runtime: .incbin \"" ORRERY_REPLAY_RUNTIME
    "\"\n"
    "orrery_replay_runtime_end:\n"
    ".popsection\n");
// Hidden, so that they are reached without the global offset table: its entries for labels inside a section are wrong
// on aarch64.
#pragma GCC visibility push(hidden)
extern "C" {
extern const char orrery_replay_runtime[], orrery_replay_runtime_end[];
}
#pragma GCC visibility pop

namespace orrery::replay::torch {

std::string_view runtime_file() {
  return {orrery_replay_runtime, static_cast<std::size_t>(orrery_replay_runtime_end - orrery_replay_runtime)};
}

}  // namespace orrery::replay::torch
