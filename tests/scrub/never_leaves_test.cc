// What must never leave: a marker put wherever a file can hold a text. Nothing that we write, and no hash, has these
// letters.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/io/output_file.h"
#include "base/json/json_writer.h"
#include "scrub/rules.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;
using testing::scrub_text;

constexpr std::string_view kMarker = "zq";

bool leaks(const std::string& output) { return output.find(kMarker) != std::string::npos; }

const std::string kSecretSchema = R"("schema":"1.1.1-chakra.0.0.4")";

std::string secret_event(const std::string& members) { return "{\"traceEvents\":[{" + members + "}]}"; }
std::string secret_node(const std::string& members) { return "{" + kSecretSchema + ",\"nodes\":[{" + members + "}]}"; }

// A document with the member `key` of the object that reports call `place`, with this value.
std::string document_with(std::string_view place, const std::string& key, const std::string& value) {
  const std::string member = "\"" + key + "\":" + value;
  if (place.empty() && (key == "schema" || key == "pid" || key == "time" || key.ends_with("_ts")))
    return "{" + (key == "schema" ? std::string() : kSecretSchema + ",") + member +
           ",\"nodes\":[],\"schema\":\"1.1.1\"}";
  if (place.empty()) return "{" + member + ",\"traceEvents\":[]}";
  if (place == "event.") return secret_event(member);
  if (place == "event.args.") return secret_event(R"("name":"c10d::send","args":{)" + member + "}");
  if (place == "node.") return secret_node(member);
  if (place == "node.attrs.")
    return secret_node(R"("attrs":[{"name":")" + key + R"(","type":"string","value":)" + value + "}]");
  if (place == "node.inputs.") return secret_node(R"("name":"c10d::send","inputs":{)" + member + "}");
  if (place == "node.outputs.") return secret_node(R"("name":"record_param_comms","outputs":{)" + member + "}");
  if (place == "deviceProperties.") return "{\"deviceProperties\":[{" + member + "}],\"traceEvents\":[]}";
  if (place == "distributedInfo.") return "{\"distributedInfo\":{" + member + "},\"traceEvents\":[]}";
  if (place == "process group.") return "{\"distributedInfo\":{\"pg_config\":[{" + member + "}]},\"traceEvents\":[]}";
  // Its reader wants these, and takes the last of two.
  if (place == "workload_graph.")
    return R"({"workload_graph":[{"Id":0,"Name":"x","NodeType":4,"ctrlDeps":[],"data_deps":[],)" + member + "}]}";
  return {};
}

const std::vector<std::string>& values_with_marker() {
  static const std::vector<std::string> values = {
      R"~("zqsecret")~",
      R"~("/home/zqsecret/model.py")~",
      R"~("zq\u0073ecret \"quoted\" \\ \/ \n")~",
      R"~("\u007aqsecret")~",
      "\"zq\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x94\xA5\"",
      "\"zq\xFF\xFE not UTF-8\"",
      R"~("17zqsecret")~",
      R"~("-1.5e3zq")~",
      R"~("stream 7zq")~",
      R"~("thread 4711 (zqsecret)")~",
      R"~("GPU 0zq")~",
      R"~("[0, 1, zq]")~",
      R"~("aten::zqsecret")~",
      R"~("c10d::zqsecret")~",
      R"~("gloo:zqsecret")~",
      R"~("nccl:zqsecret")~",
      R"~("ncclDevKernel_AllReduce_Sum_zqsecret(ncclDevKernelArgsStorage<4096ul>)")~",
      R"~("ProfilerStep#zq")~",
      R"~("ProfilerStep#7 zq")~",
      R"~("Memcpy HtoD (zqsecret -> Device)")~",
      R"~("cudaLaunchKernel_zq")~",
      R"~("cuda:zq")~",
      R"~("Tensor(zqsecret)")~",
      R"~("c10d::send(Tensor(a!) zqsecret, int zqsrc, int zqtag) -> zqWork")~",
      R"~("[{\"pg_name\": \"zqsecret\", \"zq\": 1, \"ranks\": [0, \"zq\"]}]")~",
      R"~("## process_group:init ## zq")~",
      R"~(["zqsecret", ["zq", ["zq"]], 7])~",
      R"~({"zqsecret": "zqsecret", "name": "zq", "ranks": ["zq"]})~",
      R"~([{"zq": [{"name": "zq"}]}, "zq"])~",
      R"~([[7, 8, 0, 4, 2, "zq"], [1, 2, 3, 4, 5, "cuda:zq"]])~",
      R"~([1, "zq", 3])~",
  };
  return values;
}

