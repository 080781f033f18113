// What is read from a host trace: every schema, linked traces, and rows as they come.
#include "formats/pytorch_et/reader.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include "reading.h"

namespace orrery::pytorch_et::testing {
namespace {

/// As PyTorch 2.11 writes it.
const std::string kSmallTrace =
    R"json({
  "schema": "1.1.1-chakra.0.0.4", "pid": 1306, "time": "2026-11-14 23:55:31", "start_ts": 111868,
  "nodes": [
      {
        "id": 2, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1,
        "inputs": {"values": [], "shapes": [], "types": [], "strides": []},
        "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
        "attrs": [{"name": "rf_id", "type": "uint64", "value": 0},)json"
    R"json({"name": "fw_parent", "type": "uint64", "value": 0},{"name": "seq_id", "type": "int64", "value": -1},)json"
    R"json({"name": "scope", "type": "uint64", "value": 7},{"name": "tid", "type": "uint64", "value": 1},)json"
    R"json({"name": "fw_tid", "type": "uint64", "value": 0},{"name": "op_schema", "type": "string", "value": ""},)json"
    R"json({"name": "kernel_backend", "type": "string", "value": ""},{"name": "kernel_file", "type": "string", "value": ""},)json"
    R"json({"name": "tensor_range", "type": "string", "value": ""}]
      },
      {
        "id": 4, "name": "aten::record_stream", "ctrl_deps": 2,
        "inputs": {"values": [[5,6,0,2056,8,"cuda:0"],"<Stream>"], "shapes": [[8,257],[]], "types": ["Tensor(long int)","Stream"], "strides": [[257,1],[]]},
        "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
        "attrs": [{"name": "rf_id", "type": "uint64", "value": 2},)json"
    R"json({"name": "fw_parent", "type": "uint64", "value": 3},{"name": "seq_id", "type": "int64", "value": 6156},)json"
    R"json({"name": "scope", "type": "uint64", "value": 0},{"name": "tid", "type": "uint64", "value": 1},)json"
    R"json({"name": "fw_tid", "type": "uint64", "value": 12},)json"
    R"json({"name": "op_schema", "type": "string", "value": "aten::record_stream(Tensor(a!) self, Stream s) -> ()"},)json"
    R"json({"name": "kernel_backend", "type": "string", "value": ""},{"name": "kernel_file", "type": "string", "value": ""},)json"
    R"json({"name": "tensor_range", "type": "string", "value": ""}]
      },
      {
        "id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1,
        "inputs": {"values": [], "shapes": [], "types": [], "strides": []},
        "outputs": {"values": [], "shapes": [], "types": [], "strides": []},
        "attrs": [{"name": "rf_id", "type": "uint64", "value": 0},)json"
    R"json({"name": "fw_parent", "type": "uint64", "value": 0},{"name": "seq_id", "type": "int64", "value": -1},)json"
    R"json({"name": "scope", "type": "uint64", "value": 7},{"name": "tid", "type": "uint64", "value": 0},)json"
    R"json({"name": "fw_tid", "type": "uint64", "value": 0},{"name": "op_schema", "type": "string", "value": ""},)json"
    R"json({"name": "kernel_backend", "type": "string", "value": ""},{"name": "kernel_file", "type": "string", "value": ""},)json"
    R"json({"name": "tensor_range", "type": "string", "value": ""}]
      }
  ],
  "finish_ts": 112133
})json";

