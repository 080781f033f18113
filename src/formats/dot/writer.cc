#include "formats/dot/writer.h"

#include <fmt/format.h>

#include <iterator>

#include "base/io/output_file.h"
#include "base/units.h"

namespace orrery::dot {
namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::Program;

constexpr std::size_t kFlushedBytes = std::size_t{1} << 20;

/// Between quotes: backslashes, quotes and line ends would mean something.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
}

void append_node(std::string& out, const workload::Workload& workload, const Program& program, std::size_t i) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "  {} [label=\"", program.ids[i]);
  append_escaped(out, workload.strings.text(program.names[i]));
  if (program.names[i] != 0) out += "\\n";
  const ActivityKind kind = program.kinds[i];
  out += kind == ActivityKind::collective ? workload::to_string(program.collectives[i]) : workload::to_string(kind);
  if (program.has(i, workload::activity::kHasBytes)) fmt::format_to(to, ", {} bytes", program.bytes[i]);
  if (program.duration_ps(i) != 0) fmt::format_to(to, ", {} µs", to_us(program.duration_ps(i)));
  out += program.has(i, workload::activity::kOnHost) ? "\"]\n" : "\", style=filled]\n";
}

void append_edges(std::string& out, const Program& program, std::size_t i) {
  for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    const auto type = static_cast<Dependency>(program.dependencies.type(slot));
    fmt::format_to(std::back_inserter(out), "  {} -> {}{}\n", program.ids[program.dependencies.source(slot)],
                   program.ids[i],
                   type == Dependency::data      ? ""
                   : type == Dependency::control ? " [style=dashed]"
                                                 : " [style=dotted]");
  }
}

}  // namespace

Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  const Program& program = workload.program(rank);
  std::string text = fmt::format("digraph \"rank {}\" {{\n  node [shape=box]\n", rank);
  for (std::size_t i = 0; i < program.size(); ++i) {
    append_node(text, workload, program, i);
    append_edges(text, program, i);
    if (text.size() < kFlushedBytes) continue;
    file->write(text);
    text.clear();
  }
  text += "}\n";
  file->write(text);
  return file->commit();
}

}  // namespace orrery::dot