/// The others have tests of their own.
bool is_json(const NumberedRule& numbered) {
  const std::string_view place = numbered.object->place;
  return !place.starts_with("Chakra") && !place.starts_with("A-mpiP") && !place.starts_with("mpiP");
}

TEST_CASE("every member that has a rule, with every kind of value: the marker is gone") {
  std::size_t tried = 0, refused = 0;
  for (const NumberedRule& numbered : all_rules()) {
    if (!is_json(numbered)) continue;
    for (const std::string& value : values_with_marker()) {
      const std::string document = document_with(numbered.object->place, std::string(numbered.rule->key), value);
      REQUIRE_MESSAGE(!document.empty(), "no document for " << numbered.object->place);
      const std::string output = testing::scrub_if_sound(document);
      ++tried;
      refused += output.empty() ? 1 : 0;
      if (leaks(output))
        FAIL_CHECK(numbered.object->place << numbered.rule->key << " = " << value << " left " << output);
    }
  }
  CHECK(tried > 4000);
  CHECK(refused < tried / 10);
}

TEST_CASE("nor is it there where PyTorch's operators are kept, unless it is a name of these") {
  const Settings keeping = {.key = fixed_key(), .keep_operators = true};
  for (const NumberedRule& numbered : all_rules()) {
    if (!is_json(numbered)) continue;
    for (const std::string& value : values_with_marker()) {
      // These claim to be PyTorch's.
      if (value.starts_with("\"aten::") || value.starts_with("\"c10d::")) continue;
      const std::string output = testing::scrub_if_sound(
          document_with(numbered.object->place, std::string(numbered.rule->key), value), keeping);
      if (leaks(output))
        FAIL_CHECK(numbered.object->place << numbered.rule->key << " = " << value << " left " << output);
    }
  }
}

TEST_CASE("of two durations the damaged one does not stand in for the other where times are jittered") {
  const Settings jittered = {.key = fixed_key(), .jitter_ps = 5 * kPsPerUs};
  // What no reader takes is refused.
  CHECK(testing::refusal(secret_event(R"("ph":"X","ts":100,"dur":50,"dur":5zqsecret0)")) ==
        "malformed JSON in an event");
  const std::string output = scrub_text(secret_event(R"("ph":"X","ts":100,"dur":50,"dur":"5zqsecret0")"), jittered);
  CHECK_FALSE(leaks(output));
  CHECK(output.find("\"dur\":") != std::string::npos);
}

TEST_CASE("a member that no rule names is gone, its key as well, wherever it is") {
  for (const char* place : {"", "event.", "event.args.", "node.", "node.attrs.", "node.inputs.", "node.outputs.",
                            "deviceProperties.", "distributedInfo.", "process group.", "workload_graph."}) {
    CAPTURE(place);
    for (const char* value : {"1", "null", "\"zq\"", "[1,[2,{\"zq\":3}]]", "{\"zq\":{\"zq\":\"zq\"}}"})
      CHECK_FALSE(leaks(scrub_text(document_with(place, "zqkey", value))));
  }
}

TEST_CASE("a key that only looks like one with a rule is unknown") {
  CHECK_FALSE(leaks(scrub_text(secret_event(R"("n\u0061me":"zq","Name":"zq","name ":"zq","naме":"zq","":"zq")"))));
  CHECK_FALSE(leaks(scrub_text(secret_event(R"("args":{"External i\u0064":"zq","external Id":"zq"})"))));
}

TEST_CASE("a member given twice is treated twice") {
  const std::string output =
      scrub_text(secret_event(R"("name":"zqone","name":"zqtwo","args":{"stream":7},"args":{"stream":"zq","zq":1})"));
  CHECK_FALSE(leaks(output));
}

