#include <doctest/doctest.h>

#include "base/io/output_file.h"
#include "scrub/scrub.h"
#include "scrub/small_scrub.h"
#include "scrub/time_shift.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;
using testing::refusal;
using testing::scrub_text;

std::string hash_of(std::string_view text) { return to_hex(keyed_hash(fixed_key(), text)); }

constexpr const char* kSchema = "\"schema\":\"1.1.1-chakra.0.0.4\",";

// The only record of a document {"LIST": [RECORD]}.
std::string record(const std::string& list, const std::string& text, const Settings& settings = {.key = fixed_key()}) {
  const std::string schema = list == "nodes" ? kSchema : "";  // without it nobody takes it for an execution trace
  const std::string document = scrub_text("{" + schema + "\"" + list + "\": [" + text + "]}", settings);
  const std::string head = "{\n" + (schema.empty() ? "" : schema + "\n") + "\"" + list + "\":[\n", tail = "\n]\n}\n";
  REQUIRE(document.starts_with(head));
  REQUIRE(document.ends_with(tail));
  return document.substr(head.size(), document.size() - head.size() - tail.size());
}

std::string event(const std::string& text) { return record("traceEvents", text); }
std::string node(const std::string& text) { return record("nodes", text); }

TEST_CASE("an event keeps its times and ties, and loses its name, shapes and process number") {
  CHECK(event(R"~({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 4711, "tid": 4712, "ts": 12.500, "dur": 3.25,
                  "args": {"External id": 17, "Input Dims": [[512, 1024]], "Concrete Inputs": ["", "3"], "Call stack": "secret.py(1)", "Ev Idx": 4}})~") ==
        R"~({"ph":"X","cat":"cpu_op","name":"op.gemm.)~" + hash_of("aten::mm") +
            R"~(","pid":1000,"tid":1000,"ts":12.500,"dur":3.25,"args":{"External id":17,"Ev Idx":4}})~");
}

TEST_CASE("device work keeps its device, stream and collective") {
  CHECK(
      event(R"~({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather_RING_LL(x)","pid":3,"tid":4100,"ts":1,"dur":2,
                  "args":{"stream":4100,"device":3,"grid":[512,1,1],"Collective name":"_allgather_base","dtype":"BFloat16","In msg nelems":1024,
                  "Process Group Name":"mesh_tp","Process Group Description":"default_pg","Process Group Ranks":"[0, 1]","In split size":"[7, 9]"}})~") ==
      R"~({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather_)~" + hash_of("ncclDevKernel_AllGather_RING_LL(x)") +
          R"~(","pid":3,"tid":4100,"ts":1,"dur":2,"args":{"stream":4100,"device":3,"Collective name":"_allgather_base","dtype":"BFloat16","In msg nelems":1024,)~" +
          R"~("Process Group Name":"group.)~" + hash_of("mesh_tp") +
          R"~(","Process Group Description":"default_pg","Process Group Ranks":"[0, 1]"}})~");
}

TEST_CASE("labels keep numbers of streams and devices only") {
  CHECK(event(R"~({"ph":"M","name":"thread_name","pid":4711,"tid":99,"args":{"name":"thread 99 (secret)"}})~") ==
        R"~({"ph":"M","name":"thread_name","pid":1000,"tid":1000,"args":{"name":"thread 1000"}})~");
  CHECK(event(R"~({"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7 "}})~") ==
        R"~({"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}})~");
  CHECK(event(R"~({"ph":"M","name":"process_name","pid":0,"tid":7,"args":{"name":"host-1234 train.py"}})~")
            .find("host-1234") == std::string::npos);
  CHECK(event(R"~({"ph":"M","name":"process_sort_index","pid":4711,"tid":0,"args":{"sort_index":4711}})~") ==
        R"~({"ph":"M","name":"process_sort_index","pid":1000,"tid":0,"args":{"sort_index":1000}})~");
  // PyTorch 2.11 has -1; a number that nothing else shows goes.
  CHECK(event(R"~({"ph":"M","name":"process_sort_index","pid":4711,"tid":0,"args":{"sort_index":-1}})~") ==
        R"~({"ph":"M","name":"process_sort_index","pid":1000,"tid":0,"args":{"sort_index":-1}})~");
  CHECK(event(R"~({"ph":"M","name":"process_sort_index","pid":4711,"tid":0,"args":{"sort_index":815}})~").find("815") ==
        std::string::npos);
}

