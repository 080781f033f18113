// A workload in memory delivered in windows: what comes of it must not depend on where it is cut.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "simulate/small_job.h"
#include "workload/source.h"

namespace orrery::simulate::testing {

/// Every activity beyond the first window gets a dependency on the one before it if it has none in its window or the
/// one before.
inline std::vector<Node> anchored(std::vector<Node> nodes, const std::vector<std::uint32_t>& cuts) {
  std::uint32_t begin = 0, previous = 0;
  for (const std::uint32_t end : cuts) {
    for (std::uint32_t i = begin; i < end && begin > 0; ++i) {
      const auto is_near = [&](std::uint32_t on) { return on >= previous; };
      const bool held = std::any_of(nodes[i].after.begin(), nodes[i].after.end(), is_near) ||
                        std::any_of(nodes[i].with.begin(), nodes[i].with.end(), is_near);
      if (!held) nodes[i].after.push_back(i - 1);
    }
    previous = std::exchange(begin, end);
  }
  return nodes;
}

/// Programs of make_job(ranks), cut into windows. `cuts`: per program where windows end, the last at the end of the
/// program.
class WindowedSource : public workload::WorkloadSource {
 public:
  WindowedSource(workload::Workload whole, std::vector<std::vector<Node>> nodes,
                 std::vector<std::vector<std::uint32_t>> cuts, bool says_length)
      : job_(std::move(whole)), nodes_(std::move(nodes)), cuts_(std::move(cuts)), next_(nodes_.size()) {
    for (const workload::Program& program : job_.programs) {
      structures_.push_back(structure_of(lines_of(job_, program)));
      if (!says_length) structures_.back().length.reset();
    }
    job_.programs.clear();  // what is asked for comes in windows or not at all
  }

  [[nodiscard]] const workload::Workload& job() const override { return job_; }
  [[nodiscard]] std::uint32_t program_count() const override { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] const workload::ProgramStructure& structure(std::uint32_t program) const override {
    return structures_[program];
  }
  void restart() override { next_.assign(next_.size(), 0); }

  Result<std::optional<workload::Window>> next_window(std::uint32_t program) override {
    const std::vector<std::uint32_t>& cuts = cuts_[program];
    if (next_[program] == cuts.size()) return std::optional<workload::Window>();
    ++made;
    const std::uint32_t begin = next_[program] == 0 ? 0 : cuts[next_[program] - 1], end = cuts[next_[program]++];
    workload::Window window;
    std::vector<Node> own(nodes_[program].begin() + begin, nodes_[program].begin() + end);
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      carry(own[i].after, begin, i, workload::Dependency::data, window.carried);
      carry(own[i].with, begin, i, workload::Dependency::start, window.carried);
    }
    workload::Program part = make_program(job_.strings, own);
    for (std::uint64_t& id : part.ids) id += begin;
    window.program = std::make_shared<workload::Program>(std::move(part));
    return std::optional<workload::Window>(std::move(window));
  }

  std::uint64_t made = 0;  ///< windows

 private:
  // Dependencies on earlier windows leave the list.
  static void carry(std::vector<std::uint32_t>& list, std::uint32_t begin, std::uint32_t target,
                    workload::Dependency type, std::vector<workload::CarriedDependency>& carried) {
    std::vector<std::uint32_t> inner;
    for (const std::uint32_t on : list) {
      if (on < begin) carried.push_back({on, target, type});
      else inner.push_back(on - begin);
    }
    list = std::move(inner);
  }

  workload::Workload job_;
  std::vector<std::vector<Node>> nodes_;
  std::vector<std::vector<std::uint32_t>> cuts_;
  std::vector<std::size_t> next_;
  std::vector<workload::ProgramStructure> structures_;
};

}  // namespace orrery::simulate::testing
