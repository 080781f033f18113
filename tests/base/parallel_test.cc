#include "base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "base/interrupt.h"

namespace orrery {
namespace {

// The threads of all tests, put back when a test ends.
struct Threads {
  explicit Threads(std::size_t count) { set_thread_count(count); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_thread_count(0); }
};

}  // namespace

TEST_CASE("the number of threads") {
  CHECK(thread_count() >= 1);
  const Threads threads(3);
  CHECK(thread_count() == 3);
}

TEST_CASE("every index is visited once") {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const Threads guard(threads);
    for (const std::size_t count : {0u, 1u, 1000u}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, [&](std::size_t i) { ++visits[i]; });
      for (const auto& visit : visits) CHECK(visit == 1);
    }
  }
}

TEST_CASE("work that is to be given up stops between two calls, and goes on when it is allowed again") {
  for (const std::size_t threads : {1u, 2u}) {
    const Threads guard(threads);
    std::atomic<int> calls = 0;
    const auto stop_at_first = [&](std::size_t) {
      ++calls;
      request_stop();
    };
    CHECK_THROWS_AS(parallel_for(100'000, stop_at_first), Stopped);
    CHECK(calls < 100'000);
    CHECK_THROWS_AS(pipeline(
                        2, [](std::size_t) { return true; }, [](std::size_t) { return true; }),
                    Stopped);
    allow_work();
    parallel_for(3, [](std::size_t) {});
  }
}

TEST_CASE("an exception is passed on") {
  for (const std::size_t threads : {1u, 2u}) {
    const Threads guard(threads);
    CHECK_THROWS_AS(parallel_for(100,
                                 [](std::size_t i) {
                                   if (i == 50) throw std::runtime_error("fifty");
                                 }),
                    std::runtime_error);
  }
}

TEST_CASE("a pipeline delivers in order, and a slot is not refilled before it was consumed") {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    for (const std::size_t slots : {1u, 2u, 5u}) {
      CAPTURE(threads);
      CAPTURE(slots);
      const Threads guard(threads);
      std::vector<int> buffer(slots, -1), seen;
      std::vector<std::atomic<bool>> full(slots);
      std::atomic<bool> overwritten = false;
      int next = 0;
      pipeline(
          slots,
          [&](std::size_t slot) {
            if (next == 500) return false;
            if (full[slot].exchange(true)) overwritten = true;
            buffer[slot] = next++;
            return true;
          },
          [&](std::size_t slot) {
            seen.push_back(buffer[slot]);
            full[slot] = false;
            return true;
          });
      CHECK_FALSE(overwritten);
      REQUIRE(seen.size() == 500);
      for (int i = 0; i < 500; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
    }
  }
}

TEST_CASE("a consumer can stop a pipeline") {
  for (const std::size_t threads : {1u, 2u}) {
    const Threads guard(threads);
    int produced = 0, consumed = 0;
    const auto produce = [&](std::size_t) { return ++produced < 1'000'000; };
    const auto consume = [&](std::size_t) { return ++consumed < 10; };
    pipeline(2, produce, consume);
    CHECK(consumed == 10);
    CHECK(produced < 1000);
  }
}

}  // namespace orrery
