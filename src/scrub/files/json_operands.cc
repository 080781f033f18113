// The parts of JsonRewriter that know what operators work on: values, tensors, shapes, types, attributes.
#include <algorithm>
#include <bit>

#include "base/json/json_unescape.h"
#include "base/json/json_writer.h"
#include "formats/pytorch_et/arguments.h"
#include "scrub/files/json_rewriter.h"
#include "scrub/words/public_operators.h"
#include "scrub/words/public_words.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kTensorParts = 6;  // tensor id, storage id, offset, elements, bytes per element, device

bool is_tensor(std::string_view value) {
  std::size_t parts = 0;
  bool fits = true;
  const bool is_list = for_each_entry(value, [&](std::string_view part) {
    fits = fits && (++parts < kTensorParts ? starts_number(part.front()) : is_json_string(part));
  });
  return is_list && fits && parts == kTensorParts;
}

// What the recorder writes for a value it does not tell: "<None>", "<Object>", or a device.
bool is_public_value(std::string_view text) {
  return text.empty() || text == "<None>" || text == "<Object>" || text == "<Generator>" || text == "<Storage>" ||
         text == "<Stream>" || text == "<unknown>" || is_public(Vocabulary::device, text);
}

// Calls `write(entry)` for each entry of a list and puts brackets and commas around; false if it is none.
template <typename Write>
bool write_list(std::string_view value, std::string& out, const Write& write) {
  out += '[';
  bool comma = false;
  const bool is_list = for_each_entry(value, [&](std::string_view entry) {
    const std::size_t before = out.size();
    if (comma) out += ',';
    if (write(entry)) comma = true;
    else out.resize(before);
  });
  out += ']';
  return is_list;
}

}  // namespace

bool JsonRewriter::write_objects(const ObjectRules& rules, std::string_view value, std::string& out) {
  return write_list(value, out, [&](std::string_view entry) { return rewrite_object(rules, entry, out); });
}

bool JsonRewriter::write_operand_list(std::string_view value, std::string& out) {
  return write_list(value, out, [&](std::string_view entry) { return write_operand(entry, out); });
}

// The lists of values, shapes and types of an operator belong together entry by entry: none is ever left out.
bool JsonRewriter::write_operand(std::string_view value, std::string& out) {
  if (value.starts_with('[')) {
    if (is_tensor(value)) return write_tensor(value, out);
    const Operator outer = operator_;
    if (operator_ == Operator::communication) operator_ = Operator::ordinary;  // lists there are split sizes
    const std::size_t before = out.size();
    if (!write_operand_list(value, out)) out.resize(before), out += "[]";
    operator_ = outer;
    return true;
  }
  if (value.starts_with('{')) return out += "{}", true;
  if (is_json_string(value)) {
    if (operator_ == Operator::process_groups && write_process_groups(value, out)) return true;
    const std::string_view text = string_content(value);
    // What the recorder itself writes in place of values says nothing about them.
    if (is_public_value(text)) return out += value, true;
    if (operator_ == Operator::communication || is_public(Vocabulary::collective, text))
      return write_renamed(Domain::group,
                           is_public(Vocabulary::collective, text) ? Vocabulary::collective : Vocabulary::group, value,
                           out);
    return keeps_operands_ ? write_kept_text(value, out) : (out += "\"\"", true);
  }
  // Ranks, tags and sequence numbers: matching needs them. Of other operators a number is a dimension, a rate, a seed.
  if ((operator_ == Operator::communication || keeps_operands_) && write_number(value, out)) return true;
  out += value == "true" || value == "false" ? "false" : value == "null" ? "null" : "0";
  return true;
}

// Texts among arguments are the program's, unless they are what PyTorch lets one choose among.
bool JsonRewriter::write_kept_text(std::string_view value, std::string& out) {
  const std::string_view text = string_content(value);
  const bool stays = is_public_choice(text) || is_public(Vocabulary::group, text);
  if (stays) out += value;
  else ((out += '"') += kHiddenText) += '"';
  return true;
}

bool JsonRewriter::rewrite_operands(Treatment treatment, std::string_view json, std::string& out) {
  return write_value(MemberRule{{}, treatment}, json, out);
}

