#include "formats/mpitrace/definitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/mpitrace/byte_reader.h"

namespace orrery::mpitrace {
namespace {

// What the members of all communicators of a file may take: half a gigabyte. Runs of members are short however many
// they stand for.
constexpr std::size_t kMostMembers = std::size_t{1} << 26;

template <typename T>
const T* numbered(const std::vector<T>& list, std::uint64_t number) {
  return number >= 1 && number <= list.size() ? &list[number - 1] : nullptr;
}

}  // namespace

bool Definitions::add(const Record& record) {
  switch (record.kind) {
    case tracer::RecordKind::text: return add_text(record.body);
    case tracer::RecordKind::site: {
      std::uint64_t number = 0;
      std::vector<SiteFrame> frames;
      if (!decode_site(record.body, number, frames) || number != sites_.size() + 1) return false;
      sites_.push_back(std::move(frames));
      return true;
    }
    case tracer::RecordKind::communicator: return add_communicator(record.body);
    case tracer::RecordKind::window: return add_window(record.body);
    default: return false;
  }
}

bool Definitions::add_text(std::string_view body) {
  ByteReader reader(body);
  const std::uint64_t number = reader.number();
  if (reader.failed() || number != texts_.size() + 1) return false;
  texts_.push_back(reader.rest());
  return true;
}

bool Definitions::add_communicator(std::string_view body) {
  CommunicatorRecord record;
  if (!decode_communicator(body, world_size_, record) || record.number != communicators_.size() + 1) return false;
  all_members_ += record.members.size() + record.remote.size();
  if (all_members_ > kMostMembers) return false;
  most_counts_ = std::max(
      {most_counts_, record.members.size(), record.remote.size(), record.sources.size(), record.destinations.size()});
  communicators_.push_back(std::move(record));
  return true;
}

bool Definitions::add_window(std::string_view body) {
  ByteReader reader(body);
  const std::uint64_t number = reader.number();
  const WindowRecord window{reader.number(), reader.number()};
  if (reader.failed() || number != windows_.size() + 1) return false;
  windows_.push_back(window);
  return true;
}

std::string_view Definitions::text(std::uint64_t number) const {
  const std::string_view* text = numbered(texts_, number);
  return text != nullptr ? *text : std::string_view();
}

const CommunicatorRecord* Definitions::communicator(std::uint64_t number) const {
  return numbered(communicators_, number);
}

const WindowRecord* Definitions::window(std::uint64_t number) const { return numbered(windows_, number); }

std::string Definitions::site_text(std::uint64_t number) const {
  const std::vector<SiteFrame>* frames = numbered(sites_, number);
  std::string text;
  if (frames == nullptr) return text;
  for (const SiteFrame& frame : *frames) {
    // Without its folder: nodes may have the same program in different places.
    const std::string_view module = this->text(frame.module);
    const std::string_view file = module.substr(module.rfind('/') + 1);
    text += fmt::format("{}{}+0x{:x}", text.empty() ? "" : " < ", file, frame.offset);
    if (frame.symbol != 0) text += fmt::format(" {}", this->text(frame.symbol));
  }
  return text;
}

}  // namespace orrery::mpitrace
