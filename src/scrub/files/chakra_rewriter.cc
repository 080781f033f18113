#include "scrub/files/chakra_rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/json/json_members.h"
#include "base/json/json_unescape.h"
#include "base/json/json_writer.h"
#include "base/protobuf/protobuf_writer.h"
#include "formats/chakra/message_view.h"
#include "formats/chakra/python_text.h"
#include "formats/chakra/schema.h"
#include "scrub/files/chakra_attribute.h"
#include "scrub/files/chakra_chains.h"

// A file is rewritten record by record: fields by their numbers, attributes by their names, each under a rule or left
// out and counted. With fusing, chains of nodes that nobody else hangs on become one node under the id of the last, so
// that whatever depended on the chain still finds it.

namespace orrery::scrub {
namespace {

namespace attribute_field = chakra::attribute_field;
namespace metadata_field = chakra::metadata_field;
namespace node_field = chakra::node_field;
using chakra::AttributeView;
using chakra::NodeView;
using chakra::ValueType;

constexpr std::size_t kFlushBytes = 1 << 20;
constexpr std::string_view kFusedName = "fused.compute";
constexpr TimePs kLongestPs = TimePs{1} << 62;  // of longer ones no reader makes anything
// Nine digits: what counts up stays below, hashes lie above.
constexpr std::int64_t kSmallestHash = 1'000'000'000;

/// The field of AttributeProto that a value of this type lies in.
// Types and fields alternate: each scalar is followed by the list of its type.
std::uint32_t field_of(ValueType type) { return attribute_field::double_val + 2 * static_cast<std::uint32_t>(type); }

/// As readers of the type expect it on the wire.
void add_integer(WireWriter& out, ValueType type, std::int64_t value) {
  const std::uint32_t number = field_of(type);
  const bool is_zigzag = type == ValueType::sint32_val || type == ValueType::sint64_val;
  switch (wire_type_of(type)) {
    case WireType::fixed32: return out.add_fixed(number, static_cast<std::uint32_t>(value));
    case WireType::fixed64: return out.add_fixed(number, value);
    default: return is_zigzag ? out.add_zigzag(number, value) : out.add_number(number, value);
  }
}

class Rewriter {
 public:
  Rewriter(const Settings& settings, const JobFacts& facts, JsonRewriter& shared)
      : settings_(settings), facts_(facts), shared_(shared), warp_(settings.key, settings.jitter_ps) {}

  void find_chains_in(std::string_view bytes);
  /// Both append to `out`; false if the message is not what it was when it was surveyed.
  bool write_metadata(std::string_view message, std::string& out);
  /// Nothing is appended if the node has become part of another.
  bool write_node(std::string_view message, std::string& out);

 private:
  void write_fields(const NodeView& node, std::string& out);
  void write_chain(const FusedChains::Chain& chain, const NodeView& last, std::string& out);
  void write_dependencies(const NodeView& node, WireWriter& out);
  void write_times(std::uint64_t start_us, std::uint64_t duration_us, std::uint64_t id, WireWriter& out);
  [[nodiscard]] std::uint64_t new_duration(std::uint64_t us, std::uint64_t id) const;
  void write_attribute(const ObjectRules& rules, const AttributeView& attribute, std::uint32_t number, std::uint64_t id,
                       WireWriter& out);
  bool write_value(const MemberRule& rule, const AttributeView& attribute, std::uint64_t id, WireWriter& out);
  [[nodiscard]] std::int64_t new_size(std::int64_t bytes) const;
  bool write_integer(const MemberRule& rule, ValueType type, std::int64_t value, std::uint64_t id, WireWriter& out);
  void write_group_list(std::string_view values, WireWriter& out);
  void write_operands(const chakra::TensorsView& tensors, std::uint32_t number, WireWriter& out);
  std::string rewritten_list(Treatment treatment, std::string_view json);
  bool write_kept_text(std::string_view name, std::string_view text, WireWriter& out);
  void count_unknown(std::string_view message, std::string_view place, std::uint32_t last_known);
  void count(std::string_view field) {
    ++shared_.tally().of(chakra_node_rules(), *chakra_node_rules().find(field)).count;
  }