void check_small(const Reading& reading) {
  REQUIRE(reading.trace.has_value());
  const trace::HostTrace& trace = *reading.trace;
  CHECK(reading.diagnostics.empty());
  CHECK(trace.schema == "1.1.1-chakra.0.0.4");
  CHECK(trace.time == "2026-11-14 23:55:31");
  CHECK(trace.pid == 1306);
  CHECK(trace.start_ts == 111868);
  CHECK(trace.finish_ts == 112133);
  REQUIRE(trace.size() == 3);
  CHECK(row_text(reading, 0) == "2<1 '[pytorch|profiler|execution_trace|thread]' 0 0 -1 7 1 0 ''");
  CHECK(row_text(reading, 1) ==
        "4<2 'aten::record_stream' 2 3 6156 0 1 12 'aten::record_stream(Tensor(a!) self, Stream s) -> ()'");
  CHECK(row_text(reading, 2) == "1<1 '[pytorch|profiler|execution_trace|process]' 0 0 -1 7 0 0 ''");
  CHECK(trace.text(trace.inputs[1]).starts_with(R"({"values": [[5,6,0,2056,8,"cuda:0"],"<Stream>"])"));
  CHECK(trace.text(trace.outputs[1]) == R"({"values": [], "shapes": [], "types": [], "strides": []})");
  CHECK(trace.text(trace.attributes[1]).starts_with(R"([{"name": "rf_id", "type": "uint64", "value": 2},)"));
  CHECK(trace.text(trace.object[0]).find("\"id\": 2") != std::string_view::npos);
  CHECK_FALSE(trace.is_linked());
  CHECK_FALSE(trace.is_flat());
  CHECK(trace.collectives.empty());
}

}  // namespace

TEST_CASE("a host trace is read into columns, plain or packed") {
  const Reading plain = read_text(kSmallTrace);
  check_small(plain);
  CHECK(plain.trace->file_bytes == kSmallTrace.size());
  CHECK(plain.trace->path == plain.path);

  const orrery::testing::TempDir folder;
  REQUIRE(write_whole_file(folder.path("small.json.gz"), kSmallTrace).ok());
  const Reading gzip = read_path(folder.path("small.json.gz"));
  check_small(gzip);
  CHECK(gzip.trace->file_bytes < kSmallTrace.size());

  std::string packed(ZSTD_compressBound(kSmallTrace.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), kSmallTrace.data(), kSmallTrace.size(), 3));
  check_small(read_text(packed, "small.json.zst"));
  check_small(read_text("\xEF\xBB\xBF \n" + kSmallTrace + "\n"));  // a byte order mark
}

TEST_CASE("the text outlives the file, the trace being moved, and the name it had") {
  orrery::testing::TempDir folder;
  Reading reading = read_path(folder.write("gone.json", kSmallTrace));
  REQUIRE(reading.trace.has_value());
  std::filesystem::remove(folder.path("gone.json"));
  const trace::HostTrace moved = std::move(*reading.trace);
  CHECK(moved.text(moved.object[1]).find("aten::record_stream") != std::string_view::npos);
}

TEST_CASE("schema 1.0.1 is flat: what later versions have as attributes are members of the row") {
  const std::string rows =
      R"json({"name": "aten::mm", "id": 9, "rf_id": 4, "parent": 3, "fw_parent": 2, "seq_id": 17, "scope": 0, "tid": 1, "fw_tid": 5,)json"
      R"json( "op_schema": "aten::mm(Tensor self)", "inputs": [[5,6,0,8,4,"cpu"]], "input_shapes": [[2,4]],)json"
      R"json( "input_types": ["Tensor(float)"], "outputs": [], "output_shapes": [], "output_types": []})json";
  const Reading reading = read_text(document(rows, "1.0.1"));
  REQUIRE(reading.trace.has_value());
  CHECK(reading.diagnostics.empty());
  CHECK(reading.trace->is_flat());
  CHECK(row_text(reading, 0) == "9<3 'aten::mm' 4 2 17 0 1 5 'aten::mm(Tensor self)'");
  CHECK(reading.trace->inputs[0].size == 0);
  CHECK(reading.trace->outputs[0].size == 0);
  CHECK(reading.trace->attributes[0].size == 0);
  CHECK(reading.trace->text(reading.trace->object[0]) == rows);
}

TEST_CASE("of a linked trace of schema 1.0.1 ctrl_deps counts, since parent keeps its old number") {
  const Reading reading = read_text(document(
      R"({"id": 12, "name": "gemm", "parent": 3, "ctrl_deps": 11, "rf_id": 4, "ts": 1, "cat": "kernel"})", "1.0.1"));
  REQUIRE(reading.trace.has_value());
  CHECK(reading.trace->parent[0] == 11);
}

