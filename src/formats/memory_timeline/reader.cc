#include "formats/memory_timeline/reader.h"

#include <charconv>

#include "base/file_content.h"
#include "base/json_members.h"

namespace orrery::memory_timeline {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

bool take_integer(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// [time, action, bytes, category]
bool take_entry(std::string_view entry, Change& change) {
  std::size_t count = 0;
  std::int64_t category = -1;
  bool is_good = true;
  const bool is_list = for_each_entry(entry, [&](std::string_view value) {
    std::int64_t ignored = 0;
    std::int64_t* const into[] = {&change.time_ns, &ignored, &change.bytes, &category};
    is_good = is_good && count < 4 && (count == 1 || take_integer(value, *into[count]));
    ++count;
  });
  change.category = static_cast<std::uint8_t>(category);
  return is_list && is_good && count == 4 && category >= 0 && category < static_cast<std::int64_t>(kCategories);
}

}  // namespace

bool looks_like_timeline(std::string_view head) {
  for (int brackets = 0; brackets < 2; ++brackets) {
    head.remove_prefix(std::min(head.find_first_not_of(kBlanks), head.size()));
    if (!head.starts_with('[')) return false;
    head.remove_prefix(1);
  }
  return true;
}

Result<std::vector<Change>> read_timeline(const std::string& path) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  std::string_view text = content->bytes();
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  std::vector<Change> changes;
  const char* bad = nullptr;
  const bool is_list = for_each_entry(text, [&](std::string_view entry) {
    Change change{};
    if (take_entry(entry, change)) changes.push_back(change);
    else if (bad == nullptr) bad = entry.data();
  });
  if (bad != nullptr)
    return Error{"an entry is not [time, action, bytes, category] with a category from 0 to 7", path, content->offset_of(bad),
                 "is this a raw memory timeline of PyTorch's profiler?"};
  if (!is_list)
    return Error{"the list of changes is damaged or cut short", path, Error::kNoOffset,
                 "is this a raw memory timeline of PyTorch's profiler?"};
  if (changes.empty()) return Error{"the memory timeline is empty", path};
  return changes;
}

}  // namespace orrery::memory_timeline
