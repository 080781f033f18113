// Async events, and the traces of NCCL's example plugin that are made of them.
#include <doctest/doctest.h>

#include <map>

#include "formats/kineto/diagnostics.h"
#include "formats/kineto/reader.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;

struct AsyncRead {
  trace::Trace trace;
  Diagnostics diagnostics;

  /// Durations in us by name, of the events that have one; of several of a name the last.
  [[nodiscard]] std::map<std::string, std::int64_t> durations() const {
    std::map<std::string, std::int64_t> all;
    const trace::RankTrace& rank = trace.ranks[0];
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      if (rank.has_duration(e)) all[std::string(trace.name(rank, e))] = rank.duration[e] / kPsPerUs;
    }
    return all;
  }
};

AsyncRead read_async(const std::string& text) {
  const testing::TempDir dir;
  AsyncRead read;
  Result<trace::Trace> trace = kineto::read_job({dir.write("rank0.json", text)}, read.diagnostics);
  REQUIRE_MESSAGE(trace.ok(), (trace.ok() ? std::string() : trace.error().to_string()));
  read.trace = std::move(*trace);
  return read;
}

TEST_CASE("async begins and ends pair by category, id and scope, local ids also by process") {
  const AsyncRead read = read_async(R"([
{"ph":"b","cat":"req","id":"0x1","name":"request","pid":1,"tid":1,"ts":10},
{"ph":"b","cat":"req","id":"0x1","name":"prefill","pid":1,"tid":1,"ts":12},
{"ph":"n","cat":"req","id":"0x1","name":"token","pid":1,"tid":1,"ts":15},
{"ph":"e","cat":"req","id":"0x1","name":"prefill","pid":1,"tid":2,"ts":20},
{"ph":"b","cat":"req","id":"0x1","scope":"s","name":"scoped","pid":1,"tid":1,"ts":21},
{"ph":"e","cat":"req","id":"0x1","name":"request","pid":1,"tid":1,"ts":40},
{"ph":"e","cat":"req","id":"0x1","scope":"s","name":"scoped","pid":1,"tid":1,"ts":26},
{"ph":"b","cat":"x","id2":{"local":"0x9"},"name":"local","pid":1,"tid":1,"ts":1},
{"ph":"e","cat":"x","id2":{"local":"0x9"},"name":"local","pid":2,"tid":1,"ts":5},
{"ph":"e","cat":"x","id2":{"local":"0x9"},"name":"local","pid":1,"tid":1,"ts":3},
{"ph":"b","cat":"x","id":7,"name":"open","pid":1,"tid":1,"ts":30}])");
  CHECK(read.durations() ==
        std::map<std::string, std::int64_t>{{"request", 30}, {"prefill", 8}, {"scoped", 5}, {"local", 2}});
  CHECK(read.diagnostics.count(kineto::kUnmatchedPair) == 2);
}

TEST_CASE("async events that overlap go to rows below their thread, which keeps its calls") {
  const AsyncRead read = read_async(R"([
{"ph":"X","cat":"cpu_op","name":"call","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"b","cat":"a","id":1,"name":"one","pid":1,"tid":1,"ts":10},
{"ph":"b","cat":"a","id":2,"name":"two","pid":1,"tid":1,"ts":20},
{"ph":"e","cat":"a","id":1,"name":"one","pid":1,"tid":1,"ts":30},
{"ph":"e","cat":"a","id":2,"name":"two","pid":1,"tid":1,"ts":40}])");
  const trace::RankTrace& rank = read.trace.ranks[0];
  REQUIRE(rank.event_count() == 3);
  CHECK(rank.lanes.size() == 3);
  CHECK((rank.lane[0] != rank.lane[1] && rank.lane[1] != rank.lane[2] && rank.lane[0] != rank.lane[2]));
}

