#include "llm/engine/serving_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <span>

#include "base/random.h"

namespace orrery::llm {
namespace {

/// A request that comes to a replica, by itself or from one that read its prompt.
struct Coming {
  TimePs at_ps = 0;
  bool is_moved = false;  ///< at one moment those come after new ones
  std::uint64_t order = 0;
  Sequence sequence;

  bool operator>(const Coming& other) const {
    if (at_ps != other.at_ps) return at_ps > other.at_ps;
    if (is_moved != other.is_moved) return is_moved;
    return order > other.order;
  }
};

/// The end of a step.
struct StepEnd {
  TimePs at_ps = 0;
  std::uint32_t replica = 0;

  auto operator<=>(const StepEnd&) const = default;
};

template <typename T>
using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

constexpr TimePs kNever = INT64_MAX;

class Serving {
 public:
  /// `begins_ps`: when the first requests of a closed loop come, in order; empty: all at 0.
  Serving(const EnginePlan& plan, const Requests& requests, const StepCost& cost, const StepWatcher& watcher,
          std::vector<TimePs> begins_ps)
      : plan_(plan),
        requests_(requests),
        cost_(cost),
        watcher_(watcher),
        begins_ps_(std::move(begins_ps)),
        identities_(requests, plan.limits.block_tokens, plan.limits.prefix_cache ? plan.limits.prefix_tokens : 0),
        stages_(static_cast<std::size_t>(plan.stages)) {
    using Role = Replica::Role;
    const EngineLimits limits = scheduler_limits(plan);
    const auto add = [&](double count, Role role) {
      const auto engines = static_cast<std::size_t>(count * plan.stages);
      for (std::size_t i = 0; i < engines; ++i)
        replicas_.emplace_back(limits, identities_, role, static_cast<std::uint32_t>(replicas_.size()));
      return replicas_.size();
    };
    if (plan.disaggregation) {
      entrances_ = add(plan.disaggregation->prefill, Role::prefill);
      add(plan.disaggregation->decode, Role::decode);
      link_free_ps_.assign(entrances_ / stages_, 0);
    } else {
      entrances_ = add(plan.replicas, Role::whole);
    }
    steps_.resize(replicas_.size());
    stage_free_ps_.assign(replicas_.size(), 0);
    is_touched_.assign(replicas_.size(), false);
    is_lost_.assign(replicas_.size(), false);
    if (plan.failure) failure_ps_ = plan.failure->at_ps;
  }

  Result<ServedRun> run() {
    begin();
    left_ = requests_.size();
    while (left_ > 0) {
      if (const Status good = plan_.experts_shared ? step_together() : step_apart(); !good) return good.error();
    }
    sum_up();
    return std::move(run_);
  }

 private:
  /// The first requests of a closed loop come by its start, all others by the table.
  void begin() {
    run_.records.resize(requests_.size());
    for (RequestIndex request = 0; request < requests_.size(); ++request)
      run_.records[request].arrival_ps = requests_.arrival_ps[request];
    order_ = requests_.size();
    listed_ = static_cast<RequestIndex>(requests_.size());
    if (plan_.closed && plan_.closed->concurrency < static_cast<double>(listed_))
      listed_ = static_cast<RequestIndex>(plan_.closed->concurrency);
    next_ = listed_;
    if (!plan_.closed) return;
    for (RequestIndex request = 0; request < listed_; ++request)
      run_.records[request].arrival_ps = begins_ps_.empty() ? 0 : begins_ps_[request];
  }

  [[nodiscard]] TimePs next_coming() const {
    const TimePs listed = arrived_ < listed_ ? run_.records[arrived_].arrival_ps : kNever;
    return coming_.empty() ? listed : std::min(listed, coming_.top().at_ps);
  }
  void take_arrivals() {
    while (next_coming() <= now_ps_) {
      const TimePs late_ps = now_ps_ - next_coming();
      const bool is_listed = arrived_ < listed_ && (coming_.empty() || comes_first());
      if (is_listed) {
        const RequestIndex request = arrived_++;
        route({.request = request, .prompt = requests_.prompt[request], .generate = requests_.generate[request]},
              false);
        // Replicas that step together look at arrivals between their steps only.
        run_.records[request].queued_ps[static_cast<std::size_t>(QueueCause::step)] += late_ps;
        continue;
      }
      const Coming coming = coming_.top();
      coming_.pop();
      if (!coming.is_moved) run_.records[coming.sequence.request].arrival_ps = coming.at_ps;
      route(coming.sequence, coming.is_moved);
    }
  }
  [[nodiscard]] bool comes_first() const {
    const Coming listed{.at_ps = run_.records[arrived_].arrival_ps, .order = arrived_, .sequence = {}};
    return coming_.top() > listed;
  }

