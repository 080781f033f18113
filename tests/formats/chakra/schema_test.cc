// schema.h has the numbers that et_def.proto has.
#include "formats/chakra/schema.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>

#include "formats/chakra/json_lines.h"
#include "formats/chakra/message_view.h"
#include "support/temp_dir.h"

using namespace orrery::chakra;

namespace {

/// "Node.id" -> 1, "NodeType.COMP_NODE" -> 4: every line that gives a name a number.
std::map<std::string, long> numbers_of_proto() {
  std::istringstream file(
      orrery::testing::read_file(std::string(ORRERY_SOURCE_DIR) + "/src/formats/chakra/et_def.proto"));
  std::map<std::string, long> numbers;
  std::string block;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "message" || first == "enum") block = second;
    const std::size_t equals = line.find(" = "), end = line.find(';');
    if (line.starts_with("syntax") || equals == std::string::npos || end == std::string::npos) continue;
    const std::string before = line.substr(0, equals);
    const std::string name = before.substr(before.find_last_of(' ') + 1);
    numbers[block + "." + name] = std::stol(line.substr(equals + 3, end - equals - 3));
  }
  return numbers;
}

}  // namespace

TEST_CASE("schema.h and et_def.proto agree") {
  const std::map<std::string, long> numbers = numbers_of_proto();
  REQUIRE(numbers.size() > 60);
  const auto check = [&](const std::string& name, long number) {
    CAPTURE(name);
    REQUIRE(numbers.contains(name));
    CHECK(numbers.at(name) == number);
  };
  check("GlobalMetadata.version", metadata_field::version);
  check("GlobalMetadata.attr", metadata_field::attr);
  check("Node.id", node_field::id);
  check("Node.name", node_field::name);
  check("Node.type", node_field::type);
  check("Node.ctrl_deps", node_field::ctrl_deps);
  check("Node.data_deps", node_field::data_deps);
  check("Node.start_time_micros", node_field::start_time_micros);
  check("Node.duration_micros", node_field::duration_micros);
  check("Node.inputs", node_field::inputs);
  check("Node.outputs", node_field::outputs);
  check("Node.attr", node_field::attr);
  check("IOInfo.values", tensors_field::values);
  check("IOInfo.shapes", tensors_field::shapes);
  check("IOInfo.types", tensors_field::types);
  check("AttributeProto.name", attribute_field::name);
  check("AttributeProto.doc_string", attribute_field::doc_string);
  check("AttributeProto.bytes_list", attribute_field::bytes_list);
  for (std::uint64_t type = 0; type < kNodeTypes; ++type)
    check("NodeType." + std::string(node_type_name(type)), static_cast<long>(type));
  CHECK(node_type_name(kNodeTypes).empty());
  for (std::int64_t type = comm_type::all_reduce; type <= comm_type::barrier; ++type)
    check("CollectiveCommType." + std::string(comm_type_name(type)), static_cast<long>(type));
  CHECK(comm_type_name(comm_type::barrier + 1).empty());
  const char* const kinds[] = {"double",  "float",   "int32",    "int64",    "uint32", "uint64", "sint32", "sint64",
                               "fixed32", "fixed64", "sfixed32", "sfixed64", "bool",   "string", "bytes"};
  static_assert(std::size(kinds) == kValueTypes);
  for (std::uint32_t type = 0; type < kValueTypes; ++type) {
    check("AttributeProto." + std::string(kinds[type]) + "_val", attribute_field::double_val + 2 * type);
    check("AttributeProto." + std::string(kinds[type]) + "_list", attribute_field::double_val + 2 * type + 1);
  }
}
