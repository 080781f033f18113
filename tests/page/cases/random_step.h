// Random graphs of one rank and of jobs, with all that edits can ask about: names that are hard to match, streams,
// annotations, steps, groups.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analyze/small_job.h"
#include "causal/rank_graph.h"
#include "graph/builder.h"
#include "graph/longest_path.h"
#include "support/kineto_lines.h"

namespace orrery::page::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  TimePs time(TimePs n) { return static_cast<TimePs>(below(static_cast<std::uint64_t>(n))); }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 random_;
};

inline const std::vector<std::string>& hard_names() {
  static const std::vector<std::string> names = {"aten::mm",
                                                 "aten::copy_",
                                                 "aten::_to_copy",
                                                 "void gemm<float*, int>(a, b)",
                                                 "nvjet_tst_128x64",
                                                 "two words",
                                                 "a\nb",
                                                 "a\rb",
                                                 "x\"y",
                                                 "c:\\d\\e",
                                                 "a/b/c",
                                                 "\xCE\xB1\xCE\xB2",
                                                 "\xF0\x9F\x98\x80",
                                                 "tab\there",
                                                 "[brackets]",
                                                 "{3}",
                                                 "q?*",
                                                 "under_score",
                                                 "UPPER",
                                                 "",
                                                 "12",
                                                 "v\x0B"
                                                 "t",
                                                 "nbsp\xC2\xA0",
                                                 "a;b",
                                                 "it's"};
  return names;
}

