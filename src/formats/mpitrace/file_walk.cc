#include "formats/mpitrace/file_walk.h"

#include <cstring>

#include "formats/mpitrace/byte_reader.h"

// A block has a head with a check and a sum over its content. The last block of a program that was killed is open: its
// records are read one by one up to the first that is not there. Anything else that does not fit is damage, and reading
// stops at it.

namespace orrery::mpitrace {
namespace {

constexpr std::int64_t kMostRanks = std::int64_t{1} << 22;  // lists of that many fit memory; no machine has more

template <typename T>
T fixed_at(std::string_view bytes, std::size_t at) {
  T value{};
  // Copied, since the bytes of a file need not be aligned.
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_all_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

}  // namespace

bool has_magic(std::string_view bytes) {
  return bytes.starts_with(std::string_view(tracer::kMagic, tracer::kMagicBytes));
}

Result<FileHead> read_file_head(std::string_view bytes, const std::string& path) {
  if (!has_magic(bytes)) return Error{"this is no recording of an MPI rank: its first bytes are others", path, 0};
  if (bytes.size() < tracer::kFileHeadBytes)
    return Error{"the file ends inside its head", path, bytes.size(), "nothing was recorded"};
  const auto version = fixed_at<std::uint32_t>(bytes, tracer::kMagicBytes);
  if (version != tracer::kVersion)
    return Error{"version " + std::to_string(version) + " of the format, and this program knows version " +
                     std::to_string(tracer::kVersion),
                 path, tracer::kMagicBytes, "record and read with the same version of Orrery"};
  const auto head_bytes = fixed_at<std::uint32_t>(bytes, tracer::kMagicBytes + 4);
  if (bytes.size() - tracer::kFileHeadBytes < std::uint64_t{head_bytes} + 8)
    return Error{"the file ends inside its head", path, bytes.size(), "nothing was recorded"};
  const std::string_view body = bytes.substr(tracer::kFileHeadBytes, head_bytes);
  const auto sum = fixed_at<std::uint64_t>(bytes, tracer::kFileHeadBytes + head_bytes);
  // The head decides how everything else is read, so it is checked before anything of it is used.
  if (sum != tracer::checksum(body.data(), body.size(), version))
    return Error{"the head of the file is damaged: its checksum is another", path, tracer::kFileHeadBytes,
                 "copy the file again"};
  FileHead head;
  ByteReader reader(body);
  head.rank = static_cast<std::int64_t>(reader.number());
  head.world_size = static_cast<std::int64_t>(reader.number());
  head.node = static_cast<std::int64_t>(reader.number());
  head.unix_offset_ns = reader.signed_number();
  head.start_ns = reader.number();
  head.depth = static_cast<std::int64_t>(reader.number());
  head.host = reader.text();
  head.library = reader.text();
  head.program = reader.text();
  const bool makes_sense =
      head.world_size > 0 && head.world_size <= kMostRanks && head.rank >= 0 && head.rank < head.world_size;
  if (reader.failed() || !makes_sense)
    return Error{"the head of the file makes no sense", path, tracer::kFileHeadBytes};
  head.bytes = tracer::kFileHeadBytes + head_bytes + 8;
  return head;
}

FileWalk::FileWalk(std::string_view bytes, const FileHead& head, std::string path)
    : bytes_(bytes), path_(std::move(path)), at_(head.bytes), block_end_(head.bytes) {}

void FileWalk::set_damage(std::string what, std::uint64_t offset) {
  damage_ =
      Error{std::move(what), path_, offset, "copy the file again if you can", Error::Kind::unusable, Remedy::salvage};
}

bool FileWalk::begin_block() {
  if (at_ == bytes_.size()) return false;
  const std::size_t begin = at_;
  if (bytes_.size() - begin < tracer::kBlockHeadBytes && !is_all_zero(bytes_.substr(begin))) {
    cut_at_ = bytes_.size();
    return false;
  }
  // The program ended without MPI_Finalize, and this is the rest of what its disk had promised to the tracer.
  if (is_all_zero(bytes_.substr(begin))) {
    has_zeros_behind_ = true;
    return false;
  }
  const auto payload_bytes = fixed_at<std::uint32_t>(bytes_, begin + 4);
  base_ns_ = fixed_at<std::uint64_t>(bytes_, begin + 8);
  if (fixed_at<std::uint32_t>(bytes_, begin) != tracer::block_check(payload_bytes, base_ns_)) {
    set_damage("the head of a block is damaged: its check is another", begin);
    return false;
  }
  at_ = begin + tracer::kBlockHeadBytes;
  // A block that says more than there is was being written when the program ended.
  block_is_cut_ = bytes_.size() - at_ < payload_bytes;
  block_end_ = block_is_cut_ ? bytes_.size() : at_ + payload_bytes;
  is_first_ = true;
  // Its sum was never written: records are believed as long as they are there.
  if (block_is_cut_) return true;
  if (fixed_at<std::uint64_t>(bytes_, begin + 16) != tracer::checksum(bytes_.data() + at_, payload_bytes, base_ns_)) {
    set_damage("a block is damaged: its checksum is another", begin);
    return false;
  }
  return true;
}

bool FileWalk::next(Record& record) {
  if (cut_at_ || damage_) return false;
  if (at_ == block_end_) {
    if (block_is_cut_) {  // exactly between two records
      cut_at_ = at_;
      return false;
    }
    if (!begin_block()) return false;
  }
  const std::size_t begin = at_;
  ByteReader reader(bytes_.substr(at_, block_end_ - at_));
  record.kind = static_cast<tracer::RecordKind>(reader.byte());
  if (block_is_cut_ &&
      record.kind == tracer::RecordKind{0}) {  // where the tracer was about to write when the program was killed
    cut_at_ = begin;
    return false;
  }
  record.body = reader.text();
  if (reader.failed()) {
    if (block_is_cut_) cut_at_ = begin;
    else set_damage("a record reaches beyond its block", begin);
    return false;
  }
  record.base_ns = base_ns_;
  record.is_first_of_block = is_first_;
  record.offset = begin;
  is_first_ = false;
  at_ = static_cast<std::size_t>(reader.position() - bytes_.data());
  return true;
}

}  // namespace orrery::mpitrace