  const Settings& settings_;
  const JobFacts& facts_;
  JsonRewriter& shared_;
  TimeWarp warp_;
  FusedChains chains_;
  std::unordered_map<std::uint64_t, std::string_view> first_of_chain_;  // its message, by id
  NodeView node_;
  std::string padded_;
};

void Rewriter::find_chains_in(std::string_view bytes) {
  chains_ = find_chakra_chains(bytes);
  for (const auto& [last, chain] : chains_.by_last_id) first_of_chain_.emplace(chain.first_id, std::string_view());
  RecordReader records(bytes);
  static_cast<void>(records.next());  // the metadata
  for (auto message = records.next(); message; message = records.next()) {
    if (!view_node(*message, node_)) continue;
    if (const auto first = first_of_chain_.find(node_.id); first != first_of_chain_.end()) first->second = *message;
  }
}

void Rewriter::count_unknown(std::string_view message, std::string_view place, std::uint32_t last_known) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number > last_known) shared_.tally().add_unknown(place, fmt::format("field {}", field.number));
  }
}

bool Rewriter::write_metadata(std::string_view message, std::string& out) {
  const ObjectRules& rules = chakra_metadata_rules();
  chakra::MetadataView metadata;
  if (!view_metadata(message, metadata)) return false;
  WireWriter writer(out);
  if (!metadata.version.empty()) {
    const MemberRule& rule = *rules.find("version");
    ++shared_.tally().of(rules, rule).count;
    writer.add_bytes(metadata_field::version,
                     shared_.renamer().rename(rule.domain, metadata.version, false, rule.words));
  }
  for (const AttributeView& attribute : metadata.attributes)
    write_attribute(rules, attribute, metadata_field::attr, 0, writer);
  count_unknown(message, rules.place, metadata_field::attr);
  if (out.empty())
    writer.add_bytes(metadata_field::version,
                     "0.0.4");  // Chakra's Python reader takes an empty message for the end of the file
  return true;
}

bool Rewriter::write_node(std::string_view message, std::string& out) {
  if (!view_node(message, node_)) return false;
  // It went into the last node of its chain.
  if (chains_.gone.contains(node_.id)) return true;
  if (const auto chain = chains_.by_last_id.find(node_.id); chain != chains_.by_last_id.end()) {
    write_chain(chain->second, node_, out);
    return true;
  }
  write_fields(node_, out);
  count_unknown(message, chakra_node_rules().place, node_field::attr);
  return true;
}

void Rewriter::write_fields(const NodeView& node, std::string& out) {
  WireWriter writer(out);
  count("id");
  writer.add_number(node_field::id, node.id);  // also 0: no message is empty
  if (!node.name.empty()) {
    count("name");
    writer.add_bytes(node_field::name, shared_.renamer().rename(Domain::name, node.name));
  }
  count("type");
  writer.add_number(node_field::type, node.type);
  write_dependencies(node, writer);
  write_times(node.start_time_micros, node.duration_micros, node.id, writer);
  if (node.inputs.given) count("inputs");
  if (node.outputs.given) count("outputs");
  shared_.begin_operator(node.name);
  // All inputs tell shapes and values, but for those of this node of the recorder, whose input is the list of groups.
  if (node.name.find("process_group:init") != std::string_view::npos) {
    write_group_list(node.inputs.values, writer);
  } else if (settings_.keep_operators) {
    write_operands(node.inputs, node_field::inputs, writer);
    write_operands(node.outputs, node_field::outputs, writer);
  }
  for (const AttributeView& attribute : node.attributes)
    write_attribute(chakra_attribute_rules(), attribute, node_field::attr, node.id, writer);
}

void Rewriter::write_dependencies(const NodeView& node, WireWriter& out) {
  if (!node.ctrl_deps.empty()) count("ctrl_deps");
  if (!node.data_deps.empty()) count("data_deps");
  out.add_packed(node_field::ctrl_deps, node.ctrl_deps);
  out.add_packed(node_field::data_deps, node.data_deps);
}

void Rewriter::write_times(std::uint64_t start_us, std::uint64_t duration_us, std::uint64_t id, WireWriter& out) {
  if (start_us != 0) count("start_time_micros");
  // The job's first start moves to 1 and none becomes 0, which would mean that it was not measured.
  if (start_us > facts_.node_shift_us) out.add_number(node_field::start_time_micros, start_us - facts_.node_shift_us);
  count("duration_micros");
  out.add_number(node_field::duration_micros, new_duration(duration_us, id));
}

