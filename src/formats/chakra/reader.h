// Chakra execution traces into a Workload: one file per rank, PREFIX.0.et, PREFIX.1.et, ..., plain or compressed, or in the feeder's JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/program_builder.h"
#include "graph/workload.h"

namespace orrery::chakra {

/// The file of a rank: PREFIX.RANK.et, PREFIX.RANK.et.gz, PREFIX.RANK.et.zst or PREFIX.RANK.json; empty if there is none.
std::string program_path(const std::string& prefix, std::size_t rank);

/// How many ranks have a file, counting from 0 without a gap.
std::size_t count_ranks(const std::string& prefix);

/// The files of ranks 0 to `ranks` - 1. Ranks whose files have the same content share one Program, and such a file is parsed once.
Result<graph::Workload> read_workload(const std::string& prefix, std::size_t ranks);

/// One file per rank, in this order, whatever they are called; otherwise as above.
Result<graph::Workload> read_files(std::span<const std::string> paths);

// The two spellings of a program. Texts go to `strings`; an Error names the file and the record that cannot be used.

/// `bytes`: a stream of messages, each with its length in front: GlobalMetadata, then one Node after the other.
Result<graph::Program> parse_protobuf(std::string_view bytes, const std::string& path, Interner& strings);
/// {"workload_graph": [{"Id": 0, "Name": "...", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 5, ...}]}
Result<graph::Program> parse_feeder_json(std::string_view bytes, const std::string& path, Interner& strings);

/// An attribute of a node by its name in the files, for both spellings.
struct AttributeValue {
  enum class Kind : std::uint8_t { none, integer, number, boolean, text, booleans };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< also of a boolean
  std::string_view text = {};
  std::uint32_t false_bits = 0;  ///< of a list of booleans: bit i is set if entry i is false
};

/// Sets what `name` means for an activity; attributes without a meaning here are passed over. The message of an error, or empty.
std::string apply_attribute(std::string_view name, const AttributeValue& value, graph::Activity& activity, Interner& strings);

/// Checks what only the whole node shows (an unknown kind of collective, a message without a tag). The message of an error, or empty.
std::string finish_activity(graph::Activity& activity);

}  // namespace orrery::chakra
