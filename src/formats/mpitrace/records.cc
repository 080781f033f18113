#include "formats/mpitrace/records.h"

#include "formats/mpitrace/byte_reader.h"

// A reader fails once and stays failed, so that every record is checked in one place at its end. Counts are held
// against the bytes that are left before anything is made of that length, and ranks against the size of the job.

namespace orrery::mpitrace {
namespace {

using namespace tracer;

// More than any message, and far enough from the limits of 64 bits that sums of two do not overflow.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;

std::int64_t take_bytes(ByteReader& reader) {
  const std::uint64_t value = reader.number();
  if (value > kMostBytes) reader.fail();
  return static_cast<std::int64_t>(value);
}

std::int64_t take_rank(ByteReader& reader, std::int64_t most_ranks) {
  const std::int64_t rank = reader.signed_number();
  // The foreign rank stands for somebody outside of the job's world.
  if (rank < kForeignRank || rank >= most_ranks) return static_cast<std::int64_t>(reader.fail());
  return rank;
}

/// Size, then runs of (first, stride, length).
void take_members(ByteReader& reader, std::int64_t most_ranks, std::vector<std::int64_t>& members) {
  members.clear();
  const std::uint64_t size = reader.number();
  if (size > static_cast<std::uint64_t>(most_ranks)) reader.fail();
  while (!reader.failed() && members.size() < size) {
    std::int64_t rank = take_rank(reader, most_ranks);
    const std::int64_t stride = reader.signed_number();
    const std::uint64_t length = reader.number();
    // A run of nothing would never end the loop; strides are bounded so that the sum below cannot overflow.
    if (length == 0 || length > size - members.size() || stride < -most_ranks || stride > most_ranks) reader.fail();
    for (std::uint64_t i = 0; i < length && !reader.failed(); ++i, rank += stride) {
      if (rank < kForeignRank || rank >= most_ranks) reader.fail();
      members.push_back(rank);
    }
  }
}

/// n, then runs of (value, length).
void take_counts(ByteReader& reader, std::size_t most, std::vector<std::int64_t>& counts) {
  counts.clear();
  const std::uint64_t size = reader.number();
  if (size > most) reader.fail();
  while (!reader.failed() && counts.size() < size) {
    const std::int64_t value = take_bytes(reader);
    const std::uint64_t length = reader.number();
    if (length == 0 || length > size - counts.size()) reader.fail();
    if (!reader.failed()) counts.insert(counts.end(), length, value);
  }
}

void take_neighbours(ByteReader& reader, std::int64_t most_ranks, std::vector<std::int64_t>& ranks) {
  ranks.clear();
  const std::uint64_t count = reader.number();
  // A number takes a byte at least: more of them than bytes are left is damage, and must not decide about memory.
  if (count > reader.left()) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) ranks.push_back(take_rank(reader, most_ranks));
}

void take_completions(ByteReader& reader, std::int64_t most_ranks, std::vector<Completion>& completed) {
  completed.clear();
  const std::uint64_t count = reader.number();
  if (count > reader.left()) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    Completion& done = completed.emplace_back();
    done.request = reader.number();
    done.flags = reader.byte();
    // A send that completes says nothing but that.
    if ((done.flags & kIsReceive) == 0) continue;
    done.source = take_rank(reader, most_ranks);
    done.tag = reader.signed_number();
    done.bytes = take_bytes(reader);
  }
}

void take_lists(ByteReader& reader, std::int64_t most_ranks, std::size_t most_counts, CallRecord& record) {
  if (record.has(kSendCounts)) take_counts(reader, most_counts, record.send_counts);
  if (record.has(kReceiveCounts)) take_counts(reader, most_counts, record.receive_counts);
  if (record.has(kRequest)) record.request = reader.number();
  if (record.has(kStarted)) {
    record.started.clear();
    const std::uint64_t count = reader.number();
    if (count > reader.left()) reader.fail();
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) record.started.push_back(reader.number());
  }
  if (record.has(kCompleted)) take_completions(reader, most_ranks, record.completed);
}