TEST_CASE("entries of lists of records that are no records leave nothing") {
  CHECK(scrub_text(R"({"traceEvents":["zq",["zq"],null,1.5,{"name":"zq"}]})").find("null,\nnull,\nnull,\nnull,\n{") !=
        std::string::npos);
  CHECK_FALSE(leaks(scrub_text(R"({"traceEvents":["zq",["zq",{"zq":1}],{"name":"zq"}]})")));
  CHECK_FALSE(leaks(scrub_text(R"(["zq",{"ph":"X","ts":1,"name":"zq"}])")));
}

TEST_CASE("text before, between and behind what belongs to the document leaves nothing") {
  CHECK_FALSE(leaks(scrub_text("\xEF\xBB\xBF \n\t" + secret_event(R"("name":"zq")") + " zq trailing {\"zq\":1}")));
  CHECK_FALSE(leaks(scrub_text(R"({"traceEvents":[],"traceEvents":[{"name":"zq"}],"nodes":[{"name":"zq","zq":1}]})")));
}

TEST_CASE("numbers that identify a machine are replaced: process and thread numbers, the time of day") {
  const std::string output =
      scrub_text(R"({"schema":"1.1.1-chakra.0.0.4","pid":987654,"time":"2026-11-15 20:15:56","start_ts":123456789,
      "finish_ts":123456999,"nodes":[{"id":1,"name":"x","attrs":[{"name":"tid","type":"uint64","value":3}]}]})");
  for (const char* gone : {"987654", "2026", "20:15", "123456"}) CHECK(output.find(gone) == std::string::npos);
  CHECK(output.find("\"start_ts\":0") != std::string::npos);
  CHECK(output.find("\"finish_ts\":210") != std::string::npos);
}

TEST_CASE("communication keeps small integers, and nothing that could be more") {
  const auto arguments = [](const std::string& inputs) {
    return scrub_text(secret_event(R"("name":"c10d::send","args":{"Concrete Inputs":)" + inputs + "}"));
  };
  CHECK(arguments(R"(["", "2", "-1", "4294967295"])").find(R"("Concrete Inputs":["","2","-1","4294967295"])") !=
        std::string::npos);
  // An address, a fraction, a list, a number that is none, a value that is no text.
  CHECK(arguments(R"(["140234567890123", "0.5", "[3, 4]", "1e5", "0x7f", "--1", "-", 7, ["8"], {"zq":9}, null])")
            .find(R"("Concrete Inputs":["","","","","","","","","","",""])") != std::string::npos);
  // Of all else they are gone, the integers too.
  CHECK(scrub_text(
            secret_event(
                R"("name":"aten::mm","args":{"Concrete Inputs":["5"],"Input Dims":[[5, 6]],"Input type":["float"]})"))
            .find("\"args\":{}") != std::string::npos);
  CHECK(scrub_text(secret_event(R"("name":"nccl:all_reduce","args":{"Concrete Inputs":["5"],"Input Dims":[[5, 6]]})"))
            .find("\"args\":{}") != std::string::npos);
}

TEST_CASE("communication keeps how much, and no shape") {
  const auto dims = [](const std::string& name, const std::string& value, int bits = 0) {
    const std::string output =
        scrub_text(secret_event(R"("name":")" + name + R"(","args":{"Input Dims":)" + value + "}"),
                   {.key = fixed_key(), .size_bits = bits});
    const std::size_t at = output.find("\"Input Dims\":");
    return at == std::string::npos ? std::string("none") : output.substr(at + 13, output.find('}', at) - at - 13);
  };
  CHECK(dims("c10d::send", "[[[192, 64]], [], [], []]") == "[[[12288]],[],[],[]]");
  CHECK(dims("c10d::_allgather_base_", "[[8, 4, 2], [8, 8], []]") == "[[64],[64],[]]");
  CHECK(dims("c10d::allreduce_coalesced_", "[[[3, 3], [5], []], []]") == "[[[15]],[]]");  // a scalar counts as one
  CHECK(dims("gloo:all_reduce", "[[192, 64], [3], [2, 2]]") == "[[12295]]");  // how many tensors is nobody's business
  CHECK(dims("gloo:barrier", "[]") == "[]");
  CHECK(dims("gloo:send", "[[0, 5]]") == "[[0]]");
  CHECK(dims("c10d::send", "[[[1000]]]", 1) == "[[[1024]]]");
  // What is no size is none to readers either.
  for (const char* odd : {"[[[-3]]]", "[[[\"zq\"]]]", "[[[1.5]]]", "[[[9223372036854775807, 9]]]", "[[[{\"zq\":1}]]]"})
    CHECK(dims("c10d::send", odd) == "[[[-1]]]");
  CHECK(dims("c10d::send", "\"zq\"") == "none");
  CHECK(dims("gloo:send", "7") == "none");
}

