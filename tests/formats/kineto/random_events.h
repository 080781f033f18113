// Random event lists as profilers write them: a few kinds of events, each with its own members in its own order and
// spelling, repeated with other values, so that the learned skeleton is used, missed and extended.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

namespace orrery::kineto::testing {

/// How one writer lays out its JSON.
struct Style {
  std::string before_key;
  std::string colon;
  std::string comma;
};

inline Style random_style() {
  return *rc::gen::element(Style{"", ":", ","}, Style{"", ": ", ", "}, Style{"\n    ", ": ", ","},
                           Style{" ", " : ", " ,"}, Style{"\r\n\t", ":", ","});
}

inline std::string random_digits(int least, int most) {
  std::string text;
  for (int i = *rc::gen::inRange(least, most + 1); i > 0; --i)
    text += static_cast<char>('0' + *rc::gen::inRange(0, 10));
  const std::size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}

inline std::string random_time() {
  const std::string whole = random_digits(1, 12);
  switch (*rc::gen::inRange(0, 8)) {
    case 0: return whole;
    case 1: return whole + ".0";
    case 2: return whole + "." + std::to_string(*rc::gen::inRange(0, 1'000'000));
    case 3: return "-" + random_digits(1, 9) + ".25";
    case 4: return whole + "e" + std::to_string(*rc::gen::inRange(-3, 1));
    case 5: return whole + ".123456789012345";
    default: return whole + "." + std::to_string(*rc::gen::inRange(100, 1000));
  }
}

/// The inside of a JSON string, quotes not included.
inline std::string random_string() {
  std::string text;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    text += *rc::gen::element<std::string>("a", "aten::mm", "void kernel<float, 4>(int)", " ", "\\\"", "\\\\",
                                           "\\u00e9", "\\ud83d\\ude80", "\xC3\xA9", "},{", "\\\"ph\\\": \\\"X\\\"", "[",
                                           "]", "/", "\\/", "\\n", "0123456789abcdef", "{");
  }
  return text;
}

inline std::string random_integer() {
  return *rc::gen::element<std::string>("0", "7", "-1", "12345678", "1234567890123456", "9223372036854775807",
                                        "-9223372036854775808") +
         "";
}

/// Any value, containers included.
inline std::string random_value(int depth = 0) {
  const auto list = [&](const char* open, const char* close, bool keyed) {
    std::string text = open;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      if (text.size() > 1) text += ", ";
      if (keyed) text += "\"" + random_string() + "\": ";
      text += random_value(depth + 1);
    }
    return text + close;
  };
  switch (*rc::gen::inRange(0, depth < 3 ? 8 : 5)) {
    case 0: return random_integer();
    case 1: return "\"" + random_string() + "\"";
    case 2: return *rc::gen::element<std::string>("true", "false", "null");
    case 3: return random_time();
    case 4: return "1.5E+3";
    case 5: return list("[", "]", false);
    default: return list("{", "}", true);
  }
}

/// One member of an event or of its args: its key, and how its values are made.
struct MemberKind {
  std::string key;
  int values;
};

inline std::string random_member_value(int values) {
  switch (values) {
    case 0: return "\"" + *rc::gen::element<std::string>("X", "X", "X", "B", "E", "i", "C", "s", "t", "f", "M") + "\"";
    case 1: return "\"" + random_string() + "\"";
    case 2: return random_time();
    case 3: return *rc::gen::inRange(0, 4) == 0 ? "\"stream " + random_digits(1, 2) + "\"" : random_digits(1, 7);
    case 4: return *rc::gen::inRange(0, 6) == 0 ? "\"" + random_integer() + "\"" : random_integer();
    case 5:
      return "\"" + *rc::gen::element<std::string>("kernel", "cpu_op", "cuda_runtime", "ac2g", "", "odd \\\"cat\\\"") +
             "\"";
    default: return random_value();
  }
}

/// A kind of event: which members in which order. Values are drawn anew for each event.
struct EventKind {
  Style style;
  std::vector<MemberKind> members;
  std::vector<MemberKind> arguments;
  std::size_t arguments_at;  // before which member "args" stands; past the end: no args
};