TEST_CASE("the schemas between: attributes that a version adds are passed over or read") {
  for (const char* schema : {"1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.0.4-chakra.0.0.4", "1.1.0-chakra.0.0.4",
                             "1.1.1-chakra.0.0.4", "1.1.1-chakra.1.0.0"}) {
    CAPTURE(schema);
    const Reading reading = read_text(
        document(row("3", "a", "1", R"(, {"name": "kernel_backend", "type": "string", "value": "triton"})"), schema));
    REQUIRE(reading.trace.has_value());
    CHECK(reading.diagnostics.empty());
    CHECK(reading.trace->schema == schema);
    CHECK_FALSE(reading.trace->is_flat());
    CHECK(row_text(reading, 0) == "3<1 'a' 3 0 -1 7 1 0 ''");
  }
}

TEST_CASE("a newer schema is read as the newest known, with a warning") {
  for (const char* schema : {"1.1.2-chakra.0.0.4", "1.2.0", "2.0.0-chakra.9"}) {
    CAPTURE(schema);
    const Reading reading = read_text(
        document(row("3", "a", "1", R"(, {"name": "new", "type": "list", "value": [[1], {"a": 2}]})"), schema));
    REQUIRE(reading.trace.has_value());
    CHECK(reading.count("L205") == 1);
    CHECK(row_text(reading, 0) == "3<1 'a' 3 0 -1 7 1 0 ''");
  }
}

TEST_CASE("what record_param_comms says of a collective, from schema 1.1.0 on") {
  const std::string attributes =
      R"(, {"name": "collective_name", "type": "string", "value": "allreduce"}, {"name": "dtype", "type": "string", "value": "Float"})"
      R"(, {"name": "in_msg_nelems", "type": "uint64", "value": 1048576}, {"name": "out_msg_nelems", "type": "uint64", "value": 1048577})"
      R"(, {"name": "in_split_size", "type": "string", "value": "[]"}, {"name": "global_rank_start", "type": "uint64", "value": 2})"
      R"(, {"name": "global_rank_stride", "type": "uint64", "value": 3}, {"name": "pg_name", "type": "string", "value": "0"})"
      R"(, {"name": "pg_desc", "type": "string", "value": "default_pg"}, {"name": "pg_size", "type": "uint64", "value": 8})";
  const Reading reading = read_text(
      document(row("3", "a", "1") + "," + row("4", "record_param_comms", "3", attributes) + "," + row("5", "b", "1") +
               "," + row("6", "record_param_comms", "3", R"(, {"name": "pg_name", "type": "int", "value": 12})")));
  REQUIRE(reading.trace.has_value());
  CHECK(reading.diagnostics.empty());
  REQUIRE(reading.trace->collectives.size() == 2);
  CHECK(row_text(reading, 0) == "3<1 'a' 3 0 -1 7 1 0 ''");
  CHECK(row_text(reading, 1) ==
        "4<3 'record_param_comms' 4 0 -1 7 1 0 '' 'allreduce' 'Float' '0' 'default_pg' 8 1048576 1048577 2 3");
  CHECK(row_text(reading, 2) == "5<1 'b' 5 0 -1 7 1 0 ''");
  CHECK(row_text(reading, 3) == "6<3 'record_param_comms' 6 0 -1 7 1 0 '' '' '' '12' '' - - - - -");
}

