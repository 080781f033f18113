// What the plugin for many processes (src/mpi_plugin) gives the engine: messages between them, and nothing else. The
// engine itself knows no MPI, so that it runs where there is none, and under any MPI for which somebody compiles these
// few functions.
//
// All functions are called by one thread. They return 0, or -1 for what cannot go on.
#pragma once

#include <cstdint>

extern "C" {

struct OrreryProcessPlugin {
  std::uint32_t version;  ///< kProcessPluginVersion
  /// Who we are. The first call, once.
  int (*join)(int* process, int* processes);
  /// Returns when `bytes` may be used again. Sleeps while it waits: cores are for those who work.
  int (*send)(int to, const void* bytes, std::uint64_t size);
  /// The sender of a message that has come, -1 if there is none. Does not wait.
  int (*poll)();
  /// Its next message, in the order in which it sent them. `allocate` says where it goes.
  int (*receive)(int from, void* (*allocate)(void* context, std::uint64_t size), void* context);
  /// All call it when nothing is on the way any more. The last call.
  int (*leave)();
  /// Ends all processes.
  void (*abort)(int exit_code);
};

/// The one symbol of a plugin.
using OrreryProcessPluginEntry = const OrreryProcessPlugin* (*)();
}

namespace orrery {
inline constexpr std::uint32_t kProcessPluginVersion = 1;
inline constexpr const char* kProcessPluginEntry = "orrery_process_plugin";
}  // namespace orrery
