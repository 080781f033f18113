// The table of verbs as JSON: `orrery help --json`, for editors, wrappers and other programs that drive this one.
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

void write_flags(JsonWriter& json, std::string_view key, const std::vector<Flag>& flags) {
  json.key(key).begin_array();
  for (const Flag& flag : flags) {
    json.begin_object()
        .field("name", flag.name)
        .field("short", flag.short_name == '\0' ? std::string() : std::string(1, flag.short_name));
    json.field("value", flag.value_name)
        .field("kind", flag.takes_value() ? name_of(flag.kind) : std::string_view("switch"));
    json.field("help", flag.help).field("default", flag.default_text).field("repeatable", flag.repeatable);
    json.key("choices").begin_array();
    for (const std::string_view choice : split_words(flag.choices)) json.value(choice);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void write_table(JsonWriter& json, std::span<const Verb* const> table) {
  write_flags(json, "global_flags", global_flags());
  json.key("verbs").begin_array();
  for (const Verb* verb : table) {
    json.begin_object()
        .field("name", verb->name)
        .field("summary", verb->summary)
        .field("usage", usage_line(*verb))
        .field("operands", verb->operands.name);
    write_flags(json, "flags", verb->flags);
    json.end_object();
  }
  json.end_array();
}

}  // namespace orrery::cli