TEST_CASE("what no rule names is left out, and so are values of the wrong kind") {
  CHECK(
      event(
          R"~({"ph":"X","name":"","secret":{"a":[1,{"b":"c"}]},"ts":1,"args":{"bytes":"many","stream":[1],"correlation":"0x7f","secret":"s"}})~") ==
      R"~({"ph":"X","name":"","ts":1,"args":{}})~");
  CHECK(event(R"~({"na\u006de": "aten::mm", "ts": "soon"})~") ==
        R"~({"ts":""})~");  // a key in another spelling is unknown
  CHECK(event("17") == "null");
}

TEST_CASE("left out members are counted") {
  const orrery::testing::TempDir folder;
  const std::string path =
      folder.write("t.json", R"~({"secret":1,"traceEvents":[{"x":1},{"x":2,"args":{"bytes":"many"}},3]})~");
  const auto scrubbed = testing::scrub_files({path}, folder.path("out"));
  CHECK(scrubbed.diagnostics.count(kUnknownMember) == 3);
  CHECK(scrubbed.diagnostics.count(kUnusableMember) == 1);
  CHECK(scrubbed.diagnostics.count(kUnusableRecord) == 1);
  CHECK(scrubbed.outcome.tally.unknown().at("event.x") == 2);
}

TEST_CASE("the document loses its metadata") {
  CHECK(
      scrub_text(
          R"~({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132, "warpSize": 32}],
      "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.20", "pg_config": [{"pg_name": "0", "pg_desc": "secret", "ranks": [0, 1]}]},
      "baseTimeNanoseconds": 1790857026000000000, "trace_id": "5C04", "traceName": "/home/me/secret.json", "traceEvents": []})~") ==
      "{\n\"schemaVersion\":1,\n\"deviceProperties\":[{\"id\":0,\"name\":\"device." + hash_of("NVIDIA H200") +
          "\",\"numSms\":132}],\n\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8,\"pg_config\":[{"
          "\"pg_name\":\"0\","
          "\"pg_desc\":\"description." +
          hash_of("secret") + "\",\"ranks\":[0,1]}]},\n\"baseTimeNanoseconds\":0,\n\"traceEvents\":[\n]\n}\n");
  const Settings keep{.key = fixed_key(), .keep_device_names = true};
  CHECK(scrub_text(R"~({"deviceProperties":[{"name":"NVIDIA H200"}],"traceEvents":[]})~", keep).find("NVIDIA H200") !=
        std::string::npos);
}

TEST_CASE("a host node keeps ids and sizes of tensors, and no shape or value") {
  CHECK(
      node(R"~({"id": 6, "name": "aten::empty", "ctrl_deps": 5,
      "inputs": {"values": [[512, 1024], "<None>", "cuda", true, 0.5, "secret", [7, 8, 64, 524288, 4, "cuda:0"]], "shapes": [[[], []], [], [], [], [], [], [512, 1024]],
                 "types": ["GenericList[Int,Int]", "None", "Device", "Bool", "Double", "String", "Tensor(__secret__.T)"], "strides": [[1024, 1]]},
      "outputs": {"values": [[[9, 8, 0, 4, 2, "cpu"]]], "shapes": [[[4]]], "types": ["GenericList[Tensor(c10::BFloat16)]"]},
      "attrs": [{"name": "rf_id", "type": "uint64", "value": 4}, {"name": "op_schema", "type": "string", "value": "aten::add_(Tensor(a!) self, Scalar other) -> Tensor(a!)"},
                {"name": "secret", "type": "string", "value": "s"}, {"name": "kernel_file", "type": "string", "value": "/home/me/k.py"}]})~") ==
      R"~({"id":6,"name":"op.allocation.)~" + hash_of("aten::empty") +
          R"~(","ctrl_deps":5,"inputs":{"values":[[0,0],"<None>","cuda",false,0,"",[7,8,0,524288,4,"cuda:0"]],"shapes":[[[],[]],[],[],[],[],[],[]],)~" +
          R"~("types":["GenericList[Int,Int]","None","Device","Bool","Double","String","Tensor(Object.Object)"],"strides":[[]]},)~" +
          R"~("outputs":{"values":[[[9,8,0,4,2,"cpu"]]],"shapes":[[[]]],"types":["GenericList[Tensor(c10::BFloat16)]"]},)~" +
          R"~("attrs":[{"name":"rf_id","type":"uint64","value":4},{"name":"op_schema","type":"string","value":"op(Tensor(a!) x)"},)~" +
          R"~({"name":"kernel_file","type":"string","value":""}]})~");
}

