// Tensors among inputs and outputs, and process groups.
#include <doctest/doctest.h>

#include "reading.h"

namespace orrery::pytorch_et::testing {
namespace {

std::string io(std::string_view values, const std::vector<std::string>& types) {
  std::string json = "{\"values\": [" + std::string(values) + "], \"shapes\": [[8]], \"types\": [";
  for (std::size_t i = 0; i < types.size(); ++i) json += (i == 0 ? "\"" : ", \"") + types[i] + "\"";
  return json + "]}";
}

/// "tensor/storage+offset elements*bytes@device" each.
std::string tensors_of(std::string_view json) {
  std::vector<Tensor> tensors;
  append_tensors(json, tensors);
  std::string text;
  for (const Tensor& tensor : tensors) {
    text += (text.empty() ? "" : " ") + std::to_string(tensor.tensor) + "/" + std::to_string(tensor.storage) + "+" +
            std::to_string(tensor.offset) + ":" + std::to_string(tensor.elements) + "*" +
            std::to_string(tensor.element_bytes) + "@" + std::string(tensor.device);
  }
  return text;
}

std::string init_row(std::string_view id, std::string_view description) {
  return R"({"id": )" + std::string(id) +
         R"(, "name": "## process_group:init ##", "ctrl_deps": 2, "inputs": {"values": [")" + std::string(description) +
         R"("], "shapes": [[]], "types": ["String"]}, "outputs": {"values": []}, "attrs": []})";
}

}  // namespace

TEST_CASE("tensors are found among other values, in lists and lists of lists") {
  CHECK(tensors_of(io(R"([5,6,0,2056,8,"cuda:0"],"<Stream>")", {"Tensor(long int)", "Stream"})) ==
        "5/6+0:2056*8@cuda:0");
  CHECK(tensors_of(io(R"(1, [[1,2,3,4,5,"cpu"],[ 6 , 7 ,8,9,1,"cuda:1" ]], [], "x")",
                      {"Int", "GenericList[Tensor(float),Tensor(float)]", "GenericList[]", "String"})) ==
        "1/2+3:4*5@cpu 6/7+8:9*1@cuda:1");
  CHECK(tensors_of(io(R"([[[1,2,3,4,5,"cpu"]]],[2,2,3,4,5,"cpu"])",
                      {"Tuple[GenericList[Tensor(float)]]", "Tensor(float)"})) == "1/2+3:4*5@cpu 2/2+3:4*5@cpu");
  CHECK(tensors_of("{\n  \"values\": [\n    [\n      1,\n      2,\n      -3,\n      4,\n      5,\n      \"cpu\"\n    "
                   "]\n  ]\n}") == "1/2+-3:4*5@cpu");
}

TEST_CASE("the type decides what is a tensor, in whatever order the members come") {
  const std::string values = R"([1,2,3,4,5,"cpu"],[6,7,8,9,1,"cpu"])";
  CHECK(tensors_of(io(values, {"Tuple[Int,Int,Int,Int,Int,String]", "Tensor(float)"})) == "6/7+8:9*1@cpu");
  CHECK(tensors_of(R"({"types": ["Device", "Tensor"], "values": [)" + values + "]}") == "6/7+8:9*1@cpu");
  CHECK(tensors_of(io(values, {"Tensor(c10::Half)"})) == "1/2+3:4*5@cpu 6/7+8:9*1@cpu");  // a type too few
  CHECK(tensors_of(R"({"values": [)" + values + "]}") == "1/2+3:4*5@cpu 6/7+8:9*1@cpu");
}

TEST_CASE("what looks like a tensor and is none") {
  CHECK(tensors_of(
            R"({"values": [[1,2,3,4,5],[1,2,3,4,5,6],[1,2,3,4,"cpu"],[1,2,3,4,5,"cpu",7],[1.5,2,3,4,5,"cpu"]]})") ==
        "");
  CHECK(tensors_of(R"({"values": ["[1,2,3,4,5,\"cpu\"]"]})") == "");
  CHECK(tensors_of(R"({"shapes": [[1,2,3,4,5,"cpu"]]})") == "");
  CHECK(tensors_of("") == "");
  CHECK(tensors_of("{}") == "");
  CHECK(tensors_of("[]") == "");
}

