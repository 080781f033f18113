#include "causal/hta/rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/int128.h"
#include "base/radix_sort.h"

namespace orrery::causal::hta {

double microseconds_as_double(std::int64_t epoch_us, TimePs offset_ps) {
  const Int128 total_ps = static_cast<Int128>(epoch_us) * kPsPerUs + offset_ps;
  const double sign = total_ps < 0 ? -1.0 : 1.0;
  const auto magnitude = static_cast<UInt128>(total_ps < 0 ? -total_ps : total_ps);
  // Both operands and the divisor are exact doubles: one correctly rounded division.
  if (magnitude < (UInt128{1} << 53))
    return sign * (static_cast<double>(static_cast<std::uint64_t>(magnitude)) / static_cast<double>(kPsPerUs));
  constexpr auto kDivisor = static_cast<std::uint64_t>(kPsPerUs);
  const int whole_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude / kDivisor)));
  if (whole_bits > 53) {
    // More than a double holds: the conversion rounds, and needs to know in the last bit whether anything was left
    // behind it.
    const int spare_bits = whole_bits <= 61 ? 2 : 0;
    const UInt128 scaled = magnitude << spare_bits;
    const std::uint64_t left_over = scaled % kDivisor != 0 ? 1 : 0;
    return sign *
           std::ldexp(static_cast<double>(static_cast<std::uint64_t>(scaled / kDivisor) | left_over), -spare_bits);
  }
  // Otherwise divide in integers, down to the last of the 53 bits that the whole microseconds leave.
  const int fraction_bits = 53 - whole_bits;
  const UInt128 scaled = magnitude << fraction_bits;
  auto quotient = static_cast<std::uint64_t>(scaled / kDivisor);
  const auto remainder = static_cast<std::uint64_t>(scaled % kDivisor);
  if (remainder > kDivisor / 2 || (remainder == kDivisor / 2 && (quotient & 1) != 0)) ++quotient;
  return sign * std::ldexp(static_cast<double>(quotient), -fraction_bits);
}

std::int64_t written_epoch_us(const trace::RankTrace& rank) {
  return (rank.epoch_unix_ns - rank.source.base_time_ns.value_or(0)) / 1000;
}

namespace {

using trace::EventIndex;
using trace::Field;

// The double that Python reads for a time stamp, and HTA's rounding of it to whole microseconds.
void round_like_hta(const trace::RankTrace& rank, Rows& rows) {
  const std::int64_t epoch_us = written_epoch_us(rank);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double start = microseconds_as_double(epoch_us, rows.ts[r]);
    const double duration = microseconds_as_double(0, rows.dur[r]);
    const double ceiled = std::ceil(start);
    const double floored = std::floor(start + duration);
    rows.ts[r] = (static_cast<std::int64_t>(ceiled) - epoch_us) * kPsPerUs;
    rows.dur[r] = static_cast<std::int64_t>(floored - ceiled) * kPsPerUs;
  }
}

}  // namespace

Column<std::uint8_t> find_gpu_rows(const Rows& rows) {
  // These two wait for the device as a whole and have no stream, yet HTA counts them as the device's.
  const StringId event_sync = rows.trace->strings.find("Event Sync");
  const StringId context_sync = rows.trace->strings.find("Context Sync");
  Column<std::uint8_t> is_device(rows.size());
  for (RowIndex r = 0; r < rows.size(); ++r) {
    const StringId name = rows.name(r);
    is_device[r] = (rows.stream[r] >= 0 && rows.correlation[r] >= 0) || name == event_sync || name == context_sync;
  }
  return is_device;
}

Result<Rows> load_rows(const trace::Trace& trace, const trace::RankTrace& rank) {
  Rows rows;
  rows.trace = &trace;
  rows.rank = &rank;
  const std::size_t events = rank.event_count();
  const auto stream = rank.field(Field::stream).dense(events, -1);
  const auto correlation = rank.field(Field::correlation).dense(events, -1);
  const auto wait_stream = rank.field(Field::wait_on_stream).dense(events, -1);
  const auto wait_record = rank.field(Field::wait_on_record).dense(events, -1);
  constexpr std::uint8_t kNeeded = trace::kHasDuration | trace::kHasCategory;
  for (EventIndex e = 0; e < events; ++e) {
    if ((rank.flags[e] & kNeeded) != kNeeded || rank.activity(e) == trace::Activity::profiler_span) continue;
    rows.event.push_back(e);
    rows.index.push_back(rank.ordinal[e]);
    rows.ts.push_back(rank.start[e]);
    rows.dur.push_back(rank.duration[e]);
    rows.stream.push_back(stream[e]);
    rows.correlation.push_back(correlation[e]);
    rows.wait_stream.push_back(wait_stream[e]);
    rows.wait_record.push_back(wait_record[e]);
  }
  if (rows.size() == 0)
    return Error{"no event has both a duration and a category", rank.source.path, Error::kNoOffset,
                 "HTA drops such a rank"};
  // Whole numbers stay as they are. One missing time stamp makes pandas hold the column as floats, which HTA then
  // rounds.
  if (rank.source.fractional_timestamps || rank.source.events_without_timestamp > 0) round_like_hta(rank, rows);
  return rows;
}

void join_on_correlation(Rows& rows, const Column<std::uint8_t>& is_device) {
  rows.partner.resize_uninitialized(rows.size());
  Column<KeyedIndex> device;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    // HTA's index_correlation: -1 without a correlation, 0 as long as no partner is found.
    rows.partner[r] = std::min<std::int64_t>(rows.correlation[r], 0);
    if (rows.correlation[r] != -1 && is_device[r] != 0) device.push_back({radix_key(rows.correlation[r]), r});
  }
  radix_sort(device);
  const auto less = [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; };
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (rows.correlation[r] == -1 || is_device[r] != 0) continue;
    const std::uint64_t key = radix_key(rows.correlation[r]);
    for (const KeyedIndex* at = std::lower_bound(device.begin(), device.end(), key, less);
         at != device.end() && at->key == key; ++at) {
      rows.partner[r] = rows.index[at->index];
      rows.partner[at->index] = rows.index[r];
    }
  }
}

void align_to_first_start(Rows& rows) {
  const TimePs first = *std::min_element(rows.ts.begin(), rows.ts.end());
  rows.first_start_ps = static_cast<Int128>(written_epoch_us(*rows.rank)) * kPsPerUs + first;
  for (TimePs& ts : rows.ts) ts -= first;
}

void index_frame(Rows& rows) {
  rows.row_of_index.assign(static_cast<std::size_t>(rows.index.back()) + 1, kNoRow);
  for (const RowIndex r : rows.frame) rows.row_of_index[rows.index[r]] = r;
}

}  // namespace orrery::causal::hta
