#include "replay/torch/source/completions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

// Two passes over the list of operations. DataWaits keeps a vector clock per stream (what each stream knows to be over)
// and adds an event and a wait only where a reader could otherwise start before the last writer of its data.
// Completions places the end of every collective that runs in the background before the first use of what it writes,
// and puts off the freeing of what it still uses.

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
      // After a wait for the whole device the host knows everything that was submitted.
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
    // A call is submitted after whatever the host waited for, on every stream.
    join(known, host_);
    for (const std::uint32_t storage : list_.inputs_of(entry)) {
      const std::uint32_t writer = writer_[storage];
      if (writer == kNobody) continue;
      const std::uint32_t stream = list_.entries[writer].stream;
      // A stream does its work in order, so one that knows a later entry of the other stream knows this one.
      if (stream == entry.stream || known[stream] > writer) continue;
      waits_.push_back({writer, i});
      // Later calls of this stream need no wait for the same writer.
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
      // One event serves all readers of a writer.
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

void put_busiest_stream_first(OperationList& list) {
  if (list.streams.empty()) return;
  std::vector<std::uint64_t> uses(list.streams.size(), 0);
  for (const Entry& entry : list.entries) {
    const bool works = entry.kind == Entry::Kind::call || entry.kind == Entry::Kind::work ||
                       entry.kind == Entry::Kind::record || entry.kind == Entry::Kind::wait ||
                       entry.kind == Entry::Kind::collective || entry.kind == Entry::Kind::graph;
    if (works) ++uses[entry.stream];
    // A stream that is only waited for has to exist, too.
    if (entry.kind == Entry::Kind::sync_stream) ++uses[entry.number];
  }
  std::vector<std::uint32_t> order(uses.size()), place(uses.size(), 0);
  std::iota(order.begin(), order.end(), 0u);
  const std::uint32_t busiest = static_cast<std::uint32_t>(std::max_element(uses.begin(), uses.end()) - uses.begin());
  std::rotate(order.begin(), order.begin() + busiest, order.begin() + busiest + 1);
  // Streams without work would be created and never used.
  std::erase_if(order, [&](std::uint32_t stream) { return stream != busiest && uses[stream] == 0; });
  std::vector<std::int64_t> streams;
  for (const std::uint32_t stream : order) {
    place[stream] = static_cast<std::uint32_t>(streams.size());
    streams.push_back(list.streams[stream]);
  }
  for (Entry& entry : list.entries) {
    entry.stream = place[entry.stream];
    if (entry.kind == Entry::Kind::sync_stream) entry.number = place[entry.number];
  }
  list.streams = std::move(streams);
}

namespace {

class Completions {
 public:
  explicit Completions(OperationList& list) : list_(list), open_(list.storages.size()) {}

  void run() {
    for (const Entry& entry : list_.entries) {
      if (entry.kind == Entry::Kind::complete) {
        complete(entry.number, entry);
        continue;
      }
      complete_before(entry);
      entries_.push_back(without_busy(entry));
      if (entry.kind == Entry::Kind::collective && entry.is_async) open(entry);
    }
    // What nobody uses is completed at the end, so that no request is left open.
    while (!all_open_.empty()) complete(*all_open_.begin(), list_.entries.back());
    list_.entries = std::move(entries_);
  }

 private:
  struct Use {
    std::uint32_t id;
    bool is_sent_only;  // reading it does no harm
  };

  void open(const Entry& entry) {
    for (const std::uint32_t storage : list_.outputs_of(entry)) open_[storage].push_back({entry.number, false});
    for (const std::uint32_t storage : list_.inputs_of(entry)) open_[storage].push_back({entry.number, true});
    all_open_.insert(entry.number);
  }

  void complete_before(const Entry& entry) {
    depth_ += entry.kind == Entry::Kind::begin ? 1 : entry.kind == Entry::Kind::end ? -1 : 0;
    if (all_open_.empty()) return;
    // The outermost range has ended: a step hands nothing that is still under way to the next one.
    if (entry.kind == Entry::Kind::end && depth_ <= 0) {
      while (!all_open_.empty()) complete(*all_open_.begin(), entry);
    }
    if (entry.kind != Entry::Kind::call && entry.kind != Entry::Kind::collective) return;
    // Reading is harmless while data are only sent; writing is not.
    for (const std::uint32_t storage : list_.inputs_of(entry)) complete_uses(storage, false, entry);
    for (const std::uint32_t storage : list_.outputs_of(entry)) complete_uses(storage, true, entry);
  }

  void complete_uses(std::uint32_t storage, bool is_changed, const Entry& before) {
    // A copy, since complete() may shorten the list.
    const std::vector<Use> uses = open_[storage];
    for (const Use& use : uses) {
      if (!use.is_sent_only || is_changed) complete(use.id, before);
    }
  }

  void complete(std::uint32_t id, const Entry& beside) {
    if (all_open_.erase(id) == 0) return;
    entries_.push_back(beside_of(Entry::Kind::complete, beside));
    entries_.back().number = id;
    // What had to be freed while it was in use is freed with the completion.
    std::vector<std::uint32_t> freed;
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
      if (is_busy(*waiting)) ++waiting;
      else freed.push_back(*waiting), waiting = waiting_.erase(waiting);
    }
    if (freed.empty()) return;
    Entry release = beside_of(Entry::Kind::release, beside);
    release.first = static_cast<std::uint32_t>(list_.numbers.size());
    release.inputs = static_cast<std::uint32_t>(freed.size());
    list_.numbers.insert(list_.numbers.end(), freed.begin(), freed.end());
    entries_.push_back(release);
  }

  bool is_busy(std::uint32_t storage) {
    std::vector<Use>& uses = open_[storage];
    std::erase_if(uses, [&](const Use& use) { return all_open_.count(use.id) == 0; });
    return !uses.empty();
  }

  // The entry without freeing what is still being sent or received.
  Entry without_busy(Entry entry) {
    const bool releases = entry.kind == Entry::Kind::release;
    const auto freed = releases ? list_.inputs_of(entry) : list_.freed_of(entry);
    if (all_open_.empty() || std::none_of(freed.begin(), freed.end(), [&](std::uint32_t s) { return is_busy(s); }))
      return entry;
    std::vector<std::uint32_t> numbers;
    if (!releases) {
      numbers.assign(list_.inputs_of(entry).begin(), list_.inputs_of(entry).end());
      numbers.insert(numbers.end(), list_.outputs_of(entry).begin(), list_.outputs_of(entry).end());
    }
    const std::size_t kept = numbers.size();
    for (const std::uint32_t storage : freed) {
      if (is_busy(storage)) waiting_.insert(storage);
      else numbers.push_back(storage);
    }
    (releases ? entry.inputs : entry.freed) = static_cast<std::uint32_t>(numbers.size() - kept);
    entry.first = static_cast<std::uint32_t>(list_.numbers.size());
    list_.numbers.insert(list_.numbers.end(), numbers.begin(), numbers.end());
    return entry;
  }

  static Entry beside_of(Entry::Kind kind, const Entry& beside) {
    Entry entry;
    entry.kind = kind;
    entry.thread = beside.thread;
    entry.stream = beside.stream;
    return entry;
  }

  OperationList& list_;
  std::vector<Entry> entries_;
  std::vector<std::vector<Use>> open_;  // per storage
  std::set<std::uint32_t> all_open_;    // collectives
  std::set<std::uint32_t> waiting_;     // storages that are freed when nothing is open on them
  int depth_ = 0;                       // of ranges
};

}  // namespace

void add_completions(OperationList& list) {
  const bool any = std::any_of(list.entries.begin(), list.entries.end(), [](const Entry& entry) {
    return entry.kind == Entry::Kind::collective && entry.is_async;
  });
  if (any) Completions(list).run();
}

}  // namespace orrery::replay::torch
