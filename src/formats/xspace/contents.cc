#include "formats/xspace/contents.h"

#include <algorithm>

namespace orrery::xspace {
namespace {

constexpr std::size_t kBlockBytes = 4u << 20;

Result<Column<char>> inflate(const MappedFile& file, Compression compression, const std::function<void(std::uint64_t)>& on_progress) {
  Column<char> bytes;
  const auto inflater = make_inflater(compression, file.bytes(), file.path());
  for (std::size_t taken = 0;;) {
    const std::size_t before = bytes.size();
    bytes.resize_uninitialized(before + kBlockBytes);
    const Result<std::size_t> read = inflater->read({bytes.data() + before, kBlockBytes});
    if (!read) return read.error();
    bytes.resize_uninitialized(before + *read);
    if (on_progress) on_progress(inflater->consumed() - taken);
    taken = inflater->consumed();
    if (*read < kBlockBytes) return bytes;
  }
}

}  // namespace

Result<Contents> Contents::open(const std::string& path, const std::function<void(std::uint64_t)>& on_progress) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  Contents contents;
  contents.path_ = path;
  contents.file_bytes_ = file->bytes().size();
  const Compression compression = detect_compression(file->bytes());
  if (compression == Compression::none) {
    contents.mapped_.emplace(std::move(*file));
    return contents;
  }
  Result<Column<char>> inflated = inflate(*file, compression, on_progress);
  if (!inflated) {
    if (inflated.error().file.empty()) inflated.error().file = path;
    return inflated.error();
  }
  contents.inflated_ = std::move(*inflated);
  return contents;
}

void Contents::release(std::string_view part) const {
  if (!mapped_ || part.empty()) return;
  const auto begin = static_cast<std::size_t>(part.data() - mapped_->bytes().data());
  mapped_->release(begin, begin + part.size());
}

Error Contents::damage(const char* position, const std::string& message) const {
  return {message, path_, offset_of(position), "is it an .xplane.pb file, and was it copied as a whole?"};
}

}  // namespace orrery::xspace
