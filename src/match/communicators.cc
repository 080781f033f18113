#include "match/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "match/channel_order.h"

namespace orrery::match {
namespace {

using trace::Field;

/// No job has more ranks; a number beyond is damage, and must not size anything.
constexpr std::int64_t kMostRanks = std::int64_t{1} << 20;

struct Communicator {
  std::string name;
  std::int64_t size = 0;              // 0: not told
  std::vector<std::int64_t> members;  // ranks of the job by their places; empty unless all told theirs
  std::string list;                   // "[0, 1]"
};

using Communicators = std::map<std::uint64_t, Communicator>;

/// Whether its communicator means the same in all processes.
bool is_shared(const CallArguments& arguments) { return arguments.communicator && !arguments.is_local; }

const CallArguments* largest(const LibraryRank& rank) {
  const CallArguments* found = nullptr;
  for (const CallArguments& one : rank.memberships) {
    if (found == nullptr || *one.ranks > *found->ranks) found = &one;
  }
  return found;
}

Communicators find_communicators(const std::vector<LibraryRank>& ranks, const trace::Trace& trace) {
  Communicators all;
  std::map<std::uint64_t, std::map<std::int64_t, std::int64_t>> places;  // of a communicator: place, rank
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const LibraryWork& work : ranks[r].works) {
      if (is_shared(work.arguments)) all.try_emplace(*work.arguments.communicator);
    }
    for (const CallArguments& one : ranks[r].memberships) {
      if (!is_shared(one) || *one.ranks > kMostRanks) continue;
      all[*one.communicator].size = *one.ranks;
      places[*one.communicator][*one.rank] = trace.ranks[r].rank;
    }
  }
  for (auto& [id, communicator] : all) {
    communicator.name = fmt::format("{:x}", id);
    const auto& told = places[id];
    if (told.empty() || std::cmp_not_equal(told.size(), communicator.size)) continue;
    for (const auto& [place, rank] : told) communicator.members.push_back(rank);
    communicator.list = fmt::format("[{}]", fmt::join(communicator.members, ", "));
  }
  return all;
}

/// The groups that a rank is a member of, in the order in which it made them.
void list_groups(const LibraryRank& library, const Communicators& communicators, std::string_view backend,
                 trace::RankTrace& rank) {
  std::set<std::uint64_t> listed;
  for (const CallArguments& one : library.memberships) {
    if (!is_shared(one)) continue;
    const auto found = communicators.find(*one.communicator);
    if (found == communicators.end() || found->second.members.empty() || !listed.insert(found->first).second) continue;
    rank.source.groups.push_back({found->second.name, found->second.members});
  }
  rank.source.world_size = told_world_size(library);
  if (!library.works.empty()) rank.source.backend = backend, rank.source.communicates = true;
}

/// What takes the place of communicators that all processes know by one number: the process's own, in the order of
/// their first use, and streams, in the order of their numbers. Numbers and pointers differ between ranks, places do
/// not.
class LocalChannels {
 public:
  explicit LocalChannels(const LibraryRank& library) {
    for (const LibraryWork& work : library.works) {
      if (!work.arguments.communicator) streams_.try_emplace(work.stream);
      else if (work.arguments.is_local) communicators_.try_emplace(*work.arguments.communicator, communicators_.size());
    }
    std::size_t next = 0;
    for (auto& [stream, place] : streams_) place = next++;
  }

  [[nodiscard]] std::string name_of(const LibraryWork& work) const {
    if (work.arguments.communicator)
      return fmt::format("communicator {}", communicators_.at(*work.arguments.communicator));
    return fmt::format("stream {}", streams_.at(work.stream));
  }

 private:
  std::map<std::uint64_t, std::size_t> communicators_;
  std::map<std::int64_t, std::size_t> streams_;
};

/// Columns of arguments of one rank.
class ArgumentWriter {
 public:
  ArgumentWriter(trace::Trace& trace, std::size_t rank, const Communicators& communicators, const LibraryRank& library)
      : trace_(trace), rank_(trace.ranks[rank]), communicators_(communicators), library_(library), local_(library) {}

  /// What went through what, in the order of launches.
  std::vector<Channel> write() {
    std::vector<const LibraryWork*> works;
    works.reserve(library_.works.size());
    for (const LibraryWork& work : library_.works) works.push_back(&work);
    const auto by_event = [](const LibraryWork* a, const LibraryWork* b) { return a->event < b->event; };
    if (!std::is_sorted(works.begin(), works.end(), by_event)) std::sort(works.begin(), works.end(), by_event);
    for (const LibraryWork* const work : works) add(*work);
    for (std::size_t place = 0; place < trace::kFieldCount; ++place)
      rank_.arguments.known(place).merge(std::move(columns_[place]));
    std::map<StringId, Channel> channels;
    for (const LibraryWork& work : library_.works) channels[name_of_channel(work)].works.push_back(work.event);
    std::vector<Channel> listed;
    listed.reserve(channels.size());
    for (auto& [name, channel] : channels)
      listed.push_back({std::string(trace_.strings.text(name)), std::move(channel.works)});
    return listed;
  }

