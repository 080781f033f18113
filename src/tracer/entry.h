// One call of the program into MPI, on its way through the tracer.
#pragma once

#include "tracer/call_arguments.h"
#include "tracer/recorder.h"

namespace orrery::tracer {

/// While it lives, calls of this thread count as made from `caller`: between them and the program stands another
/// function of the tracer.
class CalledFrom {
 public:
  explicit CalledFrom(const void* caller);
  ~CalledFrom();
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;
};

/// Calls that MPI makes of itself, inside a call of the program, are none of the program's: they pass through.
class Entry {
 public:
  Entry(Function function, const void* caller);
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  [[nodiscard]] bool is_recorded() const { return is_recorded_; }
  void begin() {
    if (is_recorded_) times_.enter_ns = now_ns();
  }
  /// True: the call is to be described, under the lock, and then committed. Of one that failed only that is recorded.
  bool end(int result);
  CallDescription& call() { return recorder->describe(); }
  void commit() { recorder->commit(times_, stack_); }
  /// For what is timed in another way: the beginning and end of the recording.
  CallTimes& times() { return times_; }

 private:
  CallTimes times_;
  Stack stack_;
  bool is_recorded_ = false;
  bool has_lock_ = false;
};

}  // namespace orrery::tracer
