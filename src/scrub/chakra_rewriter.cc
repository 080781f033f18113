#include "scrub/chakra_rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "base/file_content.h"
#include "formats/chakra/dialect.h"
#include "formats/chakra/schema.h"
#include "scrub/chakra_file.h"
#include "scrub/fuse.h"

namespace orrery::scrub {
namespace {

namespace attribute_field = chakra::attribute_field;
namespace node_field = chakra::node_field;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

constexpr std::uint32_t kInputs = 8, kOutputs = 9;         // of a node
constexpr std::uint32_t kVersion = 1, kFileAttribute = 2;  // of GlobalMetadata
constexpr std::uint32_t kTensorValues = 1;                 // of IOInfo
constexpr std::size_t kFlushBytes = 1 << 20;
constexpr const char* kFusedName = "fused.compute";

/// An attribute: its name, and where its value is.
struct Attribute {
  std::string_view name;
  std::uint32_t tag = 0;  ///< of the value; 0: none
  pbf_wire_type wire = pbf_wire_type::varint;
  std::uint64_t number = 0;
  std::string_view bytes;

  [[nodiscard]] bool is_integer() const {
    return wire == pbf_wire_type::varint && tag >= attribute_field::int32_val && tag <= attribute_field::bool_val;
  }
};

Attribute read_attribute(std::string_view message) {
  Attribute attribute;
  pbf_reader field = message_of(message);
  while (field.next()) {
    if (field.tag() == attribute_field::name) {
      attribute.name = bytes_of(field);
    } else if (field.tag() == attribute_field::doc_string) {
      bytes_of(field);  // a number here would be the type of an attribute of 2023
    } else {
      attribute.tag = field.tag();
      attribute.wire = field.wire_type();
      switch (attribute.wire) {
        case pbf_wire_type::varint: attribute.number = field.get_uint64(); break;
        case pbf_wire_type::length_delimited: attribute.bytes = bytes_of(field); break;
        default: field.skip();
      }
    }
  }
  return attribute;
}

bool is_system_thread(const Attribute& attribute) {
  return attribute.is_integer() && attribute.number >= kFrameworkThreads && attribute.number < std::uint64_t{1} << 62;
}

void read_dependencies(pbf_reader& field, std::vector<std::uint64_t>& ids) {
  if (field.wire_type() == pbf_wire_type::length_delimited) {
    for (const std::uint64_t id : field.get_packed_uint64()) ids.push_back(id);
  } else {
    ids.push_back(varint_of(field));
  }
}

// Checks the types of all fields a node has; throws if one does not fit.
void check_node(std::string_view message, FileFacts& facts, std::vector<std::uint64_t>& ids) {
  pbf_reader field = message_of(message);
  while (field.next()) {
    switch (field.tag()) {
      case node_field::id:
      case node_field::type:
      case node_field::duration_micros: varint_of(field); break;
      case node_field::start_time_micros: {
        const std::uint64_t start = varint_of(field);
        if (start != 0 && start < std::uint64_t{1} << 62) facts.starts_us.add(static_cast<std::int64_t>(start));
        break;
      }
      case node_field::ctrl_deps:
      case node_field::data_deps: ids.clear(), read_dependencies(field, ids); break;
      case node_field::name:
      case kInputs:
      case kOutputs: bytes_of(field); break;
      case node_field::attr: {
        const Attribute attribute = read_attribute(bytes_of(field));
        if ((attribute.name == "tid" || attribute.name == "fw_tid") && is_system_thread(attribute))
          facts.threads.collect(static_cast<std::int64_t>(attribute.number));
        break;
      }
      default: field.skip();
    }
  }
}

class Rewriter {
 public:
  Rewriter(const Settings& settings, const JobFacts& facts, JsonRewriter& shared)
      : settings_(settings), facts_(facts), shared_(shared), warp_(settings.key, settings.jitter_ps) {}

