// Ctrl-C and kill: the program ends at once, and what it had written aside goes with it. Within a program of others'
// the work is given up instead.
#pragma once

#include <sys/types.h>

#include <exception>
#include <functional>
#include <string>

namespace orrery {

/// From now on SIGINT, SIGTERM and SIGHUP remove and kill what the guards below name, then end the process as the
/// signal would have (a shell reports 130, 143, 129). Signals that were ignored stay ignored. To be called once, before
/// other threads start: they inherit a mask that leaves these signals to a thread of their own. SIGXFSZ is ignored:
/// writing past the limit fails like any other write.
void clean_up_when_interrupted();

/// Called once, before such a signal ends the process; for a word about what was done so far. Any thread; an empty
/// function takes it back. It must return soon: who sent the signal may follow it with one that nobody can catch.
void set_last_words(std::function<void()> say);

/// Removes and kills what the guards below name, for a process that ends at once: from then on a thread that makes or
/// drops a guard waits.
void remove_leftovers();

/// Thrown where work was given up.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped before it was done"; }
};

/// Work that is under way is given up: it throws Stopped from the next stop_if_requested(), until allow_work(). Any
/// thread.
void request_stop() noexcept;
void allow_work() noexcept;
/// To be called now and then by all that takes long (parallel_for and pipeline do it, and the readers, per block).
/// Costs a load.
void stop_if_requested();
/// The same for where nothing may be thrown, like callbacks of C libraries.
bool is_stop_requested() noexcept;

/// A file, or a folder with its content, that must not outlive an interrupted run. Make the guard before the file; it
/// does not remove the file when it is destroyed. Any thread.
class RemovedWhenInterrupted {
 public:
  explicit RemovedWhenInterrupted(std::string path);
  RemovedWhenInterrupted(const RemovedWhenInterrupted&) = delete;
  RemovedWhenInterrupted& operator=(const RemovedWhenInterrupted&) = delete;
  ~RemovedWhenInterrupted();

 private:
  std::string path_;
};

/// A process group of our making, to be kept until its leader has been waited for. Any thread.
class KilledWhenInterrupted {
 public:
  /// `start` begins the group and returns its number, 0 if it cannot; a signal waits until it has returned.
  explicit KilledWhenInterrupted(const std::function<pid_t()>& start);
  KilledWhenInterrupted(const KilledWhenInterrupted&) = delete;
  KilledWhenInterrupted& operator=(const KilledWhenInterrupted&) = delete;
  ~KilledWhenInterrupted();
  [[nodiscard]] pid_t group() const { return group_; }

 private:
  pid_t group_ = 0;
};

}  // namespace orrery
