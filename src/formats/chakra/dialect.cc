#include "formats/chakra/dialect.h"

#include <fmt/format.h>

#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/schema.h"

// The version in the metadata is asked first, but nodes are believed more: each of the four layouts puts something
// under a field number, or in a wire type, that the others do not. Nodes are looked at until they decide, which mostly
// the first does.

namespace orrery::chakra {
namespace {

using workload::ActivityKind;
using workload::Collective;

bool is_old(Vocabulary vocabulary) { return vocabulary != Vocabulary::v0_0_4; }

/// Of an attribute: whether it has a type (2 is a number, not the documentation), and in whose words. {name, 2: type, 4
/// + type: value}
struct AttributeVerdict {
  bool typed = false;
  std::optional<Vocabulary> vocabulary;
};

AttributeVerdict judge_attribute(std::string_view message) {
  AttributeVerdict found;
  WireReader reader(message);
  std::uint64_t type = 0;
  for (WireField field; reader.next(field);) {
    if (field.number == typed_attribute_field::type && field.is_varint()) found.typed = true, type = field.value;
    if (field.number < typed_attribute_field::first_value) continue;
    // Until 0.0.2 the types are FLOAT, INT, STRING, FLOATS, ...; then BOOL comes first.
    const bool is_float = field.type == WireType::fixed32;
    // So a type and the wire type of its value tell the two apart, except where both have the same.
    if (type == 0 && (is_float || field.is_varint()))
      found.vocabulary = is_float ? Vocabulary::v0_0_2 : Vocabulary::v0_0_3;
    if (type == 1 && (is_float || field.is_varint()))
      found.vocabulary = is_float ? Vocabulary::v0_0_3 : Vocabulary::v0_0_2;
    if (type == 2 && (field.is_bytes() || field.is_varint()))
      found.vocabulary = field.is_bytes() ? Vocabulary::v0_0_2 : Vocabulary::v0_0_3;
    if ((type == 3 || type == 4) && field.is_bytes()) found.vocabulary = Vocabulary::v0_0_3;
  }
  // Of what is not well-formed nothing is believed.
  if (reader.damaged()) return {};
  return found;
}

/// Whether this begins as an attribute does: with its name, followed by more or nothing, all of it well-formed.
bool looks_like_attribute(std::string_view message) {
  WireReader reader(message);
  WireField field;
  if (!reader.next(field) || field.number != attribute_field::name || !field.is_bytes()) return false;
  while (reader.next(field)) {
  }
  return !reader.damaged();
}

/// What the nodes say, taken together until it is enough.
class NodeEvidence {
 public:
  [[nodiscard]] bool decided() const { return layout && (*layout != Layout::typed || vocabulary); }

  void take(std::string_view node) {
    WireReader reader(node);
    for (WireField field; reader.next(field);) take(field);
  }

  std::optional<Layout> layout;
  std::optional<Vocabulary> vocabulary;
  bool has_old_times = false;  // fields 6 and 7 as numbers: sizes and times of 2023-01, unless it is today's layout

 private:
  void take(const WireField& field) {
    if (field.number == typed_field::attribute && field.is_bytes()) {
      const AttributeVerdict attribute = judge_attribute(field.bytes);
      if (attribute.typed) layout = Layout::typed;
      if (attribute.typed && attribute.vocabulary) vocabulary = attribute.vocabulary;
    } else if (field.number == node_field::attr && field.is_bytes()) {
      // Field 10 was output_types, a text, in the layout of 2023-06: only what has the form of an attribute is one.
      if (!layout && looks_like_attribute(field.bytes)) layout = Layout::present;
    } else if (field.number >= flat_field::num_ops && field.number <= flat_field::comm_priority && field.is_varint()) {
      if (!layout) layout = Layout::flat;
    } else if (field.number == flat_field::tensor_size || field.number == flat_field::run_time) {
      if (field.is_varint()) has_old_times = true;
      else if (!layout && field.is_bytes()) layout = Layout::typed;  // input_shapes, input_types
    }
  }
};

/// What the first record is.
struct FirstRecord {
  bool is_metadata = false;
  bool is_empty = false;
  bool has_typed_attributes = false;
  std::string_view version = {};
};

FirstRecord judge_first(std::string_view record) {
  FirstRecord first;
  first.is_empty = record.empty();
  first.is_metadata = true;
  WireReader reader(record);
  for (WireField field; reader.next(field);) {
    // A node begins with its number. Metadata has a version, or attributes: under 1 before there were versions.
    if (field.number == metadata_field::version && field.is_bytes()) {
      if (!looks_like_attribute(field.bytes)) first.version = field.bytes;
      else if (judge_attribute(field.bytes).typed) first.has_typed_attributes = true;
    } else if (field.number == metadata_field::attr && field.is_bytes() && looks_like_attribute(field.bytes)) {
      continue;
    } else if (field.number <= node_field::type) {
      first.is_metadata = false;
    }
  }
  // A node in this place would be damaged as well, and is reported as such when it is read.
  if (reader.damaged()) first.is_metadata = true;  // its content is not needed
  return first;
}

NodeEvidence ask_nodes(RecordReader& records, std::string_view first) {
  NodeEvidence evidence;
  evidence.take(first);
  // Mostly the first node is enough; a file of bare nodes, which tell nothing, is walked through once.
  while (!evidence.decided() && !records.at_end()) {
    const std::optional<std::string_view> record = records.next();
    if (!record) break;
    evidence.take(*record);
  }
  return evidence;
}

Layout layout_of(Vocabulary vocabulary) {
  if (vocabulary == Vocabulary::v0_0_4) return Layout::present;
  return vocabulary == Vocabulary::v0_0_1 ? Layout::flat : Layout::typed;
}

}  // namespace

std::string_view to_string(Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::v0_0_1: return "0.0.1";
    case Vocabulary::v0_0_2: return "0.0.2";
    case Vocabulary::v0_0_3: return "0.0.3";
    case Vocabulary::v0_0_4: return "0.0.4";
  }
  return "0.0.4";
}

