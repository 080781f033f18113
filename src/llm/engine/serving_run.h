// Requests on their way through the replicas of a serving engine, one step after another, until all have their tokens.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/engine/replica.h"
#include "llm/engine/requests.h"
#include "llm/engine/step_cost.h"

namespace orrery::llm {

/// Which replica a request goes to.
enum class Routing : std::uint8_t {
  round_robin,   ///< in the order of arrival
  least_loaded,  ///< where 4 x waiting + running is smallest, the first of equals
};
inline constexpr std::array<std::string_view, 2> kRoutingNames = {"round_robin", "least_loaded"};

/// Replicas that only read prompts, and others that only make tokens; caches go over a link of each of the former, one
/// request at a time.
struct Disaggregation {
  double prefill = 1, decode = 1;  ///< replicas
  double kv_bytes_per_token = 0;
  double link_gb_per_s = 0;
  double link_latency_us = 0;
};

/// How the first requests of a closed loop begin.
enum class LoopStart : std::uint8_t {
  together,
  spread,  ///< evenly over the latency of one alone
  random,  ///< anywhere in it
};
inline constexpr std::array<std::string_view, 3> kLoopStartNames = {"together", "spread", "random"};

/// So many requests at any time: each that ends brings the next.
struct ClosedLoop {
  double concurrency = 1;
  LoopStart start = LoopStart::together;
  double seed = 1;
};

/// A replica that is lost, with all that it holds. Its step in progress comes to nothing; those that ran there, in
/// order, and then those that waited are routed anew. They keep the tokens that were made, and read them and their
/// prompts again.
struct Failure {
  std::uint32_t replica = 0;
  TimePs at_ps = 0;
};

struct EnginePlan {
  EngineLimits limits;
  double replicas = 1;
  double stages = 1;  ///< of the pipeline of a replica
  Routing routing = Routing::round_robin;
  bool experts_shared = false;  ///< all replicas step together
  std::optional<Disaggregation> disaggregation = {};
  std::optional<ClosedLoop> closed = {};
  std::optional<Failure> failure = {};
};

/// A pipeline has as many schedulers as stages, so that all are busy: each has requests of its own, its share of the
/// replica's cache, and one step on its way. From here on a replica is one of these.
EngineLimits scheduler_limits(const EnginePlan& plan);
/// What a request may ask of the engine.
RequestRules rules_of(const EnginePlan& plan);
/// An Error: nobody can take over what a failing replica leaves.
Status check_failure(const EnginePlan& plan);

/// One step, for who draws it.
struct StepRecord {
  std::uint32_t replica = 0;
  TimePs begin_ps = 0, end_ps = 0;
  TimePs fixed_ps = 0;  ///< of it what does not depend on the tokens
  std::uint32_t prompt_tokens = 0, decodes = 0;
  std::uint32_t waiting = 0, running = 0, used_blocks = 0, preempted = 0;
};

struct ServedRun {
  std::vector<RequestRecord> records;  ///< by request
  std::vector<TokenGap> gaps;          ///< in no order
  std::uint64_t steps = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t cached_tokens = 0;
  TimePs makespan_ps = 0;  ///< from the first arrival to the last token
};

/// Called when a step begins, with the replica that planned it.
using StepWatcher = std::function<void(const StepRecord&, const Replica&)>;

/// Replicas run on their own clocks. At one moment steps end first, in the order of replicas; then a replica fails;
/// then requests arrive; then steps are planned. An Error says who waits for what, if nobody can go on.
Result<ServedRun> serve(const EnginePlan& plan, const Requests& requests, const StepCost& cost,
                        const StepWatcher& watcher = {});

}  // namespace orrery::llm
