#include "scrub/files/json_rewriter.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "base/numbers.h"
#include "match/communication.h"
#include "scrub/words/public_operators.h"

// An object is listed into members, and each is written by its rule or left out. Members of nested objects lie on one
// stack, so that no memory is asked for per event. Some members depend on others of their record (a thread on its
// process, a duration on its start): these are noted before anything is written.

namespace orrery::scrub {
namespace {

bool is_quoted_number(std::string_view value) {
  // Longer than any number that a profiler writes: digits alone can spell a text.
  return is_json_string(value) && value.size() > 2 && value.size() < 32 && starts_number(value[1]) &&
         is_json_scalar(string_content(value));
}

// Numbers may be written as texts.
std::string_view unquoted(std::string_view value) { return is_quoted_number(value) ? string_content(value) : value; }

std::size_t decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  // Six decimals are picoseconds: more digits come from arithmetic, not from a clock.
  return point == std::string_view::npos ? 0 : std::min<std::size_t>(6, number.size() - point - 1);
}

// Duration per duration: how much longer it became.
double ratio_of(std::string_view after, std::string_view before) {
  double to = 0, from = 0;
  if (!parse_number(after, to) || !parse_number(before, from) || from <= 0) return 1;
  return to / from;
}

constexpr std::int64_t kFirstDeviceSortIndex =
    5'000'000;  // beyond every process number: Kineto orders devices from here

}  // namespace

std::uint64_t round_size(std::uint64_t value, int bits) {
  const int width = static_cast<int>(std::bit_width(value));
  if (bits <= 0 || width <= bits) return value;
  const int dropped = width - bits;
  // To the nearest number with so many significant bits: sizes keep their magnitude and lose their fingerprint.
  const std::uint64_t kept = value >> dropped;
  const bool up = (value >> (dropped - 1) & 1) != 0;
  // All ones in all bits would round to a number of 65.
  if (up && dropped + static_cast<int>(std::bit_width(kept + 1)) > 64) return kept << dropped;
  return (kept + (up ? 1 : 0)) << dropped;
}

JsonRewriter::JsonRewriter(const Settings& settings, const JobFacts& facts)
    : settings_(settings),
      facts_(facts),
      renamer_(settings.key, settings.keep_operators),
      warp_(settings.key, settings.jitter_ps) {}

bool JsonRewriter::rewrite_record(const ObjectRules& rules, std::string_view text, std::string& out) {
  members_.clear();
  if (!list_members(text, members_)) return false;
  note_record(rules);
  write_members(rules, 0, out);
  return true;
}

// What the treatment of one member has to know of the others.
void JsonRewriter::note_record(const ObjectRules& rules) {
  // Only records of host traces have attributes, only events have arguments: cheaper than a kind to carry along.
  if (rules.find("attrs") != nullptr) note_operator();
  if (rules.find("args") != nullptr) note_event();
  if (!warp_.is_identity()) note_jitter();
}

void JsonRewriter::note_operator() {
  begin_operator({});
  for (const auto& [key, value] : members_) {
    if (key == "name" && is_json_string(value)) begin_operator(string_content(value));
  }
}

void JsonRewriter::begin_operator(std::string_view name) {
  operator_ = Operator::ordinary;
  // Calls of communication keep what says whom with and how much.
  if (name.find("process_group:init") != std::string_view::npos) operator_ = Operator::process_groups;
  else if (name.find("record_param_comms") != std::string_view::npos || name.starts_with("c10d"))
    operator_ = Operator::communication;
  keeps_operands_ = settings_.keep_operators && (is_public_operator(name) || name == "record_param_comms");
}

