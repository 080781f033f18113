#include "tracer/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace orrery::tracer {
namespace {

constexpr std::uint64_t kOldNs = 1'000'000'000;  // a program that dies loses at most its last second, or its last buffer

ByteBuffer encode_head(const FileFacts& facts) {
  ByteBuffer head;
  head.number(static_cast<std::uint64_t>(facts.rank));
  head.number(static_cast<std::uint64_t>(facts.world_size));
  head.number(static_cast<std::uint64_t>(facts.node));
  head.signed_number(facts.unix_offset_ns);
  head.number(facts.start_ns);
  head.number(static_cast<std::uint64_t>(facts.depth));
  head.text(facts.host);
  head.text(facts.library);
  head.text(facts.program);
  return head;
}

}  // namespace

bool TraceFile::open(const std::string& path, std::size_t buffer_bytes, const FileFacts& facts) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    std::fprintf(stderr, "orrery_mpi: %s cannot be written (%s): this rank is not recorded\n", path.c_str(), std::strerror(errno));
    return false;
  }
  path_ = path;
  process_ = ::getpid();
  limit_bytes_ = buffer_bytes;
  block_.reserve(buffer_bytes + 4096);
  const ByteBuffer head = encode_head(facts);
  ByteBuffer bytes;
  bytes.raw(kMagic, kMagicBytes);
  bytes.fixed(kVersion);
  bytes.fixed(static_cast<std::uint32_t>(head.size()));
  bytes.raw(head.data(), head.size());
  bytes.fixed(checksum(head.data(), head.size(), kVersion));
  write_all(bytes.data(), bytes.size());
  return is_open();
}

void TraceFile::add(RecordKind kind, const ByteBuffer& body) {
  block_.byte(static_cast<std::uint8_t>(kind));
  block_.number(body.size());
  block_.raw(body.data(), body.size());
}

void TraceFile::prepare(std::uint64_t now_ns) {
  if (block_.size() > 0 && (block_.size() >= limit_bytes_ || now_ns > base_ns_ + kOldNs)) flush();
  if (block_.size() > 0) return;
  base_ns_ = now_ns;
  block_.resize(kBlockHeadBytes);
}

void TraceFile::flush() {
  if (!is_open() || block_.size() <= kBlockHeadBytes || ::getpid() != process_) return;
  const auto payload_bytes = static_cast<std::uint32_t>(block_.size() - kBlockHeadBytes);
  const std::uint64_t sum = checksum(block_.data() + kBlockHeadBytes, payload_bytes, base_ns_);
  const std::uint32_t check = block_check(payload_bytes, base_ns_);
  std::memcpy(block_.data(), &check, 4);
  std::memcpy(block_.data() + 4, &payload_bytes, 4);
  std::memcpy(block_.data() + 8, &base_ns_, 8);
  std::memcpy(block_.data() + 16, &sum, 8);
  write_all(block_.data(), block_.size());
  block_.clear();
}

void TraceFile::close() {
  flush();
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

void TraceFile::write_all(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      // A full disk stays full: the file ends here, with a block that is cut, which the reader counts.
      std::fprintf(stderr, "orrery_mpi: %s cannot be written any further (%s): the recording of this rank ends here\n", path_.c_str(),
                   std::strerror(errno));
      ::close(descriptor_);
      descriptor_ = -1;
      return;
    }
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace orrery::tracer
