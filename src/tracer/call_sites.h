// Where in the program a call was made: the return addresses on the stack, as places in the files that the program is
// made of. Addresses differ between ranks, because systems load programs at random places; file and offset do not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracer/handle_map.h"
#include "tracer/settings.h"
#include "tracer/trace_file.h"

namespace orrery::tracer {

/// Return addresses, the innermost first.
struct Stack {
  int depth = 0;
  std::uintptr_t frames[kMaxDepth];
};

/// Frames from the one that returns to `caller` outwards: those of the tracer itself are passed over. Unwinding takes a
/// microsecond or two, so stacks are remembered by thread: one that was seen before, which nearly all are, takes some
/// nanoseconds a frame.
void take_stack(const void* caller, int depth, Stack& stack);

/// Texts by number, written when first used. Not thread-safe.
class Texts {
 public:
  std::uint32_t number(std::string_view text, TraceFile& file);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Not thread-safe: the caller has a lock.
class CallSites {
 public:
  /// The number of a site; what it is is written when it is first seen.
  std::uint32_t number(const Stack& stack, Texts& texts, TraceFile& file);

 private:
  HandleMap<std::uint32_t> by_hash_;  // of 64 bits: two of a million sites are taken for one with a chance of 10^-8
  std::uint32_t count_ = 0;
};

}  // namespace orrery::tracer
