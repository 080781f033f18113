#include "workload/program_lines.h"

#include <algorithm>
#include <map>

#include "workload/program_order.h"

namespace orrery::workload {
namespace {

// "Two places back" and "three places on" are the same in a group of five: one spelling, so that lines do not split.
std::int64_t same_offset(const Workload& workload, StringId role_name, std::int64_t offset) {
  const Role* const role = workload.find_role(role_name);
  if (role == nullptr) return offset;
  const std::int64_t size = role->size();
  return (offset % size + size) % size;
}

ChannelKey key_of(const Workload& workload, const Program& program, std::uint32_t i) {
  const StringId role = program.peer_roles[i];
  const std::int64_t peer = program.peers[i];
  return {.is_send = program.kinds[i] == ActivityKind::send,
          .role = role,
          .peer = role == 0 ? peer : same_offset(workload, role, peer),
          .tag = program.tags[i]};
}

bool is_message(const Program& program, std::uint32_t i) {
  return program.kinds[i] == ActivityKind::send || program.kinds[i] == ActivityKind::recv;
}

// Lines sorted by key, so that they can be found again, and the number of each.
template <typename Line, typename Key>
void number(std::map<Key, std::uint32_t>& numbers, std::vector<Line>& lines) {
  lines.reserve(numbers.size());
  for (auto& [key, line] : numbers) {
    line = static_cast<std::uint32_t>(lines.size());
    lines.push_back({key, {}});
  }
}

}  // namespace

ProgramLines lines_of(const Workload& workload, const Program& program) {
  ProgramLines lines;
  std::map<StringId, std::uint32_t> streams;
  std::map<ChannelKey, std::uint32_t> channels;
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] == ActivityKind::collective) streams.emplace(program.group_names[i], 0);
    if (!is_message(program, i)) continue;
    if (!program.has(i, activity::kHasPeer) && lines.nameless == kNoLine) lines.nameless = i;
    const auto [channel, fresh] = channels.emplace(key_of(workload, program, i), 0);
    if (!fresh) continue;
    lines.has_wildcards = lines.has_wildcards || channel->first.is_wildcard();
    lines.names_ranks = lines.names_ranks || channel->first.role == 0;
  }
  number(streams, lines.streams);
  number(channels, lines.channels);
  lines.places.resize(program.size());
  for (const std::uint32_t i : program_order(program.dependencies)) {
    LinePlace& place = lines.places[i];
    std::vector<std::uint32_t>* line = nullptr;
    if (program.kinds[i] == ActivityKind::collective) {
      place.line = streams.find(program.group_names[i])->second;
      line = &lines.streams[place.line].activities;
    } else if (is_message(program, i)) {
      place.line = channels.find(key_of(workload, program, i))->second;
      line = &lines.channels[place.line].activities;
      if (program.kinds[i] == ActivityKind::send) {
        place.send = static_cast<std::uint32_t>(lines.sends.size());
        lines.sends.push_back(i);
      }
    } else {
      continue;
    }
    place.place = static_cast<std::uint32_t>(line->size());
    line->push_back(i);
  }
  return lines;
}

std::uint32_t ProgramLines::find_stream(StringId group_name) const {
  const auto at = std::lower_bound(streams.begin(), streams.end(), group_name,
                                   [](const Stream& stream, StringId name) { return stream.group_name < name; });
  return at == streams.end() || at->group_name != group_name ? kNoLine : static_cast<std::uint32_t>(at - streams.begin());
}

std::uint32_t ProgramLines::find_channel(const ChannelKey& key) const {
  const auto at = std::lower_bound(channels.begin(), channels.end(), key,
                                   [](const Channel& channel, const ChannelKey& wanted) { return channel.key < wanted; });
  return at == channels.end() || at->key != key ? kNoLine : static_cast<std::uint32_t>(at - channels.begin());
}

}  // namespace orrery::workload