  void route(const Sequence& sequence, bool is_moved) {
    const std::size_t begin = is_moved ? entrances_ : 0, end = is_moved ? replicas_.size() : entrances_;
    std::size_t chosen = begin;
    if (plan_.routing == Routing::round_robin) {
      do chosen = begin + turn_[is_moved ? 1 : 0]++ % (end - begin);
      while (is_lost_[chosen]);
    } else {
      const auto load = [&](std::size_t i) { return 4 * replicas_[i].waiting() + replicas_[i].running(); };
      for (std::size_t i = begin; i < end; ++i) {
        if (is_lost_[i]) continue;
        if (is_lost_[chosen] || load(i) < load(chosen)) chosen = i;
      }
    }
    replicas_[chosen].queue_up(sequence, now_ps_, steps_[chosen].end_ps, run_.records);
    touch(chosen);
  }

  void touch(std::size_t replica) {
    if (is_touched_[replica]) return;
    is_touched_[replica] = true;
    touched_.push_back(static_cast<std::uint32_t>(replica));
  }

  bool plan_step(std::uint32_t number) {
    Replica& replica = replicas_[number];
    if (replica.is_idle()) return false;
    const bool has_step = replica.plan(now_ps_, run_.records);
    run_.preemptions += replica.preempted();
    return has_step;
  }

  /// A stage has one step at a time, in the order in which they were planned. What a step waits for stages does not
  /// depend on its tokens.
  StepPrice pass_stages(std::uint32_t number) {
    const Batch& batch = replicas_[number].batch();
    if (stages_ == 1) return cost_.price(batch);
    cost_.price_stages(batch, staged_);
    const std::span<TimePs> free_ps = std::span(stage_free_ps_).subspan(number / stages_ * stages_, stages_);
    TimePs at_ps = now_ps_, waited_ps = 0;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      if (stage > 0) at_ps += staged_.send_ps;
      const TimePs begin_ps = std::max(at_ps, free_ps[stage]);
      waited_ps += begin_ps - at_ps;
      at_ps = free_ps[stage] = begin_ps + staged_.stages_ps[stage];
    }
    return {at_ps - now_ps_, staged_.fixed_ps + waited_ps};
  }

  void start(std::uint32_t number, const StepPrice& price) {
    Replica& replica = replicas_[number];
    TimePs end_ps = now_ps_ + price.step_ps;
    const bool is_lost = plan_.failure && plan_.failure->replica == number && plan_.failure->at_ps < end_ps;
    if (is_lost) {
      end_ps = plan_.failure->at_ps;
      replica.account_lost(end_ps - now_ps_, run_.records);
    } else {
      replica.account(price, run_.records);
      if (!plan_.experts_shared) ends_.push({end_ps, number});
    }
    StepRecord& step = steps_[number];
    step = {.replica = number,
            .begin_ps = now_ps_,
            .end_ps = end_ps,
            .fixed_ps = std::min(price.fixed_ps, end_ps - now_ps_),
            .prompt_tokens = replica.batch().prompt_tokens(),
            .decodes = replica.batch().decodes,
            .waiting = static_cast<std::uint32_t>(replica.waiting()),
            .running = static_cast<std::uint32_t>(replica.running()),
            .used_blocks = replica.used_blocks(),
            .preempted = replica.preempted()};
    if (watcher_) watcher_(step, replica);
  }

  void finish(std::uint32_t number) {
    ended_.clear();
    replicas_[number].finish(now_ps_, run_.records, run_.gaps, ended_);
    steps_[number].end_ps = now_ps_;
    touch(number);
    for (const Sequence& sequence : ended_) {
      if (!run_.records[sequence.request].has_ended()) {
        send_cache(number, sequence);
        continue;
      }
      --left_;
      if (!plan_.closed || next_ == requests_.size()) continue;
      const RequestIndex request = next_++;
      coming_.push(
          {.at_ps = now_ps_,
           .order = ++order_,
           .sequence = {
               .request = request, .prompt = requests_.prompt[request], .generate = requests_.generate[request]}});
    }
  }