inline EventKind random_kind() {
  static const std::vector<MemberKind> kMembers = {
      {"ph", 0},  {"\\u0070h", 0}, {"name", 1},  {"na\\u006de", 1}, {"ts", 2},
      {"ts", 2},  {"dur", 2},      {"pid", 3},   {"tid", 3},        {"cat", 5},
      {"cat", 5}, {"bp", 1},       {"other", 6}, {"\\\"", 6},       {"a key that is longer than sixteen bytes", 6}};
  static const std::vector<MemberKind> kArguments = {{"correlation", 4},
                                                     {"stream", 4},
                                                     {"device", 4},
                                                     {"External id", 4},
                                                     {"external id", 4},
                                                     {"wait_on_stream", 4},
                                                     {"wait_on_cuda_event_record_corr_id", 4},
                                                     {"bytes", 4},
                                                     {"Python id", 4},
                                                     {"Python parent id", 4},
                                                     {"Sequence number", 4},
                                                     {"Fwd thread id", 4},
                                                     {"In msg nelems", 4},
                                                     {"Out msg nelems", 4},
                                                     {"Group size", 4},
                                                     {"Seq", 4},
                                                     {"Rank", 4},
                                                     {"Src Rank", 4},
                                                     {"Dst Rank", 4},
                                                     {"graph node id", 4},
                                                     {"Collective name", 1},
                                                     {"dtype", 1},
                                                     {"Process Group Name", 1},
                                                     {"Process Group Ranks", 1},
                                                     {"Input Dims", 6},
                                                     {"Ev Idx", 4},
                                                     {"stre\\u0061m", 4},
                                                     {"ts", 2},
                                                     {"args", 6},
                                                     {"cbid", 4},
                                                     {"grid", 6}};
  EventKind kind;
  kind.style = random_style();
  kind.members =
      *rc::gen::container<std::vector<MemberKind>>(*rc::gen::inRange<std::size_t>(1, 9), rc::gen::elementOf(kMembers));
  kind.members.insert(
      kind.members.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(kind.members.size())),
      {"ts", 2});
  kind.arguments = *rc::gen::container<std::vector<MemberKind>>(*rc::gen::inRange<std::size_t>(0, 6),
                                                                rc::gen::elementOf(kArguments));
  kind.arguments_at = *rc::gen::inRange<std::size_t>(0, kind.members.size() + 3);
  return kind;
}

inline std::string write_object(const Style& style, const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "{";
  for (const auto& [key, value] : members)
    text += (text.size() == 1 ? "" : style.comma) + style.before_key + "\"" + key + "\"" + style.colon + value;
  return text + (style.before_key.starts_with('\n') ? "\n}" : "}");
}

inline std::string random_event(const EventKind& kind) {
  std::vector<std::pair<std::string, std::string>> members, arguments;
  for (std::size_t i = 0; i <= kind.members.size(); ++i) {
    if (i == kind.arguments_at) {
      for (const MemberKind& member : kind.arguments)
        arguments.emplace_back(member.key, random_member_value(member.values));
      members.emplace_back("args", *rc::gen::inRange(0, 4) == 0 ? random_value() : write_object(kind.style, arguments));
    }
    // Now and then a value of an unexpected kind: the skeleton has to notice.
    if (i < kind.members.size())
      members.emplace_back(kind.members[i].key,
                           random_member_value(*rc::gen::inRange(0, 25) == 0 && kind.members[i].key != "ts" &&
                                                       kind.members[i].key != "dur"
                                                   ? 1
                                                   : kind.members[i].values));
  }
  return write_object(kind.style, members);
}

inline std::vector<std::string> random_events() {
  const auto kinds = *rc::gen::inRange(1, 4);
  std::vector<EventKind> known;
  for (int i = 0; i < kinds; ++i) known.push_back(random_kind());
  std::vector<std::string> events;
  for (int i = *rc::gen::inRange(1, 14); i > 0; --i) {
    // A list must not begin with an event that leaves the epoch far from the others; random_time() stays within days.
    if (*rc::gen::inRange(0, 12) == 0) events.push_back(random_value());
    else events.push_back(random_event(known[*rc::gen::inRange<std::size_t>(0, known.size())]));
  }
  return events;
}

inline std::string join_events(const std::vector<std::string>& events, const Style& style) {
  std::string text;
  for (const std::string& event : events) text += (text.empty() ? "" : style.comma) + style.before_key + event;
  return text;
}

}  // namespace orrery::kineto::testing
