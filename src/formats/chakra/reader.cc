#include "formats/chakra/reader.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>

#include "base/io/file_content.h"
#include "base/io/output_set.h"
#include "base/numbers.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/schema.h"

// Every file is a program. Files that are the same on disk, or have the same bytes, are parsed once and shared by their
// ranks. When all are read, recorded starts are put on the earliest epoch of any.

namespace orrery::chakra {
namespace {

constexpr std::uint32_t kLargestFieldNumber = 4096;  // no version of the schema comes near
constexpr std::size_t kSniffedBytes = 4096;

/// GlobalMetadata.attr {name: "world_size", string_val: "8"}: what `link` and `generate` write. 0 if it is not there.
std::size_t recorded_ranks(std::string_view bytes) {
  RecordReader records(bytes);
  const std::optional<std::string_view> metadata = records.next();
  if (!metadata) return 0;
  WireReader reader(*metadata);
  for (WireField field; reader.next(field);) {
    if (field.number != metadata_field::attr || !field.is_bytes()) continue;
    std::string_view name, value;
    WireReader attribute(field.bytes);
    for (WireField part; attribute.next(part);) {
      if (!part.is_bytes()) continue;
      if (part.number == attribute_field::name) name = part.bytes;
      if (part.number == attribute_field::string_val) value = part.bytes;
    }
    // Only what link and generate write; files of others say nothing about the number of ranks.
    if (std::size_t ranks = 0; name == kWorldSizeAttribute && parse_number(value, ranks)) return ranks;
  }
  return 0;
}

/// Programs read so far, found again by file and by content.
class ProgramShelf {
 public:
  ProgramShelf(workload::Workload& workload, const ReadOptions& options, bool alone)
      : workload_(workload), options_(options), alone_(alone) {}

  Result<std::uint32_t> take(const std::string& path) {
    const std::optional<FileIdentity> identity = identity_of(path);
    if (identity) {
      if (const auto known = by_file_.find(*identity); known != by_file_.end()) return known->second;
    }
    const Result<std::uint32_t> number = read(path);
    if (number && identity) by_file_.emplace(*identity, *number);
    return number;
  }

  /// Puts the recorded starts of all programs on one scale.
  void align() {
    std::int64_t earliest = 0;
    for (const std::int64_t epoch : epochs_us_) {
      if (epoch != 0 && (earliest == 0 || epoch < earliest)) earliest = epoch;
    }
    workload_.epoch_us = earliest;
    for (std::size_t i = 0; i < epochs_us_.size(); ++i) move_epoch(workload_.programs[i], epochs_us_[i], earliest);
  }

 private:
  Result<std::uint32_t> read(const std::string& path) {
    const Result<FileContent> content = FileContent::open(path);
    if (!content) return content.error();
    content->populate();
    const std::string_view bytes = content->bytes();
    if (alone_) return parse(bytes, path);  // nothing to share with: the content need not be known again
    // Ranks that do the same have the same bytes: a job of thousands then has a handful of programs. 128 bits do not
    // meet by chance.
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    const std::pair<std::uint64_t, std::uint64_t> key{hash.low64, hash.high64};
    if (const auto known = by_content_.find(key); known != by_content_.end()) return known->second;
    const Result<std::uint32_t> number = parse(bytes, path);
    if (number) by_content_.emplace(key, *number);
    return number;
  }

  Result<std::uint32_t> parse(std::string_view bytes, const std::string& path) {
    const auto parse_as = looks_like_feeder_json(bytes.substr(0, kSniffedBytes)) ? parse_feeder_json : parse_protobuf;
    std::int64_t epoch_us = 0;
    Result<workload::Program> program = parse_as(bytes, path, workload_.strings, options_, &epoch_us);
    if (!program) return program.error();
    if (parse_as == parse_protobuf)
      workload_.recorded_ranks = std::max(workload_.recorded_ranks, recorded_ranks(bytes));
    workload_.programs.push_back(std::move(*program));
    epochs_us_.push_back(epoch_us);
    return static_cast<std::uint32_t>(workload_.programs.size() - 1);
  }

  workload::Workload& workload_;
  const ReadOptions& options_;
  bool alone_;
  std::vector<std::int64_t> epochs_us_;  // of each program; 0: it has no recorded starts
  std::map<FileIdentity, std::uint32_t> by_file_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> by_content_;
};

}  // namespace

Result<workload::Workload> read_workload(const std::string& prefix, std::size_t ranks, const ReadOptions& options) {
  std::vector<RankFile> files = find_rank_files(prefix);
  if (files.empty()) {
    return Error{fmt::format("there is no workload file for rank 0 of {}", ranks), fmt::format("{}.0.et", prefix),
                 Error::kNoOffset, "every rank needs PREFIX.RANK.et (also .et.gz, .et.zst or .json)"};
  }
  if (const Status complete = check_complete(files, ranks); !complete) return complete.error();
  std::vector<std::string> paths;
  for (std::size_t rank = 0; rank < ranks; ++rank) paths.push_back(std::move(files[rank].path));
  return read_workload(paths, options);
}

Result<workload::Workload> read_workload(std::span<const std::string> paths, const ReadOptions& options) {
  workload::Workload workload;
  ProgramShelf shelf(workload, options, paths.size() == 1);
  for (const std::string& path : paths) {
    const Result<std::uint32_t> program = shelf.take(path);
    if (!program) return program.error();
    workload.program_of_rank.push_back(*program);
  }
  shelf.align();
  return workload;
}

bool looks_like_feeder_json(std::string_view first_bytes) {
  const std::size_t first = first_bytes.find_first_not_of(" \n\r\t");
  return first != std::string_view::npos && first_bytes[first] == '{' &&
         first_bytes.find("workload_graph") != std::string_view::npos;
}

bool looks_like_protobuf(std::string_view first_bytes) {
  RecordReader records(first_bytes);
  bool says_something = false;
  for (int record = 0; record < 2 && !records.at_end(); ++record) {
    const std::optional<std::string_view> message = records.next();
    // Of the first 64 kB only the end may be missing.
    if (!message) return record > 0;  // cut off
    says_something = says_something || !message->empty();
    WireReader reader(*message);
    WireField field;
    while (reader.next(field)) {
      // Random bytes are well-formed for a while; large field numbers give them away.
      if (field.number > kLargestFieldNumber) return false;
    }
    if (reader.damaged()) return false;
  }
  // A zero is a record without content: metadata may be one, a file of nothing else is none of ours.
  return !first_bytes.empty() && (says_something || records.at_end());
}

}  // namespace orrery::chakra
