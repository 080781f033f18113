#include "formats/perfetto/reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/packet_file.h"
#include "formats/perfetto/schema.h"
#include "formats/perfetto/trace_builder.h"
#include "match/communication.h"
#include "trace/names/rank_numbers.h"

// Two walks over the packets of a file: the first finds them, and tracks and clocks, which events may come before; the
// second makes events. Files are read side by side, each with its own texts, and joined as ranks of one job.

namespace orrery::perfetto {
namespace {

struct KnownField {
  std::uint32_t number;
  WireType type;
};

/// Members of a TracePacket that tell one; others of it have messages of their own, or are newer.
constexpr KnownField kKnownFields[] = {
    {1, WireType::bytes},   {2, WireType::bytes},   {3, WireType::varint},  {4, WireType::bytes},
    {5, WireType::bytes},   {6, WireType::bytes},   {8, WireType::varint},  {9, WireType::bytes},
    {10, WireType::varint}, {11, WireType::bytes},  {12, WireType::bytes},  {13, WireType::varint},
    {33, WireType::bytes},  {36, WireType::bytes},  {41, WireType::varint}, {42, WireType::varint},
    {44, WireType::bytes},  {50, WireType::bytes},  {52, WireType::bytes},  {53, WireType::bytes},
    {58, WireType::varint}, {59, WireType::bytes},  {60, WireType::bytes},  {79, WireType::varint},
    {89, WireType::bytes},  {133, WireType::bytes},
};
constexpr std::uint32_t kFirstTelling = 6;   // lower ones are too common in other messages
constexpr std::uint32_t kFirstUnknown = 14;  // newer members; below this all are known

/// ClockSnapshot holds messages of clocks, each with a number; a message of another format in its place does not.
bool is_snapshot(std::string_view message) {
  ClockUnits units;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.number == clock_field::kClocks && !field.is_bytes()) return false;
  }
  return !reader.damaged() && !read_snapshot(message, 0, units).empty();
}

/// Whether all members of a packet are those of a TracePacket, and one of them tells.
bool is_packet(std::string_view packet, bool is_cut) {
  WireReader reader(packet);
  WireField field;
  bool tells = false;
  while (reader.next(field)) {
    const KnownField* known = nullptr;
    for (const KnownField& candidate : kKnownFields) {
      if (candidate.number == field.number) known = &candidate;
    }
    if (known == nullptr && field.number < kFirstUnknown) return false;
    if (known != nullptr && known->type != field.type) return false;
    if (field.number == packet_field::kClockSnapshot && !is_snapshot(field.bytes)) return false;
    tells = tells || (known != nullptr && field.number >= kFirstTelling);
  }
  if (!reader.damaged()) return tells;
  if (!is_cut) return false;
  // The head ends in a long member: its tag has to be right.
  const char* p = reader.position();
  std::uint64_t tag = 0;
  const char* const end = packet.data() + packet.size();
  if (!take_varint(p, end, tag)) return tells;
  return std::any_of(std::begin(kKnownFields), std::end(kKnownFields), [&](const KnownField& known) {
    return wire_tag(known.number, known.type) == tag && (tells || known.number >= kFirstTelling);
  });
}

struct ReadFile {
  std::vector<trace::RankTrace> ranks;
  Interner strings;
  Diagnostics diagnostics;
  std::optional<Error> error;
};

ReadFile read_file(const std::string& path, const ReadOptions& options) {
  ReadFile read;
  TraceOutline outline;
  const Result<PacketFile> file = PacketFile::open(path, options.salvage, options.on_progress,
                                                   [&](std::string_view packet) { outline.look_at(packet); });
  if (!file) {
    read.error = file.error();
    return read;
  }
  outline.finish();
  TraceBuilder builder(path, outline, {options.positions, options.operands});
  file->for_each([&](const Packet& packet) { builder.add(packet); });
  read.ranks = builder.finish();
  if (file->damage()) read.diagnostics.add(kPerfettoSalvaged, [&] { return file->damage()->to_string(); });
  read.diagnostics.merge(builder.diagnostics());
  read.strings = std::move(builder.strings());
  const bool communicates = match::names_any_communication(read.strings);
  for (trace::RankTrace& rank : read.ranks) {
    rank.source.file_bytes = file->content().file_bytes();
    rank.source.text_bytes = file->content().bytes().size();
    rank.source.format = "perfetto";
    rank.source.communicates = communicates;
    // Ranks of one file were recorded, or put, on one clock.
    if (read.ranks.size() > 1) rank.source.host = path;
  }
  return read;
}

}  // namespace

bool looks_like_perfetto(std::string_view bytes, bool is_all) {
  constexpr char kTag = static_cast<char>(wire_tag(trace_field::kPacket, WireType::bytes));
  constexpr int kLookedAt = 8;
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  int packets = 0;
  for (; packets < kLookedAt && p != end; ++packets) {
    std::uint64_t length = 0;
    if (*p != kTag) return false;
    ++p;
    // A head that ends here has shown enough, or nothing.
    if (!take_varint(p, end, length)) break;
    const auto left = static_cast<std::uint64_t>(end - p);
    const bool is_cut = length > left;
    if (!is_packet({p, static_cast<std::size_t>(std::min(length, left))}, is_cut)) return false;
    // Also a file that ends inside its first packet is one; its reader says so.
    if (is_cut) return packets > 0 || !is_all || left > 0;
    p += length;
  }
  return packets > 0;
}

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<ReadFile> files(paths.size());
  parallel_for(paths.size(), [&](std::size_t i) { files[i] = read_file(paths[i], options); });
  std::vector<std::string> rank_paths;
  std::vector<std::size_t> file_of;
  std::vector<trace::ToldRank> told;
  std::vector<trace::ReadRank> ranks;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].error) return *files[i].error;
    for (trace::RankTrace& rank : files[i].ranks) {
      const std::optional<std::int64_t> inside = rank.source.rank;
      told.push_back({inside ? inside : trace::rank_in_name(paths[i]), rank.source.host});
      rank_paths.push_back(paths[i]);
      file_of.push_back(i);
      ranks.emplace_back().rank = std::move(rank);
    }
  }
  const Result<trace::Numbering> numbering = trace::number_ranks(rank_paths, told, ranks);
  if (!numbering) return numbering.error();
  trace::Trace job;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    trace::RankTrace& rank = ranks[i].rank;
    const bool is_run = rank.source.is_run;
    // What was remarked of a file is told with its first rank.
    if (i == 0 || file_of[i] != file_of[i - 1]) diagnostics.merge(files[file_of[i]].diagnostics);
    if (!rank.source.rank && ranks.size() > 1 && !is_run)
      diagnostics.add(kPerfettoRankGuessed,
                      [&] { return rank_paths[i] + ": taken as rank " + std::to_string(rank.rank); });
    const Interner& strings = files[file_of[i]].strings;
    const bool fits =
        is_run ? trace::add_run(job, std::move(rank), strings) : trace::add_rank(job, std::move(rank), strings);
    if (!fits)
      return Error{"its events are more than 26 days away from those of the other files", rank_paths[i],
                   Error::kNoOffset, "do the files belong to one job?"};
  }
  return job;
}

}  // namespace orrery::perfetto
