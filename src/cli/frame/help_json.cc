// The table of verbs as data: `orrery help --json`, for editors, wrappers and other programs that drive this one.
#include "base/words.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/help.h"

namespace orrery::cli {
namespace {

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::text: return "text";
    case ValueKind::integer: return "integer";
    case ValueKind::count: return "count";
    case ValueKind::number: return "number";
    case ValueKind::bytes: return "bytes";
    case ValueKind::duration: return "duration";
    case ValueKind::file:
    case ValueKind::output: return "file";
    case ValueKind::directory: return "directory";
  }
  return "text";
}

void tell_flags(report::Facts& facts, std::string_view key, const std::vector<Flag>& flags) {
  facts.key(key).begin_array();
  for (const Flag& flag : flags) {
    facts.begin_object()
        .field("name", flag.name)
        .field("short", flag.short_name == '\0' ? std::string() : std::string(1, flag.short_name));
    facts.field("value", flag.value_name)
        .field("kind", flag.takes_value() ? name_of(flag.kind) : std::string_view("switch"));
    facts.field("help", flag.help).field("default", flag.default_text).field("repeatable", flag.repeatable);
    facts.key("choices").begin_array();
    for (const std::string_view choice : split_words(flag.choices)) facts.value(choice);
    facts.end_array().end_object();
  }
  facts.end_array();
}

}  // namespace

void tell_verbs(report::Facts& facts, std::span<const Verb* const> table) {
  tell_flags(facts, "global_flags", global_flags());
  facts.key("verbs").begin_array();
  for (const Verb* verb : table) {
    facts.begin_object()
        .field("name", verb->name)
        .field("summary", verb->summary)
        .field("usage", usage_line(*verb))
        .field("operands", verb->operands.name);
    tell_flags(facts, "flags", verb->flags);
    facts.end_object();
  }
  facts.end_array();
}

}  // namespace orrery::cli
