#include "replay/torch/completions.h"

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
      complete_before(entry);
      entries_.push_back(entry);
      if (entry.kind == Entry::Kind::collective && entry.is_async) open(entry);
    }
    for (const std::uint32_t id : all_open_) entries_.push_back(completion(id, list_.entries.back()));
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
    if (all_open_.empty()) return;
    const bool reads = entry.kind == Entry::Kind::call || entry.kind == Entry::Kind::collective;
    const bool releases = entry.kind == Entry::Kind::release;
    if (reads || releases) {
      for (const std::uint32_t storage : list_.inputs_of(entry)) complete(storage, releases, entry);
    }
    if (!reads) return;
    for (const std::uint32_t storage : list_.outputs_of(entry)) complete(storage, true, entry);
    for (const std::uint32_t storage : list_.freed_of(entry)) complete(storage, true, entry);
  }

  void complete(std::uint32_t storage, bool is_changed, const Entry& before) {
    std::vector<Use>& uses = open_[storage];
    std::vector<Use> left;
    for (const Use& use : uses) {
      const auto at = all_open_.find(use.id);
      if (at == all_open_.end()) continue;
      if (use.is_sent_only && !is_changed) {
        left.push_back(use);
        continue;
      }
      all_open_.erase(at);
      entries_.push_back(completion(use.id, before));
    }
    uses = std::move(left);
  }

  static Entry completion(std::uint32_t id, const Entry& beside) {
    Entry entry;
    entry.kind = Entry::Kind::complete;
    entry.thread = beside.thread;
    entry.stream = beside.stream;
    entry.number = id;
    return entry;
  }

  OperationList& list_;
  std::vector<Entry> entries_;
  std::vector<std::vector<Use>> open_;  // per storage
  std::set<std::uint32_t> all_open_;
};

}  // namespace

void add_completions(OperationList& list) {
  const bool any = std::any_of(list.entries.begin(), list.entries.end(),
                               [](const Entry& entry) { return entry.kind == Entry::Kind::collective && entry.is_async; });
  if (any) Completions(list).run();
}

}  // namespace orrery::replay::torch
