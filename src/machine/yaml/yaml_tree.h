// A small, safe subset of YAML as a tree that knows its lines: what a description file written by hand needs, and
// nothing that can explode.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::machine {

/// One value. Members of a mapping carry their key.
struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  int line = 0;           ///< 1-based
  std::string key = {};   ///< of a member of a mapping
  int key_line = 0;       ///< 1-based
  std::string text = {};  ///< of a scalar
  bool quoted = false;    ///< a scalar in quotes is text, whatever it looks like
  std::vector<YamlNode> children = {};

  [[nodiscard]] const YamlNode* find(std::string_view name) const;
};

/// Parses one document. Refused, with the line: text that is not UTF-8 or holds control characters, more than
/// base/limits.h allows, anchors, aliases, tags, keys that are not plain text, a key twice in one mapping, a second
/// document, and whatever is not YAML.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& file);

/// An Error of the form "line 7: message".
Error yaml_error(const std::string& file, int line, std::string_view message, std::string hint = {});

}  // namespace orrery::machine
