#include "formats/training_operations/parquet.h"

#include <snappy.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "formats/training_operations/compact_thrift.h"

// A Parquet file ends with its table of contents: the length of it, and "PAR1". From there column by column, page by
// page: a header, then levels that say which rows are null, then values or places in the dictionary page before them.

namespace orrery::training_operations {
namespace {

using Thrift = CompactThrift;

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kTailBytes = 8;  // length of the contents, and the magic
constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 30;
constexpr std::int64_t kMostRows =
    100'000'000;  // runs of one value take no bytes: a file of nothing may claim any number

enum PhysicalType : std::int64_t { kInt32 = 1, kInt64 = 2, kFloat = 4, kDouble = 5, kByteArray = 6 };
enum Encoding : std::int64_t { kPlain = 0, kPlainDictionary = 2, kRle = 3, kRleDictionary = 8 };
enum PageType : std::int64_t { kDataPage = 0, kDictionaryPage = 2 };
enum Codec : std::int64_t { kBare = 0, kSnappy = 1 };

struct Chunk {
  std::string name;
  std::int64_t type = -1, codec = 0, values = 0, offset = 0, dictionary_offset = 0, bytes = 0;
  bool is_nested = false;
};

struct SchemaField {
  std::string name;
  std::int64_t type = -1, repetition = 0, children = 0;
};

struct Contents {
  std::vector<SchemaField> fields;  ///< the first is the table itself
  std::int64_t rows = 0;
  std::vector<std::vector<Chunk>> groups;
};

struct PageHeader {
  std::int64_t type = -1, bytes = -1, packed_bytes = -1, values = 0, encoding = -1;
};

Chunk read_chunk(Thrift& thrift) {
  Chunk chunk;
  thrift.read_struct([&](std::int64_t id, Thrift::Type type) {
    if (id != 3 || type != Thrift::kStruct) return false;  // meta_data
    thrift.read_struct([&](std::int64_t member, Thrift::Type) {
      switch (member) {
        case 1: chunk.type = thrift.take_integer(); return true;
        case 3: {
          int parts = 0;
          thrift.read_list([&](Thrift::Type) { return chunk.name = thrift.take_binary(), ++parts > 0; });
          chunk.is_nested = parts != 1;
          return true;
        }
        case 4: chunk.codec = thrift.take_integer(); return true;
        case 5: chunk.values = thrift.take_integer(); return true;
        case 7: chunk.bytes = thrift.take_integer(); return true;
        case 9: chunk.offset = thrift.take_integer(); return true;
        case 11: chunk.dictionary_offset = thrift.take_integer(); return true;
        default: return false;
      }
    });
    return true;
  });
  return chunk;
}

Contents read_contents(Thrift& thrift) {
  Contents contents;
  thrift.read_struct([&](std::int64_t id, Thrift::Type type) {
    if (id == 2 && type == Thrift::kList) {
      thrift.read_list([&](Thrift::Type) {
        SchemaField& field = contents.fields.emplace_back();
        thrift.read_struct([&](std::int64_t member, Thrift::Type) {
          switch (member) {
            case 1: field.type = thrift.take_integer(); return true;
            case 3: field.repetition = thrift.take_integer(); return true;
            case 4: field.name = thrift.take_binary(); return true;
            case 5: field.children = thrift.take_integer(); return true;
            default: return false;
          }
        });
        return true;
      });
      return true;
    }
    if (id == 3) return contents.rows = thrift.take_integer(), true;
    if (id != 4 || type != Thrift::kList) return false;
    thrift.read_list([&](Thrift::Type) {
      std::vector<Chunk>& group = contents.groups.emplace_back();
      thrift.read_struct([&](std::int64_t member, Thrift::Type) {
        if (member != 1) return false;
        thrift.read_list([&](Thrift::Type) { return group.push_back(read_chunk(thrift)), true; });
        return true;
      });
      return true;
    });
    return true;
  });
  return contents;
}

PageHeader read_page_header(Thrift& thrift) {
  PageHeader header;
  thrift.read_struct([&](std::int64_t id, Thrift::Type type) {
    switch (id) {
      case 1: header.type = thrift.take_integer(); return true;
      case 2: header.bytes = thrift.take_integer(); return true;
      case 3: header.packed_bytes = thrift.take_integer(); return true;
      case 5:
      case 7:  // of a data page, of a dictionary page: both begin with the same two
        if (type != Thrift::kStruct) return false;
        thrift.read_struct([&](std::int64_t member, Thrift::Type) {
          if (member == 1) return header.values = thrift.take_integer(), true;
          if (member == 2) return header.encoding = thrift.take_integer(), true;
          return false;
        });
        return true;
      default: return false;
    }
  });
  return header;
}

/// Numbers of few bits, in runs of one value or packed: levels and places in dictionaries. False: damaged.
bool read_hybrid(std::string_view bytes, unsigned width, std::size_t count, std::vector<std::uint32_t>& out) {
  out.clear();
  if (width > 32) return false;
  const std::size_t width_bytes = (width + 7) / 8;
  while (out.size() < count) {
    std::uint64_t head = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (bytes.empty() || shift > 28) return false;
      const auto byte = static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      head |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    if ((head & 1) == 0) {
      if (bytes.size() < width_bytes || head == 0) return false;
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < width_bytes; ++i)
        value |= std::uint32_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
      bytes.remove_prefix(width_bytes);
      out.insert(out.end(), std::min<std::uint64_t>(head >> 1, count - out.size()), value);
      continue;
    }
    const std::uint64_t packed = (head >> 1) * 8;  // values; their bytes are whole
    if (head >> 1 == 0 || bytes.size() < (head >> 1) * width) return false;
    const std::uint64_t taken = std::min<std::uint64_t>(packed, count - out.size());
    std::uint64_t bit = 0;
    for (std::uint64_t i = 0; i < taken; ++i, bit += width) {
      std::uint64_t value = 0;
      for (unsigned b = 0; b < width; ++b) {
        const std::uint64_t at = bit + b;
        value |= std::uint64_t{(static_cast<std::uint8_t>(bytes[at / 8]) >> (at % 8)) & 1U} << b;
      }
      out.push_back(static_cast<std::uint32_t>(value));
    }
    bytes.remove_prefix((head >> 1) * width);
  }
  return true;
}

/// One column of one row group into a column of the table.
class ChunkReader {
 public:
  ChunkReader(std::string_view file, const Chunk& chunk, bool is_optional, ParquetColumn& column)
      : file_(file), chunk_(chunk), is_optional_(is_optional), column_(column) {}

