// LogGOPSim's rules in the plainest way: one list of events, whoever finds its processor busy tries again when it is
// free, receives and messages are found by searching lists. Slow, and written apart from the engine, which must give
// the same times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <set>
#include <tuple>
#include <vector>

#include "goal_like.h"
#include "simulate/loggops/parameters.h"

namespace orrery::testing {

class LogGopsReference {
 public:
  struct Times {
    TimePs start = 0, end = -1;
    bool operator==(const Times&) const = default;
  };

  LogGopsReference(const std::vector<std::vector<Op>>& ranks, const simulate::loggops::Parameters& parameters)
      : ranks_(ranks), p_(parameters), hosts_(ranks.size()) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      times.emplace_back(ranks[rank].size());
      ready_.emplace_back(ranks[rank].size(), 0);
      left_.emplace_back();
      for (const Op& op : ranks[rank]) left_.back().push_back(op.after.size() + op.after_start.size());
    }
    run();
  }

  std::vector<std::vector<Times>> times;
  bool complete = true;

 private:
  struct Id {
    std::size_t rank, op;
    auto operator<=>(const Id&) const = default;
  };
  struct Host {
    TimePs cpu[4] = {}, out[4] = {}, in[4] = {};
    std::list<Id> posted, kept;
  };
  using Event = std::tuple<TimePs, std::uint64_t, bool /* message */, Id>;

  const Op& op(const Id& id) const { return ranks_[id.rank][id.op]; }
  TimePs bytes(std::int64_t size, std::int64_t per_byte_fs) const {
    return size > 1 ? (size - 1) * per_byte_fs / 1000 : 0;
  }

  void run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::size_t i = 0; i < ranks_[rank].size(); ++i) {
        if (left_[rank][i] == 0) freed_.push_back({rank, i});
      }
    }
    insert_freed();
    while (!events_.empty()) {
      const auto [time, order, message, id] = *events_.begin();
      events_.erase(events_.begin());
      now_ = time;
      if (message) arrive(order, id);
      else if (op(id).kind == workload::ActivityKind::compute) compute(order, id);
      else if (op(id).kind == workload::ActivityKind::send) send_off(order, id);
      else post(id);
      insert_freed();
    }
    for (const auto& rank : times)
      complete &= std::all_of(rank.begin(), rank.end(), [](const Times& t) { return t.end >= 0; });
    for (const Host& host : hosts_) complete &= host.kept.empty();
  }

  void insert_freed() {
    std::stable_sort(freed_.begin(), freed_.end(), [&](const Id& a, const Id& b) {
      const auto key = [&](const Id& id) {
        return std::pair{id.rank, op(id).kind == workload::ActivityKind::compute ? 9 : static_cast<int>(op(id).kind)};
      };
      return key(a) < key(b);
    });
    for (const Id& id : freed_) {
      const Host& host = hosts_[id.rank];
      TimePs at = std::max(ready_[id.rank][id.op], host.cpu[op(id).cpu]);
      if (op(id).kind == workload::ActivityKind::send) at = std::max(at, host.out[op(id).nic]);
      events_.insert({at, next_order_++, false, id});
    }
    freed_.clear();
  }

  void compute(std::uint64_t order, const Id& id) {
    TimePs& cpu = hosts_[id.rank].cpu[op(id).cpu];
    if (cpu > now_) return void(events_.insert({cpu, order, false, id}));
    cpu = now_ + op(id).size * kPsPerNs;
    started(id);
    ended(id, cpu);
  }

  void send_off(std::uint64_t order, const Id& id) {
    TimePs &cpu = hosts_[id.rank].cpu[op(id).cpu], &nic = hosts_[id.rank].out[op(id).nic];
    if (std::max(cpu, nic) > now_) return void(events_.insert({std::max(cpu, nic), order, false, id}));
    cpu = now_ + p_.overhead_ps + bytes(op(id).size, p_.overhead_per_byte_fs);
    nic = now_ + p_.gap_ps + bytes(op(id).size, p_.gap_per_byte_fs);
    events_.insert({now_ + p_.overhead_ps + p_.latency_ps, next_order_++, true, id});
    started(id);
    if (op(id).size <= p_.largest_eager_message_bytes) ended(id, cpu);
  }

  bool fit(const Id& send, const Id& recv) const {
    const Op &s = op(send), &r = op(recv);
    return (r.peer == -1 || static_cast<std::size_t>(r.peer) == send.rank) &&
           (s.tag == -1 || r.tag == -1 || s.tag == r.tag);
  }

  void post(const Id& id) {
    started(id);
    auto& kept = hosts_[id.rank].kept;
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Id& send) { return fit(send, id); });
    if (found == kept.end()) return hosts_[id.rank].posted.push_back(id);
    const Id send = *found;
    kept.erase(found);
    match(send, id);
  }

  void arrive(std::uint64_t order, const Id& id) {
    Host& host = hosts_[static_cast<std::size_t>(op(id).peer)];
    TimePs &cpu = host.cpu[op(id).cpu], &nic = host.in[op(id).nic];
    if (std::max(cpu, nic) > now_) return void(events_.insert({std::max(cpu, nic), order, true, id}));
    cpu = now_ + p_.overhead_ps +
          std::max(bytes(op(id).size, p_.overhead_per_byte_fs), bytes(op(id).size, p_.gap_per_byte_fs));
    nic = now_ + p_.gap_ps + bytes(op(id).size, p_.gap_per_byte_fs);
    received_.push_back({id, cpu});
    const auto found =
        std::find_if(host.posted.begin(), host.posted.end(), [&](const Id& recv) { return fit(id, recv); });
    if (found == host.posted.end()) return host.kept.push_back(id);
    const Id recv = *found;
    host.posted.erase(found);
    match(id, recv);
  }

  void match(const Id& send, const Id& recv) {
    if (op(send).size > p_.largest_eager_message_bytes) {
      TimePs &cpu = hosts_[send.rank].cpu[op(send).cpu], &nic = hosts_[send.rank].out[op(send).nic];
      cpu = std::max(cpu, now_);
      nic = std::max(nic, now_);
      const TimePs sent =
          times[send.rank][send.op].start + p_.overhead_ps + bytes(op(send).size, p_.overhead_per_byte_fs);
      ended(send, std::max(now_, sent));
    }
    const auto received =
        std::find_if(received_.begin(), received_.end(), [&](const auto& it) { return it.first == send; });
    ended(recv, std::max(now_, received->second));
  }

  void started(const Id& id) {
    times[id.rank][id.op].start = now_;
    release(id, now_, &Op::after_start);
  }
  void ended(const Id& id, TimePs end) {
    times[id.rank][id.op].end = end;
    release(id, end, &Op::after);
  }
  void release(const Id& on, TimePs at, std::vector<std::uint32_t> Op::*list) {
    for (std::size_t i = 0; i < ranks_[on.rank].size(); ++i) {
      for (const std::uint32_t needed : ranks_[on.rank][i].*list) {
        if (needed != on.op) continue;
        ready_[on.rank][i] = std::max(ready_[on.rank][i], at);
        if (--left_[on.rank][i] == 0) freed_.push_back({on.rank, i});
      }
    }
  }

  const std::vector<std::vector<Op>>& ranks_;
  simulate::loggops::Parameters p_;
  std::vector<Host> hosts_;
  std::vector<std::vector<TimePs>> ready_;
  std::vector<std::vector<std::size_t>> left_;
  std::vector<std::pair<Id, TimePs>> received_;
  std::vector<Id> freed_;
  std::set<Event> events_;
  TimePs now_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace orrery::testing
