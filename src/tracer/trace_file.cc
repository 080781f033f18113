#include "tracer/trace_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

// Two ways to write one form of file. Mapped: a block is opened by its head, each record becomes valid by the store of
// its first byte, and the block is closed by its size and checksum; the window moves on when it is full. Unmapped: the
// same bytes are kept in a buffer and written as a whole block.

namespace orrery::tracer {
namespace {

constexpr std::uint64_t kOldNs =
    1'000'000'000;  // without a mapping a program that dies loses at most its last second, or its last buffer
// Moving the window costs calls of the system: it should not happen for every block.
constexpr std::size_t kLeastWindowBytes = 256 * 1024;

/// The first eight bytes of a block's head: its check and its size.
std::uint64_t first_word_of(std::uint32_t payload_bytes, std::uint64_t base_ns) {
  return std::uint64_t{block_check(payload_bytes, base_ns)} | std::uint64_t{payload_bytes} << 32;
}

/// One instruction: a program that is killed has done it or not.
void store_word(unsigned char* at, std::uint64_t word) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  std::memcpy(at, &word, sizeof word);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

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

int make_new_file(const std::string& path) {
  struct stat there {};
  // Whatever stands there under that name is replaced and not written into: it may be linked to something else.
  if (::lstat(path.c_str(), &there) == 0 && (S_ISREG(there.st_mode) || S_ISLNK(there.st_mode))) ::unlink(path.c_str());
  // O_EXCL and O_NOFOLLOW, so that nobody can put another file in its place in between.
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool TraceFile::open(const std::string& path, std::size_t buffer_bytes, const FileFacts& facts) {
  descriptor_ = make_new_file(path);
  if (descriptor_ < 0) {
    std::fprintf(stderr, "orrery_mpi: %s cannot be written (%s): this rank is not recorded\n", path.c_str(),
                 std::strerror(errno));
    return false;
  }
  path_ = path;
  limit_bytes_ = buffer_bytes;
  // A block may grow beyond its limit by its last record, which should rarely allocate.
  block_.reserve(buffer_bytes + 4096);
  const ByteBuffer head = encode_head(facts);
  ByteBuffer bytes;
  bytes.raw(kMagic, kMagicBytes);
  bytes.fixed(kVersion);
  bytes.fixed(static_cast<std::uint32_t>(head.size()));
  bytes.raw(head.data(), head.size());
  bytes.fixed(checksum(head.data(), head.size(), kVersion));
  write_all(bytes.data(), bytes.size());
  is_mapped_ = is_open() && map(0);
  return is_open();
}

void TraceFile::add(RecordKind kind, const ByteBuffer& body) {
  const std::size_t from = block_.size();
  block_.byte(static_cast<std::uint8_t>(kind));
  block_.number(body.size());
  block_.raw(body.data(), body.size());
  if (is_mapped_) copy_record(from);
}

void TraceFile::prepare(std::uint64_t now_ns) {
  if (block_.size() > 0 && (block_.size() >= limit_bytes_ || now_ns > base_ns_ + kOldNs)) flush();
  if (block_.size() > 0) return;
  base_ns_ = now_ns;
  block_.resize(kBlockHeadBytes);
  if (is_mapped_) begin_mapped_block();
}

void TraceFile::flush() {
  if (!is_open() || block_.size() <= kBlockHeadBytes) return;
  const auto payload_bytes = static_cast<std::uint32_t>(block_.size() - kBlockHeadBytes);
  const std::uint64_t sum = checksum(block_.data() + kBlockHeadBytes, payload_bytes, base_ns_);
  const std::uint64_t first_word = first_word_of(payload_bytes, base_ns_);
  if (is_mapped_) {
    finish_mapped_block(first_word, sum);
  } else {
    std::memcpy(block_.data(), &first_word, 8);
    std::memcpy(block_.data() + 8, &base_ns_, 8);
    std::memcpy(block_.data() + 16, &sum, 8);
    write_all(block_.data(), block_.size());
  }
  block_.clear();
}

void TraceFile::close() {
  flush();
  if (!is_open()) return;
  unmap();
  // The room that was promised beyond the last block is given back.
  if (is_mapped_ && ::ftruncate(descriptor_, static_cast<off_t>(end_bytes_)) != 0)
    std::fprintf(stderr, "orrery_mpi: %s keeps some zeros at its end (%s)\n", path_.c_str(), std::strerror(errno));
  ::close(descriptor_);
  descriptor_ = -1;
}

void TraceFile::forget() {
  if (!is_open()) return;
  ::close(descriptor_);
  descriptor_ = -1;
  window_ = nullptr;  // which the child does not have: see map()
  is_mapped_ = false;
  block_.clear();
}

bool TraceFile::map(std::size_t at_least) {
  unmap();
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  window_offset_ = end_bytes_ / page * page;
  // Every block has room to grow beyond its limit by its last record, most of which are small.
  const std::uint64_t needed =
      end_bytes_ - window_offset_ + std::max({kLeastWindowBytes, limit_bytes_ + kLeastWindowBytes / 4, 2 * at_least});
  window_bytes_ = (needed + page - 1) / page * page;
  // Room that the disk has promised: a mapped page without would end the program.
  if (const int problem =
          ::posix_fallocate(descriptor_, static_cast<off_t>(window_offset_), static_cast<off_t>(window_bytes_));
      problem != 0) {
    errno = problem;
    if (is_mapped_) fail();
    return false;
  }
  void* const mapped = ::mmap(nullptr, window_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                              static_cast<off_t>(window_offset_));
  if (mapped == MAP_FAILED) {
    // Not on the first window: then blocks are written, and what was promised is given back.
    if (is_mapped_ || ::ftruncate(descriptor_, static_cast<off_t>(end_bytes_)) != 0) fail();
    return false;
  }
  // A child of fork() must not write into the file of its parent.
  ::madvise(mapped, window_bytes_, MADV_DONTFORK);
  window_ = static_cast<unsigned char*>(mapped);
  return true;
}

void TraceFile::unmap() {
  if (window_ != nullptr) ::munmap(window_, window_bytes_);
  window_ = nullptr;
}

void TraceFile::begin_mapped_block() {
  const std::uint64_t used = end_bytes_ - window_offset_;
  if (used + limit_bytes_ + kLeastWindowBytes / 8 > window_bytes_ && !map(0)) return;
  std::memcpy(mapped_block() + 8, &base_ns_, 8);
  // The size says that the block is open: a reader then goes by the records themselves.
  store_word(mapped_block(), first_word_of(kOpenBlock, base_ns_));
}

// The kind comes last: until then the record is not there.
void TraceFile::copy_record(std::size_t from) {
  if (end_bytes_ - window_offset_ + block_.size() + 8 > window_bytes_) {
    if (!map(block_.size())) return;
  }
  unsigned char* const to = mapped_block() + from;
  std::memcpy(to + 1, block_.data() + from + 1, block_.size() - from - 1);
  __atomic_store_n(to, block_.data()[from], __ATOMIC_RELEASE);
}

void TraceFile::finish_mapped_block(std::uint64_t first_word, std::uint64_t sum) {
  std::memcpy(mapped_block() + 16, &sum, 8);
  // The head last: until it is stored the block counts as open.
  store_word(mapped_block(), first_word);
  end_bytes_ += block_.size();
}

// A full disk stays full: the file ends here, with a block that is cut or open, which the reader counts.
void TraceFile::fail() {
  std::fprintf(stderr, "orrery_mpi: %s cannot be written any further (%s): the recording of this rank ends here\n",
               path_.c_str(), std::strerror(errno));
  unmap();
  ::close(descriptor_);
  descriptor_ = -1;
  is_mapped_ = false;
  block_.clear();
}

void TraceFile::write_all(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, from, bytes);
    // A signal came in between, and nothing was written.
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail();
    from += written;
    bytes -= static_cast<std::size_t>(written);
    end_bytes_ += static_cast<std::uint64_t>(written);
  }
}

}  // namespace orrery::tracer