bool JsonRewriter::write_tensor(std::string_view value, std::string& out) {
  std::size_t part = 0;
  return write_list(value, out, [&](std::string_view text) {
    switch (part++) {
      case 2:
        return (keeps_operands_ && write_number(text, out)) ||
               (out += '0', true);  // where in its storage a tensor begins
      case 3: return write_size(text, out);
      case kTensorParts - 1: return write_renamed(Domain::device, Vocabulary::device, text, out);
      default: return write_number(text, out) || (out += '0', true);
    }
  });
}

bool JsonRewriter::write_hollow(std::string_view value, std::string& out) {
  return write_list(value, out, [&](std::string_view entry) {
    if (!entry.starts_with('[')) return keeps_operands_ && write_number(entry, out);
    const std::size_t before = out.size();
    if (!write_hollow(entry, out)) out.resize(before), out += "[]";
    return true;
  });
}

bool JsonRewriter::write_types(std::string_view value, std::string& out) {
  return write_list(value, out, [&](std::string_view entry) {
    ((out += '"') += is_json_string(entry) ? public_type(string_content(entry)) : "Object") += '"';
    return true;
  });
}

// "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)" -> "op(Tensor(a!) x)": all that
// linking reads there.
bool JsonRewriter::write_schema(std::string_view value, std::string& out) {
  if (!is_json_string(value)) return false;
  const std::string text = unescape_json(string_content(value));
  if (keeps_operands_ && is_public_schema(text)) {
    append_json_string(out, text);
    return true;
  }
  const pytorch_et::SchemaArguments arguments = pytorch_et::parse_schema(text);
  const int written = static_cast<int>(std::bit_width(arguments.written));
  const int count = std::max({written, arguments.peer + 1, arguments.tag + 1});
  // Nothing in it that analyses ask for: then not even how many arguments there are.
  if (count == 0) {
    // Where operators are kept, that this is one too: what it returns, it made.
    const bool is_operator = settings_.keep_operators && pytorch_et::parse_operator_schema(text).has_value();
    return out += is_operator ? "\"op()\"" : "\"\"", true;
  }
  out += text.starts_with("c10d") ? "\"c10d(" : "\"op(";
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    if (i < written && (arguments.written >> i & 1) != 0) out += "Tensor(a!) x";
    else out += i == arguments.peer ? "int src" : i == arguments.tag ? "int tag" : "x";
  }
  out += ")\"";
  return true;
}

// [{"name": "rf_id", "type": "uint64", "value": 4}, ...]
bool JsonRewriter::write_attributes(const ObjectRules& rules, std::string_view value, std::string& out) {
  return write_list(value, out, [&](std::string_view entry) {
    const std::size_t first = members_.size();
    std::string_view name, type, content;
    if (list_members(entry, members_)) {
      for (std::size_t i = first; i < members_.size(); ++i) {
        const JsonMember& member = members_[i];
        if (member.key == "name" && is_json_string(member.value)) name = string_content(member.value);
        else if (member.key == "type") type = member.value;
        else if (member.key == "value") content = member.value;
      }
    }
    members_.resize(first);
    const MemberRule* const rule = rules.find(name);
    // The name of an attribute is a value here, so that keys do not protect it: it goes with the rest.
    if (rule == nullptr) return tally_.add_unknown(rules.place, name), false;
    ++tally_.of(rules, *rule).count;
    ((out += R"({"name":")") += rule->key) += R"(","type":)";
    if (write_renamed(Domain::text, Vocabulary::attribute, type, out)) {
      out += ",\"value\":";
      if (write_value(*rule, content, out)) return out += '}', true;
    }
    ++tally_.of(rules, *rule).unusable;
    return false;
  });
}

bool JsonRewriter::write_process_groups(std::string_view value, std::string& out) {
  const std::string groups = scrub_process_groups(*this, unescape_json(string_content(value)));
  if (groups.empty()) return false;
  append_json_string(out, groups);
  return true;
}

std::string scrub_process_groups(JsonRewriter& rewriter, std::string_view json) {
  std::string padded(json);
  padded.append(64, '\0');
  const std::string_view text(padded.data(), json.size());
  const char* const begin = skip_space(text.data(), text.data() + text.size());
  // The text comes from inside a string, where the first pass did not look: it may be anything.
  if (begin == text.data() + text.size() || *begin != '[' ||
      skip_container(begin, text.data() + text.size()).after == nullptr)
    return {};
  std::string out;
  return rewriter.rewrite_list(process_group_rules(), text.substr(static_cast<std::size_t>(begin - text.data())), out)
             ? out
             : std::string();
}

}  // namespace orrery::scrub
