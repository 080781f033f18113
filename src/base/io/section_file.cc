#include "base/io/section_file.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/io/inflate.h"
#include "base/io/output_file.h"

// Checks go from the outside in: magic, byte order, format, version, length, the header with its table, and every
// section, each before anything is taken from what it covers. So every kind of wrong file gets its own message, and
// damaged numbers are never used as sizes.

namespace orrery {
namespace {

static_assert(std::endian::native == std::endian::little,
              "sections are written and mapped as they lie in memory: little-endian");

// As in PNG: a byte that no text has, a line end of each kind and an end-of-file mark, so that text-mode copies are
// noticed.
constexpr char kMagic[8] = {'\x89', 'O', 'R', 'Y', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t kEndianMark = 0x01020304;
constexpr std::uint32_t kLayout = 1;
constexpr std::uint64_t kAlignment = 64;
constexpr const char* kDamaged = "the file is damaged: save it again";
constexpr std::size_t kCheckedHeaderBytes = 56;  // the checksum itself is the last field

struct Header {
  char magic[8];
  char format[8];
  std::uint32_t version;
  std::uint32_t endian_mark;
  std::uint32_t layout;
  std::uint32_t section_count;
  std::uint64_t file_bytes;
  std::uint64_t reserved[2];
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 64 && sizeof(SectionEntry) == 32);

constexpr std::uint64_t align_up(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

/// Of the header's fields before the checksum and of the section table.
std::uint64_t header_checksum(const Header& header, std::string_view table) {
  std::string covered(reinterpret_cast<const char*>(&header), kCheckedHeaderBytes);
  covered += table;
  return XXH3_64bits(covered.data(), covered.size());
}

std::string_view trim_zeros(std::string_view text) { return text.substr(0, text.find('\0')); }

}  // namespace

std::string SectionTag::text() const {
  std::string text;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto byte = static_cast<unsigned char>(value >> shift);
    text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '?';
  }
  return text;
}

SectionWriter::SectionWriter(std::string_view format, std::uint32_t version) : format_(format), version_(version) {
  assert(!format.empty() && format.size() <= sizeof(Header::format));
}

void SectionWriter::add_bytes(SectionTag tag, std::size_t element_bytes, std::string_view bytes) {
  assert(std::none_of(sections_.begin(), sections_.end(), [&](const Section& section) { return section.tag == tag; }));
  sections_.push_back({tag, static_cast<std::uint32_t>(element_bytes), bytes});
}

void SectionWriter::add_copy(SectionTag tag, std::size_t element_bytes, std::string bytes) {
  copies_.push_back(std::make_unique<const std::string>(std::move(bytes)));
  add_bytes(tag, element_bytes, *copies_.back());
}

/// Calls put(bytes) with the pieces of the file from front to back.
template <typename Put>
void SectionWriter::emit(Put&& put) const {
  std::vector<SectionEntry> table;
  std::uint64_t end = sizeof(Header) + sections_.size() * sizeof(SectionEntry);
  for (const Section& section : sections_) {
    // Columns are used where they are mapped, so they must lie as their types want it.
    const std::uint64_t offset = align_up(end);
    const std::uint64_t checksum = XXH3_64bits(section.bytes.data(), section.bytes.size());
    table.push_back({section.tag.value, section.element_bytes, offset, section.bytes.size(), checksum});
    end = offset + section.bytes.size();
  }
  const std::string_view table_bytes(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(SectionEntry));

  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  std::memcpy(header.format, format_.data(), std::min(format_.size(), sizeof header.format));
  header.version = version_;
  header.endian_mark = kEndianMark;
  header.layout = kLayout;
  header.section_count = static_cast<std::uint32_t>(sections_.size());
  header.file_bytes = end;
  header.checksum = header_checksum(header, table_bytes);
  put(std::string_view(reinterpret_cast<const char*>(&header), sizeof header));
  put(table_bytes);

  constexpr char kZeros[kAlignment] = {};
  std::uint64_t written = sizeof header + table_bytes.size();
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    put(std::string_view(kZeros, table[i].offset - written));
    put(sections_[i].bytes);
    written = table[i].offset + table[i].bytes;
  }
}

Status SectionWriter::write(const std::string& path) const {
  if (path.ends_with(".gz")) {
    return Error{"is not written compressed", path, Error::kNoOffset,
                 "leave out the .gz: the file is read by mapping it"};
  }
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  emit([&](std::string_view bytes) { file->write(bytes); });
  return file->commit();
}

std::string SectionWriter::to_bytes() const {
  std::string whole;
  emit([&](std::string_view bytes) { whole += bytes; });
  return whole;
}

Result<SectionFile> SectionFile::open(const std::string& path, std::string_view format, std::uint32_t newest_version) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  SectionFile file;
  file.path_ = path;
  file.file_.emplace(std::move(*mapped));
  file.bytes_ = file.file_->bytes();
  if (const Status status = file.check(format, newest_version); !status) return status.error();
  return file;
}