TEST_CASE("types of what is communicated keep public words only") {
  const auto types = [](const std::string& name, const std::string& value) {
    return scrub_text(secret_event(R"("name":")" + name + R"(","args":{"Input type":)" + value + "}"));
  };
  CHECK(types("c10d::send", R"(["TensorList", "", "Scalar", "c10::BFloat16", "unsigned char"])")
            .find(R"("Input type":["TensorList","","Scalar","c10::BFloat16","unsigned char"])") != std::string::npos);
  CHECK_FALSE(leaks(types("c10d::send", R"(["zqType", "Tensor<zq>", 7, ["zq"]])")));
  CHECK(types("gloo:all_reduce", R"(["float", "float"])").find(R"("Input type":["float"])") != std::string::npos);
  CHECK(types("gloo:all_reduce", R"(["float", "long int"])").find(R"("Input type":[""])") != std::string::npos);
  CHECK_FALSE(leaks(types("gloo:all_reduce", R"(["zq", "zq"])")));
}

TEST_CASE("names that no file may hold apart are the same whatever their spelling, and others are not") {
  const auto name_in = [](const std::string& spelling) {
    const std::string output = scrub_text(secret_event("\"name\":\"" + spelling + "\""));
    return output.substr(output.find("\"name\":"));
  };
  CHECK(name_in("zq/layer") == name_in("zq\\/layer"));
  CHECK(name_in("zqlayer") == name_in("\\u007aqlayer"));
  CHECK(name_in("zqlayer") != name_in("zqLayer"));
  CHECK(name_in("zqlayer") != name_in("zqlayer "));
}

TEST_CASE("windows of the text may end anywhere: plain and compressed give the same, and no marker") {
  const orrery::testing::TempDir folder;
  std::string text = "{\"traceName\":\"/zq/" + std::string(3u << 20, 'x') + "\",\"traceEvents\":[";
  for (int i = 0; i < 60'000; ++i) {
    if (i > 0) text += i % 7 == 0 ? " ,\n\t" : ",";
    text += R"({"ph":"X","name":"zqlayer)" + std::to_string(i % 977) + R"(","ts":)" + std::to_string(1000 + i) +
            R"(.5,"dur":1.25,"pid":70,"tid":71,"args":{"External id":)" + std::to_string(i) + R"(,"Call stack":"zq)" +
            std::string(static_cast<std::size_t>(i % 400), 'y') + "\",\"zq" + std::to_string(i) + "\":[1,2]}}";
  }
  text += "],\"zqtail\":{\"zq\":\"" + std::string(2u << 20, 'z') + "\"}}";
  REQUIRE(text.size() > (16u << 20));  // two windows of a plain file, more of a compressed one
  REQUIRE(write_whole_file(folder.path("t.json.gz"), text).ok());
  const std::string plain = testing::scrub_files({folder.write("t.json", text)}, folder.path("plain")).outputs.front();
  const std::string packed = testing::scrub_files({folder.path("t.json.gz")}, folder.path("packed")).outputs.front();
  CHECK(plain == packed);
  CHECK_FALSE(leaks(plain));
  std::size_t events = 0;
  for (std::size_t at = plain.find("\"External id\""); at != std::string::npos;
       at = plain.find("\"External id\"", at + 1))
    ++events;
  CHECK(events == 60'000);
}

TEST_CASE("file names tell nothing, unless they are to be kept") {
  const orrery::testing::TempDir folder;
  const std::string path = folder.write("zqproject/zqmodel-70b_rank3.json", secret_event("\"ts\":1"));
  const auto scrubbed = testing::scrub_files({path}, folder.path("out"));
  CHECK(std::filesystem::path(scrubbed.paths.front()).filename() == "rank_3.kineto.json");
  CHECK_FALSE(leaks(scrubbed.outputs.front()));
}

}  // namespace
}  // namespace orrery::scrub
