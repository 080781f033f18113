// A made-up job on a machine whose delays are constants, recorded like a profiler would: traces that are valid whatever
// the program, and what-if questions whose true answer is known, because the job can be run again with other durations.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace orrery::testing {

/// One thing a host thread does.
struct Action {
  enum Kind : std::uint8_t {
    op,
    launch,
    graph_launch,
    stream_wait,
    blocking_copy,
    stream_sync,
    device_sync,
    next_step
  };

  Kind kind = op;
  int thread = 0;
  int device = 0;
  int stream = 0;
  std::int64_t duration_ns = 1000;  ///< of the operator, kernel or copy

  friend std::ostream& operator<<(std::ostream& out, const Action& a) {
    static constexpr const char* kNames[] = {"op", "launch", "graph", "wait", "copy", "sync", "device_sync", "step"};
    return out << kNames[a.kind] << "(thread " << a.thread << ", gpu" << a.device << "/" << a.stream << ", "
               << a.duration_ns << " ns)";
  }
};

struct SimulatedMachine {
  std::int64_t call_ns = 3000;    ///< every runtime call takes this long, if it does not wait
  std::int64_t launch_ns = 5000;  ///< from entering the call to the start on an idle stream
  std::int64_t gap_ns = 1200;     ///< between two pieces of work that depend on each other
  std::int64_t return_ns = 2500;  ///< from the end of the work to the return of the call that waited for it
  bool records_syncs = true;      ///< writes cuda_sync events
  double op_factor = 1;           ///< of the duration of operators
  double kernel_factor = 1;       ///< of kernels and copies
};

struct SimulatedJob {
  std::string lines;  ///< for SmallTrace
  TimePs span = 0;    ///< from the first start to the last end
  int steps = 0;
};

class JobSimulator {
 public:
  explicit JobSimulator(const SimulatedMachine& machine) : machine_(machine) {}

  /// Actions of one thread follow each other; of all threads the one that is earliest goes on.
  SimulatedJob run(const std::vector<Action>& actions) {
    std::map<int, std::vector<Action>> programs;
    for (const Action& action : actions) programs[action.thread].push_back(action);
    std::map<int, std::size_t> next;
    for (;;) {
      int earliest = -1;
      for (const auto& [thread, program] : programs) {
        if (next[thread] < program.size() && (earliest < 0 || now_[thread] < now_[earliest])) earliest = thread;
      }
      if (earliest < 0) break;
      execute(programs[earliest][next[earliest]++]);
    }
    if (in_step_ && now_[0] > step_begin_) end_step(now_[0]);
    return {std::move(lines_), latest_ * kPsPerNs, steps_};
  }

 private:
  using Queue = std::pair<int, int>;

