#include "trace/read_rank.h"

#include "base/io/section_file.h"
#include "base/packed.h"
#include "trace/columns.h"
#include "trace/rank_file.h"

namespace orrery::trace {
namespace {

constexpr std::string_view kReadRankFormat = "readrank";
// Both sides are one program in one run: only the same version is ever read.
constexpr std::uint32_t kReadRankVersion = 3;

/// The tag of the n-th section of a kind: two letters of the number in base 64 are enough for any format's arguments.
SectionTag counted_tag(char first, char second, std::size_t number) {
  const char text[5] = {first, second, static_cast<char>('0' + number / 64), static_cast<char>('0' + number % 64), 0};
  return SectionTag(text);
}

// What a rank file leaves out, since no analysis of a rank alone needs it.
std::string pack_rest(const ReadRank& read) {
  PackedWriter writer;
  const std::vector<Device>& devices = read.rank.source.devices;
  writer.number(devices.size());
  for (const Device& device : devices)
    writer.integer(device.id).text(device.name).number(device.memory_bytes).integer(device.multiprocessors);
  const std::vector<NamedArgument>& named = read.rank.arguments.named();
  writer.number(named.size());
  for (const NamedArgument& argument : named)
    writer.text(argument.name).number(static_cast<std::uint64_t>(argument.type));
  writer.number(read.rank.source.communicates ? 1 : 0).number(read.rank.source.relative_times ? 1 : 0);
  read.diagnostics.pack(writer);
  return writer.take();
}

template <typename T>
Status copy_section(const SectionFile& file, SectionTag tag, Column<T>& out) {
  const auto values = file.get<T>(tag);
  if (!values) return values.error();
  out.append(*values);
  return {};
}

}  // namespace

std::string to_bytes(const ReadRank& read) {
  SectionWriter writer(kReadRankFormat, kReadRankVersion);
  add_rank_sections(writer, read.rank, read.strings);
  const std::string rest = pack_rest(read);
  writer.add("rest", rest);
  std::size_t c = 0;
  for_each_flow_column(
      [&](const auto& column) { writer.add(counted_tag('f', 'l', c++), read.rank.flows.*column.values); });
  c = 0;
  for_each_counter_column(
      [&](const auto& column) { writer.add(counted_tag('c', 'o', c++), read.rank.counters.*column.values); });
  const std::vector<NamedArgument>& named = read.rank.arguments.named();
  for (std::size_t i = 0; i < named.size(); ++i) {
    writer.add(counted_tag('n', 'e', i), named[i].values.event);
    writer.add(counted_tag('n', 'v', i), named[i].values.value);
  }
  return writer.to_bytes();
}

Result<ReadRank> read_rank_from_bytes(std::string_view bytes, const std::string& name) {
  const Result<SectionFile> file = SectionFile::from_bytes(bytes, name, kReadRankFormat, kReadRankVersion);
  if (!file) return file.error();
  ReadRank read;
  Result<RankTrace> rank = read_rank_sections(*file, read.strings);
  if (!rank) return rank.error();
  read.rank = std::move(*rank);
  Status status;
  std::size_t c = 0;
  for_each_flow_column([&](const auto& column) {
    const Status copied = copy_section(*file, counted_tag('f', 'l', c++), read.rank.flows.*column.values);
    // The first problem is the one to tell.
    if (!copied && status) status = copied;
  });
  c = 0;
  for_each_counter_column([&](const auto& column) {
    const Status copied = copy_section(*file, counted_tag('c', 'o', c++), read.rank.counters.*column.values);
    if (!copied && status) status = copied;
  });
  if (!status) return status.error();
  const auto rest = file->get<char>("rest");
  if (!rest) return rest.error();
  PackedReader reader(std::string_view(rest->data(), rest->size()));
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    Device& device = read.rank.source.devices.emplace_back();
    device.id = reader.integer();
    device.name = reader.text();
    device.memory_bytes = reader.number();
    device.multiprocessors = reader.integer();
  }
  const std::uint64_t named = reader.number();
  for (std::uint64_t i = 0; i < named && reader.ok(); ++i) {
    const std::string_view argument = reader.text();
    // One bit: numbers and texts are all the types there are.
    SparseColumn& column = read.rank.arguments.named(argument, static_cast<ValueType>(reader.number() & 1));
    if (const Status copied = copy_section(*file, counted_tag('n', 'e', i), column.event); !copied)
      return copied.error();
    if (const Status copied = copy_section(*file, counted_tag('n', 'v', i), column.value); !copied)
      return copied.error();
  }
  read.rank.source.communicates = reader.number() != 0;
  read.rank.source.relative_times = reader.number() != 0;
  read.diagnostics = Diagnostics::unpack(reader);
  if (!reader.ok()) return Error{"the rank is not complete", name};
  return read;
}

}  // namespace orrery::trace
