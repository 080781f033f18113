// The one place where threads come from: a thin layer over oneTBB, so that --threads holds for everything.
#pragma once

#include <cstddef>
#include <functional>

namespace orrery {

/// Upper bound for all parallel work of this process; 0 means one thread per core. Call before any parallel work.
void set_thread_count(std::size_t count);
std::size_t thread_count();
/// What 0 means instead of one per core, for a process that shares them with others.
void set_default_thread_count(std::size_t count);

/// Calls body(i) for every i in [0, count), in any order, on up to thread_count() threads. The first exception is
/// passed on. This and the pipelines below throw Stopped (base/interrupt.h) between two calls if the work is to be
/// given up.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

/// Runs `produce` and `consume` as two stages that overlap: `produce(slot)` fills one of `slots` buffers and returns
/// false at the end of input; `consume(slot)` gets the filled buffers in order and returns false to stop early. Each
/// stage runs in one thread at a time.
void pipeline(std::size_t slots, const std::function<bool(std::size_t slot)>& produce,
              const std::function<bool(std::size_t slot)>& consume);

/// The same with a stage in between, `work(slot)`, which runs for several slots at a time.
void pipeline(std::size_t slots, const std::function<bool(std::size_t slot)>& produce,
              const std::function<void(std::size_t slot)>& work, const std::function<bool(std::size_t slot)>& consume);

}  // namespace orrery