Result<SectionFile> SectionFile::from_bytes(std::string_view bytes, std::string name, std::string_view format,
                                            std::uint32_t newest_version) {
  SectionFile file;
  file.path_ = std::move(name);
  file.bytes_ = bytes;
  // Bytes from anywhere (a fuzzer, a test) may lie anywhere; mapped files begin with a page.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 16 != 0) {
    file.aligned_.append(std::span<const char>(bytes));
    file.bytes_ = {file.aligned_.data(), file.aligned_.size()};
  }
  if (const Status status = file.check(format, newest_version); !status) return status.error();
  return file;
}

std::string_view SectionFile::detect(std::string_view bytes) {
  if (bytes.size() < sizeof(Header) || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return {};
  return trim_zeros(bytes.substr(offsetof(Header, format), sizeof(Header::format)));
}

Status SectionFile::check(std::string_view format, std::uint32_t newest_version) {
  const std::string wanted(format);
  if (bytes_.empty()) return error(0, "is empty", "it should be an Orrery " + wanted + " file");
  if (std::memcmp(bytes_.data(), kMagic, std::min(bytes_.size(), sizeof kMagic)) != 0) {
    const bool packed = detect_compression(bytes_) != Compression::none;
    return error(0, "is not an Orrery " + wanted + " file",
                 packed ? "it is compressed: unpack it first" : "give a file that orrery saved");
  }
  if (bytes_.size() < sizeof(Header))
    return error(bytes_.size(), "ends inside the header", "the file is truncated: save it again");
  Header header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  // Before the checksum, which differs as well then, and would say only that something is wrong.
  if (header.endian_mark != kEndianMark) {
    return error(offsetof(Header, endian_mark), "has another byte order, or is damaged",
                 "save it again on this kind of machine");
  }
  const std::string_view name = detect(bytes_);
  std::string padded(format);
  padded.resize(sizeof header.format);
  if (std::memcmp(header.format, padded.data(), sizeof header.format) != 0) {
    return error(offsetof(Header, format), "holds '" + std::string(name) + "', not '" + wanted + "'",
                 "give a file of the right kind");
  }
  if (header.layout != kLayout || header.version > newest_version) {
    const std::string found = "has version " + std::to_string(header.version);
    return error(offsetof(Header, version),
                 found + "; this program reads versions up to " + std::to_string(newest_version),
                 "use a newer Orrery, or save the file again with this one");
  }
  // Before the sections: "truncated" helps more than a checksum that does not match.
  if (header.file_bytes != bytes_.size()) {
    const std::string sizes =
        "has " + std::to_string(bytes_.size()) + " bytes instead of " + std::to_string(header.file_bytes);
    return error(std::min<std::uint64_t>(header.file_bytes, bytes_.size()), sizes,
                 "the file is truncated or was added to: save it again");
  }
  const std::uint64_t table_bytes = std::uint64_t{header.section_count} * sizeof(SectionEntry);
  // The number is not covered by a checksum yet: nothing is sized by it before.
  if (table_bytes > bytes_.size() - sizeof header)
    return error(sizeof header, "ends inside the section table", kDamaged);
  const std::string_view table = bytes_.substr(sizeof header, table_bytes);
  if (header_checksum(header, table) != header.checksum || header.reserved[0] != 0 || header.reserved[1] != 0) {
    return error(offsetof(Header, checksum), "the header does not match its checksum", kDamaged);
  }
  version_ = header.version;
  entries_.resize(header.section_count);
  if (!table.empty()) std::memcpy(entries_.data(), table.data(), table.size());
  return check_sections();
}

/// Sections lie in table order, each at the first 64-byte border after the one before, with zeros between, up to the
/// end of the file.
Status SectionFile::check_sections() {
  std::uint64_t end = sizeof(Header) + entries_.size() * sizeof(SectionEntry);
  std::vector<std::uint32_t> tags;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const SectionEntry& entry = entries_[i];
    const std::uint64_t entry_at = sizeof(Header) + i * sizeof(SectionEntry);
    const std::string name = "section '" + SectionTag(entry.tag).text() + "'";
    if (entry.offset != align_up(end) || entry.offset > bytes_.size() || entry.bytes > bytes_.size() - entry.offset) {
      return error(entry_at, name + " overlaps another one or lies outside the file", kDamaged);
    }
    if (entry.element_bytes == 0 || entry.bytes % entry.element_bytes != 0) {
      return error(entry_at, name + " does not hold whole values", kDamaged);
    }
    // What no checksum covers must be known: else two files that differ would be equal to us.
    const std::string_view gap = bytes_.substr(end, entry.offset - end);
    if (gap.find_first_not_of('\0') != std::string_view::npos)
      return error(end, "the bytes before " + name + " are not zero", kDamaged);
    if (XXH3_64bits(bytes_.data() + entry.offset, entry.bytes) != entry.checksum) {
      return error(entry.offset, name + " does not match its checksum", kDamaged);
    }
    end = entry.offset + entry.bytes;
    tags.push_back(entry.tag);
  }
  std::sort(tags.begin(), tags.end());
  if (std::adjacent_find(tags.begin(), tags.end()) != tags.end())
    return error(sizeof(Header), "two sections have the same name", kDamaged);
  if (end != bytes_.size()) return error(end, "there are bytes after the last section", kDamaged);
  return {};
}

