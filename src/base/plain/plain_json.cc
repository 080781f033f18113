#include "base/plain/plain_json.h"

#include <unordered_map>
#include <vector>

#include "base/json/json_unescape.h"
#include "base/json/json_walk.h"
#include "base/numbers.h"

namespace orrery {
namespace {

using Type = PlainValues::Type;

class PlainJson {
 public:
  PlainJson(std::string_view text, const std::string& path)
      : begin_(text.data()), walk_(text.data() + text.size()), path_(path) {}

  Result<PlainValues> read() {
    const char* p = walk_.skip_space(begin_);
    const char* const after = value(p);
    if (after == nullptr) return Error{walk_.fault(), path_, static_cast<std::uint64_t>(walk_.fault_at() - begin_)};
    const char* const rest = walk_.skip_space(after);
    if (rest < walk_.end())
      return Error{"text after the end of the document", path_, static_cast<std::uint64_t>(rest - begin_)};
    values_.set_root(pending_.back());
    return std::move(values_);
  }

 private:
  /// Puts the value at `p` behind those that wait for their container; the position after it, or nullptr.
  const char* value(const char* p) {
    switch (walk_.at(p)) {
      case '{': return container(p, Type::dict);
      case '[': return container(p, Type::list);
      case '"': {
        const StringEnd end = find_string_end(p + 1, walk_.end());
        if (end.quote == nullptr) return walk_.fail(walk_.end(), "");
        const std::string_view written(p + 1, static_cast<std::size_t>(end.quote - p - 1));
        pending_.push_back(end.escaped ? values_.add_own_text(unescape_json(written)) : values_.add_text(written));
        return end.quote + 1;
      }
      default: return scalar(p);
    }
  }

  const char* scalar(const char* p) {
    const char* const after = walk_.skip_value(p);
    if (after == nullptr) return nullptr;
    const std::string_view written(p, static_cast<std::size_t>(after - p));
    // What Python writes for a number that JSON cannot: not a number is not known.
    if (written == "null" || written == "NaN" || written == "Infinity") pending_.push_back(values_.add_none());
    else if (written == "true" || written == "false") pending_.push_back(values_.add_boolean(written == "true"));
    else if (const auto whole = parse_number<std::int64_t>(written)) pending_.push_back(values_.add_integer(*whole));
    else if (const auto number = parse_finite(written)) pending_.push_back(values_.add_real(*number));
    else return walk_.fail(p, "expected a value");
    return after;
  }

  const char* container(const char* p, Type type) {
    if (++depth_ > PlainValues::kMaxNesting) return walk_.fail(p, "nested deeper than 256 levels");
    const std::size_t first = pending_.size();
    const char* const after = type == Type::list
                                  ? walk_.each_element(p, [&](const char* element) { return value(element); })
                                  : walk_.each_member(p, [&](std::string_view key, const char* member) {
                                      pending_.push_back(key_called(key));
                                      return value(member);
                                    });
    --depth_;
    if (after == nullptr) return nullptr;
    const PlainId made = values_.add_container(type, std::span(pending_).subspan(first));
    pending_.resize(first);
    pending_.push_back(made);
    return after;
  }

  /// Records repeat their keys: each is one value, whatever it says.
  PlainId key_called(std::string_view written) {
    const auto [at, is_new] = keys_.try_emplace(written, PlainValues::kMissing);
    if (!is_new) return at->second;
    const bool is_escaped = written.find('\\') != std::string_view::npos;
    return at->second = is_escaped ? values_.add_own_text(unescape_json(written)) : values_.add_text(written);
  }

  const char* begin_;
  JsonWalk walk_;
  const std::string& path_;
  PlainValues values_;
  std::vector<PlainId> pending_;  // of containers that are not closed yet
  std::unordered_map<std::string_view, PlainId> keys_;
  std::uint32_t depth_ = 0;
};

}  // namespace

Result<PlainValues> read_plain_json(std::string_view text, const std::string& path) {
  return PlainJson(text, path).read();
}

}  // namespace orrery
