#include "simulate/astra/simulation.h"

#include <fmt/format.h>

#include <memory>

#include "report/counted.h"
#include "simulate/astra/custom_collectives.h"
#include "simulate/astra/fold.h"
#include "simulate/astra/issuer.h"
#include "simulate/schedule_uses.h"

// If all ranks do the same on a symmetric machine, rank 0 is simulated alone and its messages come back to itself
// (Fold). That is exact as long as the order of simultaneous events cannot matter; the first event where it could ends
// the attempt, and all ranks are simulated.

namespace orrery::simulate::astra {
namespace {

// A tenth of a second between two looks at whether to stop.
constexpr std::uint64_t kEventsPerReport = 1 << 20;
constexpr std::uint64_t kSelf = ~std::uint64_t{0};

class Simulation final : public Dispatcher {
 public:
  Simulation(const workload::Workload& workload, const machine::AstraSystem& system, const Options& options, Fold* fold)
      : workload_(workload),
        options_(options),
        fold_(fold),
        simulated_(fold != nullptr ? 1 : static_cast<std::uint32_t>(workload.rank_count())),
        grid_(system.dimensions),
        ticks_(queue_, simulated_),
        transport_(system, grid_, queue_, *this, options.backend != Backend::unaware, fold),
        bus_(system.shared_bus ? std::make_unique<LocalBus>(*system.shared_bus, simulated_, queue_, ticks_, *this)
                               : nullptr),
        collectives_(system, grid_, simulated_, ticks_, transport_, bus_.get(), *this),
        custom_(options.custom, grid_.ranks(), ticks_, transport_, *this),
        issuer_(workload, system, simulated_, queue_, ticks_, transport_, collectives_, custom_, *this,
                options.whole_microseconds) {}

  void record_links(LinkRecorder* recorder) { transport_.record_links(recorder); }

  Result<Outcome> simulate() {
    if (const Status prepared = issuer_.prepare(); !prepared) return prepared.error();
    for (std::uint32_t rank = 0; rank < simulated_ && !error_; ++rank) issuer_.issue_ready(rank);
    // What became ready in a pass that nothing followed, because all of it took no time, is started in another.
    do {
      if (const Status status = process_events(); !status) return status.error();
    } while (issuer_.issue_left_behind() && !error_);
    if (error_) return *error_;
    for (std::uint32_t rank = 0; rank < simulated_; ++rank) {
      if (!issuer_.finished(rank)) return issuer_.explain_deadlock();
    }
    return outcome();
  }

  /// Only rank 0 was simulated, and the order of simultaneous events would have mattered.
  [[nodiscard]] bool asymmetric() const { return asymmetric_; }

  void run(const Action& action) override {
    switch (action.kind) {
      case ActionKind::none: break;
      case ActionKind::rank_tick:
        for (Action due; !error_ && ticks_.next(action.a, due);) run(due);
        break;
      case ActionKind::arrival: transport_.arrival(action.a); break;
      case ActionKind::link_free: transport_.link_free(action.a); break;
      case ActionKind::bus_event: bus_->event(action.a, action.b); break;
      case ActionKind::endpoint_passed: collectives_.endpoint_passed(action.a, action.value); break;
      case ActionKind::packet_ready: collectives_.packet_ready(action.a); break;
      case ActionKind::packet_received: collectives_.packet_received(action.a); break;
      case ActionKind::node_done: issuer_.node_done(action.a, action.b); break;
      case ActionKind::custom_done: custom_.node_done(action.a, action.b); break;
      case ActionKind::memory_released: issuer_.memory_released(action.a); break;
      case ActionKind::send_granted: transport_.send_granted(action.a); break;
      case ActionKind::receive_requested: transport_.receive_requested(action.a); break;
    }
  }

  void fail(Error error) override {
    if (!error_) error_ = std::move(error);
  }

 private:
  Status process_events() {
    while (!queue_.empty() && !error_) {
      const Action action = queue_.pop();
      if (fold_ != nullptr && !order_is_certain(action)) {
        asymmetric_ = true;
        return Error{"the ranks are not symmetric"};
      }
      run(action);
      if (queue_.processed() % kEventsPerReport != 0) continue;
      if (options_.on_progress) options_.on_progress(queue_.processed());
      if (options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed))
        return Error{"the simulation was cancelled"};
    }
    if (error_) return *error_;
    return {};
  }