void take_values(ByteReader& reader, CallRecord& record) {
  record.values.clear();
  const std::uint64_t count = reader.number();
  if (count > reader.left()) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) record.values.push_back(reader.signed_number());
}

}  // namespace

bool decode_site(std::string_view body, std::uint64_t& number, std::vector<SiteFrame>& frames) {
  ByteReader reader(body);
  frames.clear();
  number = reader.number();
  const std::uint64_t count = reader.number();
  if (count > reader.left()) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    SiteFrame& frame = frames.emplace_back();
    frame.module = reader.number();
    frame.offset = reader.number();
    frame.symbol = reader.number();
  }
  return !reader.failed();
}

bool decode_communicator(std::string_view body, std::int64_t most_ranks, CommunicatorRecord& record) {
  ByteReader reader(body);
  record = {};
  record.number = reader.number();
  record.flags = reader.byte();
  record.name = reader.text();
  record.parent = reader.number();
  record.rank = reader.number();
  take_members(reader, most_ranks, record.members);
  if ((record.flags & kIsIntercommunicator) != 0) take_members(reader, most_ranks, record.remote);
  if ((record.flags & kIsGrid) != 0) {
    const std::uint64_t count = reader.number();
    if (count > reader.left()) reader.fail();
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
      record.dimensions.push_back(take_bytes(reader));
      record.periodic.push_back(reader.byte());
    }
  }
  if ((record.flags & kHasNeighbours) != 0) {
    take_neighbours(reader, most_ranks, record.sources);
    take_neighbours(reader, most_ranks, record.destinations);
  }
  // The rank is a place among the members, and names whose record this is.
  return !reader.failed() && !record.members.empty() && record.rank < record.members.size();
}

bool decode_call(std::string_view body, std::int64_t previous_ns, std::int64_t most_ranks, std::size_t most_counts,
                 CallRecord& record) {
  ByteReader reader(body);
  record.function = reader.number();
  record.thread = reader.number();
  const std::int64_t since_ns = reader.signed_number();
  const std::uint64_t inside_ns = reader.number();
  record.site = reader.number();
  record.fields = reader.number();
  constexpr std::int64_t kMostNs = std::int64_t{1} << 60;  // 36 years
  // Before the sums: three numbers of this size still fit.
  if (since_ns > kMostNs || since_ns < -kMostNs || inside_ns > static_cast<std::uint64_t>(kMostNs) ||
      previous_ns > kMostNs)
    return false;
  record.enter_ns = previous_ns + since_ns;
  record.exit_ns = record.enter_ns + static_cast<std::int64_t>(inside_ns);
  if (record.has(kComm)) record.comm = reader.number();
  if (record.has(kDestination)) record.destination = take_rank(reader, most_ranks);
  if (record.has(kSendTag)) record.send_tag = reader.signed_number();
  if (record.has(kSendBytes)) record.send_bytes = take_bytes(reader);
  if (record.has(kSource)) record.source = take_rank(reader, most_ranks);
  if (record.has(kReceiveTag)) record.receive_tag = reader.signed_number();
  if (record.has(kReceiveBytes)) record.receive_bytes = take_bytes(reader);
  if (record.has(kActual)) {
    record.actual_source = take_rank(reader, most_ranks);
    record.actual_tag = reader.signed_number();
    record.actual_bytes = take_bytes(reader);
  }
  if (record.has(kRoot)) record.root = take_rank(reader, most_ranks);
  take_lists(reader, most_ranks, most_counts, record);
  if (record.has(kCreated)) record.created = reader.number();
  if (record.has(kWindow)) record.window = reader.number();
  if (record.has(kPolls)) {
    record.polls = reader.number();
    record.polls_inside_ns = take_bytes(reader);
  }
  if (record.has(kValues)) take_values(reader, record);
  if (record.has(kError)) record.error = reader.signed_number();
  if (record.has(kElementBytes)) record.element_bytes = take_bytes(reader);
  return !reader.failed();
}

}  // namespace orrery::mpitrace