/// Any graph will do: the page has to give the engine's answer, not a sensible one.
inline causal::RankGraph random_step(std::uint64_t seed) {
  Dice dice(seed);
  causal::RankGraph step;
  graph::GraphBuilder builder;
  const auto nodes = static_cast<graph::NodeId>(2 + dice.below(60));
  const std::uint32_t lanes = 1 + static_cast<std::uint32_t>(dice.below(4));
  const TimePs grain = dice.below(2) == 0 ? 1000 : 1;  // of weights
  for (std::uint32_t i = 0, count = static_cast<std::uint32_t>(dice.below(40)); i < count; ++i) {
    const auto lane = static_cast<std::uint32_t>(dice.below(lanes)),
               launch = static_cast<std::uint32_t>(dice.below(lanes));
    const TimePs start = dice.time(900'000), launched = dice.time(900'000);
    const std::int64_t device = static_cast<std::int64_t>(dice.below(3)) - 1;
    step.owners.push_back({step.strings.intern(dice.one_of(hard_names())), i, lane, launch, start, launched, device,
                           device < 0 ? -1 : 7 + device});
  }
  // Not numbered in topological order: nodes are renumbered then.
  std::vector<graph::NodeId> node(nodes);
  for (graph::NodeId i = 0; i < nodes; ++i) node[i] = i;
  for (graph::NodeId i = nodes; i-- > 1;) std::swap(node[i], node[dice.below(i + 1)]);
  builder.add_nodes(nodes);
  for (graph::NodeId to = 1; to < nodes; ++to) {
    for (std::uint64_t k = 0, count = 1 + dice.below(3); k < count; ++k) {
      const TimePs weight = dice.below(8) == 0    ? 0
                            : dice.below(12) == 0 ? -dice.time(40) * grain
                                                  : dice.time(90'000 / grain) * grain;
      const std::uint32_t tag = step.owners.empty() || dice.below(4) == 0
                                    ? graph::kNoTag
                                    : static_cast<std::uint32_t>(dice.below(step.owners.size()));
      builder.add_edge(node[dice.below(to)], node[to], static_cast<std::uint8_t>(dice.below(causal::kEdgeKinds)),
                       weight, tag);
    }
  }
  step.graph = std::move(*std::move(builder).build());
  step.begin = node[0];
  step.end = node[dice.below(4) == 0 ? dice.below(nodes) : nodes - 1];
  const graph::Solution solved = graph::solve(step.graph, step.end);
  const bool is_late = dice.below(3) == 0;
  for (graph::NodeId i = 0; i < nodes; ++i) {
    step.time.push_back(solved.finish(i) + (is_late ? dice.time(2000) - 1000 : 0));
    step.node_lane.push_back(dice.below(6) == 0 ? causal::kNoWork : static_cast<std::uint32_t>(dice.below(lanes)));
  }
  const char* const annotations[] = {"ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#14", "## forward ##",
                                     "## backward ##", "two words",      "train 3"};
  for (std::uint64_t i = 0, count = dice.below(9); i < count; ++i) {
    const TimePs begin = dice.time(900'000);
    step.annotations.push_back({step.strings.intern(dice.one_of(annotations)),
                                static_cast<std::uint32_t>(dice.below(lanes)), begin, begin + dice.time(600'000)});
  }
  step.lanes.resize(lanes);
  step.window.label = dice.below(3) == 0 ? "whole trace" : "ProfilerStep#3";
  step.window.is_whole_trace = step.window.label == "whole trace";
  step.window.end = step.time[step.end];
  for (const causal::AnnotatedRange& range : step.annotations) {
    const std::string_view name = step.strings.text(range.name);
    if (name.starts_with("ProfilerStep#")) step.window.steps.push_back({std::string(name), range.begin, range.end});
  }
  std::stable_sort(step.window.steps.begin(), step.window.steps.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  step.rank = static_cast<std::int64_t>(dice.below(4));
  return step;
}

/// Operators in one another on one or two threads, with calls that launch kernels and wait for them: of most of these
/// it can be told what recording cost.
class RandomRecording {
 public:
  explicit RandomRecording(std::uint64_t seed) : dice_(seed), grain_(dice_.below(2) == 0 ? 1000 : 1) {}

  causal::CausalGraph make() {
    for (std::uint64_t threads = 1 + dice_.below(2); thread_ < threads; ++thread_) {
      at_ = dice_.time(5000) * 1000;
      for (std::uint64_t i = 0, count = 10 + dice_.below(40); i < count; ++i) {
        add_operator(0);
        if (dice_.below(8) == 0) at_ += short_time();
        if (dice_.below(12) == 0) add_call("cudaDeviceSynchronize", std::max<TimePs>(0, kernel_end_ - at_));
      }
    }
    const orrery::testing::SmallTrace small(lines_);
    Diagnostics diagnostics;
    return std::move(*causal::make_causal_graph(small.trace(), small.rank(), {"", {}, {}}, diagnostics));
  }

 private:
  TimePs short_time() { return (1 + dice_.time(4'000'000 / grain_)) * grain_; }

  void add(const std::string& lane, TimePs begin, TimePs end, const std::string& rest) {
    const auto us = [](TimePs time) { return fmt::format("{}.{:06}", time / kPsPerUs, time % kPsPerUs); };
    lines_ += fmt::format("{} {} {} {}\n", lane, us(begin), us(end - begin), rest);
  }

  void add_call(const char* name, TimePs waits) {
    const TimePs begin = at_;
    at_ += waits + short_time();
    add(std::to_string(thread_), begin, at_, fmt::format("cuda_runtime {} correlation={}", name, ++correlation_));
  }

  void add_operator(std::uint64_t depth) {
    static constexpr const char* kNames[] = {"aten::t", "aten::mm", "aten::view", "aten::empty"};
    const TimePs begin = at_;
    at_ += short_time();
    for (std::uint64_t i = 0, count = depth < 3 ? dice_.below(3) : 0; i < count; ++i) {
      add_operator(depth + 1);
      if (dice_.below(2) == 0) at_ += short_time();
    }
    if (dice_.below(3) == 0) {
      add_call("cudaLaunchKernel", 0);
      const TimePs starts = std::max(at_, kernel_end_) + short_time();
      kernel_end_ = starts + 5 * short_time();
      add("gpu0/7", starts, kernel_end_, fmt::format("kernel gemm correlation={}", correlation_));
      at_ += short_time();
    }
    add(std::to_string(thread_), begin, at_, fmt::format("cpu_op {}", dice_.one_of(kNames)));
  }

  Dice dice_;
  TimePs grain_;
  std::uint64_t thread_ = 0, correlation_ = 0;
  TimePs at_ = 0, kernel_end_ = 0;
  std::string lines_;
};

/// Steps, kernels on streams, collectives of several groups, roots and messages.
inline causal::CausalGraph random_job(std::uint64_t seed) {
  using analyze::testing::SmallJob;
  Dice dice(seed);
  const auto ranks = static_cast<std::uint32_t>(2 + dice.below(4));
  const TimePs grain = dice.below(2) == 0 ? 1000 : 1;
  std::vector<TimePs> begins;
  for (std::uint32_t r = 0; r < ranks; ++r) begins.push_back(dice.time(1'000'000 / grain) * grain);
  SmallJob job(ranks, begins);
  const char* const groups[] = {"world", "dp0", "dp1", "tp", ""};
  for (std::uint64_t e = 0, count = 1 + dice.below(12); e < count; ++e) {
    const bool is_step = e == 0 || dice.below(3) == 0;
    SmallJob::Collective collective{.what = dice.below(2) == 0 ? "all_reduce" : "all_gather",
                                    .group = dice.one_of(groups)};
    const std::uint64_t sort = dice.below(4);
    const auto sender = static_cast<std::uint32_t>(dice.below(ranks - 1));
    if (sort == 0) collective.what = "broadcast", collective.root = static_cast<std::uint32_t>(dice.below(ranks));
    if (sort == 1) collective.what = "p2p", collective.message = true;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if (is_step) job.step(r);
      const causal::EdgeKind kinds[] = {causal::EdgeKind::cpu_operator, causal::EdgeKind::cpu_untraced,
                                        causal::EdgeKind::cpu_runtime, causal::EdgeKind::kernel};
      job.work(r, dice.one_of(hard_names()), dice.time(10'000'000 / grain) * grain, dice.one_of(kinds));
      if (dice.below(2) == 0) {
        const std::string name = "kernel " + dice.one_of(hard_names());  // of device work SmallJob needs a name
        job.need(r, job.kernel(r, 7 + static_cast<std::uint32_t>(dice.below(2)), name,
                               dice.time(5'000'000 / grain) * grain));
      }
      if (sort == 1 && r != sender && r != sender + 1) continue;
      collective.transfer = dice.time(3'000'000 / grain) * grain;
      const auto end = job.ask(r, "c" + std::to_string(e), collective);
      job.work(r, dice.one_of(hard_names()), dice.time(10'000'000 / grain) * grain);
      job.need(r, end);
    }
  }
  causal::CausalGraph made = job.make();
  for (causal::JobRank& rank : made.ranks) {
    for (std::uint64_t i = 0, count = dice.below(4); i < count; ++i) {
      const TimePs begin = dice.time(made.span + 1);
      rank.annotations.push_back({made.strings.intern(dice.below(2) == 0 ? "## forward ##" : "two words"), 0, begin,
                                  begin + dice.time(made.span + 1)});
    }
  }
  return made;
}

}  // namespace orrery::page::testing