  /// Empty, or what is wrong.
  std::string read() {
    if (chunk_.codec != kBare && chunk_.codec != kSnappy) return "is packed otherwise than by snappy";
    const bool is_known = chunk_.type == kInt32 || chunk_.type == kInt64 || chunk_.type == kFloat ||
                          chunk_.type == kDouble || chunk_.type == kByteArray;
    if (!is_known) return "is of a type that is not read";
    std::int64_t at = chunk_.offset;
    // Writers that knew no dictionary left this 0.
    if (chunk_.dictionary_offset > 0) at = std::min(at, chunk_.dictionary_offset);
    std::int64_t left = chunk_.values;
    while (left > 0) {
      if (at < 0 || static_cast<std::uint64_t>(at) >= file_.size()) return "ends before its pages do";
      Thrift thrift(file_.substr(static_cast<std::size_t>(at)));
      const PageHeader header = read_page_header(thrift);
      if (!thrift.is_good() || header.packed_bytes < 0 || header.bytes < 0) return "has a damaged page";
      const std::size_t begin = static_cast<std::size_t>(at) + thrift.used();
      if (static_cast<std::uint64_t>(header.packed_bytes) > file_.size() - begin) return "ends before its pages do";
      const std::string_view packed = file_.substr(begin, static_cast<std::size_t>(header.packed_bytes));
      at = static_cast<std::int64_t>(begin + packed.size());
      if (const std::string wrong = unpack(packed, header); !wrong.empty()) return wrong;
      if (header.type == kDictionaryPage) {
        if (!read_plain(page_, static_cast<std::size_t>(std::max<std::int64_t>(0, header.values)), dictionary_))
          return "has a damaged dictionary";
        continue;
      }
      if (header.type != kDataPage) return "has pages that are not of version 1";
      if (header.values <= 0 || header.values > left) return "has a damaged page";
      if (const std::string wrong = read_data(header); !wrong.empty()) return wrong;
      left -= header.values;
    }
    return {};
  }