  /// From a replica that read the prompt: in the order of completion, one at a time.
  void send_cache(std::uint32_t number, Sequence sequence) {
    const Disaggregation& split = *plan_.disaggregation;
    const double seconds =
        split.link_latency_us * 1e-6 + sequence.prompt * split.kv_bytes_per_token / (split.link_gb_per_s * 1e9);
    TimePs& free_ps = link_free_ps_[number / stages_];
    free_ps =
        std::max(now_ps_, free_ps) + static_cast<TimePs>(std::llround(seconds * static_cast<double>(kPsPerSecond)));
    sequence.computed = sequence.prompt;
    coming_.push({.at_ps = free_ps, .is_moved = true, .order = ++order_, .sequence = sequence});
  }

  void fail(std::uint32_t number) {
    failure_ps_ = kNever;
    is_lost_[number] = true;
    for (const Sequence& sequence : replicas_[number].fail(now_ps_, run_.records)) route(sequence, false);
  }

  Status step_apart() {
    now_ps_ = std::min({ends_.empty() ? kNever : ends_.top().at_ps, next_coming(), failure_ps_});
    if (now_ps_ == kNever) return stuck();
    while (!ends_.empty() && ends_.top().at_ps <= now_ps_) {
      const std::uint32_t replica = ends_.top().replica;
      ends_.pop();
      finish(replica);
    }
    if (failure_ps_ <= now_ps_) fail(plan_.failure->replica);
    take_arrivals();
    std::sort(touched_.begin(), touched_.end());
    for (const std::uint32_t number : touched_) {
      is_touched_[number] = false;
      // In the middle of a step.
      if (steps_[number].end_ps > now_ps_ || !plan_step(number)) continue;
      start(number, pass_stages(number));
      ++run_.steps;
    }
    touched_.clear();
    return {};
  }

  /// All replicas at once, as the experts that they share need the tokens of all.
  Status step_together() {
    take_arrivals();
    touched_.clear();
    is_touched_.assign(replicas_.size(), false);
    std::vector<bool> takes_part(replicas_.size());
    bool anyone = false;
    for (std::uint32_t number = 0; number < replicas_.size(); ++number) {
      takes_part[number] = plan_step(number);
      anyone = anyone || takes_part[number];
    }
    if (!anyone) {
      now_ps_ = std::max(now_ps_, next_coming());
      return now_ps_ == kNever ? stuck() : Status();
    }
    // One that has nothing to do takes part with one token.
    Batch idle;
    idle.tokens = idle.sampled = 1;
    StepPrice price;
    std::uint64_t tokens = 0;
    std::uint32_t most = 0;
    for (std::uint32_t number = 0; number < replicas_.size(); ++number) {
      const Batch& batch = takes_part[number] ? replicas_[number].batch() : idle;
      const StepPrice own = cost_.price(batch);
      if (own.step_ps > price.step_ps) price = own;
      tokens += batch.tokens;
      most = std::max(most, batch.tokens);
    }
    price.step_ps += cost_.shared_experts_ps(tokens, most);
    for (std::uint32_t number = 0; number < replicas_.size(); ++number) {
      if (takes_part[number]) start(number, price);
      else steps_[number].end_ps = now_ps_ + price.step_ps;
    }
    now_ps_ += price.step_ps;
    ++run_.steps;
    for (std::uint32_t number = 0; number < replicas_.size(); ++number) {
      if (takes_part[number]) finish(number);
    }
    return {};
  }

  /// The first that waits, and for what.
  [[nodiscard]] Error stuck() const {
    for (const Replica& replica : replicas_) {
      if (replica.queue().empty()) continue;
      const Sequence& first = replica.queue().front().sequence;
      return Error{fmt::format("request '{}' waits for a step that holds its {} tokens, and a step has at most {}: "
                               "nobody can go on, and {} of {} requests have no last token",
                               requests_.name(first.request), first.total(), plan_.limits.max_batch_tokens, left_,
                               requests_.size()),
                   {},
                   Error::kNoOffset,
                   "a preempted request reads its prompt and its tokens again: chunked_prefill: true, or more "
                   "max_batch_tokens or kv_blocks"};
    }
    return Error{fmt::format("{} of {} requests wait for nothing", left_, requests_.size())};
  }

  void sum_up() {
    TimePs first = kNever, last = 0;
    for (const RequestRecord& record : run_.records) {
      first = std::min(first, record.arrival_ps);
      last = std::max(last, record.last_ps);
      run_.cached_tokens += record.cached_tokens;
    }
    run_.makespan_ps = last - first;
  }

