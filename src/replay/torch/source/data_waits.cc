#include "replay/torch/source/data_waits.h"

#include <algorithm>
#include <map>
#include <vector>

namespace orrery::replay::torch {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// Per stream the last entry of it that is over, plus one.
using Clock = std::vector<std::uint32_t>;

void join(Clock& into, const Clock& other) {
  for (std::size_t s = 0; s < into.size(); ++s) into[s] = std::max(into[s], other[s]);
}

class DataWaits {
 public:
  explicit DataWaits(OperationList& list)
      : list_(list),
        known_(list.streams.size(), Clock(list.streams.size(), 0)),
        host_(list.streams.size(), 0),
        newest_(list.streams.size(), 0),
        writer_(list.storages.size(), kNobody) {
    for (const Entry& entry : list.entries) {
      if (entry.kind == Entry::Kind::record) next_event_ = std::max(next_event_, entry.number + 1);
    }
  }

  std::uint64_t run() {
    for (std::uint32_t i = 0; i < list_.entries.size(); ++i) take(i);
    if (!waits_.empty()) insert();
    return waits_.size();
  }

 private:
  void take(std::uint32_t i) {
    const Entry& entry = list_.entries[i];
    switch (entry.kind) {
      case Entry::Kind::record: events_[entry.number] = after(entry.stream); break;
      case Entry::Kind::wait: join(known_[entry.stream], events_[entry.number]); break;
      case Entry::Kind::sync: host_ = newest_; break;
      case Entry::Kind::sync_stream: join(host_, after(entry.number)); break;
      case Entry::Kind::sync_event: join(host_, events_[entry.number]); break;
      case Entry::Kind::call:
      case Entry::Kind::collective: take_call(i, entry); break;
      case Entry::Kind::work: newest_[entry.stream] = i + 1; break;
      default: break;
    }
  }

  // What is over once everything so far on the stream is.
  [[nodiscard]] Clock after(std::uint32_t stream) const {
    Clock clock = known_[stream];
    clock[stream] = newest_[stream];
    return clock;
  }

  void take_call(std::uint32_t i, const Entry& entry) {
    Clock& known = known_[entry.stream];
    join(known, host_);
    for (const std::uint32_t storage : list_.inputs_of(entry)) {
      const std::uint32_t writer = writer_[storage];
      if (writer == kNobody) continue;
      const std::uint32_t stream = list_.entries[writer].stream;
      if (stream == entry.stream || known[stream] > writer) continue;
      waits_.push_back({writer, i});
      known[stream] = writer + 1;
    }
    // A call that changes what it is given returns it, too.
    for (const std::uint32_t storage : list_.outputs_of(entry)) writer_[storage] = i;
    newest_[entry.stream] = i + 1;
  }

  void insert() {
    std::map<std::uint32_t, std::uint32_t> event_after;  // per writer
    std::map<std::uint32_t, std::vector<std::uint32_t>> events_before;
    for (const Wait& wait : waits_) {
      const auto event = event_after.try_emplace(wait.writer, next_event_);
      if (event.second) ++next_event_;
      events_before[wait.reader].push_back(event.first->second);
    }
    std::vector<Entry> entries;
    entries.reserve(list_.entries.size() + event_after.size() + waits_.size());
    for (std::uint32_t i = 0; i < list_.entries.size(); ++i) {
      const Entry& entry = list_.entries[i];
      if (const auto events = events_before.find(i); events != events_before.end()) {
        for (const std::uint32_t event : events->second) entries.push_back(beside(entry, Entry::Kind::wait, event));
      }
      entries.push_back(entry);
      if (const auto event = event_after.find(i); event != event_after.end())
        entries.push_back(beside(entry, Entry::Kind::record, event->second));
    }
    list_.entries = std::move(entries);
  }

  static Entry beside(const Entry& entry, Entry::Kind kind, std::uint32_t event) {
    Entry made;
    made.kind = kind;
    made.thread = entry.thread;
    made.stream = entry.stream;
    made.number = event;
    return made;
  }

  struct Wait {
    std::uint32_t writer, reader;  // entries
  };

  OperationList& list_;
  std::vector<Clock> known_;           // per stream: what it has waited for
  Clock host_;                         // what the host has waited for
  Clock newest_;                       // per stream: its last entry so far
  std::vector<std::uint32_t> writer_;  // per storage: the entry that wrote it last
  std::map<std::uint32_t, Clock> events_;
  std::vector<Wait> waits_;
  std::uint32_t next_event_ = 0;
};

}  // namespace

std::uint64_t add_data_waits(OperationList& list) { return list.streams.size() < 2 ? 0 : DataWaits(list).run(); }

}  // namespace orrery::replay::torch