void JsonRewriter::note_event() {
  lane_ = {};
  event_call_ = EventCall::other;
  for (const auto& [key, value] : members_) {
    if (key == "name" && is_json_string(value)) {
      const std::string_view name = string_content(value);
      if (match::is_call_of_communication(name)) event_call_ = EventCall::call;
      else if (match::is_host_communication(name)) event_call_ = EventCall::work;
    } else if (key == "pid") lane_.process = leading_number<std::int64_t>(unquoted(value)).value_or(lane_.process);
    else if (key == "tid") lane_.thread = leading_number<std::int64_t>(unquoted(value)).value_or(lane_.thread);
  }
  // Small numbers of processes are devices; what stands for a thread there is a stream, which stays.
  lane_.is_device = lane_.process >= 0 && facts_.processes.keeps(lane_.process);
}

void JsonRewriter::note_jitter() {
  std::string_view start, length;
  jittered_ = {};
  for (const auto& [key, value] : members_) {
    if (key == "ts") start = value;
    else if (key == "dur" || key == "inclusive_dur") length = value;
    else if (key == "Id") jittered_.record_id = leading_number<std::uint64_t>(value).value_or(jittered_.record_id);
  }
  // A node without a place in time: its duration is stretched by its id, see write_duration.
  if (start.empty()) return;
  std::tie(jittered_.start, jittered_.duration) =
      warp_decimal_us(start, length, facts_.shift_us, facts_.first_us, warp_);
  jittered_.duration_ratio = ratio_of(jittered_.duration, length);
  jittered_.is_set = true;
}

std::optional<std::int64_t> JsonRewriter::new_thread(std::int64_t thread) const {
  return lane_.is_device ? thread : facts_.threads.find(thread);
}

bool JsonRewriter::rewrite_object(const ObjectRules& rules, std::string_view text, std::string& out) {
  const std::size_t first = members_.size();
  const bool is_object = list_members(text, members_);
  if (is_object) write_members(rules, first, out);
  members_.resize(first);
  return is_object;
}

void JsonRewriter::write_members(const ObjectRules& rules, std::size_t first, std::string& out) {
  out += '{';
  bool comma = false;
  const std::size_t last = members_.size();
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t before = out.size();
    if (comma) out += ',';
    const JsonMember member = members_[i];  // a copy: the stack may move
    if (rewrite_member(rules, member, out)) comma = true;
    else out.resize(before);
  }
  out += '}';
}

bool JsonRewriter::rewrite_member(const ObjectRules& rules, const JsonMember& member, std::string& out) {
  const MemberRule* const rule = rules.find(member.key);
  if (rule == nullptr) {
    tally_.add_unknown(rules.place, member.key);
    return false;
  }
  ++tally_.of(rules, *rule).count;
  if (rule->treatment == Treatment::drop || (is_of_calls(*rule) && event_call_ == EventCall::other)) return false;
  const std::size_t before = out.size();
  ((out += '"') += rule->key) += "\":";
  if (write_value(*rule, member.value, out)) return true;
  out.resize(before);
  ++tally_.of(rules, *rule).unusable;
  return false;
}

bool JsonRewriter::write_container(Treatment treatment, const ObjectRules& inner, std::string_view value,
                                   std::string& out) {
  if (treatment == Treatment::objects) return write_objects(inner, value, out);
  if (treatment == Treatment::attributes) return write_attributes(inner, value, out);
  // Schema 1.0.1 of host traces has the values of an operator where later ones have an object with them.
  if (value.starts_with('[') && inner.find("values") != nullptr) return write_operand_list(value, out);
  return rewrite_object(inner, value, out);
}

