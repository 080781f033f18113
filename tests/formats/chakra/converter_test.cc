// chakra_converter, from linked rows to nodes. Expected nodes are worked out by the rules of the original.
#include "formats/chakra/converter.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <protozero/pbf_reader.hpp>

#include "formats/chakra/schema.h"
#include "formats/pytorch_et/reader.h"
#include "support/host_rows.h"
#include "support/temp_dir.h"

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    return fmt::format("\n    {}", fmt::join(lines, "\n    ")).c_str();
  }
};

namespace orrery::chakra {
namespace {

using orrery::testing::host_json;
using orrery::testing::HostRow;
using orrery::testing::kProcessName;
using orrery::testing::kThreadName;
using protozero::pbf_reader;
using Lines = std::vector<std::string>;

std::string attribute_text(pbf_reader attribute) {
  std::string text;
  while (attribute.next()) {
    if (attribute.tag() == attribute_field::name) text += attribute.get_string();
    else if (attribute.tag() == attribute_field::string_val) text += "='" + attribute.get_string() + "'";
    else if (attribute.tag() == attribute_field::bool_val) text += attribute.get_bool() ? "=true" : "=false";
    else if (attribute.tag() == attribute_field::int64_val) text += fmt::format("={}", attribute.get_int64());
    else text += fmt::format(" {}={}", attribute.tag(), attribute.get_uint64());
  }
  return text;
}

std::string tensors_text(pbf_reader io) {
  Lines parts;
  for (std::uint32_t number = 1; io.next(); ++number) {
    CHECK(io.tag() == number);
    parts.push_back(io.get_string());
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<std::uint64_t> numbers(pbf_reader& node) {
  const auto range = node.get_packed_uint64();
  return {range.begin(), range.end()};
}

// The fields of a node in the order they lie there: "id 2, name a, type 4, ctrl [1], ...". Attributes that every row
// has are left out.
std::string node_text(pbf_reader node) {
  Lines parts;
  std::uint32_t last = 0;
  while (node.next()) {
    CHECK(node.tag() >= last);
    last = node.tag();
    switch (node.tag()) {
      case node_field::id: parts.push_back(fmt::format("id {}", node.get_uint64())); break;
      case node_field::name: parts.push_back("name " + node.get_string()); break;
      case node_field::type: parts.push_back(fmt::format("type {}", node.get_enum())); break;
      case node_field::ctrl_deps: parts.push_back(fmt::format("ctrl {}", fmt::join(numbers(node), " "))); break;
      case node_field::data_deps: parts.push_back(fmt::format("data {}", fmt::join(numbers(node), " "))); break;
      case node_field::duration_micros: parts.push_back(fmt::format("dur {}", node.get_uint64())); break;
      case node_field::inputs:
        if (const std::string text = tensors_text(node.get_message()); text != "[] [] []")
          parts.push_back("in " + text);
        break;
      case node_field::outputs: CHECK(tensors_text(node.get_message()) == "[] [] []"); break;
      case node_field::attr: {
        const std::string text = attribute_text(node.get_message());
        const bool is_usual = text.starts_with("rf_id=") || text == "fw_parent=0" || text == "seq_id=-1" ||
                              text == "scope=0" || text == "tid=1" || text == "fw_tid=0" || text == "op_schema=''";
        if (!is_usual && text != "is_cpu_op=true" && text != "stream=0") parts.push_back(text);
        break;
      }
      default: parts.push_back(fmt::format("field {}", node.tag())), node.skip();
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct Converted {
  explicit Converted(const std::string& json) {
    const Result<trace::HostTrace> linked =
        pytorch_et::read_host_trace(dir.write("linked.json", json), strings, diagnostics);
    REQUIRE(linked.ok());
    const Result<std::string> result = convert_linked_trace(*linked, strings);
    if (result) bytes = *result;
    else error = result.error().message;
  }

  [[nodiscard]] std::vector<pbf_reader> messages() const {
    std::vector<pbf_reader> list;
    const char* p = bytes.data();
    const char* const end = p + bytes.size();
    while (p < end) {
      const auto size = static_cast<std::size_t>(protozero::decode_varint(&p, end));
      REQUIRE(size <= static_cast<std::size_t>(end - p));
      list.emplace_back(p, size);
      p += size;
    }
    return list;
  }
  [[nodiscard]] Lines nodes() const {
    Lines lines;
    const std::vector<pbf_reader> list = messages();
    for (std::size_t i = 1; i < list.size(); ++i) lines.push_back(node_text(list[i]));
    return lines;
  }

  orrery::testing::TempDir dir;
  Interner strings;
  Diagnostics diagnostics;
  std::string bytes, error;
};

Lines nodes_of(const std::vector<HostRow>& rows) {
  const Converted converted(host_json(rows));
  CHECK(converted.error == "");
  return converted.nodes();
}

std::string error_of(const std::vector<HostRow>& rows, std::string_view schema = "1.1.1-chakra.0.0.4") {
  return Converted(host_json(rows, schema)).error;
}

const HostRow kProcess{.id = 0, .parent = 0, .name = std::string(kProcessName)};
const HostRow kThread{.id = 1, .parent = 0, .name = std::string(kThreadName)};

HostRow measured(HostRow row, std::string_view exclusive, std::string_view more = "") {
  row.members = fmt::format(R"("ts": 5, "inclusive_dur": 90, "exclusive_dur": {}{})", exclusive, more);
  return row;
}
HostRow kernel(HostRow row, std::string_view more = R"(, "stream": 7)") {
  return measured(std::move(row), "3", fmt::format(R"(, "cat": "kernel", "ph": "X"{})", more));
}

}  // namespace

TEST_CASE("chakra converter: host rows form a chain, device rows hang on it, what is connected to nothing is dropped") {
  CHECK(nodes_of({kProcess,
                  kThread,
                  measured({.id = 2, .parent = 1, .name = "a"}, "12.9"),
                  kernel({.id = 3, .parent = 2, .name = "k"}),
                  measured({.id = 4, .parent = 2, .name = "b"}, "0.4"),
                  {.id = 5, .parent = 1, .name = "c"},
                  {.id = 6, .parent = 99, .name = "orphan"}}) ==
        Lines{fmt::format("id 1, name {}, type 4, ctrl 0", kThreadName), "id 2, name a, type 4, ctrl 1, data 1, dur 12",
              "id 3, name k, type 4, ctrl 2, data 2, dur 3, is_cpu_op=false, stream=7",
              "id 4, name b, type 4, ctrl 2, data 2", "id 5, name c, type 4, ctrl 1, data 4"});
}

TEST_CASE("chakra converter: the head of the file") {
  const Converted converted(host_json({kProcess, kThread}));
  const std::vector<pbf_reader> messages = converted.messages();
  REQUIRE(messages.size() == 1);
  Lines attributes;
  pbf_reader metadata = messages[0];
  while (metadata.next(2)) attributes.push_back(attribute_text(metadata.get_message()));
  CHECK(attributes == Lines{"schema='1.1.1-chakra.0.0.4'", "pid 13=7", "time='2026-01-02 03:04:05'", "start_ts 13=10",
                            "finish_ts 13=20"});
}

TEST_CASE("chakra converter: every attribute in its place, also 0 and the empty text") {
  const Converted converted(host_json({kProcess, kThread, {.id = 2, .parent = 1, .record_function = 44, .name = "a"}}));
  pbf_reader node = converted.messages().at(2);
  Lines attributes;
  while (node.next(node_field::attr)) attributes.push_back(attribute_text(node.get_message()));
  CHECK(attributes == Lines{"rf_id=44", "fw_parent=0", "seq_id=-1", "scope=0", "tid=1", "fw_tid=0", "op_schema=''",
                            "is_cpu_op=true", "stream=0"});
}

TEST_CASE("chakra converter: a parent is a control dependency only if it comes before") {
  // As PyTorch writes it, the process comes last; id 0 and an empty name are left out of a message.
  CHECK(nodes_of({{.id = 5, .parent = 9, .name = std::string(kThreadName)},
                  {.id = 0, .parent = 5, .name = ""},
                  {.id = 9, .parent = 9, .name = std::string(kProcessName)}}) ==
        Lines{"type 4, ctrl 5, data 5", fmt::format("id 5, name {}, type 4", kThreadName)});
}

TEST_CASE("chakra converter: children are walked by id, whatever their order in the file") {
  CHECK(
      nodes_of({kProcess, kThread, {.id = 9, .parent = 1, .name = "late"}, {.id = 4, .parent = 1, .name = "early"}}) ==
      Lines{fmt::format("id 1, name {}, type 4, ctrl 0", kThreadName), "id 4, name early, type 4, ctrl 1, data 1",
            "id 9, name late, type 4, ctrl 1, data 4"});
}

TEST_CASE("chakra converter: dependencies between threads come first, and each only once") {
  const HostRow other_thread{.id = 4, .parent = 0, .name = std::string(kThreadName)};
  CHECK(nodes_of({kProcess,
                  kThread,
                  {.id = 2, .parent = 1, .name = "a"},
                  other_thread,
                  measured({.id = 5, .parent = 4, .name = "b"}, "1", R"(, "inter_thread_dep": 2)"),
                  measured({.id = 6, .parent = 4, .name = "c"}, "1", R"(, "inter_thread_dep": 5)"),
                  kernel({.id = 7, .parent = 6, .name = "k"}, R"(, "stream": 7, "inter_thread_dep": 2)")}) ==
        Lines{fmt::format("id 1, name {}, type 4, ctrl 0", kThreadName), "id 2, name a, type 4, ctrl 1, data 1",
              fmt::format("id 4, name {}, type 4, ctrl 0", kThreadName),
              "id 5, name b, type 4, ctrl 4, data 2 4, dur 1", "id 6, name c, type 4, ctrl 4, data 5, dur 1",
              "id 7, name k, type 4, ctrl 6, data 6, dur 3, is_cpu_op=false, stream=7"});
}

TEST_CASE("chakra converter: an optimizer's step lasts no time; a stream that is null is left out") {
  const Lines nodes =
      nodes_of({kProcess, kThread, measured({.id = 2, .parent = 1, .name = "Optimizer.step#SGD.step"}, "50"),
                kernel({.id = 3, .parent = 2, .name = "k"}, R"(, "stream": null)")});
  CHECK(nodes[1] == "id 2, name Optimizer.step#SGD.step, type 4, ctrl 1, data 1");
  CHECK(nodes[2] == "id 3, name k, type 4, ctrl 2, data 2, dur 3, is_cpu_op=false");
}

TEST_CASE("chakra converter: inputs in Python's words, without strides; device work repeats those of its operator") {
  constexpr std::string_view kInputs =
      R"--({"values": [[5,6,0,16,4,"cuda:0"],null], "shapes": [[4,4],[]], "types": ["Tensor(float)","None"], "strides": [[4,1],[]]})--";
  constexpr std::string_view kText = "in [[5, 6, 0, 16, 4, 'cuda:0'], None] [[4, 4], []] ['Tensor(float)', 'None']";
  const Lines nodes = nodes_of({kProcess,
                                kThread,
                                {.id = 2, .parent = 1, .name = "a", .inputs = kInputs},
                                kernel({.id = 3, .parent = 2, .name = "k", .inputs = kInputs})});
  CHECK(nodes[1] == fmt::format("id 2, name a, type 4, ctrl 1, data 1, {}", kText));
  CHECK(nodes[2] == fmt::format("id 3, name k, type 4, ctrl 2, data 2, dur 3, {}, is_cpu_op=false, stream=7", kText));
}

TEST_CASE("chakra converter: process groups are metadata, communication kernels are communication") {
  constexpr std::string_view kInputs =
      R"--({"values": [[5,6,0,16,4,"cuda:0"]], "shapes": [[4,4]], "types": ["Tensor(float)"]})--";
  const auto last = [&](std::string operator_name, std::string kernel_name, std::string_view group) {
    return nodes_of({kProcess,
                     kThread,
                     {.id = 2, .parent = 1, .name = "c10d::" + operator_name},
                     {.id = 3, .parent = 2, .name = "record_param_comms", .attributes = std::string(group)},
                     kernel({.id = 4, .parent = 3, .name = std::move(kernel_name), .inputs = kInputs},
                            R"(, "stream": 7, "pg_name": "own")")})
        .back();
  };
  const auto tail = [](std::string line) { return line.substr(line.find("is_cpu_op")); };
  constexpr std::string_view kGroup = R"({"name": "pg_name", "type": "string", "value": "9"})";
  CHECK(tail(last("x", "ncclDevKernel_AllGather", "")) ==
        "is_cpu_op=false, stream=7, comm_type=2, comm_size=64, pg_name='own'");
  CHECK(last("x", "ncclKernel_AllReduce", "").find("type 7") != std::string::npos);
  // Messages take their direction from what called record_param_comms, and its group.
  CHECK(tail(last("send", "ncclDevKernel_SendRecv", kGroup)) == "is_cpu_op=false, stream=7, comm_size=64, pg_name='9'");
  CHECK(last("send", "ncclDevKernel_SendRecv", kGroup).find("type 5") != std::string::npos);
  CHECK(last("recv_", "ncclDevKernel_SendRecv", "").find("type 6") != std::string::npos);
  CHECK(tail(last("alltoall", "ncclDevKernel_SendRecv", "")) ==
        "is_cpu_op=false, stream=7, comm_type=6, comm_size=64, pg_name='own'");
  CHECK(nodes_of({kProcess, kThread, {.id = 2, .parent = 1, .name = "## process_group:init ##"}})[1] ==
        "id 2, name ## process_group:init ##, type 1, ctrl 1, data 1");
}

TEST_CASE("chakra converter: a group among the attributes goes before that of the row, even if it is empty") {
  const auto group_of = [&](std::string attributes) {
    const std::string line =
        nodes_of({kProcess,
                  kThread,
                  {.id = 2, .parent = 1, .name = "a"},
                  kernel({.id = 3, .parent = 2, .name = "ncclDevKernel_AllReduce", .attributes = std::move(attributes)},
                         R"(, "pg_name": "row")")})
            .back();
    const std::size_t at = line.find("pg_name=");
    return at == std::string::npos ? "" : line.substr(at);
  };
  CHECK(group_of("") == "pg_name='row'");
  CHECK(group_of(R"({"name": "pg_name", "type": "string", "value": "attribute"})") == "pg_name='attribute'");
  CHECK(group_of(R"({"name": "pg_name", "type": "string", "value": ""})") == "");
  CHECK(group_of(R"({"name": "pg_size", "type": "uint64", "value": 4})") == "pg_name='row'");
}

TEST_CASE("chakra converter: a device row below a device row, or without a parent, is never converted") {
  CHECK(nodes_of({kProcess,
                  kThread,
                  {.id = 2, .parent = 1, .name = "a"},
                  kernel({.id = 3, .parent = 2, .name = "k"}),
                  kernel({.id = 4, .parent = 3, .name = "below"}),
                  kernel({.id = 5, .parent = 77, .name = "lost"})})
            .size() == 3);
}

TEST_CASE("chakra converter: what the original stops on") {
  const HostRow a{.id = 2, .parent = 1, .name = "a"};
  CHECK(error_of({kProcess, kThread, a}) == "");
  for (const char* schema : {"1.0.1-chakra.0.0.4", "1.0.4-chakra.0.0.4", "1.1.1-chakra.1.0.0", "1.1.2-chakra.0.0.4"})
    CHECK(error_of({kProcess, kThread, a}, schema) ==
          fmt::format("schema {} is not one that the original converts", schema));
  CHECK(error_of({kProcess, kThread, kernel({.id = 2, .parent = 1, .name = "ncclDevKernel_Reduce"})}) ==
        "row 2: no collective that the original knows: ncclDevKernel_Reduce");
  CHECK(error_of({kProcess, kThread, measured(a, "1", R"(, "inter_thread_dep": 66)")}) ==
        "row 2: depends on row 66, which is no node");
  CHECK(error_of(
            {kProcess, kThread, measured(a, "1", R"(, "inter_thread_dep": 3)"), {.id = 3, .parent = 1, .name = "b"}}) ==
        "row 3: depends on row 2, which depends on it: a cycle");
  CHECK(error_of({kProcess, kThread, measured(a, "-2")}) == "row 2: exclusive_dur is negative or too large");
  CHECK(
      error_of({kProcess, kThread, {.id = 2, .parent = 1, .name = "a", .inputs = R"({"values": [], "types": []})"}}) ==
      "row 2: inputs lack values, shapes or types");
  CHECK(error_of({kProcess,
                  {.id = 5, .parent = 88, .name = "dropped"},
                  kernel({.id = 6, .parent = 5, .name = "ncclKernel_SendRecv"})}) ==
        "row 6: no collective that the original knows: ncclKernel_SendRecv");
  std::string json = host_json({kProcess, kThread, a});
  json.replace(json.rfind("seq_id"), 6, "seq_no");
  CHECK(Converted(json).error == "row 2: there is no attribute seq_id");
  json = host_json({kProcess, kThread, a});
  json.replace(json.rfind("op_schema"), 9, "op_scheme");
  CHECK(Converted(json).error == "row 2: there is no attribute op_schema");
  json = host_json({kProcess, kThread, a});
  json.replace(json.find("\"pid\""), 5, "\"PID\"");
  CHECK(Converted(json).error == "pid, time, start_ts or finish_ts is missing or negative");
}

TEST_CASE("chakra converter: a hundred thousand rows inside of each other") {
  std::vector<HostRow> rows = {kProcess, kThread};
  for (std::uint64_t id = 2; id < 100'000; ++id) rows.push_back({.id = id, .parent = id - 1, .name = "op"});
  const Converted converted(host_json(rows));
  CHECK(converted.error == "");
  CHECK(converted.messages().size() == 100'000);
}

}  // namespace orrery::chakra
