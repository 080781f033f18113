// Random documents and messages: whatever they hold, no marker of theirs is in the output, and the output is a document
// again.
#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <simdjson.h>

#include <string>
#include <vector>

#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/message_view.h"
#include "formats/chakra/schema.h"
#include "scrub/rules.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;

constexpr std::string_view kPlantedMarker = "zq";

std::string marked_text() {
  const auto tail = *rc::gen::container<std::string>(rc::gen::inRange<char>('a', 'z'));
  const std::string head =
      *rc::gen::element<std::string>("", "aten::", "nccl:", "stream ", "thread 12 ", "ProfilerStep#1", "cuda:", "[1, ",
                                     "\\u00e9", "\\\"", "c10d::", "gloo:", "/a/b.py(3): ", "void k<", "hip");
  return "\"" + head + std::string(kPlantedMarker) + tail + "\"";
}

std::string random_value(int depth);

std::string random_list(int depth) {
  std::string list = "[";
  const int size = *rc::gen::inRange(0, 4);
  for (int i = 0; i < size; ++i) list += (i > 0 ? "," : "") + random_value(depth - 1);
  return list + "]";
}

// A key with a rule, of whatever object, or none.
std::string random_key() {
  const auto rules = all_rules();
  if (*rc::gen::inRange(0, 4) == 0)
    return std::string(kPlantedMarker) + *rc::gen::container<std::string>(rc::gen::inRange<char>('a', 'f'));
  return std::string(rules[*rc::gen::inRange<std::size_t>(0, rules.size())].rule->key);
}

std::string random_object(int depth) {
  std::string object = "{";
  const int size = *rc::gen::inRange(0, 6);
  for (int i = 0; i < size; ++i) object += (i > 0 ? ",\"" : "\"") + random_key() + "\":" + random_value(depth - 1);
  return object + "}";
}

std::string random_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 5)) {
    case 0: return std::to_string(*rc::gen::arbitrary<std::int64_t>());
    case 1: return *rc::gen::element<std::string>("true", "false", "null", "0.5", "-1e3", "\"7\"", "\"\"");
    case 2:
    case 3:
    case 4: return marked_text();
    case 5: return random_list(depth);
    default: return random_object(depth);
  }
}

std::string random_document(std::size_t& records) {
  const std::string list = *rc::gen::element<std::string>("traceEvents", "nodes", "workload_graph");
  std::string text = "{";
  if (list == "nodes") text += R"("schema":"1.1.1-chakra.0.0.4",)";
  const int before = *rc::gen::inRange(0, 3);
  for (int i = 0; i < before; ++i)
    text += "\"" + random_key() + std::string(kPlantedMarker) + "\":" + random_value(3) + ",";
  text += "\"" + list + "\":[";
  records = *rc::gen::inRange<std::size_t>(0, 6);
  for (std::size_t i = 0; i < records; ++i) {
    // The feeder's reader takes nothing but nodes with these; the others' pass over what they cannot use.
    const std::string node = "{\"Id\":" + std::to_string(i) +
                             R"(,"Name":"x","NodeType":4,"ctrlDeps":[],"data_deps":[],"inputs":)" + random_value(3) +
                             "}";
    const bool is_any = *rc::gen::inRange(0, 9) == 0;
    text += (i > 0 ? "," : "") + (is_any                                                    ? random_value(2)
                                  : list == "workload_graph" && *rc::gen::inRange(0, 4) > 0 ? node
                                                                                            : random_object(4));
  }
  return text + "],\"" + std::string(kPlantedMarker) + "\":" + random_value(2) + "}";
}

std::size_t records_in(const std::string& output) {
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(output).value();
  for (const char* list : {"traceEvents", "nodes", "workload_graph"}) {
    simdjson::dom::array entries;
    if (document[list].get(entries) == simdjson::SUCCESS) return entries.size();
  }
  return ~std::size_t{0};
}

TEST_CASE(
    "random documents: no marker is left, every record has its place, and the output is JSON that scrub takes again") {
  rc::check([] {
    std::size_t records = 0;
    const std::string text = random_document(records);
    const Settings settings{.key = fixed_key(),
                            .size_bits = *rc::gen::element(0, 1, 7),
                            .jitter_ps = *rc::gen::element<TimePs>(0, 5 * kPsPerUs),
                            .fuse = *rc::gen::arbitrary<bool>()};
    const std::string output = testing::scrub_if_sound(text, settings);
    RC_CLASSIFY(output.empty(), "refused by its reader");
    if (output.empty()) return;
    RC_ASSERT(output.find(kPlantedMarker) == std::string::npos);
    RC_ASSERT(records_in(output) == records);
    RC_ASSERT(testing::scrub_text(text, settings) == output);
    RC_ASSERT(records_in(testing::scrub_text(output, settings)) == records);
  });
}

