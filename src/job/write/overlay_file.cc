#include "job/write/overlay_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <set>

#include "base/column.h"
#include "base/io/output_file.h"
#include "causal/hta/edges.h"
#include "causal/hta/name_set.h"
#include "formats/kineto/format.h"
#include "job/read/registry.h"

namespace orrery::job {

Status dump_graph(const causal::hta::CriticalPath& path, const std::string& prefix) {
  const causal::hta::Nodes& nodes = path.window.nodes;
  const auto us = [](TimePs ps) {
    return ps % kPsPerUs == 0 ? fmt::format("{}", ps / kPsPerUs) : fmt::format("{}", to_us(ps));
  };
  auto node_file = OutputFile::create(prefix + ".nodes.csv.gz");
  if (!node_file) return node_file.error();
  auto edge_file = OutputFile::create(prefix + ".edges.csv.gz");
  if (!edge_file) return edge_file.error();

  const causal::hta::NameSet is_blocking(path.rows.trace->strings, causal::hta::kBlockingCalls);
  std::string text = "node,ev_idx,ts,is_start,is_blocking\n";
  for (causal::hta::NodeNumber n = 0; n < nodes.size(); ++n) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", n, path.rows.index[nodes.row[n]], us(nodes.time[n]),
                   nodes.is_start[n], is_blocking(path.rows.name(nodes.row[n])) ? 1 : 0);
  }
  node_file->write(text);

  Column<std::uint8_t> critical(path.edges.size(), 0);
  for (const std::uint32_t i : path.path_edges) critical[i] = 1;
  text = "u,v,type,weight_object,weight_graph,attributed_event,critical\n";
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    const causal::hta::Edge& edge = path.edges[i];
    fmt::format_to(
        std::back_inserter(text), "{},{},critical_path_{},{},{},{},{}\n", edge.from, edge.to, to_string(edge.type),
        us(edge.weight), us(path.path_weight[i]),
        edge.attributed == causal::hta::kNoRow ? std::string() : std::to_string(path.rows.index[edge.attributed]),
        critical[i]);
  }
  edge_file->write(text);
  if (const Status done = node_file->commit(); !done) return done;
  return edge_file->commit();
}

Status write_overlay_of(const std::string& source, const kineto::Overlay& overlay, const std::string& path) {
  const Result<const formats::Format*> format = detect(source);
  if (!format) return format.error();
  if (*format == &kineto::kFormat) return kineto::write_overlay(source, overlay, path);
  const bool has_timeline =
      (*format)->content == formats::Content::trace || (*format)->content == formats::Content::rank_program;
  return Error{fmt::format("an overlay is the trace written again, and {} is not written", (*format)->title), source,
               Error::kNoOffset, has_timeline ? "make a timeline of it first: orrery convert" : ""};
}

Status write_overlays_of(const std::vector<std::string>& sources, const std::vector<kineto::Overlay>& overlays,
                         const std::string& folder) {
  std::set<std::string> names;
  for (const std::string& source : sources) {
    if (!names.insert(std::filesystem::path(source).filename().string()).second)
      return Error{"two files of the job have one name, and would become one", source, Error::kNoOffset,
                   "give them names of their own"};
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{"the folder cannot be made: " + failed.message(), folder};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string path = (std::filesystem::path(folder) / std::filesystem::path(sources[i]).filename()).string();
    if (Status written = write_overlay_of(sources[i], overlays[i], path); !written) return written;
  }
  return {};
}

}  // namespace orrery::job
