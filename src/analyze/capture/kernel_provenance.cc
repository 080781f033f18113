#include "analyze/capture/kernel_provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/capture/fused_operators.h"
#include "base/json/json_document.h"
#include "base/json/json_members.h"
#include "base/json/json_unescape.h"

// The document is walked member by member; a member's form tells which of the files it is of.

namespace orrery::analyze {
namespace {

constexpr const char* kProvenanceHint =
    "expected what Inductor writes with INDUCTOR_PROVENANCE=1: {\"kernel:1\": [nodes]} or {\"kernel:1\": "
    "{\"post_grad_nodes\": [...], \"stack_traces\": [...]}}";

/// Overloads as FX writes them behind a name: aten.add.Tensor is add_tensor.
bool is_overload(std::string_view text) {
  constexpr std::string_view kOverloads[] = {
      "default",     "tensor",      "scalar",       "out",           "int",           "self",
      "other",       "dim",         "dim_int_list", "tensor_scalar", "scalar_tensor", "tensor_tensor",
      "tensor_mode", "scalar_mode", "start",        "size",          "correction",    "int_list"};
  return std::find(std::begin(kOverloads), std::end(kOverloads), text) != std::end(kOverloads);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Without `mark` and the number behind it.
std::string_view without_number(std::string_view name, char mark) {
  const std::size_t at = name.find_last_not_of("0123456789");
  const bool has_number = at != std::string_view::npos && at > 0 && at + 1 < name.size() && name[at] == mark;
  return has_number ? name.substr(0, at) : name;
}

/// Nodes and stacks are both lists of texts; names of nodes have neither blanks nor quotes.
bool is_stack(std::string_view entry) {
  return entry.find('\n') != std::string_view::npos || entry.find("File \"") != std::string_view::npos;
}

void add_line(KernelSource& source, std::string line) {
  if (line.empty() || std::find(source.lines.begin(), source.lines.end(), line) != source.lines.end()) return;
  source.lines.push_back(std::move(line));
}

using KernelsByName = std::map<std::string, KernelSource, std::less<>>;

/// What JsonDocument calls. Offsets are of the whole text.
class ProvenanceParser {
 public:
  ProvenanceParser(std::string_view text, const std::string& file, KernelsByName& kernels)
      : text_(text), file_(file), kernels_(kernels) {}

  static bool is_record_list(std::string_view) { return false; }
  Status on_list(std::string_view, std::uint64_t offset) {
    return Error{"a list has no kernels", file_, offset, kProvenanceHint};
  }
  static Result<const char*> take_record(const char*, const Window&) { return nullptr; }
  static Status on_list_end() { return {}; }
  [[nodiscard]] Error fault(JsonFault fault, std::uint64_t offset) const {
    return {std::string(to_string(fault)), file_, offset, kProvenanceHint};
  }

  Status on_member(const JsonMember& member, std::uint64_t) {
    if (member.key == "cppCodeToPost") return take_mapping(member.value);
    // Between graphs, not between a graph and its kernels.
    constexpr std::string_view kOthers[] = {"preToPost", "postToPre", "postToCppCode", "version"};
    if (std::find(std::begin(kOthers), std::end(kOthers), member.key) != std::end(kOthers)) return {};
    return take_kernel(member);
  }

 private:
  [[nodiscard]] Error refuse(std::string message, std::string_view at) const {
    return {std::move(message), file_, static_cast<std::uint64_t>(at.data() - text_.data()), kProvenanceHint};
  }

  Status take_mapping(std::string_view value) {
    std::vector<JsonMember> members;
    if (!list_members(value, members)) return refuse("cppCodeToPost is no object", value);
    for (const JsonMember& member : members) {
      if (const Status taken = take_kernel(member); !taken) return taken;
    }
    return {};
  }

  Status take_kernel(const JsonMember& member) {
    const std::string key = unescape_json(member.key);
    KernelSource& kernel = kernels_[std::string(without_number(key, ':'))];
    if (member.value.starts_with('{')) return take_object(kernel, key, member.value);
    return each_text(key, member.value, [&](const std::string& entry) {
      if (is_stack(entry)) add_line(kernel, source_line(entry));
      else kernel.operators.insert(operator_of_node(entry));
    });
  }

  Status take_object(KernelSource& kernel, const std::string& key, std::string_view value) {
    const auto [stacks, after, before] =
        members_of(value, std::array<std::string_view, 3>{"stack_traces", "post_grad_nodes", "pre_grad_nodes"});
    if (stacks.empty() && after.empty() && before.empty())
      return refuse(fmt::format("the kernel {} has neither nodes nor stacks", key), value);
    const auto insert = [&](const std::string& node) { kernel.operators.insert(operator_of_node(node)); };
    if (!after.empty()) {
      if (const Status taken = each_text(key, after, insert); !taken) return taken;
    }
    // What the kernel computes is in the graph after decomposition; the one before tells what that was made of.
    if (!before.empty() && kernel.operators.empty()) {
      if (const Status taken = each_text(key, before, insert); !taken) return taken;
    }
    if (stacks.empty()) return {};
    return each_text(key, stacks, [&](const std::string& stack) { add_line(kernel, source_line(stack)); });
  }

  /// `visit` gets the texts of the list that `value` is.
  template <typename Visit>
  Status each_text(const std::string& key, std::string_view value, const Visit& visit) {
    std::optional<Error> error;
    const bool is_list = for_each_entry(value, [&](std::string_view entry) {
      if (is_json_string(entry)) visit(unescape_json(string_content(entry)));
      else if (!error) error = refuse(fmt::format("the kernel {} has an entry that is no text", key), entry);
    });
    if (!is_list) return refuse(fmt::format("the kernel {} has no list of texts", key), value);
    return error ? Status(*error) : Status();
  }

  std::string_view text_;
  const std::string& file_;
  KernelsByName& kernels_;
};

}  // namespace

std::string operator_of_node(std::string_view node) {
  if (is_compiled_operator(node)) return std::string(node);
  const std::string_view name = without_number(node, '_');
  if (is_compiled_operator(name)) return std::string(name);
  for (std::size_t cut = name.rfind('_'); cut != std::string_view::npos && cut > 0; cut = name.rfind('_', cut - 1)) {
    if (is_overload(name.substr(cut + 1)) && is_compiled_operator(name.substr(0, cut)))
      return std::string(name.substr(0, cut));
  }
  return std::string(name);
}

std::string source_line(std::string_view stack) {
  constexpr std::string_view kFrame = "File \"", kLine = "\", line ";
  std::string_view last;
  std::optional<std::string> place;
  bool is_code = false;
  std::string code;
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find('\n'), stack.size());
    const std::string_view line = trimmed(stack.substr(0, end));
    stack.remove_prefix(std::min(end + 1, stack.size()));
    if (line.empty()) continue;
    last = line;
    const std::size_t at = line.find(kLine);
    if (line.starts_with(kFrame) && at != std::string_view::npos) {
      const std::string_view number = line.substr(at + kLine.size());
      place = fmt::format("{}:{}", line.substr(kFrame.size(), at - kFrame.size()),
                          number.substr(0, number.find_first_not_of("0123456789")));
      code.clear(), is_code = true;
    } else if (is_code) {
      code = line, is_code = false;
    }
  }
  if (!place) return std::string(last);
  return code.empty() ? *place : fmt::format("{}: {}", *place, code);
}

Status KernelProvenance::add(std::string_view text, const std::string& file) {
  KernelsByName found;
  ProvenanceParser parser(text, file, found);
  JsonDocument<ProvenanceParser> document(parser);
  const Result<const char*> parsed = document.parse({text.data(), text.data() + text.size(), 0, true});
  if (!parsed) return parsed.error();
  for (auto& [name, source] : found) {
    KernelSource& kernel = kernels_[name];
    kernel.operators.merge(source.operators);
    for (std::string& line : source.lines) add_line(kernel, std::move(line));
  }
  return {};
}

const KernelSource* KernelProvenance::find(std::string_view kernel) const {
  const auto at = kernels_.find(kernel);
  return at == kernels_.end() ? nullptr : &at->second;
}

}  // namespace orrery::analyze
