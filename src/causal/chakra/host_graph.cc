#include "causal/chakra/host_graph.h"

#include <algorithm>
#include <vector>

#include "causal/hta/call_stack.h"
#include "causal/hta/name_set.h"

namespace orrery::causal::chakra {
namespace {

using hta::EdgeType;
using hta::kNoNode;
using hta::NodeNumber;
using hta::RowIndex;
using hta::Rows;

class ThreadWalk {
 public:
  explicit ThreadWalk(RankGraph& graph)
      : graph_(graph),
        rows_(graph.rows),
        is_blocking_(rows_.trace->strings, {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize",
                                            "cudaMemcpy", "cudaMemcpyAsync"}),
        acts_(rows_.trace->strings, {"cpu_op", "cuda_runtime", "cuda_driver"}) {}

  void walk(const std::vector<RowIndex>& thread) {
    last_ = last_outermost_ = kNoNode;
    depth_ = 0;
    const auto end_of = [&](RowIndex r) { return rows_.ts[r] + rows_.dur[r] / kPsPerUs * kPsPerUs; };  // the original cuts off fractions
    hta::walk_call_stack(
        rows_, thread, end_of, [&](RowIndex r, RowIndex) { enter(r); }, [&](RowIndex r, RowIndex) { leave(r); });
  }

 private:
  // The original takes index 0 for "none".
  bool acts(RowIndex r) const { return rows_.index[r] > 0 && acts_(rows_.rank->categories[rows_.rank->category[rows_.event[r]]].text); }

  void enter(RowIndex r) {
    if (!acts(r)) return;
    const NodeNumber start = graph_.add_nodes(r);
    if (depth_ == 0 && last_outermost_ != kNoNode) graph_.edges.add(last_outermost_, start, EdgeType::dependency);
    ++depth_;
    if (last_ != kNoNode) graph_.edges.add(last_, start, EdgeType::operator_);
    last_ = start;
  }

  void leave(RowIndex r) {
    if (!acts(r)) return;
    --depth_;
    const NodeNumber end = graph_.nodes.end_of[r];
    if (last_ != kNoNode) graph_.edges.add(last_, end, EdgeType::operator_, is_blocking_(rows_.name(r)));
    last_ = depth_ == 0 ? kNoNode : end;
    if (depth_ == 0) last_outermost_ = end;
  }

  RankGraph& graph_;
  const Rows& rows_;
  hta::NameSet is_blocking_, acts_;
  NodeNumber last_ = kNoNode;
  NodeNumber last_outermost_ = kNoNode;
  int depth_ = 0;
};

}  // namespace

void add_host_threads(RankGraph& graph) {
  const auto threads =
      hta::rows_by_thread(graph.rows, {graph.clipped.begin(), graph.clipped.size()}, [](trace::LaneKey thread) { return thread; });
  ThreadWalk walk(graph);
  for (const std::vector<RowIndex>& thread : threads) {
    const bool is_host = std::all_of(thread.begin(), thread.end(), [&](RowIndex r) { return graph.rows.stream[r] < 0; });
    if (is_host) walk.walk(thread);
  }
}

}  // namespace orrery::causal::chakra
