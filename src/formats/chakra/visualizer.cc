#include "formats/chakra/visualizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "formats/chakra/json_lines.h"
#include "formats/chakra/message_view.h"
#include "formats/chakra/upgrade.h"

// The output is byte for byte that of Chakra's tools, so the rules are those of what they use: the quoting of the
// graphviz package, nodes and edges as networkx keeps them, and XML as ElementTree writes it.

namespace orrery::chakra {
namespace {

constexpr std::string_view kSpecialInRecords = "{}()<>[]|&-";

/// Whether Graphviz takes it without quotes: a name or a number, and none of its keywords.
bool is_plain_identifier(std::string_view text) {
  static constexpr std::string_view kKeywords[] = {"node", "edge", "graph", "digraph", "subgraph", "strict"};
  if (text.empty()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (is_letter(text[0])) {
    std::string lower(text);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool is_keyword = std::find(std::begin(kKeywords), std::end(kKeywords), lower) != std::end(kKeywords);
    return !is_keyword && std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
  }
  if (text[0] == '-') text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point),
                         part = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const bool only_digits =
      std::all_of(whole.begin(), whole.end(), is_digit) && std::all_of(part.begin(), part.end(), is_digit);
  return only_digits && (!whole.empty() || !part.empty());
}

/// In quotes where needed; a quote that is not escaped already gets a backslash.
std::string dot_quoted(std::string_view text) {
  if (is_plain_identifier(text)) return std::string(text);
  std::string out = "\"";
  std::size_t backslashes = 0;
  for (const char c : text) {
    // As the graphviz package quotes: a quote behind an odd number of backslashes is escaped already.
    if (c == '"' && backslashes % 2 == 0) out += '\\';
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out + '"';
}

std::string escaped_label(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (kSpecialInRecords.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

Error damaged_node(const std::string& path, std::uint64_t number) {
  return {fmt::format("record {} is not a Chakra node", number), path};
}

/// Calls f(NodeView) for every node.
template <typename F>
Status for_each_node(std::string_view bytes, const std::string& path, std::string_view schema, const F& f) {
  NodeView node;
  std::uint64_t number = 0;
  return upgrade(bytes, path, schema, [&](std::string_view message, bool is_metadata) -> Status {
    ++number;
    if (is_metadata) return {};
    if (!view_node(message, node)) return damaged_node(path, number);
    f(node);
    return {};
  });
}

/// A graph as networkx keeps it.
class NamedGraph {
 public:
  void add_node(std::uint64_t id, std::string_view label) {
    Node& node = nodes_[place_of(id)];
    node.label = label;
    node.has_label = true;
  }
  void add_edge(std::uint64_t from, std::uint64_t to, bool is_data) {
    const std::size_t source = place_of(from), target = place_of(to);
    std::vector<Edge>& edges = nodes_[source].edges;
    // networkx keeps one edge between two nodes, at the place of the first and with the attributes of the last.
    const auto [known, fresh] = edges_.try_emplace(source << 32 | target, edges.size());
    if (fresh) edges.push_back({target, is_data});
    else edges[known->second].is_data = is_data;
    has_edges_ = true;
  }
  void write(OutputFile& out) const;

 private:
  struct Edge {
    std::size_t target;
    bool is_data;
  };
  struct Node {
    std::uint64_t id = 0;
    std::string label = {};
    bool has_label = false;
    std::vector<Edge> edges = {};
  };
  std::size_t place_of(std::uint64_t id) {
    const auto [it, fresh] = places_.try_emplace(id, nodes_.size());
    if (fresh) nodes_.push_back({id});
    return it->second;
  }

  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // by id
  std::unordered_map<std::uint64_t, std::size_t> edges_;   // by both ends: the place among those of the source
  bool has_edges_ = false;
};

void NamedGraph::write(OutputFile& out) const {
  out.write(
      "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
      "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
  if (has_edges_) out.write("  <key id=\"d1\" for=\"edge\" attr.name=\"dependency\" attr.type=\"string\" />\n");
  // ElementTree writes what is empty in one tag, and keys only for attributes that occur.
  if (nodes_.empty()) return out.write("  <graph edgedefault=\"directed\" />\n</graphml>\n");
  out.write(
      "  <key id=\"d0\" for=\"node\" attr.name=\"label\" attr.type=\"string\" />\n  <graph "
      "edgedefault=\"directed\">\n");
  for (const Node& node : nodes_) {
    // A node that others depend on and that is not in the file: networkx makes one without attributes.
    if (!node.has_label) out.write(fmt::format("    <node id=\"{}\" />\n", node.id));
    else if (node.label.empty())
      out.write(fmt::format("    <node id=\"{}\">\n      <data key=\"d0\" />\n    </node>\n", node.id));
    else
      out.write(fmt::format("    <node id=\"{}\">\n      <data key=\"d0\">{}</data>\n    </node>\n", node.id,
                            xml_escaped(node.label)));
  }
  for (const Node& node : nodes_) {
    for (const Edge& edge : node.edges) {
      out.write(fmt::format("    <edge source=\"{}\" target=\"{}\">\n      <data key=\"d1\">{}</data>\n    </edge>\n",
                            node.id, nodes_[edge.target].id, edge.is_data ? "data" : "control"));
    }
  }
  out.write("  </graph>\n</graphml>\n");
}

}  // namespace

Status visualize_dot(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out) {
  out.write("digraph {\n");
  Status drawn = for_each_node(bytes, path, schema, [&](const NodeView& node) {
    out.write(fmt::format("\t{0} [label={1} id={0} shape=record]\n", node.id, dot_quoted(escaped_label(node.name))));
    for (const std::uint64_t on : node.data_deps)
      out.write(fmt::format("\t{} -> {} [arrowhead=normal]\n", on, node.id));
    for (const std::uint64_t on : node.ctrl_deps) out.write(fmt::format("\t{} -> {} [arrowhead=tee]\n", on, node.id));
  });
  out.write("}\n");
  return drawn;
}

Status visualize_graphml(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out) {
  NamedGraph graph;
  Status drawn = for_each_node(bytes, path, schema, [&](const NodeView& node) {
    graph.add_node(node.id, node.name);
    for (const std::uint64_t on : node.data_deps) graph.add_edge(on, node.id, true);
    for (const std::uint64_t on : node.ctrl_deps) graph.add_edge(on, node.id, false);
  });
  if (drawn) graph.write(out);
  return drawn;
}

Status jsonize(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out) {
  std::string text;
  std::uint64_t number = 0;
  return upgrade(bytes, path, schema, [&](std::string_view message, bool is_metadata) -> Status {
    text.clear();
    ++number;
    if (!(is_metadata ? append_metadata_json(message, text) : append_node_json(message, text)))
      return damaged_node(path, number);
    out.write(text);
    return {};
  });
}

Status write_json_lines(std::string_view bytes, const std::string& path, std::string_view schema, OutputFile& out) {
  std::string text;
  std::uint64_t number = 0;
  return upgrade(bytes, path, schema, [&](std::string_view message, bool is_metadata) -> Status {
    text.clear();
    ++number;
    if (!(is_metadata ? append_metadata_line(message, text) : append_node_line(message, text)))
      return damaged_node(path, number);
    text += '\n';
    out.write(text);
    return {};
  });
}

}  // namespace orrery::chakra
