// What an aligned file says about its alignment: the member "orreryAlignment" at the end of the document.
// docs/formats/kineto.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/clock.h"

namespace orrery::kineto {

inline constexpr std::string_view kAlignmentMember = "orreryAlignment";

/// ts and dur of an event as a file spells them.
struct SpelledTimes {
  std::string_view ts;
  std::string_view dur;  ///< empty: the event has none

  friend bool operator==(const SpelledTimes&, const SpelledTimes&) = default;
};

/// Events whose old spelling does not follow from the clock, in file order. 24 bytes each, and their texts.
class RememberedTimes {
 public:
  struct Entry {
    std::uint64_t event = 0;  ///< its place among the objects of the event list, from 0
    SpelledTimes original;    ///< views into the list: good until the next add()
  };

  void add(std::uint64_t event, const SpelledTimes& original);
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] Entry operator[](std::size_t i) const;

 private:
  struct Place {
    std::uint64_t event;
    std::size_t text;  // where its ts begins; its dur follows, up to the next entry's ts
    std::size_t ts_length;
  };
  std::vector<Place> places_;
  std::string texts_;
};

struct AlignmentMember {
  std::int64_t base_unix_ns = 0;   ///< what the file's ts count from
  std::int64_t epoch_unix_ns = 0;  ///< what the clock's readings count from
  trace::Clock clock = trace::Clock::identity();
  bool has_own_comma = true;         ///< the comma before the member was not in the original
  std::uint64_t original_bytes = 0;  ///< size and hash of the original up to the place of the member
  std::uint64_t original_xxh3 = 0;
  RememberedTimes remembered;
  std::string note;  ///< how the clock was found
};

/// The member with its key and, if it is its own, the comma before it: to be put before the brace that closes the
/// document.
std::string encode(const AlignmentMember& member);
/// How many bytes of that come before the value.
std::size_t bytes_before_value(const AlignmentMember& member);

/// `json` is the value of the member. What it says is checked: a decoded member is safe to use whatever the text was.
Result<AlignmentMember> decode(std::string_view json, const std::string& path);

}  // namespace orrery::kineto
