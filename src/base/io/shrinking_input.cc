#include "base/io/shrinking_input.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/interrupt.h"

namespace orrery {
namespace {

struct MappedInput {
  std::size_t size;
  std::string path;
};

struct MappedInputs {
  std::mutex mutex;
  std::map<const char*, MappedInput> by_begin;
};

// Never destroyed: a thread may still read when main returns.
MappedInputs& mapped_inputs() {
  static auto* const all = new MappedInputs;
  return *all;
}

std::function<int(const Error&)>& telling() {
  static auto* const tell = new std::function<int(const Error&)>;
  return *tell;
}

struct sigaction previous_action;

std::optional<Error> shrunk_input_at(const char* address) {
  MappedInputs& inputs = mapped_inputs();
  const std::lock_guard lock(inputs.mutex);
  auto after = inputs.by_begin.upper_bound(address);
  if (after == inputs.by_begin.begin()) return std::nullopt;
  const auto& [begin, input] = *--after;
  // Behind it lies the padding, which no truncation takes away.
  if (address >= begin + input.size) return std::nullopt;
  return Error{"the file became shorter while it was being read", input.path,
               static_cast<std::uint64_t>(address - begin),
               "is the profiler, or a copy, still writing it? try again when it is done"};
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const std::optional<Error> error = shrunk_input_at(static_cast<const char*>(info->si_addr));
  if (!error) {
    // Not ours: the instruction runs again and meets what was there before.
    ::sigaction(signal, &previous_action, nullptr);
    return;
  }
  static std::atomic<bool> is_ending{false};
  if (is_ending.exchange(true)) {
    for (;;) ::pause();  // another thread is about to end the process
  }
  // Locks and memory in a signal handler: the thread stopped at a load from a mapping, not inside either. (The thread
  // sanitizer cannot know that, and is told not to report it.)
  const int code = telling()(*error);
  remove_leftovers();
  ::_exit(code);
}

}  // namespace

EndsWhenInputShrinks::EndsWhenInputShrinks(std::function<int(const Error&)> tell) {
  telling() = std::move(tell);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &previous_action);
}

EndsWhenInputShrinks::~EndsWhenInputShrinks() { ::sigaction(SIGBUS, &previous_action, nullptr); }

void note_mapped_input(const char* data, std::size_t size, const std::string& path) {
  MappedInputs& inputs = mapped_inputs();
  const std::lock_guard lock(inputs.mutex);
  inputs.by_begin.insert_or_assign(data, MappedInput{size, path});
}

void forget_mapped_input(const char* data) {
  MappedInputs& inputs = mapped_inputs();
  const std::lock_guard lock(inputs.mutex);
  inputs.by_begin.erase(data);
}

}  // namespace orrery
