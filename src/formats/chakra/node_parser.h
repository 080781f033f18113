// One Node message into an Activity and the ids it depends on, in any of the layouts there have been.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/attributes.h"
#include "formats/chakra/dialect.h"
#include "workload/program_builder.h"

namespace orrery::chakra {

class NodeParser {
 public:
  struct Need {
    std::uint64_t on;
    workload::Dependency type;
  };

  /// `strings` takes the texts and must outlive the parser.
  NodeParser(Interner& strings, const Dialect& dialect)
      : strings_(strings), layout_(dialect.layout), vocabulary_(dialect.vocabulary) {}

  /// The message of an error, or empty; `damaged()` tells whether it is that the record is no node at all.
  std::string parse(std::string_view message);

  // Of the node parsed last.

  [[nodiscard]] workload::Activity& activity() { return activity_; }       ///< without its start
  [[nodiscard]] const std::vector<Need>& needs() const { return needs_; }  ///< in the order of the file
  [[nodiscard]] const std::vector<std::int64_t>& parts() const {
    return parts_;
  }                                                                     ///< Program::parts; empty: they are equal
  [[nodiscard]] std::uint64_t start_us() const { return start_us_; }    ///< 0: not recorded
  [[nodiscard]] std::uint8_t oddities() const { return oddities_; }     ///< NodeAttributes::Oddity
  [[nodiscard]] std::uint64_t node_type() const { return node_type_; }  ///< as in the file
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  bool take_present(std::string_view message);
  bool take_flat(std::string_view message);
  bool take_typed(std::string_view message);
  bool take_flat_attribute(const WireField& field);
  bool take_typed_attribute(std::string_view message);
  std::string take_parts();
  void take_exact_duration();
  bool take_needs(const WireField& field, workload::Dependency type);
  bool take_id_and_name(const WireField& field, bool& taken);

  Interner& strings_;
  Layout layout_;
  Vocabulary vocabulary_;
  workload::Activity activity_;
  NodeAttributes attributes_;
  std::vector<Need> needs_;
  std::vector<std::int64_t> parts_;
  std::uint64_t start_us_ = 0;
  std::uint64_t duration_us_ = 0;
  std::uint64_t node_type_ = 0;
  std::uint8_t oddities_ = 0;
  bool damaged_ = false;
  std::string_view last_name_;  // of the node before: neighbours often share one
  StringId last_name_id_ = 0;
};

}  // namespace orrery::chakra