bool JsonRewriter::write_value(const MemberRule& rule, std::string_view value, std::string& out) {
  switch (rule.treatment) {
    case Treatment::drop:
    case Treatment::of_operators: return false;
    case Treatment::keep_number: return write_number(value, out);
    case Treatment::keep_numbers: return write_numbers(value, out);
    case Treatment::keep_ranks: return write_ranks(value, out);
    case Treatment::size: return write_size(value, out);
    case Treatment::moment:
    case Treatment::epoch_ns:
    case Treatment::clock_ms: return write_time(rule, value, out);
    case Treatment::duration: return write_duration(rule.key, value, out);
    case Treatment::wall_clock: return out += "\"1970-01-01 00:00:00\"", true;
    case Treatment::process:
    case Treatment::thread: return write_id(rule, value, out);
    case Treatment::sort_index: return write_sort_index(value, out);
    case Treatment::rename: return write_renamed(rule.domain, rule.words, value, out);
    case Treatment::flow: return write_number(value, out) || write_renamed(rule.domain, rule.words, value, out);
    case Treatment::label: return write_label(value, out);
    case Treatment::device_name:
      if (settings_.keep_device_names && is_json_string(value)) return out += value, true;
      return write_renamed(Domain::device, Vocabulary::device, value, out);
    case Treatment::empty_text: return out += "\"\"", true;
    case Treatment::object:
    case Treatment::objects:
    case Treatment::attributes:
      return rule.inner != nullptr && write_container(rule.treatment, *rule.inner, value, out);
    case Treatment::tensors: return write_operand_list(value, out);
    case Treatment::hollow: return write_hollow(value, out);
    case Treatment::types: return write_types(value, out);
    case Treatment::schema: return write_schema(value, out);
    case Treatment::call_inputs: return write_call_inputs(value, out);
    case Treatment::call_sizes: return write_call_sizes(value, out);
    case Treatment::call_types: return write_call_types(value, out);
  }
  return false;
}

bool JsonRewriter::write_number(std::string_view value, std::string& out) {
  if (!is_json_scalar(value) && !is_quoted_number(value)) return false;
  out += value;
  return true;
}

bool JsonRewriter::write_numbers(std::string_view value, std::string& out) {
  out += '[';
  bool comma = false, usable = true;
  const bool is_list = for_each_entry(value, [&](std::string_view entry) {
    if (comma) out += ',';
    comma = true;
    usable = usable && write_number(entry, out);
  });
  out += ']';
  return is_list && usable;
}

// "[0, 1, 2, 3]", or "[0, 1, ..., 7]" where PyTorch shortens it.
bool JsonRewriter::write_ranks(std::string_view value, std::string& out) {
  if (!is_json_string(value) || string_content(value).find_first_not_of("0123456789[], .") != std::string_view::npos)
    return false;
  out += value;
  return true;
}

bool JsonRewriter::write_size(std::string_view value, std::string& out) {
  if (value == "\"N/A\"") return out += value, true;  // Kineto's bandwidth of a copy that took no time
  // As written: a number that went through a double and back may have other digits.
  if (settings_.size_bits == 0) return write_number(value, out);
  const std::string_view number = unquoted(value);
  std::uint64_t whole = 0;
  double real = 0;
  std::string rounded;
  if (parse_number(number, whole)) {
    rounded = std::to_string(round_size(whole, settings_.size_bits));
  } else if (parse_number(number, real) && std::isfinite(real)) {
    int exponent = 0;
    const double mantissa = std::frexp(real, &exponent);
    rounded = fmt::format(
        "{}", std::ldexp(std::nearbyint(std::ldexp(mantissa, settings_.size_bits)), exponent - settings_.size_bits));
  } else {
    return false;
  }
  out += is_json_string(value) ? "\"" + rounded + "\"" : rounded;
  return true;
}

bool JsonRewriter::write_time(const MemberRule& rule, std::string_view value, std::string& out) {
  if (rule.treatment == Treatment::moment) {
    // Set with the record, since start and duration go through the map together.
    const std::string moved = jittered_.is_set ? jittered_.start : shift_decimal_us(value, facts_.shift_us);
    out += moved.empty() ? "\"\"" : moved;  // what is no number stays none: readers count such events
    return true;
  }
  std::int64_t number = 0;
  if (!parse_number(value, number)) return false;
  const std::int64_t shift = rule.treatment == Treatment::epoch_ns ? facts_.base_shift_ns : facts_.clock_shift_ms;
  std::int64_t moved = 0;
  // A hostile number at one end of the range and an honest one: left out, as what cannot be used.
  if (__builtin_sub_overflow(number, shift, &moved)) return false;
  out += std::to_string(moved);
  return true;
}

