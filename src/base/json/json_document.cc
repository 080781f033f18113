#include "base/json/json_document.h"

namespace orrery {

std::string_view to_string(JsonFault fault) {
  switch (fault) {
    case JsonFault::empty: return "the file is empty";
    case JsonFault::no_json: return "this is not JSON";
    case JsonFault::ends: return "the file ends inside the document";
    case JsonFault::key: return "expected a key";
    case JsonFault::colon: return "expected : after a key";
    case JsonFault::value: return "expected a value";
    case JsonFault::after_value: return "expected , or } after a value";
    case JsonFault::after_record: return "expected , or ] after an element";
    case JsonFault::bracket: return "a bracket that closes another kind";
    case JsonFault::too_deep: static_assert(kMaxDepth == 512); return "nested deeper than 512 levels";
  }
  return "this is not JSON";
}

WholeValue whole_value(const char* p, const Window& window) {
  const ValueSkip skip = skip_value(p, window.end);
  if (skip.too_deep) return {nullptr, JsonFault::too_deep};
  if (skip.after == nullptr) return {nullptr, JsonFault::ends};
  if (skip.after == p) return {nullptr, JsonFault::value};
  if (*p == '{' || *p == '[') {
    const bool closes_its_own = skip.after[-1] == (*p == '{' ? '}' : ']');
    return closes_its_own ? WholeValue{skip.after} : WholeValue{nullptr, JsonFault::bracket};
  }
  // A number or a word that reaches the end of the window may go on behind it; of the last window the document goes on,
  // or is cut short.
  return *p == '"' || skip.after < window.end ? WholeValue{skip.after} : WholeValue{nullptr, JsonFault::ends};
}

}  // namespace orrery
