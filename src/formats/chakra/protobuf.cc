#include <fmt/format.h>

#include <algorithm>

#include "formats/chakra/diagnostics.h"
#include "formats/chakra/finish_program.h"
#include "formats/chakra/node_parser.h"
#include "formats/chakra/node_words.h"
#include "formats/chakra/reader.h"
#include "workload/delays.h"

namespace orrery::chakra {
namespace {

class ProgramParser {
 public:
  ProgramParser(std::string_view bytes, const std::string& path, Interner& strings, const ReadOptions& options)
      : records_(bytes),
        dialect_(recognise_dialect(bytes, vocabulary_called(options.schema))),
        path_(path),
        strings_(strings),
        options_(options),
        diagnostics_(options.diagnostics) {}

  Result<workload::Program> parse(std::int64_t* epoch_us);

 private:
  Status add_nodes();
  std::string add_node(NodeParser& node);
  std::string remark(NodeParser& node);
  [[nodiscard]] Error error(std::string message, std::string hint = {}) const {
    return {std::move(message), path_, record_, std::move(hint)};
  }
  [[nodiscard]] std::string where(std::uint64_t id) const {
    return fmt::format("{}: byte {}: node {}", path_, record_, id);
  }

  RecordReader records_;
  Dialect dialect_;
  const std::string& path_;
  Interner& strings_;
  const ReadOptions& options_;
  Diagnostics* diagnostics_;  // null: what is odd is an error
  workload::ProgramBuilder builder_;
  RecordedStarts starts_;
  std::size_t record_ = 0;  // where the record being read begins
};

/// What is odd but can be used counts if somebody counts, and is an error otherwise.
std::string ProgramParser::remark(NodeParser& node) {
  const std::uint8_t oddities = node.oddities();
  const std::uint64_t id = node.activity().id;
  if ((oddities & (NodeAttributes::kNoTag | NodeAttributes::kNoBytes)) != 0) {
    if (diagnostics_ == nullptr)
      return (oddities & NodeAttributes::kNoTag) != 0 ? "a message without comm_tag" : "a message without comm_size";
    diagnostics_->add(kIncompleteMessage, [&] { return where(id); });
  }
  // What follows changes nothing about the program: without somebody to tell there is nothing to do.
  if (diagnostics_ == nullptr) return {};
  if ((oddities & NodeAttributes::kNoLane) != 0) diagnostics_->add(kLaneBeyondRange, [&] { return where(id); });
  if (!is_known_node_type(dialect_.vocabulary, node.node_type()))
    diagnostics_->add(kUnknownNodeType, [&] { return fmt::format("{} has type {}", where(id), node.node_type()); });
  return {};
}

std::string ProgramParser::add_node(NodeParser& node) {
  if (std::string problem = remark(node); !problem.empty()) return problem;
  workload::Activity& activity = node.activity();
  if (diagnostics_ == nullptr || options_.micros_only)
    activity.duration_ps = workload::in_whole_microseconds(activity.duration_ps);
  // To everybody else a join is a computation.
  else if (is_join(activity, strings_)) activity.kind = workload::ActivityKind::none;
  if (node.start_us() != 0) {
    activity.start_ps = starts_.take(node.start_us());
    if (activity.start_ps == workload::kNotRecorded && diagnostics_ != nullptr)
      diagnostics_->add(kStartBeyondRange, [&] { return where(activity.id); });
  }
  builder_.add(activity);
  if (!node.parts().empty()) builder_.set_parts(node.parts());
  // An id in both lists, as Chakra's converter writes for first children, is a data dependency: feeders may look at
  // those alone.
  for (const workload::Dependency type : {workload::Dependency::data, workload::Dependency::control}) {
    for (const NodeParser::Need& need : node.needs()) {
      if (need.type == type) builder_.depend(need.on, type);
    }
  }
  return {};
}

Status ProgramParser::add_nodes() {
  NodeParser node(strings_, dialect_);
  for (bool is_metadata = dialect_.has_metadata; !records_.at_end(); is_metadata = false) {
    record_ = records_.position();
    const std::optional<std::string_view> message = records_.next();
    if (!message) return error("the file ends inside a record", "it is truncated, or not a Chakra execution trace");
    // Its version has been looked at (dialect), and its attributes are of the file, not of the program.
    if (is_metadata) continue;
    std::string problem = node.parse(*message);
    if (node.damaged())
      return error(fmt::format("this record is not a Chakra node ({})", problem),
                   "is it a Chakra execution trace (.et)?");
    if (problem.empty()) problem = add_node(node);
    if (!problem.empty()) return error(fmt::format("node {}: {}", node.activity().id, problem));
  }
  return {};
}

Result<workload::Program> ProgramParser::parse(std::int64_t* epoch_us) {
  if (records_.at_end()) return Error{"the file is empty", path_, 0, "a Chakra trace begins with its metadata"};
  if (!dialect_.unsure_about.empty() && diagnostics_ != nullptr)
    diagnostics_->add(kUnsureSchema, [&] { return fmt::format("{}: {}", path_, dialect_.unsure_about); });
  if (const Status added = add_nodes(); !added) return added.error();
  return finish_program(std::move(builder_), starts_, path_, options_, epoch_us);
}

}  // namespace

Result<workload::Program> parse_protobuf(std::string_view bytes, const std::string& path, Interner& strings,
                                         const ReadOptions& options, std::int64_t* epoch_us) {
  return ProgramParser(bytes, path, strings, options).parse(epoch_us);
}

}  // namespace orrery::chakra
