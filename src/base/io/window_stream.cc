#include "base/io/window_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/parallel.h"

// Plain files are mapped and handed on in windows of the mapping. Compressed ones are inflated by one thread into a
// ring of blocks while another consumes them; what a window leaves unfinished is put in front of the next block.

namespace orrery {
namespace {

constexpr std::size_t kWindowBytes = 1 << 20;
constexpr std::size_t kHeadroomBytes = 256 << 10;  // room in front of a block for what the block before left unfinished
constexpr std::size_t kMappedWindowBytes = 8u << 20;
// One being filled, one being parsed, and one between them.
constexpr std::size_t kSlots = 3;

struct Block {
  std::unique_ptr<char[]> memory{new char[kHeadroomBytes + kWindowBytes + MappedFile::kPaddingBytes]};
  std::size_t size = 0;
  std::size_t compressed_bytes = 0;
  bool is_last = false;
  std::optional<Error> error;

  char* data() { return memory.get() + kHeadroomBytes; }
};

class Stream {
 public:
  Stream(Inflater& inflater, const ConsumeWindow& consume, const std::function<void(std::uint64_t)>& on_progress)
      : inflater_(inflater), consume_(consume), on_progress_(on_progress) {}

  Result<StreamOutcome> run() {
    pipeline(
        kSlots, [this](std::size_t slot) { return inflate(blocks_[slot]); },
        [this](std::size_t slot) { return deliver(blocks_[slot]); });
    if (consumer_error_) return *consumer_error_;
    return outcome_;
  }

 private:
  bool inflate(Block& block) {
    if (input_ended_) return false;
    const Result<std::size_t> got = inflater_.read(std::span<char>(block.data(), kWindowBytes));
    block.error = got ? std::nullopt : std::optional<Error>(got.error());
    // Also after an error what was inflated before it is handed on.
    block.size = got ? *got : inflater_.delivered();
    block.is_last = !got || block.size < kWindowBytes;
    input_ended_ = block.is_last;
    block.compressed_bytes = inflater_.consumed() - consumed_;
    consumed_ = inflater_.consumed();
    return true;
  }

  bool deliver(Block& block) {
    const std::uint64_t block_offset = outcome_.text_bytes;
    outcome_.text_bytes += block.size;
    if (on_progress_) on_progress_(block.compressed_bytes);
    // With damaged input the last window is not the end of the document: what is incomplete there is no error of the
    // document.
    const bool is_last = block.is_last && !block.error;
    outcome_.input_error = block.error;
    const std::size_t carried = carry_.size();
    // A value of many blocks is looked at again each time it has doubled, not with every block.
    if (carried + block.size < 2 * looked_at_ && !block.is_last) {
      carry_.append(block.data(), block.size);
      return true;
    }
    char* begin = nullptr;
    char* end = nullptr;
    // What was left over is short as a rule and is put in front of the new block, so that the block need not be copied.
    if (carried <= kHeadroomBytes) {
      begin = block.data() - carried;
      std::memcpy(begin, carry_.data(), carried);
      end = block.data() + block.size;
      std::memset(end, 0, MappedFile::kPaddingBytes);
    } else {
      // A long remainder is kept in one piece instead, and the block goes behind it.
      carry_.append(block.data(), block.size);
      carry_.append(MappedFile::kPaddingBytes, '\0');
      begin = carry_.data();
      end = begin + carried + block.size;
    }
    const Result<const char*> parsed = consume_(Window{begin, end, block_offset - carried, is_last});
    if (!parsed) {
      consumer_error_ = parsed.error();
      return false;
    }
    std::string rest(*parsed, static_cast<std::size_t>(end - *parsed));
    carry_.swap(rest);
    looked_at_ = carry_.size() > kHeadroomBytes ? carry_.size() : 0;
    if (carry_.size() > kMaxValueBytes) {
      consumer_error_ =
          Error{"a single value is larger than 1 GiB", {}, block_offset, "this does not look like a trace"};
      return false;
    }
    return true;
  }

  Inflater& inflater_;
  const ConsumeWindow& consume_;
  const std::function<void(std::uint64_t)>& on_progress_;
  std::array<Block, kSlots> blocks_;
  bool input_ended_ = false;
  std::size_t consumed_ = 0;
  std::string carry_;
  std::size_t looked_at_ = 0;  // bytes of an unfinished value that `consume` has seen already
  StreamOutcome outcome_;
  std::optional<Error> consumer_error_;
};

Result<StreamOutcome> stream_mapped(const MappedFile& file, const ConsumeWindow& consume,
                                    const std::function<void(std::uint64_t)>& on_progress) {
  const char* const begin = file.bytes().data();
  const std::size_t size = file.bytes().size();
  std::size_t at = 0, window_bytes = kMappedWindowBytes;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = std::min(size, at + window_bytes);
    is_last = end == size;
    const Result<const char*> reached = consume({begin + at, begin + end, at, is_last});
    if (!reached) return reached.error();
    const auto next = static_cast<std::size_t>(*reached - begin);
    // Doubled and not extended: else a value of n windows would be looked at n times.
    window_bytes = next == at ? 2 * window_bytes : kMappedWindowBytes;  // a single value may be larger than a window
    if (on_progress) on_progress(next - at);
    // Pages that are done with go back to the system: memory stays small for files larger than it.
    file.release(at, next);
    at = next;
  }
  return StreamOutcome{.text_bytes = size};
}

}  // namespace

Result<StreamOutcome> stream_windows(Inflater& inflater, const ConsumeWindow& consume,
                                     const std::function<void(std::uint64_t)>& on_progress) {
  return Stream(inflater, consume, on_progress).run();
}

Result<StreamOutcome> stream_windows(const MappedFile& file, const ConsumeWindow& consume,
                                     const std::function<void(std::uint64_t)>& on_progress) {
  const Compression compression = detect_compression(file.bytes());
  if (compression == Compression::none) return stream_mapped(file, consume, on_progress);
  const auto inflater = make_inflater(compression, file.bytes(), file.path());
  return stream_windows(*inflater, consume, on_progress);
}

}  // namespace orrery