const SectionEntry* SectionFile::find(SectionTag tag) const {
  for (const SectionEntry& entry : entries_) {
    if (entry.tag == tag.value) return &entry;
  }
  return nullptr;
}

Result<std::string_view> SectionFile::get_bytes(SectionTag tag, std::size_t element_bytes) const {
  const SectionEntry* entry = find(tag);
  const std::string foreign = "the file was written by another program or version";
  if (entry == nullptr) return error(sizeof(Header), "has no section '" + tag.text() + "'", foreign);
  if (entry->element_bytes != element_bytes) {
    const std::string sizes =
        std::to_string(entry->element_bytes) + " bytes instead of " + std::to_string(element_bytes);
    return error(entry->offset, "section '" + tag.text() + "' holds values of " + sizes, foreign);
  }
  return bytes_.substr(entry->offset, entry->bytes);
}

/// A count, the end of each string, then the text: 64-bit numbers, ends counted from the start of the text.
Result<StringTable> SectionFile::get_strings(SectionTag tag) const {
  const auto bytes = get_bytes(tag, 1);
  if (!bytes) return bytes.error();
  const std::string name = "section '" + tag.text() + "'";
  std::uint64_t count = 0;
  if (bytes->size() < sizeof count) return error_at(tag, 0, name + " is too short for a table of strings");
  std::memcpy(&count, bytes->data(), sizeof count);
  // The checksum shows that nothing was changed by accident; a file may still have been made to deceive.
  if (count > bytes->size() / sizeof count - 1)
    return error_at(tag, 0, name + " is too short for its " + std::to_string(count) + " strings");
  const std::span<const std::uint64_t> ends(reinterpret_cast<const std::uint64_t*>(bytes->data()) + 1, count);
  const std::uint64_t text_bytes = bytes->size() - (count + 1) * sizeof count;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] <= text_bytes && (i == 0 || ends[i] >= ends[i - 1])) continue;
    return error_at(tag, (i + 1) * sizeof count, name + ": a string ends before it begins or after the text");
  }
  if ((ends.empty() ? 0 : ends.back()) != text_bytes)
    return error_at(tag, 0, name + " has text that belongs to no string");
  return StringTable(ends, bytes->data() + (count + 1) * sizeof count);
}

Error SectionFile::error_at(SectionTag tag, std::uint64_t byte_in_section, std::string message,
                            std::string hint) const {
  const SectionEntry* entry = find(tag);
  return error((entry == nullptr ? 0 : entry->offset) + byte_in_section, std::move(message), std::move(hint));
}

Error SectionFile::error(std::uint64_t offset, std::string message, std::string hint) const {
  return Error{std::move(message), path_, offset, std::move(hint)};
}

}  // namespace orrery
