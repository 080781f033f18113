#include "formats/kineto/nccl_plugin.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/numbers.h"

namespace orrery::kineto {
namespace {

using trace::Field;

constexpr std::string_view kPlaceArgument = "place in communicator", kPeerArgument = "place of peer";

bool is_operation(std::string_view category) { return category == "COLL" || category == "P2P"; }

/// The value of a member of the event's arguments, without quotes; empty if it is not there.
std::string_view argument(std::string_view event, std::string_view key) {
  const std::size_t args = event.find("\"args\"");
  if (args == std::string_view::npos) return {};
  const std::string quoted = '"' + std::string(key) + '"';
  std::size_t at = event.find(quoted, args);
  if (at == std::string_view::npos) return {};
  at = event.find_first_not_of(" \t", at + quoted.size());
  if (at == std::string_view::npos || event[at] != ':') return {};
  at = event.find_first_not_of(" \t\"", at + 1);
  if (at == std::string_view::npos) return {};
  return event.substr(at, event.find_first_of("\",}", at) - at);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

/// Types of NCCL as PyTorch calls them, whose sizes are known.
std::string_view type_of(std::string_view nccl) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kTypes = {{{"ncclInt8", "Char"},
                                                                                     {"ncclChar", "Char"},
                                                                                     {"ncclUint8", "Byte"},
                                                                                     {"ncclInt32", "Int"},
                                                                                     {"ncclInt", "Int"},
                                                                                     {"ncclUint32", "Int"},
                                                                                     {"ncclInt64", "Long"},
                                                                                     {"ncclUint64", "Long"},
                                                                                     {"ncclFloat16", "Half"},
                                                                                     {"ncclHalf", "Half"},
                                                                                     {"ncclFloat32", "Float"},
                                                                                     {"ncclFloat", "Float"},
                                                                                     {"ncclFloat64", "Double"},
                                                                                     {"ncclDouble", "Double"},
                                                                                     {"ncclBfloat16", "BFloat16"},
                                                                                     {"ncclFloat8e4m3", "Byte"}}};
  for (const auto& [name, type] : kTypes) {
    if (name == nccl) return type;
  }
  return nccl;
}

}  // namespace

void NcclPlugin::Extent::cover(TimePs from, TimePs to) {
  begin = is_there ? std::min(begin, from) : from;
  end = is_there ? std::max(end, to) : to;
  is_there = true;
}

void NcclPlugin::begin(trace::RankTrace& rank, Interner& strings, trace::EventIndex row, std::string_view category,
                       std::string_view text) {
  if (!is_operation(category)) return;
  open_.push_back({row, {}, {}});
  const auto number = [&](std::string_view key) { return parse_number<std::int64_t>(argument(text, key)); };
  const auto push = [&](Field field, std::optional<std::int64_t> value) {
    trace::SparseColumn& column = rank.field(field);
    // Their "Rank" is the place of this process; where others have that name, it is a root or peer.
    if (!column.event.empty() && column.event.back() == row) {
      column.event.pop_back();
      column.value.pop_back();
    }
    if (value) column.push(row, *value);
  };
  const std::string kind = lower_case(strings.text(rank.name[row]));
  push(Field::group_rank, std::nullopt);
  push(Field::collective_sequence, number("SeqNum"));
  push(Field::in_elements, number("Count"));
  push(Field::collective_text, strings.intern(kind));
  push(Field::dtype_text, strings.intern(type_of(argument(text, "Datatype"))));
  push(Field::group_name_text, strings.intern(argument(text, "CommHash")));
  const auto keep = [&](std::string_view name, std::optional<std::int64_t> value) {
    if (value) rank.arguments.named(name, trace::ValueType::integer).push(row, *value);
  };
  keep(kPlaceArgument, number("Rank"));
  if (category == "P2P") keep(kPeerArgument, number("Peer"));
}

void NcclPlugin::end(trace::RankTrace& rank, trace::EventIndex row, std::string_view category) {
  if (open_.empty()) return;
  if (category == "GPU" || category == "PROXY") {
    Operation& around = open_.back();
    (category == "GPU" ? around.kernels : around.proxies).cover(rank.start[row], rank.end(row));
    return;
  }
  if (!is_operation(category)) return;
  const auto at = std::find_if(open_.rbegin(), open_.rend(), [&](const Operation& open) { return open.row == row; });
  if (at == open_.rend()) return;
  const Extent& extent = at->kernels.is_there ? at->kernels : at->proxies;
  if (extent.is_there) {
    rank.start[row] = extent.begin;
    rank.duration[row] = extent.end - extent.begin;
    rank.flags[row] |= trace::kDurationFromPair;
  }
  open_.erase(std::next(at).base());
}

void NcclPlugin::finish(trace::RankTrace& rank, const Interner& strings) {
  for (trace::Category& category : rank.categories) {
    if (is_operation(strings.text(category.text))) category.activity = trace::Activity::kernel;
  }
}

void join_nccl_plugin(trace::Trace& job) {
  // By communicator: the rank at each place.
  std::map<StringId, std::map<std::int64_t, std::int64_t>> members;
  const auto named = [](const trace::RankTrace& rank, std::string_view name) -> const trace::SparseColumn* {
    for (const trace::NamedArgument& argument : rank.arguments.named()) {
      if (argument.name == name) return &argument.values;
    }
    return nullptr;
  };
  for (const trace::RankTrace& rank : job.ranks) {
    const trace::SparseColumn* const places = named(rank, kPlaceArgument);
    if (places == nullptr) continue;
    trace::InOrder groups(rank.field(Field::group_name_text));
    for (std::size_t i = 0; i < places->event.size(); ++i)
      members[static_cast<StringId>(groups.find(places->event[i], 0))][places->value[i]] = rank.rank;
  }
  for (trace::RankTrace& rank : job.ranks) {
    const trace::SparseColumn* const peers = named(rank, kPeerArgument);
    if (peers == nullptr) continue;
    trace::InOrder groups(rank.field(Field::group_name_text)), kinds(rank.field(Field::collective_text));
    trace::SparseColumn to, from;
    for (std::size_t i = 0; i < peers->event.size(); ++i) {
      const trace::EventIndex event = peers->event[i];
      const auto& places = members[static_cast<StringId>(groups.find(event, 0))];
      const auto peer = places.find(peers->value[i]);
      if (peer == places.end()) continue;
      const bool is_send = job.strings.text(static_cast<StringId>(kinds.find(event, 0))) == "send";
      (is_send ? to : from).push(event, peer->second);
    }
    rank.field(Field::destination_rank).merge(std::move(to));
    rank.field(Field::source_rank).merge(std::move(from));
  }
}

}  // namespace orrery::kineto
