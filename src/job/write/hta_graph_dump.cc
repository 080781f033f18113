#include "job/write/hta_graph_dump.h"

#include <fmt/format.h>

#include <iterator>

#include "base/column.h"
#include "base/io/output_file.h"
#include "causal/hta/host_edges.h"
#include "causal/hta/name_set.h"

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

}  // namespace orrery::job
