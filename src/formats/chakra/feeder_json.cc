// The JSON that Chakra's feeder accepts instead of protobuf.
#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "formats/chakra/attributes.h"
#include "formats/chakra/diagnostics.h"
#include "formats/chakra/finish_program.h"
#include "formats/chakra/node_words.h"
#include "formats/chakra/reader.h"

namespace orrery::chakra {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using workload::Activity;
using workload::Dependency;

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
    case simdjson::dom::element_type::UINT64:
      return {Kind::integer, static_cast<std::int64_t>(value.get_uint64().value())};
    case simdjson::dom::element_type::BOOL: return {Kind::boolean, value.get_bool().value() ? 1 : 0};
    case simdjson::dom::element_type::STRING: return {Kind::text, 0, value.get_string().value()};
    // A number with a fraction is none of those that are used.
    case simdjson::dom::element_type::DOUBLE: return {Kind::number};
    case simdjson::dom::element_type::ARRAY: {
      AttributeValue list{Kind::booleans};
      std::uint32_t index = 0;
      const simdjson::dom::array entries = value.get_array().value();
      for (const element entry : entries) {
        bool flag = true;
        if (entry.get(flag) != simdjson::SUCCESS) return {};
        // No network has 32 dimensions; what lies beyond is involved, as ASTRA-sim takes missing entries.
        if (!flag && index < 32) list.false_bits |= 1u << index;
        ++index;
      }
      return list;
    }
    default: return {};
  }
}

std::string take_dependencies(const object& node, std::initializer_list<std::string_view> names, Dependency type,
                              workload::ProgramBuilder& builder) {
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

class FeederParser {
 public:
  FeederParser(const std::string& path, Interner& strings, const ReadOptions& options)
      : path_(path),
        strings_(strings),
        options_(options),
        vocabulary_(vocabulary_called(options.schema).value_or(Vocabulary::v0_0_4)) {}

  /// The message of an error, or empty.
  std::string add(const object& node);
  Result<workload::Program> finish(std::int64_t* epoch_us);
  [[nodiscard]] std::size_t size() const { return builder_.size(); }
  [[nodiscard]] std::uint64_t last_id() const { return activity_.id; }

 private:
  std::string take_fields(const object& node);

  const std::string& path_;
  Interner& strings_;
  const ReadOptions& options_;
  Vocabulary vocabulary_;
  workload::ProgramBuilder builder_;
  RecordedStarts starts_;
  Activity activity_;
  NodeAttributes attributes_;
};

std::string FeederParser::take_fields(const object& node) {
  const auto id = unsigned_member(node, {"Id", "id"});
  if (!id) return "has no Id";
  activity_.id = *id;
  // The feeder's own spelling first, then that of protobuf's JSON, which some convert to.
  const auto type = unsigned_member(node, {"NodeType", "type"});
  if (!type || !is_known_node_type(vocabulary_, *type)) return "has no NodeType from 0 to 7";
  activity_.kind = activity_kind(vocabulary_, *type);
  std::string_view name;
  if (const auto text = member(node, {"Name", "name"}); text && text->get(name) == simdjson::SUCCESS)
    activity_.name = strings_.intern(name);
  const std::uint64_t micros = unsigned_member(node, {"runtime", "duration_micros"}).value_or(0);
  // Beyond it sums of durations would not fit 63 bits of picoseconds.
  if (micros > static_cast<std::uint64_t>(graph::kMaxWeightPs / kPsPerUs)) return "lasts longer than 26 days";
  activity_.duration_ps = static_cast<TimePs>(micros) * kPsPerUs;
  if (const auto start = unsigned_member(node, {"start_time_micros"}); start && *start != 0) {
    activity_.start_ps = starts_.take(*start);
    if (activity_.start_ps == workload::kNotRecorded && options_.diagnostics != nullptr)
      options_.diagnostics->add(kStartBeyondRange, [&] { return fmt::format("{}: node {}", path_, activity_.id); });
  }
  return {};
}

std::string FeederParser::add(const object& node) {
  activity_ = {};
  attributes_.clear();
  if (std::string problem = take_fields(node); !problem.empty()) return problem;
  for (const auto field : node) attributes_.set(known_attribute(field.key), value_of(field.value));
  std::uint8_t oddities = 0;
  if (std::string problem = attributes_.resolve(activity_, strings_, vocabulary_, oddities); !problem.empty())
    return problem;
  if ((oddities & (NodeAttributes::kNoTag | NodeAttributes::kNoBytes)) != 0) {
    if (options_.diagnostics == nullptr)
      return (oddities & NodeAttributes::kNoTag) != 0 ? "a message without comm_tag" : "a message without comm_size";
    options_.diagnostics->add(kIncompleteMessage, [&] { return fmt::format("{}: node {}", path_, activity_.id); });
  }
  if (options_.diagnostics != nullptr && !options_.micros_only && is_join(activity_, strings_))
    activity_.kind = workload::ActivityKind::none;
  // Dependencies follow: they belong to the activity added last.
  builder_.add(activity_);
  std::string problem = take_dependencies(node, {"data_deps", "dataDeps"}, Dependency::data, builder_);
  return problem.empty() ? take_dependencies(node, {"ctrlDeps", "ctrl_deps"}, Dependency::control, builder_) : problem;
}

Result<workload::Program> FeederParser::finish(std::int64_t* epoch_us) {
  return finish_program(std::move(builder_), starts_, path_, options_, epoch_us);
}

}  // namespace

Result<workload::Program> parse_feeder_json(std::string_view bytes, const std::string& path, Interner& strings,
                                            const ReadOptions& options, std::int64_t* epoch_us) {
  simdjson::dom::parser parser;
  element document;
  if (const auto code = parser.parse(bytes.data(), bytes.size()).get(document); code != simdjson::SUCCESS) {
    return json_error(path, fmt::format("this is not JSON: {}", simdjson::error_message(code)));
  }
  simdjson::dom::array nodes;
  if (document["workload_graph"].get(nodes) != simdjson::SUCCESS)
    return json_error(path, "there is no workload_graph list in this file");
  FeederParser feeder(path, strings, options);
  for (const element entry : nodes) {
    object node;
    if (entry.get(node) != simdjson::SUCCESS)
      return json_error(path, fmt::format("entry {} of workload_graph is not an object", feeder.size()));
    const std::string problem = feeder.add(node);
    if (!problem.empty())
      return json_error(
          path, fmt::format("entry {} of workload_graph (node {}): {}", feeder.size(), feeder.last_id(), problem));
  }
  return feeder.finish(epoch_us);
}

}  // namespace orrery::chakra