TEST_CASE("async events of one id that nest stay together, and nothing else lies beside them") {
  const AsyncRead read = read_async(R"([
{"ph":"b","cat":"a","id":1,"name":"one","pid":1,"tid":1,"ts":10},
{"ph":"b","cat":"a","id":1,"name":"queued","pid":1,"tid":1,"ts":10},
{"ph":"e","cat":"a","id":1,"name":"queued","pid":1,"tid":1,"ts":40},
{"ph":"b","cat":"a","id":1,"name":"decode","pid":1,"tid":1,"ts":40},
{"ph":"e","cat":"a","id":1,"name":"decode","pid":1,"tid":1,"ts":90},
{"ph":"e","cat":"a","id":1,"name":"one","pid":1,"tid":1,"ts":90},
{"ph":"b","cat":"a","id":2,"name":"two","pid":1,"tid":1,"ts":30},
{"ph":"b","cat":"a","id":2,"name":"decode","pid":1,"tid":1,"ts":35},
{"ph":"e","cat":"a","id":2,"name":"decode","pid":1,"tid":1,"ts":50},
{"ph":"e","cat":"a","id":2,"name":"two","pid":1,"tid":1,"ts":50},
{"ph":"b","cat":"a","id":3,"name":"alone","pid":1,"tid":1,"ts":32},
{"ph":"e","cat":"a","id":3,"name":"alone","pid":1,"tid":1,"ts":33}])");
  const trace::RankTrace& rank = read.trace.ranks[0];
  REQUIRE(rank.event_count() == 6);
  CHECK(rank.lanes.size() == 3);
  CHECK((rank.lane[0] == 0 && rank.lane[1] == 0 && rank.lane[2] == 0));
  CHECK((rank.lane[3] == rank.lane[4] && rank.lane[3] != rank.lane[0]));
  CHECK((rank.lane[5] != rank.lane[0] && rank.lane[5] != rank.lane[3]));
}

constexpr const char* kPluginTrace = R"([
{"name": "Group API", "cat": "GROUP_API", "ph": "b", "id": 0, "pid": 9, "tid": 1, "ts": 1000.000000, "args": {"groupApiId": 0}},
{"name": "KernelLaunch", "cat": "KERNEL_LAUNCH", "ph": "b", "id": 0, "pid": 9, "tid": 1, "ts": 0.000000, "args": {"Stream": 0x262ca50}},
{"name": "KernelLaunch", "cat": "KERNEL_LAUNCH", "ph": "e", "id": 0, "pid": 9, "tid": 1, "ts": 1002.000000},
{"name": "AllReduce", "cat": "COLL_API", "ph": "b", "id": 0, "pid": 9, "tid": 1, "ts": 0.000000, "args": {"datatype": ncclFloat32, "GraphCaptured":0}},
{"name": "AllReduce", "cat": "COLL", "ph": "b", "id": 3, "pid": 9, "tid": 1, "ts": 1003.000000, "args": {"SeqNum": 4, "CommHash": 18446744073709551615, "Rank": 2, "Count": 100,
  "Datatype": "ncclFloat32"}},
{"name": "KernelCh", "cat": "GPU", "ph": "b", "id": 0, "pid": 9, "tid": 1, "ts": 1010.000000},
{"name": "KernelCh", "cat": "GPU", "ph": "e", "id": 0, "pid": 9, "tid": 1, "ts": 1020.000000},
{"name": "KernelCh", "cat": "GPU", "ph": "b", "id": 0, "pid": 9, "tid": 1, "ts": 1011.000000},
{"name": "KernelCh", "cat": "GPU", "ph": "e", "id": 0, "pid": 9, "tid": 1, "ts": 1025.000000},
{"name": "AllReduce", "cat": "COLL", "ph": "e", "id": 3, "pid": 9, "tid": 1, "ts": 1004.000000},
{"name": "AllReduce", "cat": "COLL_API", "ph": "e", "id": 0, "pid": 9, "tid": 1, "ts": 1005.000000},
{}]
)";

TEST_CASE("a collective of NCCL's plugin lasts from its first kernel to its last; times of 0 are not known") {
  const AsyncRead read = read_async(kPluginTrace);
  const trace::RankTrace& rank = read.trace.ranks[0];
  bool found = false;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const std::string_view category = read.trace.strings.text(rank.categories[rank.category[e]].text);
    if (category == "KERNEL_LAUNCH") {
      CHECK_FALSE(rank.has_duration(e));
      CHECK(rank.start[e] / kPsPerUs == 1002);
    }
    if (category != "COLL") continue;
    found = true;
    CHECK(rank.activity(e) == trace::Activity::kernel);
    CHECK(rank.start[e] / kPsPerUs == 1010);
    CHECK(rank.duration[e] / kPsPerUs == 15);
    CHECK(rank.field(trace::Field::collective_sequence).find(e) == 4);
    CHECK(rank.field(trace::Field::in_elements).find(e) == 100);
    CHECK_FALSE(rank.field(trace::Field::group_rank).find(e));
    const auto group = rank.field(trace::Field::group_name_text).find(e);
    REQUIRE(group);
    CHECK(read.trace.strings.text(static_cast<StringId>(*group)) == "18446744073709551615");
  }
  CHECK(found);
  CHECK(read.diagnostics.count(kineto::kMissingTime) == 0);
}

}  // namespace
