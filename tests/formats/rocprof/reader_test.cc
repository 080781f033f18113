#include <doctest/doctest.h>

#include "formats/rocprof/format.h"
#include "formats/rocprof/json_reader.h"
#include "formats/rocprof/rocpd_reader.h"
#include "formats/rocprof/rocpd_tables.h"
#include "support/sqlite_writer.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::testing;
using trace::Field;

namespace {

/// Tables of one process, with ids that all processes use.
std::string recording(int place) {
  const std::string guid = "0199a00" + std::to_string(place) + "-1000-7abc-8def-000000c0ffee";
  std::string u = "_" + guid;
  for (char& c : u) c = c == '-' ? '_' : c;
  const std::string head = " (id INTEGER, guid TEXT DEFAULT '" + guid + "', ";
  const std::string pid = std::to_string(500 + place);
  const auto table = [&](const std::string& name, const std::string& columns, const std::string& rows) {
    std::string names;
    for (const char c : columns) names += c;
    return "CREATE TABLE rocpd_" + name + u + head + columns + "); INSERT INTO rocpd_" + name + u + " (id, " + names +
           ") VALUES " + rows + ";";
  };
  return table("string", "string",
               "(1,'hipLaunchKernel'),(2,'HIP_RUNTIME_API_EXT'),(3,'MARKER_CORE_RANGE_API'),(4,'roctxThreadRangeA'),"
               "(5,'RCCL_API'),(6,'ncclAllReduce'),(7,'MEMORY_COPY_HOST_TO_DEVICE')") +
         table("info_node", "machine_id, hostname", "(1,'m0','node0')") +
         table("info_process", "pid, nid", "(" + pid + "," + pid + ",1)") +
         table("info_thread", "tid, pid, name", "(3," + pid + "," + pid + ",'main')") +
         table("info_agent", "type, type_index, product_name",
               "(0,'CPU',0,'EPYC'),(1,'GPU'," + std::to_string(place) + ",'MI300X')") +
         table("info_kernel_symbol", "display_name", "(1,'ncclDevKernel_Generic(ncclDevKernelArgs)')") +
         table("event", "category_id, stack_id, extdata",
               "(1,3,1,'{\"message\": \"step "
               "1\"}'),(2,5,2,'{}'),(3,2,3,'{}'),(4,2,3,'{}'),(5,2,0,'{}'),(6,3,9,'{\"message\": \"step 2\"}')") +
         table("arg", "event_id, name, value",
               "(1,2,'count','1024'),(2,2,'datatype','7'),(3,2,'comm','0x55" + std::to_string(place) + "')") +
         table("region", "pid, tid, start, end, name_id, event_id",
               "(1," + pid + ",3,63855000000100,63855000000900,4,1),(2," + pid +
                   ",3,63855000000200,63855000000400,6,2),"
                   "(3," +
                   pid + ",3,63855000000250,63855000000300,1,3),(4," + pid + ",3,63855000000900,63855000000990,4,6)") +
         table("kernel_dispatch", "pid, agent_id, kernel_id, queue_id, stream_id, start, end, event_id",
               "(1," + pid + ",1,1,0,5,63855000000500,63855000000700,4)") +
         table("memory_copy", "pid, start, end, name_id, size, src_agent_id, dst_agent_id, stream_id, event_id",
               "(1," + pid + ",63855000000710,63855000000720,7,64,0,1,5,5)");
}

}  // namespace

TEST_CASE("the name of a rocpd table is what it holds and whose it is") {
  const rocprof::TableName name = rocprof::table_name("rocpd_info_process_0199a000_1000_7abc_8def_000000c0ffee");
  CHECK(name.name == "info_process");
  CHECK(name.guid == "0199a000_1000_7abc_8def_000000c0ffee");
  CHECK(rocprof::table_name("rocpd_kernel_dispatch").name == "kernel_dispatch");
  CHECK(rocprof::table_name("rocpd_kernel_dispatch").guid.empty());
  CHECK(rocprof::table_name("customers").name.empty());
}

