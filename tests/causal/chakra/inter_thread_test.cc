#include "causal/chakra/link.h"

#include <doctest/doctest.h>

#include <vector>

#include "trace/host_trace.h"

using namespace orrery;
using namespace orrery::causal::chakra;

namespace {

struct ThreadOp {
  double ts, dur;
  std::uint32_t thread;
  std::int64_t record_function;
};

std::vector<std::int64_t> dependencies(const std::vector<ThreadOp>& list) {
  HostOps ops;
  for (const ThreadOp& op : list) {
    ops.event.push_back(static_cast<std::uint32_t>(ops.size()));
    ops.ts.push_back(op.ts);
    ops.dur.push_back(op.dur);
    ops.thread.push_back(op.thread);
    ops.record_function.push_back(op.record_function);
  }
  const Column<std::int64_t> result = inter_thread_dependencies(ops);
  return {result.begin(), result.end()};
}

}  // namespace

TEST_CASE("inter-thread: a thread begins after the last operator of another to start before it") {
  CHECK(dependencies({{10, 5, 1, 11}, {20, 5, 1, 12}, {30, 5, 2, 21}}) == std::vector<std::int64_t>{0, 0, 12});
}

TEST_CASE("inter-thread: what follows without a pause shares the dependency, a pause of more than 1000 looks again") {
  CHECK(dependencies({{10, 5, 1, 11}, {20, 5, 2, 21}, {1020, 5, 1, 12}, {1025, 5, 2, 22}, {2030.5, 1, 2, 23}}) ==
        std::vector<std::int64_t>{0, 11, 21, 11, 12});
}

TEST_CASE("inter-thread: an operator that starts at the same time does not count, nor one at time 0") {
  CHECK(dependencies({{10, 5, 1, 11}, {10, 5, 2, 21}}) == std::vector<std::int64_t>{0, 0});
  CHECK(dependencies({{0, 5, 1, 11}, {10, 5, 2, 21}}) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("inter-thread: of equal starts the thread that appeared first wins, of one thread its first operator") {
  CHECK(dependencies({{5, 1, 2, 1}, {6, 1, 1, 2}, {10, 5, 1, 11}, {10, 6, 2, 21}, {10, 7, 2, 22}, {20, 1, 3, 31}}) ==
        std::vector<std::int64_t>{0, 1, 1, 0, 0, 21});
}

TEST_CASE("inter-thread: an operator without a record function is found and gives nothing") {
  CHECK(dependencies({{5, 1, 1, 11}, {10, 1, 1, trace::kNoNumber}, {20, 1, 2, 21}}) ==
        std::vector<std::int64_t>{0, 0, 0});
  CHECK(dependencies({{5, 1, 1, 11}, {10, 1, 1, 0}, {20, 1, 2, 21}}) == std::vector<std::int64_t>{0, 0, 0});
}
