#include "formats/astra/format.h"

namespace orrery::astra {
namespace {

// {"1": [0, 1, 2, 3], "2": [4, 5]}: keys, and lists of numbers; nothing else.
bool is_groups(const formats::Head& head) {
  if (!head.is_json()) return false;
  const std::size_t first = head.bytes.find_first_of("{[");
  if (head.bytes[first] != '{') return false;
  // A trace whose events are numbers is a damaged trace, and its reader says so.
  if (head.bytes.find("\"traceEvents\"") != std::string_view::npos) return false;
  bool in_key = false, in_list = false, any = false;
  for (const char c : head.bytes.substr(first + 1)) {
    if (c == '"') {
      if (in_list) return false;
      in_key = !in_key;
    } else if (in_key) {
      continue;
    } else if (c == '[' && !in_list) {
      in_list = true;
    } else if (c == ']' && in_list) {
      in_list = false;
    } else if (in_list && c >= '0' && c <= '9') {
      any = true;  // {"traceEvents": []} is a trace without events
    } else if (std::string_view(in_list ? ", \n\r\t" : ":, \n\r\t}").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return any;
}

}  // namespace

const formats::Format kGroupsFormat{.name = "groups",
                                    .title = "a file of communicator groups",
                                    .content = formats::Content::groups,
                                    .priority = 30,
                                    .sniff = is_groups};

}  // namespace orrery::astra
