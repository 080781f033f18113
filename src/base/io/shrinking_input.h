// A file that gets shorter while it is mapped (a profiler that starts over, a copy that is replaced): the system
// answers a read of what is gone with SIGBUS, which ends a program without a word. Here that becomes a sentence.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace orrery {

/// As long as it lives, a read of a mapped input beyond where the file now ends calls `tell` with an Error that names
/// the file, removes what was written aside (base/interrupt.h) and ends the process with the code that `tell` returns.
/// The signal comes from our own access to memory that nobody allocates from, so `tell` may do what any function may,
/// but it must not wait for other threads of the program. One at a time; other faults stay what they were.
class EndsWhenInputShrinks {
 public:
  explicit EndsWhenInputShrinks(std::function<int(const Error&)> tell);
  EndsWhenInputShrinks(const EndsWhenInputShrinks&) = delete;
  EndsWhenInputShrinks& operator=(const EndsWhenInputShrinks&) = delete;
  ~EndsWhenInputShrinks();
};

// For base/io/input.cc: what is mapped, and that it is no longer. Any thread.

void note_mapped_input(const char* data, std::size_t size, const std::string& path);
void forget_mapped_input(const char* data);

}  // namespace orrery
