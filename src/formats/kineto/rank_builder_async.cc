// Async events of a rank: pairs with an id, and what NCCL's plugin makes of them.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <optional>

#include "formats/kineto/diagnostics.h"
#include "formats/kineto/rank_builder.h"
#include "trace/select_events.h"

namespace orrery::kineto {
namespace {

// The plugin writes 0.000000 for what it does not know.
bool is_zero(const Decimal& us) { return us.whole == 0 && us.fraction_e12 == 0; }

}  // namespace

using trace::EventIndex;

AsyncKey RankBuilder::async_key(const EventRecord& record, std::uint64_t offset) {
  AsyncKey key{intern(record.category, offset), intern(record.scope, offset), flow_id(record.id)};
  if (record.id2.empty()) return key;
  // {"local": "0x9"} or {"global": "0x9"}: what counts is the value, and whose it is.
  const std::string_view value = record.id2.substr(std::min(record.id2.find(':'), record.id2.size()));
  key.id = static_cast<std::int64_t>(XXH3_64bits(value.data(), value.size()));
  key.is_local = record.id2.find("\"local\"") != std::string_view::npos;
  if (key.is_local) key.process = key_of(record.process, offset);
  return key;
}

void RankBuilder::begin_async(const EventRecord& record, TimePs start, std::uint8_t flags, std::string_view text,
                              std::uint64_t offset) {
  const EventIndex row = add_row(record, start, 0, flags, offset);
  const AsyncKey key = async_key(record, offset);
  async_.begin(key, {row, !(is_plugin_ && is_zero(record.time))});
  if (is_plugin_) plugin_.begin(rank_, strings_, row, strings_.text(key.category), text);
}

void RankBuilder::end_async(const EventRecord& record, TimePs end, std::uint64_t offset) {
  const AsyncKey key = async_key(record, offset);
  const std::optional<AsyncSlices::Open> slice = async_.end(key);
  if (!slice) return diagnostics_.add(kUnmatchedPair, [&] { return position(offset); });
  const EventIndex row = slice->row;
  const bool has_end = !(is_plugin_ && is_zero(record.time));
  if (slice->has_time && has_end) {
    rank_.duration[row] = end - rank_.start[row];
    rank_.flags[row] |= trace::kDurationFromPair;
    if (rank_.duration[row] < 0)
      diagnostics_.add(kNegativeDuration, [&] { return position(rank_.source_offset[row]); });
  } else if (has_end) {
    rank_.start[row] = end;  // an instant at the end that is known
  } else if (!slice->has_time) {
    timeless_.push_back(row);
  }
  // Kernels without an end say nothing of how long their collective took.
  const bool counts = (slice->has_time && has_end) || strings_.text(key.category) != "GPU";
  if (is_plugin_ && counts) plugin_.end(rank_, row, strings_.text(key.category));
}

void RankBuilder::finish_async() {
  if (async_.empty()) return;
  for (const AsyncSlices::Open& slice : async_.left_open()) {
    diagnostics_.add(kUnmatchedPair, [&] { return position(rank_.source_offset[slice.row]); });
    if (!slice.has_time) timeless_.push_back(slice.row);
  }
  if (is_plugin_) NcclPlugin::finish(rank_, strings_);
  async_.lay_out(rank_, strings_);
  if (timeless_.empty()) return;
  std::vector<std::uint8_t> is_kept(rank_.event_count(), 1);
  for (const EventIndex row : timeless_) is_kept[row] = 0;
  trace::RankTrace kept = trace::select_events(rank_, is_kept);
  kept.flows = std::move(rank_.flows);
  rank_ = std::move(kept);
}

}  // namespace orrery::kineto
