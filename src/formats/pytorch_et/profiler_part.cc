#include "formats/pytorch_et/profiler_part.h"

#include <algorithm>
#include <array>

#include "base/json/json_document.h"
#include "base/json/json_walk.h"

namespace orrery::pytorch_et {
namespace {

constexpr std::string_view kEvents = "traceEvents";
constexpr std::size_t kCopiedBytes = 1u << 20;

class PartCopier {
 public:
  PartCopier(std::string path, std::span<const std::string> taken, const std::function<void(std::string_view)>& write)
      : path_(std::move(path)), taken_(taken), write_(write) {}

  static bool is_record_list(std::string_view key) { return key == kEvents; }

  Status on_list(std::string_view /*key*/, std::uint64_t /*offset*/) {
    // A second list goes on with the first, as readers of profiler traces have it.
    if (!has_list_) text_ += ",\n\"traceEvents\": [";
    has_list_ = true;
    return {};
  }
  static Status on_list_end() { return {}; }  // closed at the end of the walk, or of what is left of a damaged file

  Result<const char*> take_record(const char* p, const Window& window) {
    const WholeValue whole = whole_value(p, window);
    if (whole.after == nullptr)
      return whole.fault == JsonFault::ends ? Result<const char*>(nullptr)
                                            : Result<const char*>(fault(whole.fault, window.offset));
    // Copied as it stands: nothing of an event is read here.
    (text_ += has_records_ ? ",\n" : "\n").append(p, whole.after);
    has_records_ = true;
    if (text_.size() >= kCopiedBytes) flush();
    return whole.after;
  }

  Status on_member(const JsonMember& member, std::uint64_t /*offset*/) {
    // Members that the host trace has itself are not written twice.
    if (std::find(taken_.begin(), taken_.end(), member.key) == taken_.end())
      ((others_ += ",\n\"").append(member.key) += "\": ").append(member.value);
    return {};
  }

  [[nodiscard]] Error fault(JsonFault fault, std::uint64_t offset) const {
    return {std::string(to_string(fault)), path_, offset};
  }

  void finish() {
    if (has_list_) text_ += "\n]";
    // Behind the list, since a list of gigabytes is written while it is read and cannot wait for them.
    text_ += others_;
    flush();
  }

 private:
  void flush() {
    write_(text_);
    text_.clear();
  }

  std::string path_;
  std::span<const std::string> taken_;
  const std::function<void(std::string_view)>& write_;
  std::string text_;
  std::string others_;  // all other members, behind the list: they are short
  bool has_list_ = false, has_records_ = false;
};

}  // namespace

bool is_of_profiler(std::string_view key) {
  constexpr std::array<std::string_view, 5> kKeys = {kEvents, "distributedInfo", "deviceProperties",
                                                     "baseTimeNanoseconds", "schemaVersion"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool has_profiler_part(const trace::HostTrace& linked) {
  // Where the last row ends the list of rows ends too, nearly; looking from there saves reading everything again.
  std::uint64_t last_end = 0;
  for (const trace::TextRange& row : linked.object) last_end = std::max(last_end, row.begin + row.size);
  JsonWalk walk(linked.content.data() + linked.content.size());
  const char* p = walk.skip_space(linked.content.data() + last_end);
  // Rows that could not be used may follow the last one that could.
  while (p != nullptr && walk.at(p) == ',') {
    p = walk.skip_value(walk.skip_space(p + 1));
    if (p != nullptr) p = walk.skip_space(p);
  }
  if (p == nullptr || walk.at(p) != ']') return false;
  p = walk.skip_space(p + 1);
  bool found = false;
  // The comma behind the list stands where the brace of an object with the members that follow would.
  if (walk.at(p) == ',')
    walk.each_member(p, [&](std::string_view key, const char* value) {
      found = found || (key == kEvents && *value == '[');
      return walk.skip_value(value);
    });
  return found;
}

Status copy_profiler_part(const std::string& path, std::span<const std::string> taken,
                          const std::function<void(std::string_view)>& write) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  PartCopier copier(path, taken, write);
  // The trace was read before: what is wrong with it now was so then, and was passed over on request.
  static_cast<void>(walk_json_document(*file, copier, {}));
  copier.finish();
  return {};
}

}  // namespace orrery::pytorch_et
