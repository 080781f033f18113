#include "formats/kineto/event_parser.h"

#include <string>

#include "base/json/json_unescape.h"
#include "base/numbers.h"

namespace orrery::kineto {

// Out of line: few events quote their numbers, and the loop over the others stays short.
bool parse_quoted_integer(std::string_view text, std::int64_t& out) { return parse_number(text, out); }

const char* take_odd_integer(std::int64_t& out, bool& usable, const char* p, const char* end) {
  Decimal decimal;
  const char* const after = parse_decimal(p, end, decimal);
  usable = false;
  if (after == nullptr) return nullptr;
  if (decimal.is_integer) {  // all 64 bits, which Decimal does not hold
    usable = parse_number(std::string_view(p, static_cast<std::size_t>(after - p)), out);
    // "12.0" or "1e3": an integer too, if nothing stands behind the point.
  } else if (decimal.in_range && decimal.is_exact && decimal.fraction_e12 == 0) {
    out = decimal.whole;
    usable = true;
  }
  return after;
}

char first_unescaped(std::string_view text) {
  const std::string plain = unescape_json(text);
  return plain.empty() ? '\0' : plain[0];
}

const char* take_word(EventRecord& record, Slot slot, const char* p, const char* end) {
  // Of what JSON has and of what Python's json writes besides: NaN and the two infinities.
  const char* after = *p == '-' ? p + 1 : p;
  while ((*after >= 'a' && *after <= 'z') || (*after >= 'A' && *after <= 'Z')) ++after;
  if (after >= end) return nullptr;
  const std::string_view word(p, static_cast<std::size_t>(after - p));
  // JSON has no such member then, and no error either.
  if (word == "null") return after;  // as if the member were not there
  // Returning where it began says that it is no value at all.
  if (word != "true" && word != "false" && word != "NaN" && word != "Infinity" && word != "-Infinity") return p;
  take_unusable(record, slot);
  return after;
}

ParsedEvent EventParser::parse(const char* p, const char* end, EventRecord& record) {
  record.clear();
  const Skeleton::Match match = skeleton_.match(p, end, record);
  if (match.outcome == Skeleton::Outcome::parsed) return {ParseOutcome::parsed, match.after};
  // What was taken before the literals parted must not stay.
  record.clear();
  return parse_generic(p, end, record);
}

ParsedEvent EventParser::parse_generic(const char* p, const char* end, EventRecord& record) {
  steps_.clear();
  literal_start_ = p;
  const ParsedEvent parsed = parse_members(p, end, record, false);
  if (parsed.outcome != ParseOutcome::parsed) return parsed;
  steps_.push_back(
      {{literal_start_, static_cast<std::size_t>(parsed.position - literal_start_)}, ValueKind::end, kIgnored});
  // The text between the values is what the next event is compared with; most events of a trace have the same.
  skeleton_.learn(steps_);
  return parsed;
}

ParsedEvent EventParser::parse_lenient(const char* p, const char* end, EventRecord& record) {
  repaired_.clear();
  int depth = 0;
  const char* at = p;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '+' || c == ':';
  };
  while (at < end) {
    if (*at == '"') {
      const char* const quote = find_string_end(at + 1, end).quote;
      if (quote == nullptr) return {ParseOutcome::incomplete, p};
      repaired_.append(at, quote + 1);
      at = quote + 1;
      continue;
    }
    repaired_ += *at;
    if (*at == '{' || *at == '[') ++depth;
    if (depth > kMaxDepth) return {ParseOutcome::too_deep, at};
    if ((*at == '}' || *at == ']') && --depth == 0) break;
    if (*at++ != ':') continue;
    const char* const word = skip_space(at, end);
    const char* after = word;
    while (after < end && is_word(*after)) ++after;
    const std::string_view text(word, static_cast<std::size_t>(after - word));
    const bool is_value =
        text.empty() || parse_number<double>(text) || text == "true" || text == "false" || text == "null";
    if (is_value) continue;
    repaired_.append("\"").append(text).append("\"");
    at = after;
  }
  if (at >= end) return {ParseOutcome::incomplete, p};
  const std::size_t bytes = repaired_.size();
  repaired_.append(64, '\0');  // parsers look a little ahead
  record.clear();
  steps_.clear();
  literal_start_ = repaired_.data();
  const ParsedEvent parsed = parse_members(repaired_.data(), repaired_.data() + bytes, record, false);
  if (parsed.outcome != ParseOutcome::parsed) return {ParseOutcome::malformed, p};
  return {ParseOutcome::parsed, at + 1};
}