std::optional<Vocabulary> vocabulary_called(std::string_view version) {
  if (version == "0.0.1") return Vocabulary::v0_0_1;
  if (version == "0.0.2") return Vocabulary::v0_0_2;
  if (version == "0.0.3") return Vocabulary::v0_0_3;
  if (version == "0.0.4" || version.starts_with("1.")) return Vocabulary::v0_0_4;
  return std::nullopt;
}

bool is_typed_attribute(std::string_view message) { return judge_attribute(message).typed; }

Dialect recognise_dialect(std::string_view bytes, std::optional<Vocabulary> requested) {
  Dialect dialect;
  RecordReader records(bytes);
  const std::optional<std::string_view> record = bytes.empty() ? std::nullopt : records.next();
  if (!record) return dialect;
  const FirstRecord first = judge_first(*record);
  dialect.has_metadata = first.is_metadata;
  const std::optional<Vocabulary> stated = requested ? requested : vocabulary_called(first.version);
  // Converters of today write metadata with attributes and no version: that is today's schema, and no node need be
  // asked.
  const bool is_todays =
      first.is_metadata && !first.is_empty && !first.has_typed_attributes && (!stated || !is_old(*stated));
  if (is_todays) {
    if (!first.version.empty() && !stated)
      dialect.unsure_about = fmt::format("version \"{}\" of the schema is unknown; read as 1.0.0", first.version);
    return dialect;
  }
  const NodeEvidence evidence = ask_nodes(records, first.is_metadata ? std::string_view() : *record);
  // What the nodes show goes before what is stated: some tools wrote new versions over old layouts.
  if (evidence.layout) dialect.layout = *evidence.layout;
  else if (first.has_typed_attributes) dialect.layout = Layout::typed;
  else if (stated && (!first.is_metadata || !is_old(*stated))) dialect.layout = layout_of(*stated);
  else dialect.layout = first.is_metadata ? Layout::present : Layout::flat;
  if (stated) {
    dialect.vocabulary = *stated;
  } else if (dialect.layout == Layout::flat) {
    dialect.vocabulary = Vocabulary::v0_0_1;
    if (!evidence.layout && !evidence.has_old_times)
      dialect.unsure_about = "there is no metadata and nothing tells the schema; read as 0.0.1";
  } else if (dialect.layout == Layout::typed) {
    dialect.vocabulary = evidence.vocabulary.value_or(first.is_metadata ? Vocabulary::v0_0_3 : Vocabulary::v0_0_2);
    if (!evidence.vocabulary && !first.is_metadata)
      dialect.unsure_about = "nothing tells schema 0.0.2 from 0.0.3; read as 0.0.2";
  }
  return dialect;
}

ActivityKind activity_kind(Vocabulary vocabulary, std::uint64_t node_type) {
  // 0.0.1 and 0.0.2 have no metadata nodes: what follows is one less.
  if (vocabulary <= Vocabulary::v0_0_2 && node_type != 0) ++node_type;
  switch (static_cast<NodeType>(node_type < kNodeTypes ? node_type : 0)) {
    case NodeType::invalid: return ActivityKind::none;
    case NodeType::metadata: return ActivityKind::metadata;
    case NodeType::mem_load: return ActivityKind::memory_load;
    case NodeType::mem_store: return ActivityKind::memory_store;
    case NodeType::comp: return ActivityKind::compute;
    case NodeType::comm_send: return ActivityKind::send;
    case NodeType::comm_recv: return ActivityKind::recv;
    case NodeType::comm_coll: return ActivityKind::collective;
  }
  return ActivityKind::none;
}

bool is_known_node_type(Vocabulary vocabulary, std::uint64_t node_type) {
  return node_type < (vocabulary <= Vocabulary::v0_0_2 ? kNodeTypes - 1 : kNodeTypes);
}

std::optional<Collective> collective_of(Vocabulary vocabulary, std::int64_t type) {
  if (is_old(vocabulary)) {
    // The numbers moved by one then, and were given anew with 0.0.4: docs/formats/chakra.md has them side by side.
    if (vocabulary == Vocabulary::v0_0_1) type = type <= 0 ? -1 : type - 1;  // 0 was for none
    switch (type) {
      case 0: return Collective::all_reduce;
      case 1: return Collective::all_to_all;
      case 2: return Collective::all_gather;
      case 3: return Collective::reduce_scatter;
      case 4: return vocabulary == Vocabulary::v0_0_3 ? std::optional(Collective::broadcast) : std::nullopt;
      default: return std::nullopt;
    }
  }
  switch (type) {
    case comm_type::all_reduce: return Collective::all_reduce;
    case comm_type::reduce: return Collective::reduce;
    case comm_type::all_gather: return Collective::all_gather;
    case comm_type::gather: return Collective::gather;
    case comm_type::scatter: return Collective::scatter;
    case comm_type::broadcast: return Collective::broadcast;
    case comm_type::all_to_all: return Collective::all_to_all;
    case comm_type::reduce_scatter:
    case comm_type::reduce_scatter_block: return Collective::reduce_scatter;
    case comm_type::barrier: return Collective::barrier;
    default: return std::nullopt;
  }
}

}  // namespace orrery::chakra