TEST_CASE("a merged rocpd database has a rank per process, whose ids mean something together with its guid only") {
  const TempDir folder;
  const std::string path = folder.path("job.db");
  write_database(path, recording(1) + recording(0) + "CREATE VIEW rocpd_kernel_dispatch AS SELECT 1");
  CHECK(rocprof::is_rocpd(path));
  CHECK(rocprof::holds_several_processes(path));
  Diagnostics diagnostics;
  const Result<trace::Trace> job = rocprof::kDatabaseFormat.read_traces({path}, diagnostics, {});
  REQUIRE(job.ok());
  REQUIRE(job->ranks.size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    const trace::RankTrace& rank = job->ranks[r];
    CHECK(rank.source.format == "rocpd");
    CHECK(rank.source.host == "m0");
    REQUIRE(rank.event_count() == 6);
    const auto text = [&](Field field, trace::EventIndex e) {
      return job->strings.text(static_cast<StringId>(rank.field(field).find(e).value_or(0)));
    };
    CHECK(job->name(rank, 0) == "step 1");
    CHECK(rank.activity(0) == trace::Activity::annotation);
    CHECK(rank.field(Field::step).find(0) == 1);
    CHECK(rank.activity(1) == trace::Activity::cpu_operator);
    CHECK(rank.activity(2) == trace::Activity::runtime_call);
    CHECK(rank.field(Field::correlation).find(2) == 3);
    const trace::EventIndex kernel = 4;
    CHECK(rank.activity(kernel) == trace::Activity::kernel);
    CHECK(rank.field(Field::correlation).find(kernel) == 3);
    CHECK(rank.field(Field::device).find(kernel) == static_cast<std::int64_t>(r));
    CHECK(rank.field(Field::stream).find(kernel) == 5);
    // The kernel's name says nothing, the call of RCCL around its launch does.
    CHECK(text(Field::collective_text, kernel) == "allreduce");
    CHECK(text(Field::dtype_text, kernel) == "Float");
    CHECK(rank.field(Field::in_elements).find(kernel) == 1024);
    // Pointers differ between processes, the first communicator of each is the same.
    CHECK(text(Field::group_name_text, kernel) == "communicator 0");
    CHECK(rank.field(Field::collective_sequence).find(kernel) == 0);
    CHECK(job->name(rank, 5) == "Memcpy HtoD");
    CHECK(rank.field(Field::bytes).find(5) == 64);
  }
}

TEST_CASE("rocprofv3's JSON is read by its own lists of names") {
  const TempDir folder;
  const std::string text =
      R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 7, "node": {"hostname": "n"}},
          "agents": [{"id": {"handle": 10}, "type": 1}, {"id": {"handle": 11}, "type": 2, "product_name": "MI300X", "logical_node_type_id": 4}],
          "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP_RUNTIME_API", "operations": ["hipMalloc", "hipLaunchKernel"]},
                                         {"kind": "MARKER_CORE_API", "operations": ["roctxRangePushA"]}],
                      "marker_api": [{"key": 2, "value": "aten::mm, op_id = 3"}]},
          "kernel_symbols": [{"kernel_id": 5, "formatted_kernel_name": "gemm"}],
          "buffer_records": {"kernel_dispatch": [{"correlation_id": {"internal": 1}, "start_timestamp": 9000000000500, "end_timestamp": 9000000000700, "thread_id": 7,
                                                  "dispatch_info": {"agent_id": {"handle": 11}, "kernel_id": 5, "queue_id": {"handle": 1}}, "stream_id": {"handle": 2}}],
                             "hip_api": [{"kind": 1, "operation": 1, "correlation_id": {"internal": 1}, "start_timestamp": 9000000000100, "end_timestamp": 9000000000200, "thread_id": 7}],
                             "marker_api": [{"kind": 2, "operation": 0, "correlation_id": {"internal": 2}, "start_timestamp": 9000000000050, "end_timestamp": 9000000000300, "thread_id": 7},
                                            {"kind": 2, "operation": 0, "correlation_id": {"internal": 3}, "start_timestamp": "x", "end_timestamp": 5, "thread_id": 7}]}}]})";
  const std::string path = folder.write("one_results.json", text);
  CHECK(rocprof::looks_like_json({text, "one_results.json", true}));
  CHECK_FALSE(rocprof::looks_like_json({"{\"traceEvents\": []}", "x.json", true}));
  Diagnostics diagnostics;
  const Result<trace::Trace> job = rocprof::kFormat.read_traces({path}, diagnostics, {});
  REQUIRE(job.ok());
  REQUIRE(job->ranks.size() == 1);
  const trace::RankTrace& rank = job->ranks.front();
  REQUIRE(rank.event_count() == 3);
  CHECK(job->name(rank, 0) == "gemm");
  CHECK(rank.field(Field::device).find(0) == 4);
  CHECK(rank.field(Field::stream).find(0) == 2);
  CHECK(job->name(rank, 1) == "hipLaunchKernel");
  CHECK(rank.field(Field::correlation).find(1) == 1);
  CHECK(job->name(rank, 2) == "aten::mm");
  CHECK(rank.activity(2) == trace::Activity::cpu_operator);
  REQUIRE(diagnostics.sorted().size() == 1);
  CHECK(std::string_view(diagnostics.sorted()[0].kind->code) == "S221");
  for (const char* bad : {R"({"rocprofiler-sdk-tool": [{"metadata": {}, "buffer_records": null}]})",
                          R"({"rocprofiler-sdk-tool": {}})", R"({"rocprofiler-sdk-tool": [)"}) {
    CAPTURE(bad);
    CHECK_FALSE(rocprof::kFormat.read_traces({folder.write("bad.json", bad)}, diagnostics, {}).ok());
  }
}
