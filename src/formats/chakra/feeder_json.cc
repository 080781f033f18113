// The JSON that Chakra's feeder accepts instead of protobuf.
#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "formats/chakra/reader.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

using graph::Activity;
using graph::ActivityKind;
using graph::Dependency;
using simdjson::dom::element;
using simdjson::dom::object;

Error json_error(const std::string& path, std::string message, std::string hint = {}) {
  return {std::move(message), path, Error::kNoOffset, std::move(hint)};
}

std::optional<element> member(const object& node, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    element value;
    if (node[name].get(value) == simdjson::SUCCESS) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> unsigned_member(const object& node, std::initializer_list<std::string_view> names) {
  const std::optional<element> value = member(node, names);
  std::uint64_t number = 0;
  if (!value || value->get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

AttributeValue value_of(const element& value) {
  using Kind = AttributeValue::Kind;
  switch (value.type()) {
    case simdjson::dom::element_type::INT64: return {Kind::integer, value.get_int64().value()};
    case simdjson::dom::element_type::UINT64: return {Kind::integer, static_cast<std::int64_t>(value.get_uint64().value())};
    case simdjson::dom::element_type::BOOL: return {Kind::boolean, value.get_bool().value() ? 1 : 0};
    case simdjson::dom::element_type::STRING: return {Kind::text, 0, value.get_string().value()};
    case simdjson::dom::element_type::DOUBLE: return {Kind::number};
    case simdjson::dom::element_type::ARRAY: {
      AttributeValue list{Kind::booleans};
      std::uint32_t index = 0;
      const simdjson::dom::array entries = value.get_array().value();
      for (const element entry : entries) {
        bool flag = true;
        if (entry.get(flag) != simdjson::SUCCESS) return {};
        if (!flag && index < 32) list.false_bits |= 1u << index;
        ++index;
      }
      return list;
    }
    default: return {};
  }
}

std::string take_dependencies(const object& node, std::initializer_list<std::string_view> names, Dependency type,
                              graph::ProgramBuilder& builder) {
  const std::optional<element> list = member(node, names);
  if (!list) return {};
  simdjson::dom::array ids;
  if (list->get(ids) != simdjson::SUCCESS) return "its dependencies are not a list";
  for (const element entry : ids) {
    std::uint64_t id = 0;
    if (entry.get(id) != simdjson::SUCCESS) return "a dependency is not a node id";
    builder.depend(id, type);
  }
  return {};
}

std::string add_node(const object& node, graph::ProgramBuilder& builder, Interner& strings, Activity& activity) {
  const auto id = unsigned_member(node, {"Id", "id"});
  if (!id) return "has no Id";
  activity.id = *id;
  const auto type = unsigned_member(node, {"NodeType", "type"});
  if (!type || *type > 7) return "has no NodeType from 0 to 7";
  static constexpr ActivityKind kKinds[] = {ActivityKind::none,         ActivityKind::metadata,  ActivityKind::memory_load,
                                            ActivityKind::memory_store, ActivityKind::compute,   ActivityKind::send,
                                            ActivityKind::recv,         ActivityKind::collective};
  activity.kind = kKinds[*type];
  std::string_view name;
  if (const auto text = member(node, {"Name", "name"}); text && text->get(name) == simdjson::SUCCESS) activity.name = strings.intern(name);
  const std::uint64_t micros = unsigned_member(node, {"runtime", "duration_micros"}).value_or(0);
  if (micros > static_cast<std::uint64_t>(graph::kMaxWeightPs / kPsPerUs)) return "lasts longer than 26 days";
  activity.duration_ps = static_cast<TimePs>(micros) * kPsPerUs;
  for (const auto field : node) {
    const std::string problem = apply_attribute(field.key, value_of(field.value), activity, strings);
    if (!problem.empty()) return problem;
  }
  const std::string problem = finish_activity(activity);
  if (!problem.empty()) return problem;
  builder.add(activity);
  const std::string data = take_dependencies(node, {"data_deps", "dataDeps"}, Dependency::data, builder);
  return data.empty() ? take_dependencies(node, {"ctrlDeps", "ctrl_deps"}, Dependency::control, builder) : data;
}

}  // namespace

Result<graph::Program> parse_feeder_json(std::string_view bytes, const std::string& path, Interner& strings) {
  simdjson::dom::parser parser;
  element document;
  if (const auto code = parser.parse(bytes.data(), bytes.size()).get(document); code != simdjson::SUCCESS) {
    return json_error(path, fmt::format("this is not JSON: {}", simdjson::error_message(code)));
  }
  simdjson::dom::array nodes;
  if (document["workload_graph"].get(nodes) != simdjson::SUCCESS) return json_error(path, "there is no workload_graph list in this file");
  graph::ProgramBuilder builder;
  for (const element entry : nodes) {
    object node;
    if (entry.get(node) != simdjson::SUCCESS)
      return json_error(path, fmt::format("entry {} of workload_graph is not an object", builder.size()));
    Activity activity;
    const std::string problem = add_node(node, builder, strings, activity);
    if (!problem.empty())
      return json_error(path, fmt::format("entry {} of workload_graph (node {}): {}", builder.size(), activity.id, problem));
  }
  Result<graph::Program> program = std::move(builder).build();
  if (!program) program.error().file = path;
  return program;
}

}  // namespace orrery::chakra