std::uint64_t Rewriter::new_duration(std::uint64_t us, std::uint64_t id) const {
  if (us >= (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(kPsPerUs)) return us;  // no reader takes it
  return static_cast<std::uint64_t>(warp_.stretch(static_cast<TimePs>(us) * kPsPerUs, id) / kPsPerUs);
}

void Rewriter::write_attribute(const ObjectRules& rules, const AttributeView& attribute, std::uint32_t number,
                               std::uint64_t id, WireWriter& out) {
  const MemberRule* const rule = rules.find(attribute.name);
  if (rule == nullptr) return shared_.tally().add_unknown(rules.place, attribute.name);
  MemberCount& counted = shared_.tally().of(rules, *rule);
  ++counted.count;
  const bool is_kept_on_request = rule->treatment == Treatment::of_operators;
  if (rule->treatment == Treatment::drop || (is_kept_on_request && !settings_.keep_operators)) return;
  std::string written;
  WireWriter writer(written);
  writer.add_bytes(attribute_field::name, rule->key);
  if (write_value(*rule, attribute, id, writer)) out.add_bytes(number, written);
  else ++counted.unusable;
}

bool Rewriter::write_value(const MemberRule& rule, const AttributeView& attribute, std::uint64_t id, WireWriter& out) {
  if (rule.treatment == Treatment::of_operators)
    return attribute.type == ValueType::string_val && !attribute.is_list &&
           write_kept_text(rule.key, attribute.scalar.bytes, out);
  if (const auto integer = integer_in(attribute)) {
    // Numbers that the system gave go by a table; those that the framework counted stay.
    if (rule.treatment == Treatment::thread && is_system_thread(attribute)) {
      const auto thread = facts_.threads.find(*integer);
      if (thread) add_integer(out, attribute.type, *thread);
      return thread.has_value();
    }
    return write_integer(rule, attribute.type, *integer, id, out);
  }
  if (rule.treatment == Treatment::rename && attribute.type == ValueType::string_val && !attribute.is_list) {
    out.add_bytes(attribute_field::string_val,
                  shared_.renamer().rename(rule.domain, attribute.scalar.bytes, false, rule.words));
    return true;
  }
  if (rule.treatment == Treatment::size && attribute.type == ValueType::int64_val &&
      attribute.is_list) {  // parts of a collective
    std::vector<std::uint64_t> parts;
    const auto take = [&](const chakra::ScalarView& value) {
      parts.push_back(static_cast<std::uint64_t>(new_size(static_cast<std::int64_t>(value.bits))));
    };
    if (!for_each_value(attribute, take)) return false;
    std::string list;
    WireWriter(list).add_packed(1, parts);
    out.add_bytes(attribute_field::int64_list, list);
    return true;
  }
  // Of other lists there is one that means something: which dimensions of a network a collective is on.
  if (rule.treatment != Treatment::keep_numbers || attribute.type != ValueType::bool_val || !attribute.is_list)
    return false;
  std::vector<std::uint8_t> values;
  if (!for_each_value(attribute, [&](const chakra::ScalarView& value) { values.push_back(value.bits != 0 ? 1 : 0); }))
    return false;
  std::string list;
  WireWriter(list).add_packed(1, values);
  out.add_bytes(attribute_field::bool_list, list);
  return true;
}

std::int64_t Rewriter::new_size(std::int64_t bytes) const {
  // Sizes below zero mean something to their writer, and nothing to anybody else.
  if (bytes < 0) return bytes;
  const auto rounded = static_cast<std::int64_t>(round_size(static_cast<std::uint64_t>(bytes), settings_.size_bits));
  return rounded >= 0 ? rounded : bytes;  // to 2^63: the size is nobody's
}

bool Rewriter::write_integer(const MemberRule& rule, ValueType type, std::int64_t value, std::uint64_t id,
                             WireWriter& out) {
  // Small numbers of groups are counted up by frameworks; a large one is a hash of a name or of the members' hosts.
  if (rule.treatment == Treatment::rename && (value >= kSmallestHash || value < 0)) return false;
  if (rule.treatment == Treatment::duration && value >= 0)
    value = rule.key == "duration_ps" ? warp_.stretch(std::min(value, kLongestPs), id)
                                      : static_cast<std::int64_t>(new_duration(static_cast<std::uint64_t>(value), id));
  if (rule.treatment == Treatment::size) value = new_size(value);
  add_integer(out, type, value);
  return true;
}

// A list of JSON that comes out of a text, where the first pass did not look: it may be anything. Empty if it is none.
std::string Rewriter::rewritten_list(Treatment treatment, std::string_view json) {
  // The parser reads ahead; zeros behind the text keep it inside.
  padded_.assign(json).append(64, '\0');
  const std::string_view text(padded_.data(), json.size());
  const char* const end = text.data() + text.size();
  std::string out;
  if (!text.starts_with('[') || skip_container(text.data(), end).after != end ||
      !shared_.rewrite_operands(treatment, text, out))
    return {};
  return out;
}

// What an operator was called with, and what it returned: lists in Python's spelling.
void Rewriter::write_operands(const chakra::TensorsView& tensors, std::uint32_t number, WireWriter& out) {
  if (!tensors.given) return;
  WireWriter written(out, number);
  const auto write = [&](Treatment treatment, std::uint32_t field, std::string_view python) {
    std::string json, spelled;
    if (python.empty() || !chakra::append_json_of_python(json, python)) return;
    std::string list = rewritten_list(treatment, json);
    if (list.empty()) return;
    // As above: the spelling reads ahead, too.
    list.append(64, '\0');
    chakra::append_python_str(spelled, std::string_view(list).substr(0, list.size() - 64));
    written.add_bytes(field, spelled);
  };
  write(Treatment::tensors, chakra::tensors_field::values, tensors.values);
  write(Treatment::hollow, chakra::tensors_field::shapes, tensors.shapes);
  write(Treatment::types, chakra::tensors_field::types, tensors.types);
}

bool Rewriter::write_kept_text(std::string_view name, std::string_view text, WireWriter& out) {
  std::string kept;
  if (name == "op_schema") {
    std::string json, quoted;
    append_json_string(quoted, text);
    if (!shared_.rewrite_operands(Treatment::schema, quoted, json)) return false;
    kept = unescape_json(string_content(json));
  } else {
    kept = rewritten_list(Treatment::hollow, text);
  }
  out.add_bytes(attribute_field::string_val, kept);
  return !kept.empty();
}

// Python's spelling of a list with one text in it: ['[{"pg_name": ...}]'].
void Rewriter::write_group_list(std::string_view values, WireWriter& out) {
  // Two characters of Python at each end.
  if (values.size() < 4) return;
  const std::string groups = scrub_process_groups(shared_, values.substr(2, values.size() - 4));
  if (groups.empty()) return;
  WireWriter inputs(out, node_field::inputs);
  inputs.add_bytes(chakra::tensors_field::values, "['" + groups + "']");
}

void Rewriter::write_chain(const FusedChains::Chain& chain, const NodeView& last, std::string& out) {
  WireWriter writer(out);
  writer.add_number(node_field::id, last.id);
  writer.add_bytes(node_field::name, kFusedName);
  writer.add_number(node_field::type, last.type);
  NodeView first;
  // A chain waits for what its first node waited for.
  if (view_node(first_of_chain_.at(chain.first_id), first)) write_dependencies(first, writer);
  write_times(chain.start_us, chain.duration_us, last.id, writer);
  // Where it runs is the same for all of the chain; how much it computes is the sum.
  for (const AttributeView& attribute : last.attributes) {
    if (attribute.name != "num_ops" && attribute.name != "tensor_size" && attribute.name != "duration_ps")
      write_attribute(chakra_attribute_rules(), attribute, node_field::attr, last.id, writer);
  }
  const auto add_sum = [&](std::string_view name, ValueType type, std::uint64_t sum) {
    if (sum == 0) return;
    const AttributeView attribute{
        .name = name, .doc_string = {}, .has_value = true, .type = type, .scalar = {.bits = sum}};
    write_attribute(chakra_attribute_rules(), attribute, node_field::attr, last.id, writer);
  };
  add_sum("num_ops", ValueType::int64_val, chain.operations);
  add_sum("tensor_size", ValueType::uint64_val, chain.bytes);
}

}  // namespace

Status rewrite_chakra(std::string_view bytes, const std::string& path, const Settings& settings, const JobFacts& facts,
                      JsonRewriter& rewriter, const std::function<void(std::string_view)>& write) {
  const Error changed{"the file has changed while it was read", path};
  Rewriter nodes(settings, facts, rewriter);
  if (settings.fuse) nodes.find_chains_in(bytes);
  std::string out, message;
  RecordReader records(bytes);
  for (bool is_metadata = true; !records.at_end(); is_metadata = false) {
    const auto record = records.next();
    if (!record) return changed;
    message.clear();
    if (!(is_metadata ? nodes.write_metadata(*record, message) : nodes.write_node(*record, message))) return changed;
    if (message.empty()) continue;  // joined with the node that follows it
    append_record(out, message);
    if (out.size() < kFlushBytes) continue;
    write(out);
    out.clear();
  }
  write(out);
  return {};
}

}  // namespace orrery::scrub