  std::string us(std::int64_t ns) const { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  void event(const std::string& lane, std::int64_t start, std::int64_t end, const std::string& rest) {
    lines_ += fmt::format("{} {} {} {}\n", lane, us(start), us(end - start), rest);
    latest_ = std::max(latest_, end);
  }
  static std::string lane_of(const Queue& queue) { return fmt::format("gpu{}/{}", queue.first, queue.second + 7); }

  // A runtime call that takes `duration`; returns when it was entered.
  std::int64_t call(int thread, const char* name, int correlation, std::int64_t duration) {
    const std::int64_t entered = now_[thread];
    now_[thread] += duration;
    event(std::to_string(thread + 1), entered, now_[thread],
          fmt::format("cuda_runtime {} correlation={}", name, correlation));
    return entered;
  }

  std::int64_t put(const Queue& queue, std::int64_t entered, std::int64_t duration_ns, const char* category,
                   const char* name, int correlation) {
    std::int64_t start = entered + machine_.launch_ns;
    if (const auto last = last_end_.find(queue); last != last_end_.end())
      start = std::max(start, last->second + machine_.gap_ns);
    if (const auto wait = held_until_.find(queue); wait != held_until_.end())
      start = std::max(start, wait->second + machine_.gap_ns);
    held_until_.erase(queue);
    const std::int64_t end = start + std::llround(static_cast<double>(duration_ns) * machine_.kernel_factor);
    last_end_[queue] = end;
    event(lane_of(queue), start, end, fmt::format("{} {} correlation={}", category, name, correlation));
    return end;
  }

  // The call returns return_ns after the work it waits for has ended, or after it was entered if that is later.
  void wait(int thread, const char* call_name, const char* event_name, const Queue& lane, std::int64_t work_end) {
    const int correlation = ++correlation_;
    const std::int64_t entered = now_[thread];
    call(thread, call_name, correlation, std::max(entered, work_end) + machine_.return_ns - entered);
    if (machine_.records_syncs)
      event(lane_of(lane), entered, now_[thread] - 1,
            fmt::format("cuda_sync \"{}\" correlation={}", event_name, correlation));
  }

  void end_step(std::int64_t end) {
    event("1", step_begin_, end, fmt::format("user_annotation ProfilerStep#{}", steps_++));
    in_step_ = false;
  }

  void execute(const Action& action) {
    const Queue queue{action.device, action.stream};
    switch (action.kind) {
      case Action::op: {
        const std::int64_t start = now_[action.thread];
        now_[action.thread] += std::llround(static_cast<double>(action.duration_ns) * machine_.op_factor);
        return event(std::to_string(action.thread + 1), start, now_[action.thread], "cpu_op aten::op");
      }
      case Action::launch: {
        const std::int64_t entered = call(action.thread, "cudaLaunchKernel", ++correlation_, machine_.call_ns);
        put(queue, entered, action.duration_ns, "kernel", action.stream == 0 ? "gemm" : "ncclDevKernel", correlation_);
        return;
      }
      case Action::graph_launch: {
        const std::int64_t entered = call(action.thread, "cudaGraphLaunch", ++correlation_, machine_.call_ns);
        for (int i = 0; i < 3; ++i) put(queue, entered, action.duration_ns, "kernel", "graph_kernel", correlation_);
        return;
      }
      case Action::stream_wait: {
        const Queue source{action.device, action.stream == 0 ? 1 : 0};
        const int record = ++correlation_;
        call(action.thread, "cudaEventRecord", record, machine_.call_ns);
        const auto recorded = last_end_.find(source);
        const int correlation = ++correlation_;
        const std::int64_t entered = call(action.thread, "cudaStreamWaitEvent", correlation, machine_.call_ns);
        if (recorded != last_end_.end()) held_until_[queue] = std::max(held_until_[queue], recorded->second);
        if (machine_.records_syncs) {
          event(lane_of(queue), entered, entered + 1,
                fmt::format("cuda_sync \"Stream Wait Event\" correlation={} wait_on_stream={} "
                            "wait_on_cuda_event_record_corr_id={}",
                            correlation, source.second + 7, record));
        }
        return;
      }
      case Action::blocking_copy: {
        const int correlation = ++correlation_;
        const std::int64_t entered = now_[action.thread];
        const std::int64_t end = put(queue, entered, action.duration_ns, "gpu_memcpy", "\"Memcpy DtoH\"", correlation);
        call(action.thread, "cudaMemcpyAsync", correlation, end + machine_.return_ns - entered);
        return;
      }
      case Action::stream_sync:
        return wait(action.thread, "cudaStreamSynchronize", "Stream Sync", queue,
                    last_end_.contains(queue) ? last_end_[queue] : 0);
      case Action::device_sync: {
        std::int64_t last = 0;
        for (const auto& [other, end] : last_end_) {
          if (other.first == action.device) last = std::max(last, end);
        }
        return wait(action.thread, "cudaDeviceSynchronize", "Context Sync", {action.device, -8}, last);
      }
      case Action::next_step: {
        if (action.thread != 0) return;
        if (in_step_ && now_[0] > step_begin_) end_step(now_[0]);
        step_begin_ = now_[0];
        in_step_ = true;
        return;
      }
    }
  }

  SimulatedMachine machine_;
  std::string lines_;
  std::map<int, std::int64_t> now_;
  std::map<Queue, std::int64_t> last_end_;
  std::map<Queue, std::int64_t> held_until_;
  int correlation_ = 0;
  int steps_ = 0;
  bool in_step_ = false;
  std::int64_t step_begin_ = 0;
  std::int64_t latest_ = 0;
};

inline SimulatedJob simulate(const std::vector<Action>& actions, const SimulatedMachine& machine = {}) {
  return JobSimulator(machine).run(actions);
}

/// Programs for properties.
inline rc::Gen<std::vector<Action>> programs(int threads, int devices, int streams, std::vector<Action::Kind> kinds) {
  return rc::gen::container<std::vector<Action>>(rc::gen::build<Action>(
      rc::gen::set(&Action::kind, rc::gen::elementOf(std::move(kinds))),
      rc::gen::set(&Action::thread, rc::gen::inRange(0, threads)),
      rc::gen::set(&Action::device, rc::gen::inRange(0, devices)),
      rc::gen::set(&Action::stream, rc::gen::inRange(0, streams)),
      rc::gen::set(&Action::duration_ns,
                   rc::gen::map(rc::gen::inRange<std::int64_t>(1, 200), [](std::int64_t x) { return x * 1000; }))));
}

inline std::vector<Action::Kind> all_actions() {
  return {Action::op,          Action::op,           Action::launch,      Action::launch,
          Action::launch,      Action::graph_launch, Action::stream_wait, Action::blocking_copy,
          Action::stream_sync, Action::device_sync,  Action::next_step};
}

}  // namespace orrery::testing
