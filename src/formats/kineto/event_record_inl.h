// Inlined parts of event_record.h: they run once per member of every event.
#pragma once

namespace orrery::kineto {

/// "7" -> 7: numbers that some writers quote.
bool parse_quoted_integer(std::string_view text, std::int64_t& out);
/// A whole number in any other spelling than one to sixteen digits; not `usable` if it is none or does not fit.
const char* take_odd_integer(std::int64_t& out, bool& usable, const char* p, const char* end);
/// The first byte of a string with escapes.
char first_unescaped(std::string_view text);

inline void take_unusable(EventRecord& record, Slot slot) {
  if (slot == kShapes) record.recorded |= kRecordedShapes;
  if (slot == kTime) record.bad_time = true;
  if (slot == kDuration) record.bad_duration = true;
}

inline void take_container(EventRecord& record, Slot slot, std::string_view json) {
  if (slot == kId2) record.id2 = json;
  if (slot < kFirstField || !trace::is_operand(field_of(slot)) || !holds_text(field_of(slot)))
    return take_unusable(record, slot);
  const auto index = static_cast<std::size_t>(field_of(slot));
  record.texts[index - trace::kIntegerFields] = {json, false};
  record.present |= std::uint64_t{1} << index;
}

ORRERY_INLINE void take_string(EventRecord& record, Slot slot, RawText text) {
  switch (slot) {
    case kPhase:
      record.phase = text.view.empty() ? '\0' : text.escaped ? first_unescaped(text.view) : text.view[0];
      return;
    case kCategory:
      record.category = text;
      record.has_category = true;
      return;
    case kName: record.name = text; return;
    case kLabel: record.label = text; return;
    case kProcess: record.process.text = text, record.process.kind = RawKey::string; return;
    case kThread: record.thread.text = text, record.thread.kind = RawKey::string; return;
    case kId: record.id.text = text, record.id.kind = RawKey::string; return;
    case kScope: record.scope = text; return;
    case kTime:
    case kDuration: return take_unusable(record, slot);
    case kStack:
      if (!text.view.empty()) record.recorded |= kRecordedStacks;
      return;
    case kShapes: record.recorded |= kRecordedShapes; return;
    case kRecordFunction:
    case kIgnored:
    case kId2:
    case kArgs: return;
    default: break;
  }
  const trace::Field field = field_of(slot);
  const auto index = static_cast<std::size_t>(field);
  if (holds_text(field)) {
    record.texts[index - trace::kIntegerFields] = text;
    record.present |= std::uint64_t{1} << index;
  } else if (parse_quoted_integer(text.view, record.numbers[index])) {
    record.present |= std::uint64_t{1} << index;
  }
}

/// ts and dur: microseconds with, mostly, up to three decimals.
ORRERY_INLINE const char* take_time(Decimal& out, const char* p, const char* end) {
  const Digits whole = read_digits(p);
  const char* q = p + whole.count;
  if (whole.count == 0) return parse_decimal(p, end, out);
  if (*q != '.') {
    if ((*q >= '0' && *q <= '9') || *q == 'e' || *q == 'E' || q >= end) return parse_decimal(p, end, out);
    out = {static_cast<std::int64_t>(whole.value), 0, true, true, true};
    return q;
  }
  const Digits fraction = read_eight_digits(q + 1);
  q += 1 + fraction.count;
  if (fraction.count == 0 || (*q >= '0' && *q <= '9') || *q == 'e' || *q == 'E' || q >= end)
    return parse_decimal(p, end, out);
  out = {static_cast<std::int64_t>(whole.value),
         static_cast<std::int64_t>(fraction.value * kPowersOfTen[12 - fraction.count]), false, true, true};
  return q;
}

inline const char* take_integer(std::int64_t& out, bool& usable, const char* p, const char* end) {
  if (const char* q = parse_integer_fast(p, end, out); q != nullptr) {
    usable = true;
    return q;
  }
  return take_odd_integer(out, usable, p, end);
}

ORRERY_INLINE const char* take_number(EventRecord& record, Slot slot, const char* p, const char* end) {
  bool usable = false;
  const auto take_key = [&](RawKey& key) {
    const char* q = take_integer(key.number, usable, p, end);
    key.kind = usable ? RawKey::integer : RawKey::unusable;
    if (!usable && q != nullptr) key.text = {{p, static_cast<std::size_t>(q - p)}, false};
    return q;
  };
  switch (slot) {
    case kIgnored:
    case kScope:
    case kId2:
    case kArgs:
    case kPhase:
    case kCategory:
    case kName:
    case kLabel:
    case kShapes:
    case kStack: return skip_number(p, end);
    case kRecordFunction:
      if (*p != '0') record.recorded |= kRecordedHostTrace;
      return skip_number(p, end);
    case kTime: {
      const char* q = take_time(record.time, p, end);
      record.has_time = q != nullptr;
      if (q != nullptr) record.time_text = {p, static_cast<std::size_t>(q - p)};
      return q;
    }
    case kDuration: {
      const char* q = take_time(record.duration, p, end);
      record.has_duration = q != nullptr;
      if (q != nullptr) record.duration_text = {p, static_cast<std::size_t>(q - p)};
      return q;
    }
    case kProcess: return take_key(record.process);
    case kThread: return take_key(record.thread);
    case kId: return take_key(record.id);
    default: break;
  }
  const auto index = static_cast<std::size_t>(field_of(slot));
  if (holds_text(field_of(slot))) return skip_number(p, end);
  const char* q = take_integer(record.numbers[index], usable, p, end);
  if (usable) record.present |= std::uint64_t{1} << index;
  return q;
}

}  // namespace orrery::kineto