ParsedEvent EventParser::parse_members(const char* p, const char* end, EventRecord& record, bool in_args) {
  p = skip_space(p + 1, end);  // after the {
  if (p < end && *p == '}') return {ParseOutcome::parsed, p + 1};
  for (;;) {
    if (p >= end) return {ParseOutcome::incomplete, p};
    if (*p != '"') return {ParseOutcome::malformed, p};
    const auto [quote, escaped] = find_string_end(p + 1, end);
    if (quote == nullptr) return {ParseOutcome::incomplete, p};
    std::string_view key(p + 1, static_cast<std::size_t>(quote - p - 1));
    std::string unescaped;
    if (escaped) key = unescaped = unescape_json(key);
    const Slot slot = in_args ? argument_slot(key, requested_) : event_slot(key);
    record.has_other_arguments |= in_args && is_other_argument(slot);
    p = skip_space(quote + 1, end);
    if (p >= end) return {ParseOutcome::incomplete, p};
    if (*p != ':') return {ParseOutcome::malformed, p};
    p = skip_space(p + 1, end);
    if (p >= end) return {ParseOutcome::incomplete, p};
    const ParsedEvent value =
        // Arguments are one object deep: containers inside of them are values like others.
        slot == kArgs && *p == '{' ? parse_members(p, end, record, true) : parse_value(p, end, record, slot);
    if (value.outcome != ParseOutcome::parsed) return value;
    p = skip_space(value.position, end);
    if (p >= end) return {ParseOutcome::incomplete, p};
    if (*p == '}') return {ParseOutcome::parsed, p + 1};
    if (*p != ',') return {ParseOutcome::malformed, p};
    p = skip_space(p + 1, end);
  }
}

ParsedEvent EventParser::parse_value(const char* p, const char* end, EventRecord& record, Slot slot) {
  if (*p == '"') {
    const auto [quote, escaped] = find_string_end(p + 1, end);
    if (quote == nullptr) return {ParseOutcome::incomplete, p};
    take_string(record, slot, {{p + 1, static_cast<std::size_t>(quote - p - 1)}, escaped});
    note_step(p + 1, ValueKind::string, slot, quote);
    return {ParseOutcome::parsed, quote + 1};
  }
  if (*p == '[' || *p == '{') {
    const ContainerSkip skip = skip_container(p, end);
    if (skip.too_deep) return {ParseOutcome::too_deep, p};
    if (skip.after == nullptr) return {ParseOutcome::incomplete, p};
    take_container(record, slot, {p, static_cast<std::size_t>(skip.after - p)});
    note_step(p, ValueKind::container, slot, skip.after);
    return {ParseOutcome::parsed, skip.after};
  }
  // "-Infinity" begins like a number.
  if (starts_number(*p) && p[1] != 'I') {
    const char* after = take_number(record, slot, p, end);
    if (after == nullptr)
      // A number may go on behind the window: only one that ends inside of it can be wrong.
      return {skip_number(p, end) == nullptr ? ParseOutcome::incomplete : ParseOutcome::malformed, p};
    note_step(p, ValueKind::number, slot, after);
    return {ParseOutcome::parsed, after};
  }
  const char* after = take_word(record, slot, p, end);
  if (after == nullptr) return {ParseOutcome::incomplete, p};
  if (after == p) return {ParseOutcome::malformed, p};
  note_step(p, ValueKind::word, slot, after);
  return {ParseOutcome::parsed, after};
}

void EventParser::note_step(const char* value, ValueKind kind, Slot slot, const char* after) {
  steps_.push_back({{literal_start_, static_cast<std::size_t>(value - literal_start_)}, kind, slot});
  literal_start_ = after;
}

}  // namespace orrery::kineto