 private:
  struct Values {
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::vector<std::uint32_t> texts;  // numbers of the column's texts
    [[nodiscard]] std::size_t size() const { return std::max({integers.size(), reals.size(), texts.size()}); }
  };

  std::string unpack(std::string_view packed, const PageHeader& header) {
    if (chunk_.codec == kBare) {
      page_ = packed;
      return {};
    }
    std::size_t size = 0;
    if (!snappy::GetUncompressedLength(packed.data(), packed.size(), &size) || size > kMostPageBytes ||
        size != static_cast<std::uint64_t>(header.bytes))
      return "has a damaged page";
    unpacked_.resize(size);
    if (!snappy::RawUncompress(packed.data(), packed.size(), unpacked_.data())) return "has a damaged page";
    page_ = unpacked_;
    return {};
  }

  template <typename T>
  static T load(std::string_view bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
  }

  std::uint32_t text_number(std::string_view text) {
    const auto [at, is_new] = text_numbers_.try_emplace(std::string(text), 0);
    if (is_new) {
      // Row groups have dictionaries of their own.
      const auto known = std::find(column_.texts.begin(), column_.texts.end(), text);
      at->second = static_cast<std::uint32_t>(known - column_.texts.begin());
      if (known == column_.texts.end()) column_.texts.emplace_back(text);
    }
    return at->second;
  }

  bool read_plain(std::string_view bytes, std::size_t count, Values& out) {
    out = {};
    const std::size_t width = chunk_.type == kInt32 || chunk_.type == kFloat ? 4 : 8;
    if (chunk_.type != kByteArray && bytes.size() / width < count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      switch (chunk_.type) {
        case kInt32: out.integers.push_back(load<std::int32_t>(bytes, 4 * i)); break;
        case kInt64: out.integers.push_back(load<std::int64_t>(bytes, 8 * i)); break;
        case kFloat: out.reals.push_back(load<float>(bytes, 4 * i)); break;
        case kDouble: out.reals.push_back(load<double>(bytes, 8 * i)); break;
        default: {
          if (bytes.size() < 4) return false;
          const auto length = load<std::uint32_t>(bytes, 0);
          bytes.remove_prefix(4);
          if (length > bytes.size()) return false;
          out.texts.push_back(text_number(bytes.substr(0, length)));
          bytes.remove_prefix(length);
        }
      }
    }
    return true;
  }

  std::string read_data(const PageHeader& header) {
    const auto rows = static_cast<std::size_t>(header.values);
    std::size_t present = rows;
    if (is_optional_) {
      if (page_.size() < 4) return "has a damaged page";
      const auto length = load<std::uint32_t>(page_, 0);
      page_.remove_prefix(4);
      if (length > page_.size() || !read_hybrid(page_.substr(0, length), 1, rows, levels_)) return "has a damaged page";
      page_.remove_prefix(length);
      present = static_cast<std::size_t>(std::count(levels_.begin(), levels_.end(), 1U));
    }
    const bool by_dictionary = header.encoding == kPlainDictionary || header.encoding == kRleDictionary;
    if (by_dictionary) {
      if (page_.empty()) return "has a damaged page";
      const auto width = static_cast<std::uint8_t>(page_.front());
      if (present > 0 && !read_hybrid(page_.substr(1), width, present, places_)) return "has a damaged page";
      if (present == 0) places_.clear();
      const std::size_t entries = dictionary_.size();
      if (std::any_of(places_.begin(), places_.end(), [&](std::uint32_t place) { return place >= entries; }))
        return "has a damaged page";
    } else if (header.encoding != kPlain) {
      return "is encoded in a way that is not read";
    } else if (!read_plain(page_, present, values_)) {
      return "has a damaged page";
    }
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_null = is_optional_ && levels_[row] == 0;
      append(by_dictionary ? dictionary_ : values_, is_null, is_null ? 0 : by_dictionary ? places_[next] : next);
      if (!is_null) ++next;
    }
    return {};
  }

