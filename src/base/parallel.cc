#include "base/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <atomic>
#include <memory>
#include <thread>

#include "base/interrupt.h"

namespace orrery {
namespace {

std::size_t requested_threads = 0;
std::size_t default_threads = 0;
std::unique_ptr<tbb::global_control> control;

}  // namespace

void set_default_thread_count(std::size_t count) { default_threads = count; }

void set_thread_count(std::size_t count) {
  if (count == 0) count = default_threads;
  requested_threads = count;
  control =
      count == 0 ? nullptr : std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, count);
}

std::size_t thread_count() {
  if (requested_threads != 0) return requested_threads;
  const std::size_t cores = std::thread::hardware_concurrency();
  // 0: the system does not tell.
  return cores == 0 ? 1 : cores;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  // One thread was asked for: then nothing of TBB is started either, which tools that follow threads are glad of.
  if (count <= 1 || thread_count() == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      stop_if_requested();
      body(i);
    }
    return;
  }
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    stop_if_requested();
    body(i);
  });
}

void pipeline(std::size_t slots, const std::function<bool(std::size_t)>& produce,
              const std::function<bool(std::size_t)>& consume) {
  pipeline(slots, produce, {}, consume);
}

void pipeline(std::size_t slots, const std::function<bool(std::size_t)>& produce,
              const std::function<void(std::size_t)>& work, const std::function<bool(std::size_t)>& consume) {
  std::atomic<bool> stopped{false};
  if (thread_count() == 1) {
    for (std::size_t slot = 0; produce(slot); slot = (slot + 1) % slots) {
      stop_if_requested();
      if (work) work(slot);
      if (!consume(slot)) return;
    }
    return;
  }
  std::size_t next = 0;
  const auto source = [&](tbb::flow_control& flow) -> std::size_t {
    stop_if_requested();
    const std::size_t slot = next;
    // The stages may see the flag late; then a block more is produced for nothing.
    if (stopped.load(std::memory_order_relaxed) || !produce(slot)) {
      flow.stop();
      return 0;
    }
    next = (next + 1) % slots;
    return slot;
  };
  const auto middle = [&](std::size_t slot) {
    if (!stopped.load(std::memory_order_relaxed)) work(slot);
    return slot;
  };
  const auto sink = [&](std::size_t slot) {
    if (!stopped.load(std::memory_order_relaxed) && !consume(slot)) stopped.store(true, std::memory_order_relaxed);
  };
  const auto first = tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, source);
  const auto last = tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, sink);
  // `slots` live tokens: a buffer is produced again only after it was consumed.
  if (work)
    tbb::parallel_pipeline(
        slots, first & tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, middle) & last);
  else tbb::parallel_pipeline(slots, first & last);
}

}  // namespace orrery
