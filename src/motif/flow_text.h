// Control flows as motif files have them: a list of named blocks, each a line of call sites and of other blocks.
//
//     - {name: main, do: "1..3 search 51"}                  in order
//     - {name: ring, trips: "q", do: "47 48 49"}            a loop
//     - {name: search, steps: [{next: td, times: "1"}, {after: td, next: end, times: "0.5"}, ...]}     a chain over the
//     blocks it names
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/yaml/field_kinds.h"
#include "machine/yaml/violation.h"
#include "motif/motif.h"

namespace orrery::motif {

struct StepText {
  std::optional<std::string> after = {};  ///< names of blocks, the newest last; none at the entry
  std::string next;                       ///< a name, or "end"
  std::string times;
};
struct BlockText {
  std::string name;
  std::optional<std::string> content = {};  ///< "do"
  std::optional<std::string> trips = {};
  std::vector<StepText> steps = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<StepText> auto& value) {
  visitor.expression("after", value.after);
  visitor.text("next", value.next);
  visitor.expression("times", value.times);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<BlockText> auto& value) {
  visitor.text("name", value.name);
  visitor.expression("trips", value.trips);
  visitor.expression("do", value.content);
  visitor.list("steps", value.steps);
}

/// The first block is where the program starts.
std::vector<BlockText> flow_text(const Flow& flow);
/// `path` is where the blocks are in the file, for the violation: "classes[0].blocks".
std::optional<machine::Violation> parse_flow(const std::vector<BlockText>& blocks, const std::string& path, Flow& flow);

}  // namespace orrery::motif