  void append(const Values& from, bool is_null, std::size_t at) {
    column_.is_null.push_back(is_null ? 1 : 0);
    switch (chunk_.type) {
      case kInt32:
      case kInt64: column_.integers.push_back(is_null ? 0 : from.integers[at]); break;
      case kFloat:
      case kDouble: column_.reals.push_back(is_null ? 0 : from.reals[at]); break;
      default: column_.text_of.push_back(is_null ? 0 : from.texts[at]);
    }
  }

  std::string_view file_;
  const Chunk& chunk_;
  bool is_optional_;
  ParquetColumn& column_;
  std::string_view page_;
  std::string unpacked_;
  Values dictionary_, values_;
  std::vector<std::uint32_t> levels_, places_;
  std::unordered_map<std::string, std::uint32_t> text_numbers_;
};

}  // namespace

bool is_parquet(std::string_view head) { return head.starts_with(kMagic); }

Result<ParquetTable> read_parquet(std::string_view bytes, const std::string& path) {
  static_assert(std::endian::native == std::endian::little, "values are copied as they lie");
  if (!is_parquet(bytes) || bytes.size() < kMagic.size() + kTailBytes || !bytes.ends_with(kMagic))
    return Error{"the Parquet file is cut short", path, bytes.size(), "its table of contents stands at its end"};
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + bytes.size() - kTailBytes, sizeof(length));
  if (length > bytes.size() - kTailBytes - kMagic.size())
    return Error{"the table of contents is longer than the file", path, bytes.size() - kTailBytes};
  const std::size_t begin = bytes.size() - kTailBytes - length;
  Thrift thrift(bytes.substr(begin, length));
  const Contents contents = read_contents(thrift);
  if (!thrift.is_good() || contents.fields.empty() || contents.rows < 0 || contents.rows > kMostRows)
    return Error{"the table of contents is damaged", path, begin};
  ParquetTable table;
  for (std::size_t f = 1; f < contents.fields.size(); ++f) {
    const SchemaField& field = contents.fields[f];
    if (field.children != 0 || field.repetition > 1)
      return Error{"column '" + field.name + "' is nested", path, begin, "flat tables alone are read"};
    ParquetColumn& column = table.columns.emplace_back();
    column.name = field.name;
    column.is_float = field.type == kFloat;
  }
  for (const std::vector<Chunk>& group : contents.groups) {
    for (const Chunk& chunk : group) {
      const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                   [&](const ParquetColumn& column) { return column.name == chunk.name; });
      if (chunk.is_nested || at == table.columns.end())
        return Error{"the table of contents names a column that is none: '" + chunk.name + "'", path, begin};
      const bool is_optional =
          contents.fields[static_cast<std::size_t>(at - table.columns.begin()) + 1].repetition == 1;
      const std::string wrong = ChunkReader(bytes, chunk, is_optional, *at).read();
      if (!wrong.empty())
        return Error{"column '" + chunk.name + "' " + wrong, path,
                     static_cast<std::uint64_t>(std::max<std::int64_t>(0, chunk.offset))};
    }
  }
  table.rows = static_cast<std::size_t>(contents.rows);
  for (ParquetColumn& column : table.columns) {
    if (column.is_null.size() != table.rows)
      return Error{"column '" + column.name + "' has not as many values as the table has rows", path, begin};
    if (std::find(column.is_null.begin(), column.is_null.end(), 1) == column.is_null.end()) column.is_null.clear();
  }
  return table;
}

}  // namespace orrery::training_operations