TEST_CASE("communication of a host trace keeps groups, ranks and peers") {
  CHECK(
      node(
          R"~({"name":"## process_group:init ##","inputs":{"values":["[{\"pg_name\": \"tp\", \"pg_desc\": \"default_pg\", \"ranks\": [0, 1], \"secret\": 1}]"]},"attrs":[]})~") ==
      R"~({"name":"## process_group:init ##","inputs":{"values":["[{\"pg_name\":\"group.)~" + hash_of("tp") +
          R"~(\",\"pg_desc\":\"default_pg\",\"ranks\":[0,1]}]"]},"attrs":[]})~");
  CHECK(
      node(
          R"~({"name":"record_param_comms","inputs":{"values":[3,["tp","mesh"],1,"send",[4,5]]},"attrs":[{"name":"pg_name","type":"string","value":"tp"}]})~") ==
      R"~({"name":"record_param_comms","inputs":{"values":[3,["",""],1,"send",[0,0]]},"attrs":[{"name":"pg_name","type":"string","value":"group.)~" +
          hash_of("tp") + R"~("}]})~");
  CHECK(
      node(R"~({"name":"c10d::recv_","inputs":{"values":[[1,2,0,4096,4,"cpu"],"<Object>",3,7]},
                 "attrs":[{"name":"op_schema","type":"string","value":"c10d::recv_(Tensor[] tensors, __torch__.ProcessGroup process_group, int src, int tag) -> Work"}]})~") ==
      R"~({"name":"c10d::recv_","inputs":{"values":[[1,2,0,4096,4,"cpu"],"<Object>",3,7]},"attrs":[{"name":"op_schema","type":"string","value":"c10d(x, x, int src, int tag)"}]})~");
}

TEST_CASE("sizes are rounded on request") {
  const Settings rounded{.key = fixed_key(), .size_bits = 1};
  CHECK(record("traceEvents",
               R"~({"args":{"bytes":1000,"memory bandwidth (GB/s)":54.8,"stream":1000,"In msg nelems":"900"}})~",
               rounded) ==
        R"~({"args":{"bytes":1024,"memory bandwidth (GB/s)":64,"stream":1000,"In msg nelems":"1024"}})~");
}

TEST_CASE("all files of a job move by the same time") {
  const orrery::testing::TempDir folder;
  const std::string late = folder.write("rank1.json", R"~({"traceEvents":[{"ts":1790857026000010.5}]})~");
  const std::string early = folder.write("rank0.json", R"~({"traceEvents":[{"ts":1790857026000000.25}]})~");
  const auto scrubbed = testing::scrub_files({late, early}, folder.path("out"));
  const std::int64_t shift = scrubbed.outcome.job.shift_us;
  CHECK(shift == choose_shift_us(1790857026000000));
  CHECK(scrubbed.outputs[0].find("\"ts\":" + std::to_string(1790857026000010 - shift) + ".5}") != std::string::npos);
  CHECK(scrubbed.outputs[1].find("\"ts\":" + std::to_string(1790857026000000 - shift) + ".25}") != std::string::npos);
}

TEST_CASE("a schema that nobody knows keeps its version, by which the file is read again") {
  const auto schema_of = [](const std::string& schema) {
    const std::string scrubbed = scrub_text(R"({"schema":")" + schema + R"(","nodes":[{"id":1,"name":"a"}]})");
    const std::size_t begin = scrubbed.find("\"schema\":\"") + 10;
    return scrubbed.substr(begin, scrubbed.find('"', begin) - begin);
  };
  CHECK(schema_of("1.1.1-chakra.0.0.4") == "1.1.1-chakra.0.0.4");
  CHECK(schema_of("1.1.1-secret") == "1.1.1");
  CHECK(schema_of("1.2.0secret.4") == "1.2.0");
}

