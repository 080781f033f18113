#include "formats/nsys/reader.h"

#include <doctest/doctest.h>

#include "formats/nsys/export_writer.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;
using trace::Field;

namespace {

trace::Trace read_one(const std::string& path, Diagnostics& diagnostics) {
  Result<trace::Trace> job = nsys::read_job({path}, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

std::vector<trace::EventIndex> events_of(const trace::RankTrace& rank, trace::Activity activity) {
  std::vector<trace::EventIndex> events;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == activity) events.push_back(e);
  }
  return events;
}

std::string text_of(const trace::Trace& job, const trace::RankTrace& rank, Field field, trace::EventIndex e) {
  const auto value = rank.field(field).find(e);
  return value ? std::string(job.strings.text(static_cast<StringId>(*value))) : "";
}

}  // namespace

TEST_CASE("each process with CUDA rows is a rank, and correlations are its own") {
  const TempDir folder;
  ExportWriter writer;
  for (const int pid : {40, 30}) {
    // Both processes use correlation 5 for different kernels.
    writer.call(pid, pid, 100, 110, 5, "cudaLaunchKernel_v7000");
    writer.kernel(pid, pid - 30, 7, 120, 150 + pid, 5, "gemm");
  }
  writer.range(99, 99, 10, 20, "nobody uses CUDA here");
  Diagnostics diagnostics;
  const trace::Trace job = read_one(writer.write(folder.path("two.sqlite")), diagnostics);
  REQUIRE(job.ranks.size() == 2);
  CHECK(job.epoch_unix_ns == 1'700'000'000'000'000'000);
  for (const trace::RankTrace& rank : job.ranks) {
    const auto kernels = events_of(rank, trace::Activity::kernel),
               calls = events_of(rank, trace::Activity::runtime_call);
    REQUIRE(kernels.size() == 1);
    REQUIRE(calls.size() == 1);
    CHECK(job.name(rank, calls[0]) == "cudaLaunchKernel");
    CHECK(rank.field(Field::correlation).find(kernels[0]) == 5);
    CHECK(rank.source.format == "nsys");
  }
  // The lower process id comes first.
  CHECK(job.ranks[0].end(events_of(job.ranks[0], trace::Activity::kernel)[0]) == 180 * kPsPerNs);
  CHECK(diagnostics.sorted().size() == 2);  // S211: ranks guessed; S212: a process without CUDA
}

TEST_CASE("a wait has the device of its context and the record that it waits for") {
  const TempDir folder;
  ExportWriter writer;
  writer.context(30, 9, 3);
  writer.call(30, 30, 10, 20, 4, "cudaEventRecord_v3020");
  writer.kernel(30, 3, 7, 20, 60, 1, "gemm", 9);
  writer.sql("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (7, 4, " + std::to_string(global(30)) + ", 2, 77)");
  writer.wait(30, 9, 20, 30, 40, 6, 2, 77);
  writer.wait(30, 9, 4294967295, 50, 60, 8, 4, 0);
  Diagnostics diagnostics;
  const trace::Trace job = read_one(writer.write(folder.path("wait.sqlite")), diagnostics);
  const trace::RankTrace& rank = job.ranks.front();
  const auto waits = events_of(rank, trace::Activity::synchronization);
  REQUIRE(waits.size() == 2);
  CHECK(job.name(rank, waits[0]) == "Stream Wait Event");
  CHECK(rank.field(Field::device).find(waits[0]) == 3);
  CHECK(rank.field(Field::stream).find(waits[0]) == 20);
  CHECK(rank.field(Field::wait_on_record).find(waits[0]) == 4);
  CHECK(rank.field(Field::wait_on_stream).find(waits[0]) == 7);
  CHECK(job.name(rank, waits[1]) == "Context Sync");
  CHECK_FALSE(rank.field(Field::stream).find(waits[1]).has_value());
}

TEST_CASE("ranges are operators or annotations, and numbered ones are steps") {
  const TempDir folder;
  ExportWriter writer;
  writer.kernel(30, 0, 7, 20, 60, 1, "gemm");
  writer.range(30, 30, 0, 100, "iteration 3 (warmup)");
  writer.range(30, 30, 100, 200, "iteration 4 (warmup)");
  writer.range(30, 30, 10, 20, "aten::mm, op_id = 12, seq = 5, sizes = [[2, 3], []]");
  writer.range(30, 30, 20, 30, "layer 3");
  writer.sql("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid) VALUES (5, 59, 'open', " +
             std::to_string(global(30)) + ")");
  Diagnostics diagnostics;
  const trace::Trace job = read_one(writer.write(folder.path("ranges.sqlite")), diagnostics);
  const trace::RankTrace& rank = job.ranks.front();
  const auto operators = events_of(rank, trace::Activity::cpu_operator);
  REQUIRE(operators.size() == 1);
  CHECK(job.name(rank, operators[0]) == "aten::mm");
  CHECK(rank.field(Field::external_id).find(operators[0]) == 12);
  CHECK(rank.field(Field::sequence_number).find(operators[0]) == 5);
  CHECK(events_of(rank, trace::Activity::annotation).size() == 3);
  REQUIRE(rank.field(Field::step).event.size() == 2);
  CHECK(rank.field(Field::step).value[0] == 3);
  CHECK(rank.field(Field::step).value[1] == 4);
}

