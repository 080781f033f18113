// Writes the events of one simulated rank into a RankTrace.
#pragma once

#include <string_view>
#include <vector>

#include "simulate/trace_rank/host_calls.h"
#include "simulate/trace_rank/rank_lanes.h"
#include "simulate/trace_rank/traced_schedule.h"

namespace orrery::simulate {

class RankTracer {
 public:
  RankTracer(const TracedSchedule& traced, std::uint32_t rank, Interner& strings);

  TracedRank trace(TraceDetail detail);

 private:
  // In the order of RankTrace::categories.
  enum CategoryNumber : std::uint16_t { kKernel, kCopy, kOperator, kRuntime, kSync, kAnnotation, kMessage, kFill };

  struct Timing {
    TimePs start;
    TimePs duration;
  };

  trace::EventIndex add_event(std::string_view name, CategoryNumber category, std::uint32_t lane, Timing timing,
                              std::uint32_t activity);
  void set(trace::EventIndex event, trace::Field field, std::int64_t value);
  void set_text(trace::EventIndex event, trace::Field field, std::string_view text) {
    set(event, field, strings_.intern(text));
  }
  [[nodiscard]] std::int64_t stream_of(std::uint32_t lane) const { return std::int64_t{lane} + 1; }
  [[nodiscard]] TimePs start_of(std::uint32_t activity) const { return schedule_.start_ps[first_ + activity]; }
  [[nodiscard]] TimePs end_of(std::uint32_t activity) const { return schedule_.end_ps[first_ + activity]; }

  void describe_rank();
  void add_activity(std::uint32_t activity, bool with_launch);
  [[nodiscard]] std::string name_of(std::uint32_t activity) const;
  void add_communication_arguments(trace::EventIndex event, std::uint32_t activity);
  void add_flow(std::uint32_t activity);

  // TraceDetail::causes
  void find_records();
  [[nodiscard]] std::uint32_t released_by(std::uint32_t activity) const;
  void add_waits(std::uint32_t activity);
  void add_launch(std::uint32_t activity);
  void add_host_waits();
  void add_sync_call(std::string_view call, std::string_view record, Timing timing, std::uint32_t waited_for);
  void add_step();
  [[nodiscard]] std::int64_t launch_correlation(std::uint32_t activity) const { return 2 * std::int64_t{activity} + 1; }
  [[nodiscard]] std::int64_t record_correlation(std::uint32_t activity) const { return 2 * std::int64_t{activity} + 2; }
  std::int64_t next_correlation() { return next_correlation_++; }

  const TracedSchedule& traced_;
  const workload::Workload& workload_;
  const JobPlan& plan_;
  const Schedule& schedule_;
  const std::uint32_t rank_;
  const workload::Program& program_;
  const ProgramPlan& program_plan_;
  const std::uint64_t first_;
  Interner& strings_;
  const Column<std::uint8_t> is_delay_;  // per activity: time that passes, no event
  RankLanes lanes_;
  EffectiveSources sources_;
  Launches launches_;
  std::vector<std::uint32_t> place_;           // per activity: in lanes_.order
  std::vector<bool> is_recorded_;              // per activity: another lane waits for it
  std::vector<std::uint32_t> before_on_lane_;  // per activity: the one before it on its lane
  std::vector<std::uint32_t> host_waits_for_;  // per compute of the first host lane: device work
  std::int64_t next_correlation_ = 0;
  TimePs finish_ = 0;
  TracedRank out_;
};

}  // namespace orrery::simulate
