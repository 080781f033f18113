#include "base/io/file_content.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t kInflateStepBytes = std::size_t{4} << 20;

// Growing a Column moves page tables, not bytes.
Result<Column<char>> inflate_whole(const MappedFile& file, const std::function<void(std::uint64_t)>& on_progress,
                                   std::size_t limit_bytes) {
  Column<char> text;
  const auto inflater = make_inflater(detect_compression(file.bytes()), file.bytes(), file.path());
  for (std::size_t taken = 0;;) {
    const std::size_t begin = text.size();
    // In growing steps: a fixed one would make large files be remapped thousands of times.
    const std::size_t step = std::max(kInflateStepBytes, begin / 2);
    text.resize_uninitialized(begin + step);
    const Result<std::size_t> read = inflater->read({text.data() + begin, step});
    if (!read) return read.error();
    text.resize_uninitialized(begin + *read);
    if (on_progress) on_progress(inflater->consumed() - taken);
    taken = inflater->consumed();
    if (*read < step || text.size() > limit_bytes) return text;
  }
}

}  // namespace

Result<FileContent> FileContent::open(const std::string& path, const std::function<void(std::uint64_t)>& on_progress) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return of(std::move(*file), on_progress);
}

Result<FileContent> FileContent::of(MappedFile file, const std::function<void(std::uint64_t)>& on_progress) {
  FileContent content;
  content.path_ = file.path();
  content.file_bytes_ = file.bytes().size();
  if (detect_compression(file.bytes()) == Compression::none) {
    content.mapped_.emplace(std::move(file));
    return content;
  }
  Result<Column<char>> text = inflate_whole(file, on_progress, ~std::size_t{0});
  if (!text) return text.error();
  content.inflated_ = std::move(*text);
  // Parsers look at sixteen and more bytes at a time, and may do so at the end.
  content.inflated_.resize(content.inflated_.size() + MappedFile::kPaddingBytes, '\0');
  content.inflated_.shrink_to_fit();
  return content;
}

void FileContent::populate() const {
  if (mapped_) mapped_->populate(0, mapped_->bytes().size());
}

void FileContent::release(std::string_view part) const {
  if (!mapped_ || part.empty()) return;
  const auto begin = static_cast<std::size_t>(part.data() - mapped_->bytes().data());
  mapped_->release(begin, begin + part.size());
}

Result<std::string> read_whole_file(const std::string& path, std::size_t limit_bytes) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Error too_large{"is larger than the " + std::to_string(limit_bytes) + " bytes allowed here", path};
  if (detect_compression(file->bytes()) == Compression::none) {
    if (file->bytes().size() > limit_bytes) return too_large;
    return std::string(file->bytes());
  }
  const Result<Column<char>> text = inflate_whole(*file, {}, limit_bytes);
  if (!text) return text.error();
  // The size that a compressed file claims cannot be trusted, so it is only known now; inflating stopped soon after the
  // limit.
  if (text->size() > limit_bytes) return too_large;
  return std::string(text->begin(), text->end());
}

std::string first_bytes_of(const MappedFile& file, std::size_t count) {
  const Compression compression = detect_compression(file.bytes());
  if (compression == Compression::none) return std::string(file.bytes().substr(0, count));
  std::string head(count, '\0');
  const auto inflater = make_inflater(compression, file.bytes(), file.path());
  (void)inflater->read(head);  // a damaged file begins with what comes before the damage
  head.resize(inflater->delivered());
  return head;
}

Result<std::string> read_first_bytes(const std::string& path, std::size_t count) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return first_bytes_of(*file, count);
}

}  // namespace orrery
