#include "formats/mpitrace/clock_map.h"

#include <optional>
#include <vector>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/protobuf/protobuf_writer.h"
#include "formats/mpitrace/byte_reader.h"
#include "formats/mpitrace/file_walk.h"

// An aligned file is the recording with one more block at its end, which holds the clock. So undoing cuts the file
// there, and a file that was aligned twice has two maps, of which each is applied to what the one before made of the
// times.

namespace orrery::mpitrace {
namespace {

void append_signed(std::string& out, std::int64_t value) { append_varint(out, tracer::zigzag(value)); }

template <typename T>
void append_fixed(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A whole file: where its last map begins, if it has one.
struct WholeFile {
  std::optional<std::uint64_t> map_at = {};
};

Result<WholeFile> walk_whole(const FileContent& content) {
  const Result<FileHead> head = read_file_head(content.bytes(), content.path());
  if (!head) return head.error();
  FileWalk walk(content.bytes(), *head, content.path());
  WholeFile file;
  for (Record record; walk.next(record);) {
    // A map has a block of its own, whose head lies before it.
    if (record.kind == tracer::RecordKind::clock_map) file.map_at = record.offset - tracer::kBlockHeadBytes;
  }
  if (walk.damage()) return *walk.damage();
  if (walk.is_cut() || walk.has_zeros_behind())
    return Error{"the file ends in the middle of a block: it cannot be written again with another clock",
                 content.path(), walk.cut_at(), "--perfetto shows what is there on one clock"};
  return file;
}

}  // namespace

bool decode_clock_map(std::string_view body, ClockMap& map) {
  ByteReader reader(body);
  map.epoch_unix_ns = reader.signed_number();
  const std::uint64_t count = reader.number();
  if (count > reader.left()) return false;
  std::vector<trace::ClockKnot> knots;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    trace::ClockKnot& knot = knots.emplace_back();
    knot.from_ps = reader.signed_number();
    knot.to_ps = reader.signed_number();
    knot.uncertainty_ps = reader.signed_number();
  }
  map.note = reader.text();
  if (reader.failed()) return false;
  Result<trace::Clock> clock = trace::Clock::from_knots(knots);
  if (!clock) return false;
  map.clock = std::move(*clock);
  return true;
}

std::string encode_clock_block(const ClockMap& map) {
  std::string body;
  append_signed(body, map.epoch_unix_ns);
  append_varint(body, map.clock.knots().size());
  for (const trace::ClockKnot& knot : map.clock.knots()) {
    append_signed(body, knot.from_ps);
    append_signed(body, knot.to_ps);
    append_signed(body, knot.uncertainty_ps);
  }
  append_varint(body, map.note.size());
  body += map.note;
  std::string payload(1, static_cast<char>(tracer::RecordKind::clock_map));
  append_varint(payload, body.size());
  payload += body;
  std::string block;
  const auto payload_bytes = static_cast<std::uint32_t>(payload.size());
  append_fixed(block, tracer::block_check(payload_bytes, 0));
  append_fixed(block, payload_bytes);
  append_fixed(block, std::uint64_t{0});
  append_fixed(block, tracer::checksum(payload.data(), payload.size(), 0));
  return block + payload;
}

std::uint64_t apply(const ClockMap& map, trace::RankTrace& rank) {
  // Knots count from the epoch of the map, times from that of the rank.
  const Int128 shift = (Int128{rank.epoch_unix_ns} - map.epoch_unix_ns) * 1000;
  std::uint64_t left = 0;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const Int128 from = rank.start[e] + shift, to = from + rank.duration[e];
    if (!trace::is_moment(from) || !trace::is_moment(to)) {
      ++left;
      continue;
    }
    const TimePs start = map.clock.map(static_cast<TimePs>(from)), end = map.clock.map(static_cast<TimePs>(to));
    const Int128 moved = start - shift;
    if (!trace::is_moment(moved) || !trace::is_moment(end - shift)) {
      ++left;
      continue;
    }
    rank.start[e] = static_cast<TimePs>(moved);
    rank.duration[e] = end - start;
  }
  return left;
}

Status write_aligned(const std::string& path_in, const std::string& path_out, const ClockMap& map) {
  const Result<FileContent> content = FileContent::open(path_in);
  if (!content) return content.error();
  if (const Result<WholeFile> file = walk_whole(*content); !file) return file.error();
  Result<OutputFile> out = OutputFile::create(path_out);
  if (!out) return out.error();
  out->write(content->bytes());
  out->write(encode_clock_block(map));
  return out->commit();
}

Status undo(const std::string& path_in, const std::string& path_out) {
  const Result<FileContent> content = FileContent::open(path_in);
  if (!content) return content.error();
  const Result<WholeFile> file = walk_whole(*content);
  if (!file) return file.error();
  if (!file->map_at) return Error{"this file was not aligned: there is nothing to undo", path_in};
  return write_whole_file(path_out, content->bytes().substr(0, static_cast<std::size_t>(*file->map_at)));
}

}  // namespace orrery::mpitrace
