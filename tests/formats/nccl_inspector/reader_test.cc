#include "formats/nccl_inspector/reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "formats/nccl_inspector/diagnostics.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;
using trace::Field;

std::string head_of(int rank, const char* version) {
  return fmt::format(R"("header": {{"id": "0xabc", "comm_name": "pp", "rank": {}, "n_ranks": 2, "nnodes": 1}}, )"
                     R"("metadata": {{"inspector_output_format_version": "{}", "hostname": "n0", "pid": {}}})",
                     rank, version, 100 + rank);
}

std::string collective(int number, int length_us, const char* more = "") {
  return fmt::format(
      R"("coll_perf": {{"coll": "ReduceScatter", "coll_sn": {}, "coll_msg_size_bytes": 64, "coll_exec_time_us": {}{}}})",
      number, length_us, more);
}

struct InspectorRead {
  trace::Trace trace;
  Diagnostics diagnostics;
};

InspectorRead read_logs(const std::vector<std::string>& texts) {
  const testing::TempDir dir;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < texts.size(); ++i) paths.push_back(dir.write(fmt::format("n0-pid{}.log", i), texts[i]));
  InspectorRead read;
  Result<trace::Trace> trace = nccl_inspector::read_job(paths, read.diagnostics);
  REQUIRE_MESSAGE(trace.ok(), (trace.ok() ? std::string() : trace.error().to_string()));
  read.trace = std::move(*trace);
  return read;
}

TEST_CASE("without times, parts of a collective end together, one collective after the other") {
  std::vector<std::string> logs;
  for (const int rank : {1, 0})  // in any order
    logs.push_back("{" + head_of(rank, "v4.0") + ", " + collective(1, rank == 0 ? 10 : 30) + "}\n{" +
                   head_of(rank, "v4.0") + ", " + collective(3, rank == 0 ? 40 : 20) + "}\n");
  const InspectorRead read = read_logs(logs);
  REQUIRE(read.trace.ranks.size() == 2);
  const trace::RankTrace &first = read.trace.ranks[0], &second = read.trace.ranks[1];
  CHECK(first.rank == 0);
  CHECK(second.end(0) == first.end(0));
  CHECK(first.start[0] - second.start[0] == 20 * kPsPerUs);
  CHECK(first.end(1) - first.end(0) == 40 * kPsPerUs);
  CHECK(first.field(Field::collective_sequence).find(1) == 3);
  // Of a reduce-scatter the size is one rank's part, and each puts in all.
  CHECK(first.field(Field::in_elements).find(0) == 128);
  CHECK(read.diagnostics.count(nccl_inspector::kRelativeTimes) == 1);
}

TEST_CASE("verbose records tell their times by their kernels") {
  const std::string times =
      R"(, "event_trace_ts": {"coll_start_ts": 1700000000000100, "coll_stop_ts": 1700000000000101, "kernel_events": [)"
      R"({"channel_id": 0, "kernel_start_ts": 1700000000000110, "kernel_stop_ts": 1700000000000130}, )"
      R"({"channel_id": 1, "kernel_start_ts": 1700000000000112, "kernel_stop_ts": 1700000000000133}]})";
  const InspectorRead read = read_logs({"{" + head_of(0, "v4.2") + ", " + collective(1, 22, times.c_str()) + "}\n"});
  const trace::RankTrace& rank = read.trace.ranks[0];
  CHECK(rank.epoch_unix_ns == 1'700'000'000'000'000'000);
  CHECK(rank.start[0] == 110 * kPsPerUs);
  CHECK(rank.duration[0] == 23 * kPsPerUs);
  CHECK(read.diagnostics.count(nccl_inspector::kRelativeTimes) == 0);
}

TEST_CASE("from v4.3 on a marker speaks for as many lines as it announces") {
  const std::string marker =
      "{" + head_of(0, "v4.3") +
      R"(, "dump_stats": {"coll_records": 1, "p2p_records": 0, "coll_dropped_since_last_dump": 5}})" + "\n";
  const InspectorRead read =
      read_logs({marker + "{" + collective(1, 10) + "}\n{" + collective(2, 10) + "}\nnot JSON\n"});
  CHECK(read.trace.ranks[0].event_count() == 1);
  CHECK(read.diagnostics.count(nccl_inspector::kRecordWithoutHeader) == 1);
  CHECK(read.diagnostics.count(nccl_inspector::kUnusableLine) == 1);
  CHECK(read.diagnostics.count(nccl_inspector::kDroppedRecords) == 5);
}

TEST_CASE("a log without any header is refused") {
  const testing::TempDir dir;
  Diagnostics diagnostics;
  CHECK(!nccl_inspector::read_job({dir.write("x.log", "{" + collective(1, 10) + "}\n")}, diagnostics));
}

}  // namespace
