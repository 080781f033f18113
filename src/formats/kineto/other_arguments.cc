#include "formats/kineto/other_arguments.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/io/window_stream.h"
#include "base/json/json_members.h"
#include "base/json/json_scan.h"
#include "base/json/json_unescape.h"

namespace orrery::kineto {
namespace {

Error not_found(const std::string& path, std::uint64_t offset) {
  return Error{"there is no event at this place", path, offset, "has the file changed since it was read?"};
}

}  // namespace

Status visit_event_texts(const std::string& path, std::span<const std::uint64_t> offsets,
                         const std::function<void(std::size_t i, std::string_view text)>& visit) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  if (offsets.empty()) return {};
  const std::string_view bytes = file->bytes();
  // A mapped file can be read at any place; a compressed one has to be inflated up to there, in ascending order.
  if (detect_compression(bytes) == Compression::none) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] >= bytes.size() || bytes[offsets[i]] != '{') return not_found(path, offsets[i]);
      const char* const begin = bytes.data() + offsets[i];
      const ContainerSkip skip = skip_container(begin, bytes.data() + bytes.size());
      if (skip.after == nullptr) return not_found(path, offsets[i]);
      visit(i, {begin, static_cast<std::size_t>(skip.after - begin)});
    }
    return {};
  }
  std::size_t next = 0;
  const auto look = [&](const Window& window) -> Result<const char*> {
    const std::uint64_t end_offset = window.offset + static_cast<std::uint64_t>(window.end - window.begin);
    for (; next < offsets.size() && offsets[next] < end_offset; ++next) {
      const char* const begin = window.begin + (offsets[next] - window.offset);
      if (*begin != '{') return not_found(path, offsets[next]);
      const ContainerSkip skip = skip_container(begin, window.end);
      if (skip.after == nullptr) return begin;  // comes again with more behind it
      visit(next, {begin, static_cast<std::size_t>(skip.after - begin)});
    }
    if (next == offsets.size()) return Error{"found"};  // ends the stream: the rest need not be inflated
    return window.end;                                  // nothing of interest left: keep nothing
  };
  const auto streamed = stream_windows(*file, look, {});
  if (next == offsets.size()) return {};
  if (!streamed) return streamed.error();
  return not_found(path, offsets[next]);
}

Result<std::string> read_event_text(const std::string& path, std::uint64_t offset) {
  std::string found;
  const Status visited =
      visit_event_texts(path, {&offset, 1}, [&](std::size_t, std::string_view text) { found = text; });
  if (!visited) return visited.error();
  return found;
}

namespace {

using trace::EventIndex;

/// Arguments that became columns. Events are asked for in nearly ascending order, so that the next one is mostly a step
/// away.
class KnownArguments {
 public:
  explicit KnownArguments(const trace::RankTrace& rank) {
    trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view, std::string_view written, trace::ValueType,
                                                       const trace::SparseColumn& column) {
      if (!column.event.empty())
        columns_.push_back({written, column.event.begin(), column.event.begin(), column.event.end()});
    });
  }

  bool has(std::string_view key, EventIndex event) {
    for (Cursor& column : columns_) {
      if (column.key != key) continue;
      // Mostly one step; after a jump a search.
      if (column.at != column.end && *column.at < event) ++column.at;
      if (column.at == column.end || *column.at != event) column.at = std::lower_bound(column.begin, column.end, event);
      return column.at != column.end && *column.at == event;
    }
    return false;
  }

 private:
  struct Cursor {
    std::string_view key;
    const EventIndex *begin, *at, *end;
  };
  std::vector<Cursor> columns_;
};

}  // namespace

Status visit_other_arguments(const trace::RankTrace& rank, const ArgumentVisitor& visit) {
  if (rank.source.format != "kineto" || rank.source_offset.empty())
    return {};  // others leave nothing behind in the file
  std::vector<EventIndex> order(rank.event_count());
  std::iota(order.begin(), order.end(), EventIndex{0});
  const auto is_earlier = [&](EventIndex a, EventIndex b) { return rank.source_offset[a] < rank.source_offset[b]; };
  // Events are in the order of the file unless parts were sorted since.
  if (!std::is_sorted(order.begin(), order.end(), is_earlier)) std::stable_sort(order.begin(), order.end(), is_earlier);
  std::vector<std::uint64_t> offsets(order.size());
  std::transform(order.begin(), order.end(), offsets.begin(),
                 [&](EventIndex event) { return rank.source_offset[event]; });
  KnownArguments known(rank);
  std::vector<JsonMember> members, arguments;
  return visit_event_texts(rank.source.path, offsets, [&](std::size_t i, std::string_view text) {
    members.clear();
    if (!list_members(text, members)) return;
    for (const JsonMember& member : members) {
      if (member.key != "args") continue;
      arguments.clear();
      if (!list_members(member.value, arguments)) continue;
      for (const JsonMember& argument : arguments) {
        if (argument.key.find('\\') != std::string_view::npos) {
          const std::string key = unescape_json(argument.key);
          if (!known.has(key, order[i])) visit(order[i], key, argument.value);
        } else if (!known.has(argument.key, order[i])) {
          visit(order[i], argument.key, argument.value);
        }
      }
    }
  });
}

}  // namespace orrery::kineto
