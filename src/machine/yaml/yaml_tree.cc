#include "machine/yaml/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "base/limits.h"
#include "base/utf8.h"

// Built from the parser's events, with a stack of what is open. Everything that could surprise is refused with its
// line: anchors, tags, keys that come twice, depth and numbers of entries beyond any description, and characters that
// are no plain text.

namespace orrery::machine {

namespace {

/// Leaves yaml-cpp's parser from inside its callbacks; never escapes this file.
struct Refusal {
  int line;
  std::string message;
  std::string hint = {};
};

int line_of(const YAML::Mark& mark) { return mark.line + 1; }

/// Builds the tree out of yaml-cpp's events. Its own Node class is not used: it resolves aliases, merges and duplicate
/// keys silently.
class TreeBuilder : public YAML::EventHandler {
 public:
  YamlNode root;
  bool seen_document = false;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (seen_document) throw Refusal{line_of(mark), "a second document starts here", "keep one description per file"};
    seen_document = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({.kind = YamlNode::Kind::null, .line = line_of(mark)}, "?");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(line_of(mark)); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(line_of(mark)); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    add({.kind = YamlNode::Kind::scalar, .line = line_of(mark), .text = value, .quoted = tag == "!"}, tag);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open({.kind = YamlNode::Kind::sequence, .line = line_of(mark)}, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open({.kind = YamlNode::Kind::mapping, .line = line_of(mark)}, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  struct OpenNode {
    YamlNode node;
    std::optional<YamlNode> pending_key = {};
  };

  [[noreturn]] static void refuse_anchor(int line) {
    throw Refusal{line, "anchors (&) and aliases (*) are not supported",
                  "write the values out, or put the text in quotes"};
  }

  void open(YamlNode node, const std::string& tag) {
    check_tag(node, tag);
    // A few kilobytes of brackets must not become a stack overflow.
    if (open_.size() >= kMaxYamlDepth)
      throw Refusal{node.line, fmt::format("values are nested more than {} deep", kMaxYamlDepth)};
    open_.push_back({std::move(node)});
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
  }
  void add(YamlNode node, const std::string& tag) {
    check_tag(node, tag);
    place(std::move(node));
  }
  static void check_tag(const YamlNode& node, const std::string& tag) {
    const bool plain = tag.empty() || tag == "?" || tag == "!";
    if (!plain) throw Refusal{node.line, fmt::format("the tag '{}' is not supported", tag), "remove it"};
  }

  /// Puts a finished value where it belongs: the document, the sequence, or the mapping (as a key, then as the value of
  /// that key).
  void place(YamlNode node) {
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    auto& [parent, pending_key] = open_.back();
    const std::size_t limit = parent.kind == YamlNode::Kind::sequence ? kMaxYamlItems : kMaxYamlKeys;
    if (parent.children.size() >= limit)
      throw Refusal{node.line, fmt::format("more than {} entries in one place", limit)};
    if (parent.kind == YamlNode::Kind::sequence) {
      parent.children.push_back(std::move(node));
      return;
    }
    if (!pending_key) {
      if (node.kind != YamlNode::Kind::scalar) throw Refusal{node.line, "a key must be plain text"};
      // YAML forbids it and most parsers take the last one: half of a description would count for nothing.
      if (const YamlNode* first = parent.find(node.text)) {
        throw Refusal{node.line, fmt::format("the key '{}' is given twice", node.text),
                      fmt::format("first on line {}", first->key_line)};
      }
      pending_key = std::move(node);
      return;
    }
    node.key = std::move(pending_key->text);
    node.key_line = pending_key->line;
    if (node.kind == YamlNode::Kind::null)
      node.line = node.key_line;  // yaml-cpp marks an absent value at the token that follows
    pending_key.reset();
    parent.children.push_back(std::move(node));
  }

  std::vector<OpenNode> open_;
};

/// yaml-cpp takes 0x04 for the end of the file and guesses encodings: only clean UTF-8 gets that far.
std::optional<Error> check_characters(std::string_view text, const std::string& file) {
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const auto byte = static_cast<unsigned char>(c);
    const bool allowed = byte >= 0x20 ? byte != 0x7f : (c == '\n' || c == '\r' || c == '\t');
    if (!allowed) return yaml_error(file, line, "holds a control character", "a description is plain text");
  }
  if (!is_valid_utf8(text))
    return Error{.message = "is not UTF-8", .file = file, .hint = "save the file as UTF-8 text"};
  return std::nullopt;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [&](const YamlNode& child) { return child.key == name; });
  return found == children.end() ? nullptr : &*found;
}

Error yaml_error(const std::string& file, int line, std::string_view message, std::string hint) {
  return Error{.message = fmt::format("line {}: {}", line, message), .file = file, .hint = std::move(hint)};
}

Result<YamlNode> parse_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxYamlBytes) {
    return Error{.message = fmt::format("is larger than {} bytes", kMaxYamlBytes),
                 .file = file,
                 .hint = "is this a description file?"};
  }
  if (auto error = check_characters(text, file)) return std::move(*error);
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return yaml_error(file, refusal.line, refusal.message, refusal.hint);
  } catch (const YAML::Exception& error) {
    return yaml_error(file, line_of(error.mark), "not valid YAML: " + error.msg);
  }
  if (!builder.seen_document) return Error{.message = "is empty", .file = file};
  return std::move(builder.root);
}

}  // namespace orrery::machine
