// The recording of this process: from MPI_Init to MPI_Finalize, of all its threads.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tracer/call_description.h"
#include "tracer/call_sites.h"
#include "tracer/functions.h"
#include "tracer/settings.h"
#include "tracer/trace_file.h"

namespace orrery::tracer {

/// Nanoseconds of the monotonic clock; in a thread each is later than the one before, so that every call has an extent.
std::uint64_t now_ns();

/// What all calls have.
struct CallTimes {
  Function function = Function::count_;
  std::uint64_t enter_ns = 0;
  std::uint64_t exit_ns = 0;
};

/// A thread that calls MPI, and its calls that found nothing and are not written yet.
struct Thread {
  std::uint32_t number = 0;
  std::uint64_t polls = 0;  ///< how many; 0: none are waiting
  std::uint64_t inside_ns = 0;
  CallTimes extent;  ///< of the first one's beginning and the last one's end
  std::uint32_t site = 0;
};

class Recorder {
 public:
  /// Opens this rank's file. Null, and nothing will be recorded, where that fails or this is a process that was spawned
  /// by another job.
  static Recorder* start(const Settings& settings, const FileFacts& facts, bool is_concurrent);

  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  void turn(bool on) { is_on_.store(on, std::memory_order_relaxed); }
  /// Several threads may be in MPI at once.
  [[nodiscard]] bool is_concurrent() const { return is_concurrent_; }
  [[nodiscard]] int depth() const { return depth_; }

  /// Begins the description of a call; the lock must be held from here to commit().
  CallDescription& describe();
  void commit(const CallTimes& times, const Stack& stack);
  /// What every thread has folded, then all that is buffered, goes into the file.
  void flush();
  /// The same, with the mark that nothing is missing.
  void finish();
  /// In a child of fork(), whose calls are not recorded.
  void forget() { file_.forget(); }

  std::mutex mutex;
  CallDescription description;

 private:
  Thread& this_thread();
  void write_definitions();
  void write_polls(Thread& thread);
  void fold(Thread& thread, const CallTimes& times, const Stack& stack);
  void write_call(const Thread& thread, const CallTimes& times, std::uint32_t site, std::uint32_t fields,
                  const ByteBuffer& rest);
  void prepare(std::uint64_t now);

  std::atomic<bool> is_on_{true};
  bool is_concurrent_ = false;
  int depth_ = 1;
  TraceFile file_;
  Texts texts_;
  CallSites sites_;
  std::uint32_t function_texts_[static_cast<std::size_t>(Function::count_)] = {};
  std::uint64_t previous_ns_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
  ByteBuffer body_, rest_;
};

/// Null: nothing is recorded (yet, or any more).
extern Recorder* recorder;

}  // namespace orrery::tracer
