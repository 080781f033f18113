#include "formats/ampip/record.h"

#include "base/json/json_scan.h"
#include "base/numbers.h"
#include "trace/trace.h"

namespace orrery::ampip {
namespace {

/// Takes a line apart from left to right. A step that fails leaves the place where it failed.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  bool skip(std::string_view text) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  template <typename Number>
  bool number(Number& out, int base = 10) {
    std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const bool found = take_number(rest, out, base);
    at_ = rest.data();
    return found;
  }
  /// Microseconds. A number that does not fit is one all the same: the first of a trace may count from 1970.
  bool microseconds(Record& out) {
    Decimal us;
    // parse_decimal wants to see what follows the number.
    const char* const after = parse_decimal(at_, end_, us);
    if (after == nullptr) return false;
    at_ = after;
    constexpr std::int64_t kMostUs = trace::kMaxMomentPs / kPsPerUs;
    out.delta_is_usable = us.in_range && us.whole <= kMostUs && us.whole >= -kMostUs;
    if (out.delta_is_usable) out.delta_ps = us.whole * kPsPerUs + us.fraction_e12 / (kPsPerSecond / kPsPerUs);
    return true;
  }
  /// Up to `end` or the end of the line.
  std::string_view word(char stop) {
    const char* const begin = at_;
    while (at_ < end_ && *at_ != stop) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  void blanks() {
    while (at_ < end_ && *at_ == ' ') ++at_;
  }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] const char* at() const { return at_; }

 private:
  const char* at_;
  const char* end_;
};

/// "0>1<1 1>2<2": members with what goes to them and comes from them.
bool parse_members(Cursor& cursor, Record& out) {
  for (cursor.blanks(); !cursor.at_end(); cursor.blanks()) {
    std::int64_t rank = 0, count = 0;
    if (!cursor.number(rank) || rank < 0) return false;
    out.members.push_back(rank);
    if (cursor.skip(">")) {
      if (!cursor.number(count) || count < 0) return false;
      out.send_counts.push_back(count);
    }
    if (cursor.skip("<")) {
      if (!cursor.number(count) || count < 0) return false;
      out.receive_counts.push_back(count);
    }
    if (!cursor.at_end() && !cursor.skip(" ")) return false;
  }
  // A list of some members only is no list of counts.
  const auto fits = [&](const std::vector<std::int64_t>& counts) {
    return counts.empty() || counts.size() == out.members.size();
  };
  return !out.members.empty() && fits(out.send_counts) && fits(out.receive_counts);
}

bool parse_collective(Cursor& cursor, Record& out) {
  out.partner = Partner::communicator;
  // Open MPI's handles are pointers, which printf's %p writes with 0x, and (nil) for none.
  if (!cursor.skip("(nil)") && !(cursor.skip("0x") && cursor.number(out.handle, 16))) return false;
  return cursor.skip(" ") && cursor.number(out.bytes) && out.bytes >= 0 && cursor.skip(" to") &&
         parse_members(cursor, out);
}

bool parse_message(Cursor& cursor, Record& out) {
  out.partner = Partner::rank;
  if (!cursor.number(out.bytes) || out.bytes < 0 || !cursor.skip(" to ") || !cursor.number(out.place) ||
      !cursor.skip(":"))
    return false;
  if (!cursor.number(out.rank)) return false;
  cursor.blanks();
  return cursor.at_end();
}

void clear(Record& out) {
  std::vector<std::int64_t> members = std::move(out.members), sends = std::move(out.send_counts),
                            receives = std::move(out.receive_counts);
  members.clear(), sends.clear(), receives.clear();
  out = {};
  out.members = std::move(members), out.send_counts = std::move(sends), out.receive_counts = std::move(receives);
}

bool parse_suffix(Cursor& cursor, Record& out) {
  cursor.blanks();
  if (cursor.at_end()) return true;
  if (cursor.skip("coll ")) return parse_collective(cursor, out);
  return cursor.skip("p2p ") && parse_message(cursor, out);
}

}  // namespace

const char* parse_text_record(std::string_view line, Record& out) {
  clear(out);
  Cursor cursor(line);
  const bool begins = cursor.skip(kTextStart) && cursor.number(out.from) && cursor.skip(" -> ") &&
                      cursor.number(out.callsite) && cursor.skip(" ") && cursor.microseconds(out) && cursor.skip(" ");
  if (!begins) return cursor.at();
  const char* const name = cursor.at();
  out.function = cursor.word(' ');
  if (!out.function.starts_with("MPI_")) return name;
  return parse_suffix(cursor, out) ? nullptr : cursor.at();
}

const char* parse_csv_record(std::string_view line, Record& out) {
  clear(out);
  Cursor cursor(line);
  if (!cursor.number(out.callsite) || !cursor.skip(",")) return cursor.at();
  const char* const name = cursor.at();
  out.function = cursor.word(',');
  if (!out.function.starts_with("MPI_")) return name;
  const bool follows = cursor.skip(",") && cursor.microseconds(out) && cursor.skip(",") && cursor.number(out.bytes) &&
                       cursor.skip(",") && cursor.number(out.place) && cursor.skip(",") && cursor.number(out.rank) &&
                       cursor.skip(",");
  if (!follows) return cursor.at();
  out.region = cursor.word('\n');
  // -1, -1: it goes to nobody, and then 0 bytes say nothing either.
  if (out.rank >= 0) out.partner = Partner::rank;
  else if (out.bytes == 0) out.bytes = -1;
  return nullptr;
}

}  // namespace orrery::ampip
