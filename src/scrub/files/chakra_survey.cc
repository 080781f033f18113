#include "scrub/files/chakra_survey.h"

#include <fmt/format.h>

#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/dialect.h"
#include "formats/chakra/message_view.h"
#include "scrub/files/chakra_attribute.h"

namespace orrery::scrub {
namespace {

void take_node(const chakra::NodeView& node, FileFacts& facts) {
  // 0 is what a node has that was not measured. Beyond 2^62 no reader takes it, and differences might not fit.
  if (node.start_time_micros != 0 && node.start_time_micros < std::uint64_t{1} << 62)
    facts.starts_us.add(static_cast<std::int64_t>(node.start_time_micros));
  for (const chakra::AttributeView& attribute : node.attributes) {
    if ((attribute.name == "tid" || attribute.name == "fw_tid") && is_system_thread(attribute))
      facts.threads.collect(*integer_in(attribute));
  }
  ++facts.records;
}

}  // namespace

Status survey_chakra(std::string_view bytes, FileFacts& facts) {
  const auto failure = [&](std::string message, std::size_t at) {
    return Error{std::move(message), facts.path, at,
                 "scrub knows JSON traces and Chakra execution traces of the schema of 0.0.4 and later; convert older "
                 "ones first"};
  };
  if (bytes.empty()) return Error{"the file is empty", facts.path, 0};
  const chakra::Dialect dialect = chakra::recognise_dialect(bytes, std::nullopt);
  // Older layouts have the same bytes with another meaning: rules for today's fields would keep the wrong ones.
  if (dialect.layout != chakra::Layout::present || dialect.vocabulary != chakra::Vocabulary::v0_0_4 ||
      !dialect.has_metadata)
    return failure(
        fmt::format("this is no Chakra trace of today's schema (it looks like {})", to_string(dialect.vocabulary)), 0);
  facts.text_bytes = bytes.size();
  chakra::NodeView node;
  chakra::MetadataView metadata;
  RecordReader records(bytes);
  for (bool is_metadata = true; !records.at_end(); is_metadata = false) {
    const std::size_t position = records.position();
    const auto message = records.next();
    if (!message) return failure("this is neither JSON nor a whole Chakra trace", position);
    const bool fits = is_metadata ? view_metadata(*message, metadata) : view_node(*message, node);
    if (!fits) return failure("this record is not a Chakra node", position);
    if (!is_metadata) take_node(node, facts);
  }
  return {};
}

}  // namespace orrery::scrub
