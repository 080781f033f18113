// Which of the schemas that Chakra has had since 2023 a file follows: how its nodes are laid out, and what its
// enumerations mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workload/workload.h"

namespace orrery::chakra {

/// What the values of NodeType and CollectiveCommType meant up to a version; the last is today's.
enum class Vocabulary : std::uint8_t { v0_0_1, v0_0_2, v0_0_3, v0_0_4 };
std::string_view to_string(Vocabulary vocabulary);

enum class Layout : std::uint8_t {
  flat,    ///< 2023-01: a field per attribute
  typed,   ///< 2023-06: attributes with a type
  present  ///< 2023-10 until today
};

struct Dialect {
  Layout layout = Layout::present;
  Vocabulary vocabulary = Vocabulary::v0_0_4;
  bool has_metadata = true;       ///< the first record is GlobalMetadata
  std::string unsure_about = {};  ///< what had to be guessed, for people; empty: nothing
};

/// "0.0.1", "0.0.2", "0.0.3"; "0.0.4" and all after it are one. Nothing if it is no version of the schema.
std::optional<Vocabulary> vocabulary_called(std::string_view version);
inline constexpr std::string_view kSchemaNames = "0.0.1 0.0.2 0.0.3 0.0.4 1.0.0";

/// Reads as many records as it takes to be sure: one, if there is metadata. `requested`: what the user knows about the
/// vocabulary.
Dialect recognise_dialect(std::string_view bytes, std::optional<Vocabulary> requested);

/// Whether this is an attribute as 0.0.2 and 0.0.3 had them: with a type where today the documentation is.
bool is_typed_attribute(std::string_view message);

/// none for a value the vocabulary does not have, and for its word for none (value 0).
workload::ActivityKind activity_kind(Vocabulary vocabulary, std::uint64_t node_type);
bool is_known_node_type(Vocabulary vocabulary, std::uint64_t node_type);
std::optional<workload::Collective> collective_of(Vocabulary vocabulary, std::int64_t comm_type);

}  // namespace orrery::chakra