TEST_CASE("random damage to a document: it is refused, or no marker is left") {
  rc::check([] {
    std::size_t records = 0;
    std::string text = random_document(records);
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      switch (*rc::gen::inRange(0, 3)) {
        case 0: text[at] = *rc::gen::element('"', '{', '}', '[', ']', ',', ':', '\\', '0', ' ', '\0'); break;
        case 1: text.erase(at, *rc::gen::inRange<std::size_t>(1, 9)); break;
        default:
          text.insert(at, *rc::gen::element<std::string>("\"", "{}", "\\", "],[", "\"zq\":\"zq\",", "zq"));
          break;
      }
      if (text.empty()) return;
    }
    const orrery::testing::TempDir folder;
    const std::string path = folder.write("in/trace.json", text);
    const auto format = job::detect(path);
    if (!format) return;
    Request request;
    request.inputs = {{path, *format}};
    request.output_folder = folder.path("out");
    request.settings.key = fixed_key();
    Diagnostics diagnostics;
    const auto outcome = scrub_job(request, diagnostics);
    if (!outcome) {
      RC_ASSERT(!std::filesystem::exists(folder.path("out")));
      return;
    }
    RC_ASSERT(testing::inflated(outcome->files.front().output).find(kPlantedMarker) == std::string::npos);
  });
}

namespace field = chakra::attribute_field;

void add_random_attribute(WireWriter& node) {
  const auto rules = chakra_attribute_rules().rules;
  WireWriter attribute(node, chakra::node_field::attr);
  const bool is_known = *rc::gen::inRange(0, 3) != 0;
  attribute.add_bytes(
      field::name, is_known ? std::string(rules[*rc::gen::inRange<std::size_t>(0, rules.size())].key) : "zqattribute");
  if (*rc::gen::arbitrary<bool>()) attribute.add_bytes(field::doc_string, "zq documentation");
  const auto value = *rc::gen::inRange<std::int64_t>(-5, 1'000'000);
  switch (*rc::gen::inRange(0, 9)) {
    case 0: attribute.add_number(field::int32_val, static_cast<std::int32_t>(value)); break;
    case 1: attribute.add_number(field::int64_val, value); break;
    case 2: attribute.add_number(field::uint64_val, static_cast<std::uint64_t>(value + 5)); break;
    case 3: attribute.add_zigzag(field::sint64_val, value); break;
    case 4: attribute.add_fixed(field::fixed32_val, static_cast<std::uint32_t>(value + 5)); break;
    case 5: attribute.add_fixed(field::double_val, 1.5); break;
    case 6: attribute.add_bytes(field::bytes_val, "zqbytes"); break;
    case 7: {
      WireWriter list(attribute, field::string_list);
      list.add_bytes(1, "zqlist");
      break;
    }
    default: attribute.add_bytes(field::string_val, "zqtext"); break;
  }
}

std::string random_chakra_file(std::size_t& nodes) {
  std::string file, metadata;
  {
    WireWriter writer(metadata);
    writer.add_bytes(1, "0.0.4");
    WireWriter attribute(writer, 2);
    attribute.add_bytes(field::name, *rc::gen::element<std::string>("schema", "zq", "input_file", "pid"));
    attribute.add_bytes(field::string_val, "zqmetadata");
  }
  append_record(file, metadata);
  nodes = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < nodes; ++i) {
    std::string message;
    {
      WireWriter node(message);
      node.add_number(1, i);
      node.add_bytes(2, *rc::gen::element<std::string>("zqlayer", "## process_group:init ##", "c10d::zq"));
      node.add_number(3, *rc::gen::inRange(1, 8));
      if (i > 0) node.add_packed(5, std::vector<std::uint64_t>{i - 1});
      node.add_number(7, *rc::gen::inRange<std::uint64_t>(0, 1000));
      for (const std::uint32_t number : {8u, 9u}) {
        WireWriter tensors(node, number);
        tensors.add_bytes(1, *rc::gen::element<std::string>("['[{\"pg_name\": \"zq\", \"ranks\": [0]}]']", "[zq]", ""));
        tensors.add_bytes(2, "zqshape");
        tensors.add_bytes(3, "zqtype");
      }
      const int attributes = *rc::gen::inRange(0, 5);
      for (int a = 0; a < attributes; ++a) add_random_attribute(node);
      if (*rc::gen::arbitrary<bool>()) node.add_bytes(*rc::gen::inRange<std::uint32_t>(11, 200), "zqunknown");
    }
    append_record(file, message);
  }
  return file;
}

TEST_CASE("random Chakra files: no marker is left, and every node that was not joined is there") {
  rc::check([] {
    std::size_t nodes = 0;
    const std::string file = random_chakra_file(nodes);
    const Settings settings{.key = fixed_key(), .fuse = *rc::gen::arbitrary<bool>()};
    const std::string output = testing::scrub_if_sound(file, settings, "zq.0.et");
    RC_CLASSIFY(output.empty(), "refused by its reader");
    if (output.empty()) return;
    RC_ASSERT(output.find(kPlantedMarker) == std::string::npos);
    RecordReader records(output);
    std::size_t written = 0;
    chakra::NodeView view;
    for (auto record = records.next(); record; record = records.next()) {
      if (written++ > 0) RC_ASSERT(view_node(*record, view));
    }
    RC_ASSERT(records.at_end());
    RC_ASSERT((settings.fuse ? written <= nodes + 1 : written == nodes + 1));
  });
}

}  // namespace
}  // namespace orrery::scrub
