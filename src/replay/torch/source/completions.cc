#include "replay/torch/source/completions.h"

#include <algorithm>
#include <set>
#include <vector>

namespace orrery::replay::torch {
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
    if (entry.kind == Entry::Kind::end && depth_ <= 0) {
      while (!all_open_.empty()) complete(*all_open_.begin(), entry);
    }
    if (entry.kind != Entry::Kind::call && entry.kind != Entry::Kind::collective) return;
    for (const std::uint32_t storage : list_.inputs_of(entry)) complete_uses(storage, false, entry);
    for (const std::uint32_t storage : list_.outputs_of(entry)) complete_uses(storage, true, entry);
  }

  void complete_uses(std::uint32_t storage, bool is_changed, const Entry& before) {
    const std::vector<Use> uses = open_[storage];
    for (const Use& use : uses) {
      if (!use.is_sent_only || is_changed) complete(use.id, before);
    }
  }

  void complete(std::uint32_t id, const Entry& beside) {
    if (all_open_.erase(id) == 0) return;
    entries_.push_back(beside_of(Entry::Kind::complete, beside));
    entries_.back().number = id;
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
