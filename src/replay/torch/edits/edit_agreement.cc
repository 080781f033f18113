#include "replay/torch/edits/edit_agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "replay/torch/edits/edit_refusals.h"

namespace orrery::replay::torch {
namespace {

/// What numbers communications: a group, or a sender, a receiver and a tag.
using Channel = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>;

struct FirstSide {
  std::int64_t rank;
  const TransferSide* side;
};

std::string said(const TransferSide& side) {
  if (side.edit.factor == 0) return "left out";
  return side.edit.factor == 1 ? "as recorded" : fmt::format("{:g} times as much", side.edit.factor);
}

std::string named(const TransferSide& side, std::size_t number, const std::vector<std::vector<std::int64_t>>& groups) {
  if (side.sender >= 0) return fmt::format("message {} from rank {} to rank {}", number, side.sender, side.receiver);
  return fmt::format("{} {} of ranks {}", side.kind, number, fmt::join(groups[side.group], ", "));
}

}  // namespace

Status check_edited_alike(const std::vector<analyze::ParsedEdit>& edits, const std::vector<OperationList>& ranks,
                          const std::vector<std::vector<std::int64_t>>& groups) {
  std::map<Channel, std::vector<FirstSide>> seen;
  for (const OperationList& rank : ranks) {
    std::map<Channel, std::size_t> next;
    for (const TransferSide& side : rank.edited.sides) {
      const Channel channel{side.group, side.sender, side.receiver, side.tag};
      const std::size_t number = next[channel]++;
      std::vector<FirstSide>& firsts = seen[channel];
      if (number == firsts.size()) {
        firsts.push_back({rank.rank, &side});
        continue;
      }
      const auto [first_rank, first] = firsts[number];
      if (first->edit.factor == side.edit.factor) continue;
      const std::uint32_t edit = side.edit.edit != TransferEdit::kNoEdit ? side.edit.edit : first->edit.edit;
      return refuse_edit(
          analyze::text_of(edits[edit]),
          fmt::format("{} would be {} on rank {} and {} on rank {}, and all who take part have to do the same",
                      named(side, number, groups), said(*first), first_rank, said(side), rank.rank));
    }
  }
  return {};
}

}  // namespace orrery::replay::torch