bool JsonRewriter::write_duration(std::string_view key, std::string_view value, std::string& out) {
  if (warp_.is_identity()) return write_number(value, out);
  double us = 0;
  if (!parse_number(value, us) || !std::isfinite(us)) return write_number(value, out);
  if (key == "exclusive_dur")
    return out += fmt::format("{:.{}f}", us * jittered_.duration_ratio, decimals_of(value)), true;
  if (!jittered_.duration.empty()) return out += jittered_.duration, true;
  // Eleven days, or less than nothing: no duration that anybody recorded, and no reader uses it.
  if (us < 0 || us > 1e12) return write_number(value, out);
  const auto ps = static_cast<TimePs>(std::llround(us * static_cast<double>(kPsPerUs)));
  out += fmt::format("{:.{}f}", to_us(warp_.stretch(ps, jittered_.record_id)), decimals_of(value));
  return true;
}

bool JsonRewriter::write_id(const MemberRule& rule, std::string_view value, std::string& out) {
  std::int64_t number = 0;
  // Kineto calls lanes of its own by texts ("Spans", "PyTorch Profiler"); other tools may put a user's words there.
  if (!parse_number(unquoted(value), number)) return write_renamed(rule.domain, rule.words, value, out);
  const auto mapped = rule.treatment == Treatment::process ? facts_.processes.find(number) : new_thread(number);
  // Not collected in the first pass: the file changed in between, or the number hides where we do not look for it.
  if (!mapped) return false;
  out += is_json_string(value) ? fmt::format("\"{}\"", *mapped) : std::to_string(*mapped);
  return true;
}

// Of a process or thread it is its number, or -1; of devices and of the profiler's own lanes a small or a large one.
bool JsonRewriter::write_sort_index(std::string_view value, std::string& out) {
  std::int64_t number = 0;
  if (!parse_number(value, number)) return false;
  std::optional<std::int64_t> mapped;
  if (number == lane_.thread) mapped = new_thread(number);
  else if (number != lane_.process && number >= kFirstDeviceSortIndex) mapped = number;
  // PyTorch 2.11 puts lanes before all others by -1; small ones are devices. Others might be a number of the system
  // that the file does not show elsewhere.
  else if (number == lane_.process || facts_.processes.keeps(number)) mapped = facts_.processes.find(number);
  if (!mapped) return false;
  out += std::to_string(*mapped);
  return true;
}

// Of a process or thread: "stream 7 ", "GPU 0", "CPU", "thread 519 (pt_gloo_runloop)", or what the user called it.
bool JsonRewriter::write_label(std::string_view value, std::string& out) {
  if (!is_json_string(value)) return false;
  const std::string_view text = string_content(value);
  const auto number_after = [&](std::string_view word, std::int64_t& number) {
    if (!text.starts_with(word)) return false;
    std::string_view rest = text.substr(word.size());
    // "stream 7 " has a blank behind it in some versions; what follows that is dropped.
    return take_number(rest, number) && (rest.empty() || rest.front() == ' ');
  };
  std::int64_t number = 0;
  if (text.empty() || text == "CPU") return out += value, true;
  for (const std::string_view word : {"stream ", "GPU "}) {
    if (number_after(word, number)) return out += fmt::format("\"{}{}\"", word, number), true;
  }
  if (number_after("thread ", number)) {
    const auto mapped = new_thread(number);
    return out += mapped ? fmt::format("\"thread {}\"", *mapped) : std::string("\"thread\""), true;
  }
  return write_renamed(Domain::label, Vocabulary::none, value, out);
}

bool JsonRewriter::write_renamed(Domain domain, Vocabulary words, std::string_view value, std::string& out) {
  // Host traces have null for a missing phase or group; it says no more than a missing member, and readers want one.
  if (value == "null") return out += value, true;
  if (!is_json_string(value)) return false;
  const std::string_view raw = string_content(value);
  const bool escaped = raw.find('\\') != std::string_view::npos;
  ((out += '"') += renamer_.rename(domain, raw, escaped, words)) += '"';
  return true;
}

}  // namespace orrery::scrub