 private:
  /// Whether it has a communicator; that, or the stream.
  using ChannelKey = std::pair<bool, std::uint64_t>;

  [[nodiscard]] std::string channel_of(const LibraryWork& work) const {
    return is_shared(work.arguments) ? communicators_.at(*work.arguments.communicator).name : local_.name_of(work);
  }

  void set(Field field, trace::EventIndex event, std::int64_t value) {
    columns_[trace::place_of(field)].push(event, value);
  }
  /// Its name as a text of the trace, made once per channel.
  StringId name_of_channel(const LibraryWork& work) {
    const CallArguments& said = work.arguments;
    const ChannelKey key{said.communicator.has_value(),
                         said.communicator ? *said.communicator : static_cast<std::uint64_t>(work.stream)};
    const auto [at, is_new] = names_.try_emplace(key);
    if (is_new) at->second = trace_.strings.intern(channel_of(work));
    return at->second;
  }

  void set_text(Field field, trace::EventIndex event, std::string_view text) {
    set(field, event, trace_.strings.intern(text));
  }

  void add(const LibraryWork& work) {
    const CallArguments& said = work.arguments;
    const Communicator* const communicator = is_shared(said) ? &communicators_.at(*said.communicator) : nullptr;
    const std::string_view kind = kind_of(work, communicator);
    set_text(Field::collective_text, work.event, kind);
    set(Field::group_name_text, work.event, name_of_channel(work));
    const bool has_elements = said.elements && !said.dtype.empty();
    if (has_elements || said.bytes) {
      // Of what elements bytes are is not recorded.
      set_text(Field::dtype_text, work.event, has_elements ? said.dtype : "Byte");
      set(kind == "recv" ? Field::out_elements : Field::in_elements, work.event,
          has_elements ? *said.elements : *said.bytes);
    }
    if (communicator == nullptr) return;
    if (!communicator->list.empty()) set_text(Field::group_ranks_text, work.event, communicator->list);
    if (communicator->size > 0) set(Field::group_size, work.event, communicator->size);
    if (said.peer || said.root) set(Field::group_rank, work.event, said.peer ? *said.peer : *said.root);
    const bool is_message = kind == "send" || kind == "recv";
    if (!is_message || !said.peer || std::cmp_greater_equal(*said.peer, communicator->members.size())) return;
    set(kind == "send" ? Field::destination_rank : Field::source_rank, work.event,
        communicator->members[static_cast<std::size_t>(*said.peer)]);
  }

  /// Frameworks do an all-to-all as a group of messages with everybody.
  [[nodiscard]] std::string_view kind_of(const LibraryWork& work, const Communicator* communicator) const {
    if (work.sends < 2 || work.sends != work.receives) return work.kind;
    const std::int64_t members = communicator != nullptr && communicator->size > 0
                                     ? communicator->size
                                     : static_cast<std::int64_t>(trace_.ranks.size());
    return work.sends == members || work.sends == members - 1 ? "all_to_all" : work.kind;
  }

  trace::Trace& trace_;
  trace::RankTrace& rank_;
  const Communicators& communicators_;
  const LibraryRank& library_;
  const LocalChannels local_;
  std::array<trace::SparseColumn, trace::kFieldCount> columns_;
  std::map<ChannelKey, StringId> names_;
};

}  // namespace

std::optional<std::int64_t> told_rank(const LibraryRank& rank) {
  const CallArguments* const found = largest(rank);
  return found == nullptr ? std::nullopt : found->rank;
}

std::optional<std::int64_t> told_world_size(const LibraryRank& rank) {
  const CallArguments* const found = largest(rank);
  return found == nullptr ? std::nullopt : found->ranks;
}

void add_communication(const std::vector<LibraryRank>& ranks, std::string_view backend, trace::Trace& trace) {
  const Communicators communicators = find_communicators(ranks, trace);
  std::vector<std::vector<Channel>> channels;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    list_groups(ranks[r], communicators, backend, trace.ranks[r]);
    channels.push_back(ArgumentWriter(trace, r, communicators, ranks[r]).write());
  }
  number_by_order(trace, channels);
}

}  // namespace orrery::match