TEST_CASE("a linked trace has times, device work, and what was waited for") {
  const Reading reading = read_text(document(
      row("0", "before", "0") + "," +
      row("1", "aten::mm", "0", "",
          R"(, "inclusive_dur": 24.5, "exclusive_dur": 4, "ts": 3843457995727.593, "inter_thread_dep": null)") +
      "," +
      row("2", "gemm", "1", "",
          R"(, "inclusive_dur": 5.056, "exclusive_dur": 5.056, "ts": 3843457995800, "inter_thread_dep": 1, "cat": "kernel", "ph": "X", "stream": 7, "pg_name": "0")") +
      "," + row("3", "copy", "1", "", R"(, "ts": 1, "cat": "gpu_memcpy", "ph": "X", "stream": null)") + "," +
      row("4", "waits", "0", "", R"(, "sync_dep": [2, 3])") + "," + row("5", "after", "0")));
  REQUIRE(reading.trace.has_value());
  CHECK(reading.diagnostics.empty());
  CHECK(reading.trace->is_linked());
  CHECK(row_text(reading, 0) == "0<0 'before' 0 0 -1 7 1 0 '' - - - not-measured - - '' '' ''");
  CHECK(row_text(reading, 1) ==
        "1<0 'aten::mm' 1 0 -1 7 1 0 '' 3843457995727.592773 24.500000 4.000000 measured - - '' '' ''");
  CHECK(reading.trace->measured[1].ts == 3843457995727.593);
  CHECK(row_text(reading, 2) ==
        "2<1 'gemm' 2 0 -1 7 1 0 '' 3843457995800.000000 5.056000 5.056000 measured 1 7 'kernel' 'X' '0'");
  CHECK(row_text(reading, 3) == "3<1 'copy' 3 0 -1 7 1 0 '' 1.000000 - - measured - - 'gpu_memcpy' 'X' ''");
  CHECK(row_text(reading, 4) == "4<0 'waits' 4 0 -1 7 1 0 '' - - - not-measured - - '' '' '' +2 +3");
  CHECK(row_text(reading, 5) == "5<0 'after' 5 0 -1 7 1 0 '' - - - not-measured - - '' '' ''");
}

TEST_CASE("numbers may be quoted, names may be escaped, and attribute lists may change from row to row") {
  const auto short_row = [](std::string_view id, std::string_view op_schema, std::string_view rf_id) {
    return R"({"attrs": [{"value": )" + std::string(op_schema) + R"(, "name": "op_schema"}, {"value": )" +
           std::string(rf_id) + R"(, "type": "uint64", "name": "rf_id"}, {"name": "seq_id"}], "ctrl_deps": 3, "id": )" +
           std::string(id) + R"(, "name": "d"})";
  };
  const Reading reading =
      read_text(document(row("\"3\"", R"(a \"b\" \u00e9\n)", "\"1\"") + "," + row("4", "c", "3") + "," +
                         short_row("5", "\"aten::x()\"", "18") + "," + short_row("6", "null", "19") + "," +
                         row("18446744073709551615", "f", "3")));
  REQUIRE(reading.trace.has_value());
  CHECK(row_text(reading, 0) == "3<1 'a \"b\" \xC3\xA9\n' 3 0 -1 7 1 0 ''");
  CHECK(row_text(reading, 1) == "4<3 'c' 4 0 -1 7 1 0 ''");
  CHECK(row_text(reading, 2) == "5<3 'd' 18 - - - - - 'aten::x()'");
  CHECK(row_text(reading, 3) == "6<3 'd' 19 - - - - - ''");
  CHECK(row_text(reading, 4) == "18446744073709551615<3 'f' - 0 -1 7 1 0 ''");
  CHECK(reading.count("L208") == 1);  // the record function id of the last does not fit
}

TEST_CASE("the recorded trace in data/") {
  const Reading reading = read_path(std::string(ORRERY_SOURCE_DIR) + "/data/ddp4.rank0.et.json.gz");
  REQUIRE(reading.trace.has_value());
  CHECK(find_fault(*reading.trace) == "");
  CHECK(reading.diagnostics.empty());
  CHECK(reading.trace->size() == 887);
  CHECK(row_text(reading, 886) == "1<1 '[pytorch|profiler|execution_trace|process]' 0 0 -1 7 0 0 ''");
}

TEST_CASE("a host trace is recognised by how it begins") {
  CHECK(looks_like_host_trace(kSmallTrace));
  CHECK(looks_like_host_trace(R"( {"nodes": [], "schema": "1.0.1"})"));
  CHECK_FALSE(looks_like_host_trace(R"({"schemaVersion": 1, "traceEvents": [{"name": "nodes"}]})"));
  CHECK_FALSE(looks_like_host_trace(R"({"traceEvents": [{"args": {"nodes": 1, "schema": 2}}]})"));
  CHECK_FALSE(looks_like_host_trace(R"([{"schema": 1, "nodes": 2}])"));
  CHECK_FALSE(looks_like_host_trace(R"({"schema": "1.0.1"})"));
  CHECK_FALSE(looks_like_host_trace(""));
  CHECK_FALSE(looks_like_host_trace("  \n"));
}

}  // namespace orrery::pytorch_et::testing