  bool order_is_certain(const Action& action) {
    if (action.kind != ActionKind::arrival) return fold_->sees(queue_.now(), action.value, 0, kSelf);
    if (action.value == queue_.now()) return false;  // without delay even cause and effect are simultaneous
    // Messages of one stream are alike to their receiver; one that passes on is like no other.
    const Message& message = transport_.message(action.a);
    const bool passes_on = transport_.links() != nullptr && (message.at_switch || message.at != message.target);
    const auto tag = static_cast<std::uint64_t>(message.tag);
    return fold_->sees(queue_.now(), action.value, action.b,
                       passes_on ? (std::uint64_t{1} << 63) + action.a : tag << 1 | 1);
  }

  Outcome outcome() const {
    Outcome result;
    Schedule& schedule = result.schedule;
    // Of a folded run one rank stands for all, and its links for nobody's.
    const bool has_links = transport_.links() != nullptr && fold_ == nullptr;
    const std::size_t ranks = workload_.rank_count();
    schedule = Schedule(workload_.first_activities().back(), has_links ? transport_.links()->link_count() : 0);
    std::size_t activity = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto simulated = static_cast<std::uint32_t>(fold_ != nullptr ? Fold::kRepresentative : rank);
      const TimePs finish = issuer_.finish_ns(simulated) * kPsPerNs;
      const TimePs compute = issuer_.device_ns(simulated) * kPsPerNs;
      // ASTRA-sim calls everything communication that is no computing, waits included.
      schedule.ranks.push_back({finish, compute, finish - compute, finish - compute});
      for (std::size_t node = 0; node < workload_.program(rank).size(); ++node, ++activity) {
        schedule.start_ps[activity] = issuer_.start_ns(simulated, node) * kPsPerNs;
        schedule.end_ps[activity] = issuer_.end_ns(simulated, node) * kPsPerNs;
      }
    }
    for (std::size_t link = 0; link < schedule.link_count(); ++link) {
      const LinkUse use = transport_.links()->use(link);
      schedule.link_bytes[link] = use.bytes;
      schedule.link_busy_ps[link] = use.busy_ps;
      schedule.link_peak_sharing[link] = use.peak_sharing;
      result.link_names.push_back(transport_.links()->link_name(link));
    }
    schedule.collectives = collective_uses(workload_, schedule);
    result.events = queue_.processed();
    result.symmetric = fold_ != nullptr;
    return result;
  }

  const workload::Workload& workload_;
  const Options& options_;
  Fold* fold_;
  std::uint32_t simulated_;
  Grid grid_;
  Queue queue_;
  TickLists ticks_;
  Transport transport_;
  std::unique_ptr<LocalBus> bus_;
  Collectives collectives_;
  CustomCollectives custom_;
  Issuer issuer_;
  std::optional<Error> error_;
  bool asymmetric_ = false;
};

Status check(const workload::Workload& workload, const machine::AstraSystem& system, Backend backend) {
  if (workload.rank_count() != system.npus()) {
    return Error{fmt::format("the workload has {}, the network {}", report::counted(workload.rank_count(), "rank"),
                             report::counted(system.npus(), "NPU"))};
  }
  if (backend == Backend::aware && system.dimensions.size() > 1) {
    return Error{fmt::format("astra-aware knows one dimension, the network has {}", system.dimensions.size()),
                 {},
                 Error::kNoOffset,
                 "astra-aware-md knows several"};
  }
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (workload.program(rank).size() == 0) return Error{fmt::format("rank {} has no nodes", rank)};
  }
  return {};
}

}  // namespace

Result<Outcome> simulate(const workload::Workload& workload, const machine::AstraSystem& system,
                         const Options& options) {
  if (const Status checked = check(workload, system, options.backend); !checked) return checked.error();
  if (options.use_symmetry && Fold::applies(workload, system)) {
    Fold fold(workload, system);
    Simulation simulation(workload, system, options, &fold);
    Result<Outcome> outcome = simulation.simulate();
    if (!simulation.asymmetric()) return outcome;
  }
  Result<Outcome> outcome = Simulation(workload, system, options, nullptr).simulate();
  if (!outcome || !options.keep_link_series || outcome->schedule.link_count() == 0) return outcome;
  // Once more: where bins begin is known only now.
  Schedule& schedule = outcome->schedule;
  LinkRecorder recorder(schedule.link_bytes, schedule.link_busy_ps, schedule.makespan_ps());
  Simulation again(workload, system, options, nullptr);
  again.record_links(&recorder);
  if (const Result<Outcome> repeated = again.simulate(); !repeated) return repeated.error();
  schedule.link_series = recorder.take(schedule.link_bytes);
  return outcome;
}

}  // namespace orrery::simulate::astra