  const EnginePlan& plan_;
  const Requests& requests_;
  const StepCost& cost_;
  const StepWatcher& watcher_;
  const std::vector<TimePs> begins_ps_;
  const BlockIdentities identities_;
  std::vector<Replica> replicas_;
  std::size_t entrances_ = 0;  // replicas that new requests come to: the first ones
  const std::size_t stages_;
  std::vector<TimePs> stage_free_ps_;  // of a pipeline the first, the second, ...; then those of the next
  StagedStep staged_;                  // of the step at hand: kept for its memory

  TimePs now_ps_ = 0;
  TimePs failure_ps_ = kNever;  // if there is one to come
  std::size_t left_ = 0;
  RequestIndex listed_ = 0;   // requests up to here come at times that are known beforehand
  RequestIndex arrived_ = 0;  // of these
  RequestIndex next_ = 0;     // the next that comes when another ends
  std::uint64_t order_ = 0;
  std::uint64_t turn_[2] = {};
  Earliest<Coming> coming_;
  Earliest<StepEnd> ends_;
  std::vector<StepRecord> steps_;  // by replica: the last one
  std::vector<TimePs> link_free_ps_;
  std::vector<bool> is_touched_, is_lost_;
  std::vector<std::uint32_t> touched_;
  std::vector<Sequence> ended_;
  ServedRun run_;
};

/// When the first requests of a closed loop come: over the latency of the first one alone.
Result<std::vector<TimePs>> loop_begins(const EnginePlan& plan, const Requests& requests, const StepCost& cost) {
  const ClosedLoop& loop = *plan.closed;
  if (loop.start == LoopStart::together || requests.size() == 0) return std::vector<TimePs>{};
  Requests one;
  one.add(requests.name(0), 0, requests.prompt[0], requests.generate[0]);
  EnginePlan alone = plan;
  alone.closed.reset();
  alone.failure.reset();
  const StepWatcher nobody;
  const auto run = Serving(alone, one, cost, nobody, {}).run();
  if (!run) return run.error();
  const auto latency = static_cast<double>(run->makespan_ps);
  const auto count = static_cast<std::size_t>(std::min(loop.concurrency, static_cast<double>(requests.size())));
  auto state = static_cast<std::uint64_t>(loop.seed);
  std::vector<TimePs> begins;
  for (std::size_t i = 0; i < count; ++i) {
    const double share =
        loop.start == LoopStart::spread ? static_cast<double>(i) / static_cast<double>(count) : next_uniform(state);
    begins.push_back(static_cast<TimePs>(share * latency));
  }
  // By chance they come in any order: rows of the table are taken as requests come.
  std::sort(begins.begin(), begins.end());
  return begins;
}

}  // namespace

EngineLimits scheduler_limits(const EnginePlan& plan) {
  EngineLimits limits = plan.limits;
  limits.kv_blocks = static_cast<std::uint32_t>(limits.kv_blocks / plan.stages);
  return limits;
}

RequestRules rules_of(const EnginePlan& plan) {
  RequestRules rules{.has_arrivals = !plan.closed};
  rules.cache_tokens = std::uint64_t{scheduler_limits(plan).kv_blocks} * plan.limits.block_tokens;
  if (!plan.limits.chunked_prefill) rules.prompt_tokens = plan.limits.max_batch_tokens;
  return rules;
}

Status check_failure(const EnginePlan& plan) {
  if (!plan.failure) return {};
  if (plan.disaggregation)
    return Error{"a replica fails where prompts and tokens have replicas of their own: that is not simulated"};
  if (plan.stages > 1) return Error{"a replica fails that is a pipeline: that is not simulated"};
  if (plan.experts_shared) return Error{"a replica fails where all share experts: none of them could go on without it"};
  const auto replicas = static_cast<std::uint32_t>(plan.replicas);
  if (plan.failure->replica >= replicas)
    return Error{
        fmt::format("replica {} fails, and {}", plan.failure->replica,
                    replicas == 1 ? "replica 0 is the only one" : fmt::format("there are 0 to {}", replicas - 1))};
  if (replicas == 1) return Error{"the only replica fails: nobody is left", {}, Error::kNoOffset, "more replicas"};
  return {};
}

Result<ServedRun> serve(const EnginePlan& plan, const Requests& requests, const StepCost& cost,
                        const StepWatcher& watcher) {
  if (Status good = check_failure(plan); !good) return good.error();
  std::vector<TimePs> begins;
  if (plan.closed) {
    auto found = loop_begins(plan, requests, cost);
    if (!found) return found.error();
    begins = std::move(*found);
  }
  return Serving(plan, requests, cost, watcher, std::move(begins)).run();
}

}  // namespace orrery::llm
