#include "formats/graphml/writer.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "base/io/output_file.h"
#include "base/units.h"

namespace orrery::graphml {
namespace {

using workload::ActivityKind;
using workload::Program;

// A megabyte at a time: few calls, little memory.
constexpr std::size_t kFlushedBytes = std::size_t{1} << 20;
constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
    "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";

struct Key {
  std::string_view name, type;
};
constexpr std::array kNodeKeys = {Key{"label", "string"},       Key{"kind", "string"},     Key{"device", "boolean"},
                                  Key{"duration_us", "double"}, Key{"start_us", "double"}, Key{"bytes", "long"},
                                  Key{"collective", "string"},  Key{"group", "string"}};

/// What XML has no place for is left out: control characters.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
}

void append_data(std::string& out, std::string_view key, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "<data key=\"{}\">", key);
  append_escaped(out, value);
  out += "</data>";
}

void append_node(std::string& out, const workload::Workload& workload, const Program& program, std::size_t i) {
  const ActivityKind kind = program.kinds[i];
  fmt::format_to(std::back_inserter(out), "    <node id=\"{}\">", program.ids[i]);
  append_data(out, "label", workload.strings.text(program.names[i]));
  append_data(out, "kind", workload::to_string(kind));
  append_data(out, "device", program.has(i, workload::activity::kOnHost) ? "false" : "true");
  append_data(out, "duration_us", fmt::format("{}", to_us(program.duration_ps(i))));
  // Keys that a node lacks are left out, as GraphML allows.
  if (const TimePs start = program.starts_ps[i]; start != workload::kNotRecorded)
    append_data(out, "start_us", fmt::format("{}", to_us(start)));
  if (program.has(i, workload::activity::kHasBytes)) append_data(out, "bytes", fmt::format("{}", program.bytes[i]));
  if (kind == ActivityKind::collective) append_data(out, "collective", workload::to_string(program.collectives[i]));
  if (program.group_names[i] != 0) append_data(out, "group", workload.strings.text(program.group_names[i]));
  out += "</node>\n";
}

void append_edges(std::string& out, const Program& program, std::size_t i) {
  static constexpr std::array<std::string_view, 3> kTypes = {"data", "control", "start"};
  for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    fmt::format_to(
        std::back_inserter(out), "    <edge source=\"{}\" target=\"{}\"><data key=\"dependency\">{}</data></edge>\n",
        program.ids[program.dependencies.source(slot)], program.ids[i], kTypes[program.dependencies.type(slot)]);
  }
}

}  // namespace

Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  const Program& program = workload.program(rank);
  std::string text(kHead);
  const auto append_key = [&](const Key& key, std::string_view owner) {
    fmt::format_to(std::back_inserter(text), "  <key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n",
                   key.name, owner, key.type);
  };
  for (const Key& key : kNodeKeys) append_key(key, "node");
  append_key({"dependency", "string"}, "edge");
  fmt::format_to(std::back_inserter(text), "  <graph id=\"rank {}\" edgedefault=\"directed\">\n", rank);
  for (std::size_t i = 0; i < program.size(); ++i) {
    append_node(text, workload, program, i);
    append_edges(text, program, i);
    if (text.size() < kFlushedBytes) continue;
    file->write(text);
    text.clear();
  }
  text += "  </graph>\n</graphml>\n";
  file->write(text);
  return file->commit();
}

}  // namespace orrery::graphml
