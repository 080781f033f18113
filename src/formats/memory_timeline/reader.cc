#include "formats/memory_timeline/reader.h"

#include <algorithm>
#include <array>

#include "base/io/file_content.h"
#include "base/json/json_members.h"
#include "base/numbers.h"

namespace orrery::memory_timeline {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

// [time, action, bytes, category]
bool take_entry(std::string_view entry, Change& change) {
  std::size_t count = 0;
  std::int64_t category = -1;
  bool is_good = true;
  const bool is_list = for_each_entry(entry, [&](std::string_view value) {
    std::int64_t ignored = 0;
    std::int64_t* const into[] = {&change.time_ns, &ignored, &change.bytes, &category};
    is_good = is_good && count < 4 && (count == 1 || parse_number(value, *into[count]));
    ++count;
  });
  change.category = static_cast<std::uint8_t>(category);
  return is_list && is_good && count == 4 && category >= 0 && category < static_cast<std::int64_t>(kCategories);
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Two entries, the second a list of lists: [times, bytes by category].
bool is_by_moment(const std::vector<std::string_view>& entries) {
  return entries.size() == 2 && looks_like_timeline(entries[1]);
}

/// Null, or the entry that makes no sense.
const char* take_moments(std::string_view times, std::string_view rows, std::vector<Change>& changes) {
  constexpr std::int64_t kNsPerUs = 1000;
  const std::vector<std::string_view> moments = list_entries(times);
  std::array<std::int64_t, kCategories> before{};
  std::size_t row = 0;
  const char* bad = nullptr;
  for_each_entry(rows, [&](std::string_view entry) {
    if (bad != nullptr) return;
    const std::vector<std::string_view> bytes = list_entries(entry);
    std::int64_t time_us = 0, time_ns = 0;
    const bool has_time = row < moments.size() && parse_number(without_blanks(moments[row]), time_us) &&
                          !__builtin_mul_overflow(time_us, kNsPerUs, &time_ns);
    ++row;
    if (!has_time || bytes.size() != kCategories + 1) {
      bad = entry.data();
      return;
    }
    // Levels become changes, of which a list of changes consists anyhow.
    for (std::size_t category = 0; category < kCategories; ++category) {
      std::int64_t now = 0, change = 0;
      if (!parse_number(without_blanks(bytes[category + 1]), now) ||
          __builtin_sub_overflow(now, before[category], &change)) {
        bad = entry.data();
        return;
      }
      if (change != 0) changes.push_back({time_ns, change, static_cast<std::uint8_t>(category)});
      before[category] = now;
    }
  });
  // As many moments as rows, or one of the lists is cut.
  return bad != nullptr || row == moments.size() ? bad : times.data();
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
  const std::string_view text = without_blanks(content->bytes());
  std::vector<Change> changes;
  const char* bad = nullptr;
  bool is_list = text.starts_with('[');
  if (const std::vector<std::string_view> entries = list_entries(text); is_by_moment(entries)) {
    bad = take_moments(entries[0], entries[1], changes);
    if (bad != nullptr)
      return Error{"there is not a time, a 0 and the bytes of eight categories for each moment", path,
                   content->offset_of(bad), "is this a memory timeline of PyTorch's profiler?"};
  } else {
    is_list = for_each_entry(text, [&](std::string_view entry) {
      Change change{};
      if (take_entry(entry, change)) changes.push_back(change);
      else if (bad == nullptr) bad = entry.data();
    });
  }
  if (bad != nullptr)
    return Error{"an entry is not [time, action, bytes, category] with a category from 0 to 7", path,
                 content->offset_of(bad), "is this a raw memory timeline of PyTorch's profiler?"};
  if (!is_list)
    return Error{"the list of changes is damaged or cut short", path, Error::kNoOffset,
                 "is this a raw memory timeline of PyTorch's profiler?"};
  if (changes.empty()) return Error{"the memory timeline is empty", path};
  return changes;
}

}  // namespace orrery::memory_timeline