TEST_CASE("values cut at any byte, or nested a million deep, end the search and nothing else") {
  const std::string whole = io(R"([5,6,0,2056,8,"cuda:0"],{"a": [1]},"\"x",[[7,8,0,1,4,"cpu"]])",
                               {"Tensor(long int)", "Dict", "String", "GenericList[Tensor(float)]"});
  CHECK(tensors_of(whole) == "5/6+0:2056*8@cuda:0 7/8+0:1*4@cpu");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto exact = std::make_unique<char[]>(size);  // with nothing behind it
    std::copy_n(whole.data(), size, exact.get());
    const std::string found = tensors_of({exact.get(), size});
    CHECK(std::string("5/6+0:2056*8@cuda:0 7/8+0:1*4@cpu").starts_with(found));
  }
  CHECK(tensors_of(R"({"values": [)" + std::string(1'000'000, '[') + "]}") == "");
}

TEST_CASE("process groups come from a JSON text inside a JSON string") {
  const Reading reading = read_text(document(init_row(
      "3",
      R"([{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cpu:gloo,cuda:nccl\", \"ranks\": [],)"
      R"( \"group_size\": 4, \"group_count\": 2}, {\"pg_name\": 7, \"ranks\": [1, 3]}])")));
  REQUIRE(reading.trace.has_value());
  const std::vector<ProcessGroup> groups = process_groups(*reading.trace, reading.strings);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "0");
  CHECK(groups[0].description == "default_pg");
  CHECK(groups[0].backend == "cpu:gloo,cuda:nccl");
  CHECK(groups[0].ranks.empty());
  CHECK(groups[0].size == 4);
  CHECK(groups[1].name == "7");
  CHECK(groups[1].ranks == std::vector<std::uint32_t>{1, 3});
  CHECK(groups[1].size == trace::kNoNumber);
}

TEST_CASE("of a group described twice the last description counts, in the first place") {
  const Reading reading =
      read_text(document(init_row("3", R"([{\"pg_name\": \"a\", \"ranks\": [0]}, {\"pg_name\": \"b\"}])") + "," +
                         init_row("4", R"([{\"pg_name\": \"a\", \"ranks\": [0, 1]}])")));
  REQUIRE(reading.trace.has_value());
  const std::vector<ProcessGroup> groups = process_groups(*reading.trace, reading.strings);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name == "a");
  CHECK(groups[0].ranks.size() == 2);
  CHECK(groups[1].name == "b");
}

TEST_CASE("a description that is damaged gives no groups") {
  for (const char* description :
       {"", "[", "{}", "[1, null, []]", R"([{\"pg_name\": )", R"([{\"ranks\": [0, -1, 99999999999, \"x\"]}])"}) {
    CAPTURE(description);
    const Reading reading = read_text(document(init_row("3", description)));
    REQUIRE(reading.trace.has_value());
    const std::vector<ProcessGroup> groups = process_groups(*reading.trace, reading.strings);
    for (const ProcessGroup& group : groups) CHECK(group.ranks.size() <= 1);
  }
  const Reading without = read_text(
      document(row("3", "a", "1") + R"(, {"id": 4, "name": "## process_group:init ##", "ctrl_deps": 1, "attrs": []})"));
  REQUIRE(without.trace.has_value());
  CHECK(process_groups(*without.trace, without.strings).empty());
}

TEST_CASE("process groups of a recorded job") {
  const Reading reading = read_path(std::string(ORRERY_SOURCE_DIR) + "/data/ddp4.rank0.et.json.gz");
  REQUIRE(reading.trace.has_value());
  const std::vector<ProcessGroup> groups = process_groups(*reading.trace, reading.strings);
  REQUIRE(groups.size() == 1);  // described twice
  CHECK(groups[0].description == "default_pg");
  CHECK(groups[0].size == 4);
}

}  // namespace orrery::pytorch_et::testing