  void find_chains_in(std::string_view bytes);
  void write_metadata(std::string_view message, std::string& out);
  /// False if the node has become part of another.
  bool write_node(std::string_view message, std::string& out);

 private:
  struct Head {
    std::uint64_t id = 0, type = 0;
    std::string_view name;
  };
  static Head read_head(std::string_view message);
  static FusableNode read_fusable(std::string_view message);
  void write_field(pbf_reader& field, const Head& head, pbf_writer& out);
  [[nodiscard]] std::uint64_t new_duration(std::uint64_t us, std::uint64_t id) const;
  void write_attribute(const ObjectRules& rules, std::string_view message, std::uint32_t tag, std::uint64_t id, pbf_writer& out);
  bool write_value(const MemberRule& rule, const Attribute& attribute, std::uint64_t id, pbf_writer& out);
  void write_group_list(std::string_view inputs, pbf_writer& out);
  void write_chain(const FusedChains::Chain& chain, const Head& head, std::string_view message, std::string& out);
  MemberCount& count(std::string_view field) {
    MemberCount& counted = shared_.tally().of(chakra_node_rules(), *chakra_node_rules().find(field));
    ++counted.count;
    return counted;
  }

  const Settings& settings_;
  const JobFacts& facts_;
  JsonRewriter& shared_;
  TimeWarp warp_;
  FusedChains chains_;
  std::unordered_map<std::uint64_t, std::string_view> first_of_chain_;  // its message, by id
  std::vector<std::uint64_t> ids_;
};

Rewriter::Head Rewriter::read_head(std::string_view message) {
  Head head;
  pbf_reader field = message_of(message);
  while (field.next()) {
    if (field.tag() == node_field::id) head.id = varint_of(field);
    else if (field.tag() == node_field::type) head.type = varint_of(field);
    else if (field.tag() == node_field::name) head.name = bytes_of(field);
    else field.skip();
  }
  return head;
}

FusableNode Rewriter::read_fusable(std::string_view message) {
  FusableNode node;
  std::uint64_t host = 0, stream = 0, thread = 0;
  pbf_reader field = message_of(message);
  while (field.next()) {
    switch (field.tag()) {
      case node_field::id: node.id = varint_of(field); break;
      case node_field::type: node.is_compute = varint_of(field) == static_cast<std::uint64_t>(chakra::NodeType::comp); break;
      case node_field::duration_micros: node.duration_us = varint_of(field); break;
      case node_field::start_time_micros: node.start_us = varint_of(field); break;
      case node_field::ctrl_deps:
      case node_field::data_deps: read_dependencies(field, node.needs); break;
      case node_field::attr: {
        const Attribute attribute = read_attribute(bytes_of(field));
        if (attribute.name == "is_cpu_op") host = attribute.number;
        else if (attribute.name == "stream") stream = attribute.number;
        else if (attribute.name == "tid") thread = attribute.number;
        else if (attribute.name == "num_ops") node.operations = attribute.number;
        else if (attribute.name == "tensor_size") node.bytes = attribute.number;
        break;
      }
      default: field.skip();
    }
  }
  std::sort(node.needs.begin(), node.needs.end());
  node.needs.erase(std::unique(node.needs.begin(), node.needs.end()), node.needs.end());
  // Threads and streams are small numbers; others only keep nodes apart or together that need not be.
  node.place = host * 0x9E3779B97F4A7C15u + stream * 0xC2B2AE3D27D4EB4Fu + thread;
  return node;
}

void Rewriter::find_chains_in(std::string_view bytes) {
  std::vector<FusableNode> nodes;
  next_message(bytes);  // GlobalMetadata
  std::string_view rest = bytes;
  for (auto message = next_message(rest); message; message = next_message(rest)) nodes.push_back(read_fusable(*message));
  chains_ = find_chains(nodes);
  nodes = {};
  for (const auto& [last, chain] : chains_.by_last_id) first_of_chain_.emplace(chain.first_id, std::string_view());
  rest = bytes;
  for (auto message = next_message(rest); message; message = next_message(rest)) {
    if (const auto first = first_of_chain_.find(read_head(*message).id); first != first_of_chain_.end()) first->second = *message;
  }
}

void Rewriter::write_metadata(std::string_view message, std::string& out) {
  const ObjectRules& rules = chakra_metadata_rules();
  pbf_writer writer(out);
  pbf_reader field = message_of(message);
  while (field.next()) {
    if (field.tag() == kVersion) {
      const std::string_view version = bytes_of(field);
      const MemberRule& rule = *rules.find("version");
      ++shared_.tally().of(rules, rule).count;
      writer.add_string(kVersion, std::string(shared_.renamer().rename(rule.domain, version, false, rule.words)));
    } else if (field.tag() == kFileAttribute) {
      write_attribute(rules, bytes_of(field), kFileAttribute, 0, writer);
    } else {
      shared_.tally().add_unknown(rules.place, fmt::format("field {}", field.tag()));
      field.skip();
    }
  }
  if (out.empty()) writer.add_string(kVersion, "0.0.4");  // Chakra's Python reader takes an empty message for the end of the file
}

bool Rewriter::write_node(std::string_view message, std::string& out) {
  const Head head = read_head(message);
  if (chains_.gone.contains(head.id)) return false;
  if (const auto chain = chains_.by_last_id.find(head.id); chain != chains_.by_last_id.end()) {
    write_chain(chain->second, head, message, out);
    return true;
  }
  pbf_writer writer(out);
  writer.add_uint64(node_field::id, head.id);  // also 0: no message is empty
  count("id");
  pbf_reader field = message_of(message);
  while (field.next()) write_field(field, head, writer);
  return true;
}

std::uint64_t Rewriter::new_duration(std::uint64_t us, std::uint64_t id) const {
  if (us >= (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(kPsPerUs)) return us;  // no reader takes it
  return static_cast<std::uint64_t>(warp_.stretch(static_cast<TimePs>(us) * kPsPerUs, id) / kPsPerUs);
}

void Rewriter::write_field(pbf_reader& field, const Head& head, pbf_writer& out) {
  switch (field.tag()) {
    case node_field::id: field.skip(); break;
    case node_field::name:
      count("name");
      out.add_string(node_field::name, std::string(shared_.renamer().rename(Domain::name, bytes_of(field))));
      break;
    case node_field::type: count("type"), out.add_uint64(node_field::type, varint_of(field)); break;
    case node_field::ctrl_deps:
    case node_field::data_deps: {
      const std::uint32_t tag = field.tag();
      count(tag == node_field::ctrl_deps ? "ctrl_deps" : "data_deps");
      ids_.clear();
      read_dependencies(field, ids_);
      out.add_packed_uint64(tag, ids_.begin(), ids_.end());
      break;
    }
    case node_field::start_time_micros: {
      const std::uint64_t start = varint_of(field);
      count("start_time_micros");
      if (start > facts_.node_shift_us) out.add_uint64(node_field::start_time_micros, start - facts_.node_shift_us);
      break;
    }
    case node_field::duration_micros: {
      count("duration_micros");
      out.add_uint64(node_field::duration_micros, new_duration(varint_of(field), head.id));
      break;
    }
    case kInputs:
      count("inputs");
      if (head.name.find("process_group:init") != std::string_view::npos) write_group_list(bytes_of(field), out);
      else field.skip();
      break;
    case kOutputs: count("outputs"), field.skip(); break;
    case node_field::attr: write_attribute(chakra_attribute_rules(), bytes_of(field), node_field::attr, head.id, out); break;
    default: shared_.tally().add_unknown(chakra_node_rules().place, fmt::format("field {}", field.tag())); field.skip();
  }
}

void Rewriter::write_attribute(const ObjectRules& rules, std::string_view message, std::uint32_t tag, std::uint64_t id, pbf_writer& out) {
  const Attribute attribute = read_attribute(message);
  const MemberRule* const rule = rules.find(attribute.name);
  if (rule == nullptr) return shared_.tally().add_unknown(rules.place, attribute.name);
  MemberCount& counted = shared_.tally().of(rules, *rule);
  ++counted.count;
  if (rule->treatment == Treatment::drop) return;
  std::string written;
  pbf_writer writer(written);
  writer.add_string(attribute_field::name, rule->key.data(), rule->key.size());
  if (write_value(*rule, attribute, id, writer)) out.add_message(tag, written);
  else ++counted.unusable;
}

bool Rewriter::write_value(const MemberRule& rule, const Attribute& attribute, std::uint64_t id, pbf_writer& out) {
  if (attribute.is_integer()) {
    if (rule.treatment == Treatment::rename && attribute.number >= 1'000'000'000) return false;  // a group by its number
    if (rule.treatment == Treatment::thread && is_system_thread(attribute)) {
      const auto thread = facts_.threads.find(static_cast<std::int64_t>(attribute.number));
      if (thread) out.add_uint64(attribute.tag, static_cast<std::uint64_t>(*thread));
      return thread.has_value();
    }
    if (rule.treatment == Treatment::duration) return out.add_uint64(attribute.tag, new_duration(attribute.number, id)), true;
    const bool is_size = rule.treatment == Treatment::size && attribute.number < std::uint64_t{1} << 63;
    out.add_uint64(attribute.tag, is_size ? round_size(attribute.number, settings_.size_bits) : attribute.number);
    return true;
  }
  if (rule.treatment == Treatment::rename && attribute.tag == attribute_field::string_val) {
    out.add_string(attribute_field::string_val, std::string(shared_.renamer().rename(rule.domain, attribute.bytes, false, rule.words)));
    return true;
  }
  if (rule.treatment != Treatment::keep_numbers || attribute.tag != attribute_field::bool_list) return false;
  std::string list;
  std::vector<std::uint64_t> values;
  pbf_reader field = message_of(attribute.bytes);
  while (field.next(1)) read_dependencies(field, values);
  for (std::uint64_t& value : values) value = value != 0 ? 1 : 0;
  pbf_writer(list).add_packed_uint64(1, values.begin(), values.end());
  out.add_message(attribute_field::bool_list, list);
  return true;
}

// Python's spelling of a list with one text in it: ['[{"pg_name": ...}]'].
void Rewriter::write_group_list(std::string_view inputs, pbf_writer& out) {
  pbf_reader field = message_of(inputs);
  while (field.next()) {
    if (field.tag() != kTensorValues) {
      field.skip();
      continue;
    }
    const std::string_view text = bytes_of(field);
    if (text.size() < 4) continue;
    const std::string groups = scrub_process_groups(shared_, text.substr(2, text.size() - 4));
    if (groups.empty()) continue;
    std::string written;
    pbf_writer(written).add_string(kTensorValues, "['" + groups + "']");
    out.add_message(kInputs, written);
  }
}

void Rewriter::write_chain(const FusedChains::Chain& chain, const Head& head, std::string_view message, std::string& out) {
  pbf_writer writer(out);
  writer.add_uint64(node_field::id, head.id);
  writer.add_string(node_field::name, kFusedName);
  writer.add_uint64(node_field::type, head.type);
  pbf_reader first = message_of(first_of_chain_.at(chain.first_id));
  while (first.next()) {
    if (first.tag() == node_field::ctrl_deps || first.tag() == node_field::data_deps) write_field(first, head, writer);
    else first.skip();
  }
  if (chain.start_us > facts_.node_shift_us) writer.add_uint64(node_field::start_time_micros, chain.start_us - facts_.node_shift_us);
  std::string duration;
  pbf_writer(duration).add_uint64(node_field::duration_micros, chain.duration_us);
  pbf_reader duration_field = message_of(duration);
  duration_field.next();
  write_field(duration_field, head, writer);
  // Where it runs is the same for all of the chain; how much it computes is the sum.
  pbf_reader last = message_of(message);
  while (last.next()) {
    if (last.tag() != node_field::attr) {
      last.skip();
      continue;
    }
    const std::string_view bytes = bytes_of(last);
    const Attribute attribute = read_attribute(bytes);
    if (attribute.name != "num_ops" && attribute.name != "tensor_size")
      write_attribute(chakra_attribute_rules(), bytes, node_field::attr, head.id, writer);
  }
  const auto add_sum = [&](std::string_view name, std::uint32_t tag, std::uint64_t sum) {
    if (sum == 0) return;
    std::string attribute;
    pbf_writer fields(attribute);
    fields.add_string(attribute_field::name, name.data(), name.size());
    fields.add_uint64(tag, sum);
    write_attribute(chakra_attribute_rules(), attribute, node_field::attr, head.id, writer);
  };
  add_sum("num_ops", attribute_field::int64_val, chain.operations);
  add_sum("tensor_size", attribute_field::uint64_val, chain.bytes);
}

void append_message(std::string_view message, std::string& out) {
  protozero::add_varint_to_buffer(&out, message.size());
  out += message;
}

}  // namespace

Status survey_chakra(const MappedFile& file, FileFacts& facts) {
  const auto content = FileContent::open(file.path());
  if (!content) return content.error();
  std::string_view rest = content->bytes();
  const char* const begin = rest.data();
  const auto failure = [&](std::string message, std::string_view at) {
    return Error{std::move(message), file.path(), static_cast<std::uint64_t>(at.data() - begin),
                 "scrub knows JSON traces and Chakra execution traces of the schema of 0.0.4 and later; convert older ones first"};
  };
  if (rest.empty()) return Error{"the file is empty", file.path(), 0};
  const chakra::Dialect dialect = chakra::recognise_dialect(rest, std::nullopt);
  if (dialect.layout != chakra::Layout::present || dialect.vocabulary != chakra::Vocabulary::v0_0_4 || !dialect.has_metadata)
    return failure(fmt::format("this is no Chakra trace of today's schema (it looks like {})", to_string(dialect.vocabulary)), rest);
  facts.kind = FileKind::chakra;
  facts.text_bytes = rest.size();
  std::vector<std::uint64_t> ids;
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view record = rest;
    const auto message = next_message(rest);
    if (!message) return failure("this is neither JSON nor a whole Chakra trace", record);
    try {
      if (first) {
        pbf_reader field = message_of(*message);
        while (field.next()) {
          if (field.tag() == kVersion) bytes_of(field);
          else if (field.tag() == kFileAttribute) read_attribute(bytes_of(field));
          else field.skip();
        }
      } else {
        check_node(*message, facts, ids);
        ++facts.records;
      }
    } catch (const protozero::exception&) {
      return failure("this record is not a Chakra node", record);
    }
  }
  return {};
}

Status rewrite_chakra(const MappedFile& file, const Settings& settings, const JobFacts& facts, JsonRewriter& rewriter,
                      const std::function<void(std::string_view)>& write) {
  const auto content = FileContent::open(file.path());
  if (!content) return content.error();
  std::string_view rest = content->bytes();
  Rewriter nodes(settings, facts, rewriter);
  std::string out, message;
  try {
    if (settings.fuse) nodes.find_chains_in(rest);
    for (bool first = true; !rest.empty(); first = false) {
      const auto record = next_message(rest);
      if (!record) return Error{"the file has changed while it was read", file.path()};
      message.clear();
      if (first) nodes.write_metadata(*record, message);
      else if (!nodes.write_node(*record, message)) continue;
      append_message(message, out);
      if (out.size() < kFlushBytes) continue;
      write(out);
      out.clear();
    }
  } catch (const protozero::exception&) {
    return Error{"the file has changed while it was read", file.path()};
  }
  write(out);
  return {};
}

}  // namespace orrery::scrub
