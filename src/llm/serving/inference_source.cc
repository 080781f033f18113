#include "llm/serving/inference_source.h"

#include <cmath>

#include "llm/kernels/kernel_list.h"
#include "llm/steps/layer_writer.h"
#include "workload/chain_builder.h"

// Each stage is a chain: for every round and micro-batch it receives, goes through its layers, and sends on. From the
// last stage tokens go back to the first, so a round of decoding waits for the tokens of the one before.

namespace orrery::llm {
namespace {

using workload::ActivityKind;
using workload::Collective;

constexpr double kTokenBytes = 4;  // of a token's number

/// The way of one visit through the layers of a stage.
class VisitWriter {
 public:
  VisitWriter(const InferencePlan& plan, const Visit& visit, const VisitTimes& times)
      : plan_(plan),
        visit_(visit),
        times_(times),
        label_(visit.is_prefill ? "prefill" : "decode"),
        writer_(plan.shape, schedule_) {}

  [[nodiscard]] LayerSchedule make(std::uint32_t stage) {
    const StepPlan& shape = plan_.shape;
    if (stage == 0) {
      writer_.compute({.what = "embedding", .pass = label_}, times_.embedding);
      // The table is divided by words: each rank has the rows of its own.
      writer_.collective({.what = "embedding", .pass = label_, .detail = "sum"}, Collective::all_reduce,
                         ParallelAxis::tensor, hidden_bytes());
    }
    for (std::uint32_t layer = shape.first_layer(stage); layer < shape.first_layer(stage + 1); ++layer) run(layer);
    if (stage + 1 == shape.stages()) {
      writer_.compute({.what = "head", .pass = label_}, times_.head);
      writer_.collective({.what = "logits", .pass = label_}, Collective::all_gather, ParallelAxis::tensor,
                         kElementBytes * visit_.requests * shape.model.vocabulary / shape.job.tensor);
    }
    return std::move(schedule_);
  }

 private:
  void run(std::uint32_t layer) {
    const bool has_experts = plan_.shape.has_experts(layer);
    const LayerVisit& times = has_experts ? times_.with_experts : times_.dense;
    const auto name = [&](std::string_view what) { return ItemName{static_cast<std::int32_t>(layer), what, label_}; };
    writer_.compute(name("attention"), times.attention);
    reduce(name("attention"));
    writer_.compute(name(has_experts ? "router" : "mlp"), times.mlp);
    if (!has_experts || plan_.expert_replicas() == 1) {
      // All ranks have all tokens, and add what their experts make of them.
      if (has_experts) writer_.compute(name("experts"), times.experts);
      reduce(name(has_experts ? "experts" : "mlp"));
      return;
    }
    // Experts of other replicas: each tensor rank sends its share of the tokens.
    const double routed = hidden_bytes() / plan_.shape.job.tensor * plan_.shape.model.experts->chosen;
    writer_.collective(name("dispatch"), Collective::all_to_all, ParallelAxis::expert, routed);
    writer_.compute(name("experts"), times.experts);
    writer_.collective(name("combine"), Collective::all_to_all, ParallelAxis::expert, routed);
    writer_.collective(name("experts").with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                       hidden_bytes() / plan_.shape.job.tensor);
  }

  [[nodiscard]] double hidden_bytes() const { return kElementBytes * visit_.tokens() * plan_.shape.model.hidden; }

  /// Adds up over the tensor ranks.
  void reduce(const ItemName& name) {
    if (plan_.shape.job.tensor < 2) return;
    writer_.compute(name.with("sum launch"), times_.reduce);
    writer_.collective(name.with("sum"), Collective::all_reduce, ParallelAxis::tensor, hidden_bytes());
  }

  const InferencePlan& plan_;
  const Visit& visit_;
  const VisitTimes& times_;
  const std::string_view label_;
  LayerSchedule schedule_;
  LayerWriter writer_;
};

/// Writes the program of one stage.
class StageProgram {
 public:
  StageProgram(const InferencePlan& plan, std::uint32_t stage, const RoleNames& roles, Interner& strings)
      : plan_(plan), stage_(stage), last_(plan.shape.stages() - 1), roles_(roles), strings_(strings) {}

  void visit(const Round& round, const VisitTimes& times, bool awaits_token, bool gives_token) {
    const double bytes = kElementBytes * round.visit.tokens() * plan_.shape.model.hidden;
    const double token_bytes = kTokenBytes * round.visit.requests;
    if (stage_ > 0) message(ActivityKind::recv, "recv activations", stage_, bytes);
    else if (awaits_token && last_ > 0) message(ActivityKind::recv, "recv tokens", 0, token_bytes);
    for (const LayerItem& item : VisitWriter(plan_, round.visit, times).make(stage_))
      chain_.append(activity_of(item, roles_, strings_));
    end_ = chain_.size() - 1;
    if (stage_ < last_) message(ActivityKind::send, "send activations", stage_ + 1, bytes);
    else if (gives_token && last_ > 0) message(ActivityKind::send, "send tokens", 0, token_bytes);
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(chain_.size()); }
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(end_); }
  Result<workload::Program> build() && { return std::move(chain_).program(); }

 private:
  /// Messages go to the next stage, and from the last one to the first: round about.
  void message(ActivityKind kind, std::string_view name, std::uint32_t receiver, double bytes) {
    workload::Activity activity{
        .name = strings_.intern(name),
        .kind = kind,
        .flags = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag,
        .bytes = static_cast<std::int64_t>(std::ceil(bytes)),
        .peer = kind == ActivityKind::send ? 1 : -1,
        .peer_role = roles_[static_cast<std::size_t>(ParallelAxis::pipeline)],
        .tag = receiver,
        .lane = lane_of(ParallelAxis::pipeline)};
    // A stage waits for what it receives, not for what it sends.
    chain_.append(activity, kind == ActivityKind::recv);
  }

  const InferencePlan& plan_;
  const std::uint32_t stage_, last_;
  const RoleNames& roles_;
  Interner& strings_;
  workload::ChainBuilder chain_;
  std::size_t end_ = 0;
};

}  // namespace

Result<InferenceWorkload> inference_workload(const InferencePlan& plan, const std::vector<Round>& rounds,
                                             const std::vector<VisitTimes>& times) {
  InferenceWorkload result;
  const RoleNames roles = lay_out(plan.shape, result.workload);
  std::size_t last_round = 0;  // of those whose tokens go round
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (!rounds[i].joins) last_round = i;
  }
  for (std::uint32_t stage = 0; stage < plan.shape.stages(); ++stage) {
    StageProgram program(plan, stage, roles, result.workload.strings);
    std::vector<std::vector<std::uint32_t>> ends;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      ends.emplace_back();
      if (stage == 0) result.begins.push_back(program.size());
      for (std::uint32_t part = 0; part < rounds[i].micro_batches; ++part) {
        program.visit(rounds[i], times[i], i > 0 && !rounds[i].joins, i < last_round && !rounds[i].joins);
        ends.back().push_back(program.end());
      }
    }
    result.ends = std::move(ends);  // those of the last stage stay
    Result<workload::Program> built = std::move(program).build();
    if (!built) return std::move(built.error());
    result.workload.programs.push_back(std::move(*built));
  }
  return result;
}

}  // namespace orrery::llm