TEST_CASE("NCCL's payloads name communicators, ranks, sizes and peers") {
  const TempDir folder;
  ExportWriter writer;
  writer.nccl_schemas();
  // Process ids are in the other order than ranks.
  for (const auto& [pid, rank] : {std::pair(50, 0), std::pair(40, 1)}) {
    writer.range(pid, pid, 1, 2, "ncclCommInitRank", 1, nccl_init(0xABC, 2, rank));
    writer.range(pid, pid, 10, 30, "ncclAllReduce", 1, nccl_call(5, 0xABC, 4096));
    writer.call(pid, pid, 15, 20, 5, "cudaLaunchKernelExC_v11060");
    writer.kernel(pid, rank, 9, 40, 60, 5, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)");
    writer.range(pid, pid, 100, 101, "ncclGroupStart", 1);
    writer.range(pid, pid, 102, 103, rank == 0 ? "ncclSend" : "ncclRecv", 1,
                 nccl_call(rank == 0 ? 9 : 10, 0xABC, 64, 1 - rank));
    writer.range(pid, pid, 104, 120, "ncclGroupEnd", 1);
    writer.call(pid, pid, 110, 112, 6, "cudaLaunchKernelExC_v11060");
    writer.kernel(pid, rank, 9, 130, 140, 6, "ncclDevKernel_SendRecv(ncclDevComm*)");
  }
  Diagnostics diagnostics;
  const trace::Trace job = read_one(writer.write(folder.path("nccl.sqlite")), diagnostics);
  REQUIRE(job.ranks.size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    const trace::RankTrace& rank = job.ranks[r];
    CHECK(rank.rank == static_cast<std::int64_t>(r));
    CHECK(rank.source.world_size == 2);
    const auto kernels = events_of(rank, trace::Activity::kernel);
    REQUIRE(kernels.size() == 2);
    CHECK(text_of(job, rank, Field::collective_text, kernels[0]) == "allreduce");
    CHECK(text_of(job, rank, Field::group_name_text, kernels[0]) == "abc");
    CHECK(text_of(job, rank, Field::group_ranks_text, kernels[0]) == "[0, 1]");
    CHECK(rank.field(Field::in_elements).find(kernels[0]) == 4096);
    CHECK(rank.field(Field::collective_sequence).find(kernels[0]) == 0);
    // What a group did is its kernel's, whose own name says neither.
    CHECK(text_of(job, rank, Field::collective_text, kernels[1]) == (r == 0 ? "send" : "recv"));
    CHECK(rank.field(r == 0 ? Field::destination_rank : Field::source_rank).find(kernels[1]) ==
          static_cast<std::int64_t>(1 - r));
    CHECK_FALSE(rank.field(Field::collective_sequence).find(kernels[1]).has_value());
  }
}

TEST_CASE("without payloads the n-th of a communicating stream is the n-th of the others, if they agree") {
  const TempDir folder;
  for (const bool agree : {true, false}) {
    ExportWriter writer;
    for (const int pid : {30, 40}) {
      const int stream = pid;  // numbers of streams differ
      writer.kernel(pid, 0, stream, 40, 60, 5, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()");
      writer.kernel(pid, 0, stream, 70, 80, 6,
                    agree || pid == 30 ? "ncclDevKernel_AllGather_RING_LL()" : "ncclDevKernel_Broadcast_RING_LL()");
    }
    Diagnostics diagnostics;
    const trace::Trace job = read_one(writer.write(folder.path(agree ? "a.sqlite" : "b.sqlite")), diagnostics);
    for (const trace::RankTrace& rank : job.ranks) {
      CHECK(rank.field(Field::collective_text).event.size() == 2);
      CHECK(rank.field(Field::collective_sequence).event.size() == (agree ? 2 : 0));
      CHECK(text_of(job, rank, Field::group_name_text, 0) == "stream 0");
    }
  }
}

TEST_CASE("rows that cannot be used are left out and counted; a whole graph is one work") {
  const TempDir folder;
  ExportWriter writer;
  writer.kernel(30, 0, 7, 20, 60, 1, "gemm");
  writer.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid) VALUES ('soon', 5, " +
             std::to_string(global(30)) + "), (50, 40, " + std::to_string(global(30)) + ")");
  writer.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (100, 200, 0, 1, 7, 3, " +
      std::to_string(global(30)) + ", 12)");
  Diagnostics diagnostics;
  const trace::Trace job = read_one(writer.write(folder.path("odd.sqlite")), diagnostics);
  const trace::RankTrace& rank = job.ranks.front();
  REQUIRE(events_of(rank, trace::Activity::kernel).size() == 2);
  CHECK(job.name(rank, 1) == "CUDA graph 12");
  bool says_nodes = false;
  for (const Diagnostic& remark : diagnostics.sorted()) {
    if (std::string_view(remark.kind->code) == "S201") CHECK(remark.count == 2);
    says_nodes |= std::string_view(remark.kind->hint).find("--cuda-graph-trace=node") != std::string_view::npos;
  }
  CHECK(says_nodes);
}

TEST_CASE("SQLite of other programs is no export") {
  const TempDir folder;
  write_database(folder.path("other.sqlite"), "CREATE TABLE customers (id INTEGER)");
  CHECK_FALSE(nsys::is_export(folder.path("other.sqlite")));
  ExportWriter writer;
  writer.kernel(30, 0, 7, 20, 60, 1, "gemm");
  const std::string one = writer.write(folder.path("one.sqlite"));
  CHECK(nsys::is_export(one));
  CHECK_FALSE(nsys::holds_several_processes(one));
}