TEST_CASE("files are known by their content, and named by kind and rank") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> inputs = {
      folder.write("a/secret.rank2.json", R"~([{"ph":"X","ts":1}])~"),
      folder.write("a/rank2.et.json", R"~({"schema":"1.1.1-chakra.0.0.4","nodes":[]})~"),
      folder.write("a/linked_2.json", R"~({"schema":"1.1.1-chakra.0.0.4","nodes":[{"inclusive_dur":3}]})~"),
      folder.write("b/secret.rank2.json", R"~({"distributedInfo":{"rank":2},"traceEvents":[]})~"),
      folder.write("a/feeder.4.json",
                   R"~({"workload_graph":[{"Id":0,"Name":"secret","NodeType":4,"runtime":5,"data_deps":[]}]})~"),
      folder.write("a/groups.json", R"~({"1":[0,1],"secret":[2,3]})~")};
  const auto scrubbed = testing::scrub_files(inputs, folder.path("out"));
  std::vector<std::string> names;
  for (const std::string& path : scrubbed.paths) names.push_back(std::filesystem::path(path).filename().string());
  CHECK(names == std::vector<std::string>{"rank_2.kineto.json", "rank_2.host.json", "rank_2.linked.json",
                                          "rank_2.kineto_2.json", "job.4.json", "job.groups.json"});
  CHECK(scrubbed.outputs[5] == "{\n\"1\":[0,1],\n\"group." + hash_of("secret") + "\":[2,3]\n}\n");
  for (const std::string& output : scrubbed.outputs) CHECK(output.find("secret") == std::string::npos);
}

TEST_CASE("compressed files are taken, and stay compressed") {
  const orrery::testing::TempDir folder;
  std::filesystem::create_directories(folder.path("in"));
  REQUIRE(write_whole_file(folder.path("in/t.json.gz"), R"~({"traceEvents":[{"name":"secret","ts":1}]})~").ok());
  const auto scrubbed = testing::scrub_files({folder.path("in/t.json.gz")}, folder.path("out"));
  CHECK(scrubbed.paths.front().ends_with("rank_0.kineto.json.gz"));
  CHECK(orrery::testing::read_file(scrubbed.paths.front()).starts_with("\x1f\x8b"));
  CHECK(scrubbed.outputs.front() ==
        "{\n\"traceEvents\":[\n{\"name\":\"name.other." + hash_of("secret") + "\",\"ts\":1}\n]\n}\n");
}

TEST_CASE("what is damaged or of another kind is refused, and nothing is written") {
  CHECK(refusal("") == "the file is empty");
  CHECK(refusal("{\"traceEvents\":[{\"ts\":1},{\"ts\"") == "the file ends inside the document");
  CHECK(refusal("{\"traceEvents\":[{\"ts\":1}") == "the file ends inside the document");
  CHECK(refusal("{\"traceEvents\":[{\"ts\" 1}]}") == "malformed JSON in a record");
  // A number that no reader takes: written again, it would be refused by whoever gets the file.
  CHECK(refusal("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":53..801}]}") ==
        "malformed JSON in an event");
  CHECK(scrub_text(R"({"schema":"1.1.1-chakra.0.0.4","nodes":[{"id":53..801,"name":"a"}]})").find("53") ==
        std::string::npos);
  CHECK(refusal("{\"traceEvents\":[{} {}]}") == "expected , or ] after an element");
  CHECK(refusal("{\"a\":1}") == "this is of no known format");
  CHECK(refusal("{\"a\":[\"text\"]}") == "this is of no known format");
  CHECK(refusal("{\"nodes\":[],\"version\":\"schema\"}") == "the file does not say which schema it has");
  CHECK(refusal("{\"schema\":934,\"nodes\":[]}") == "the file does not say which schema it has");
  CHECK(refusal("num_ranks 4\nrank 0 {}") != "");
  CHECK(refusal(std::string("\x1f\x8b\x08\x00garbage", 11)) != "");
  CHECK(refusal("{\"traceEvents\":[" + std::string(600, '[') + std::string(600, ']') + "]}") ==
        "nested deeper than 512 levels");
  CHECK(refusal("{\"traceEvents\":[{}]} trailing secret").empty());
}

TEST_CASE("one bad file of a job leaves nothing behind") {
  const orrery::testing::TempDir folder;
  Request request;
  request.inputs = {testing::input(folder.write("0.json", R"~({"traceEvents":[]})~")),
                    testing::input(folder.write("1.json", "{\"traceEvents\":["))};
  request.output_folder = folder.path("out");
  Diagnostics diagnostics;
  CHECK_FALSE(scrub_job(request, diagnostics).ok());
  CHECK_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST_CASE("an input is never overwritten") {
  const orrery::testing::TempDir folder;
  Request request;
  request.inputs = {testing::input(folder.write("in/rank_0.kineto.json", R"~({"traceEvents":[]})~"))};
  request.output_folder = folder.path("in/../in");
  Diagnostics diagnostics;
  CHECK_FALSE(scrub_job(request, diagnostics).ok());
  CHECK(orrery::testing::read_file(request.inputs.front().path) == R"~({"traceEvents":[]})~");
}

}  // namespace
}  // namespace orrery::scrub
