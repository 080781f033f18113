// Appends entries to an operation list: numbers threads, forms and names, and remembers which stream each thread is on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/torch/build/collective_call.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/recorded_call.h"

namespace orrery::replay::torch {

// Distinct texts, numbered in order of first appearance.

class TextNumbers {
 public:
  /// New texts are appended to `texts`, which must outlive this.
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}

  std::uint32_t operator()(std::string text) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(at->first);
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// On the host, as recorded; kNoTime where it was not.
struct HostTime {
  TimePs begin = kNoTime, end = kNoTime;
};

class EntryWriter {
 public:
  explicit EntryWriter(OperationList& list) : list_(list) {}

  /// Numbers of threads, in order of what they do first.
  std::uint32_t thread_number(std::int64_t thread) {
    return threads_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size())).first->second;
  }
  [[nodiscard]] std::uint32_t threads() const {
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(threads_.size()));
  }
  /// The stream that a thread used last.
  std::uint32_t stream_of(std::uint32_t thread);

  /// The entry is valid until the next one; its numbers are appended to the list's afterwards.
  Entry& add(Entry::Kind kind, std::uint32_t thread, std::uint32_t stream, HostTime time);
  /// Storages that begin or end, in one entry with those right before.
  void add_storages(Entry::Kind kind, std::int64_t thread, const std::vector<std::uint32_t>& storages);

  std::uint32_t form_number(const RecordedCall& call);
  std::uint32_t name_number(std::string_view name);
  /// What the entry of a collective says. `used`: the storages of its inputs, then of its outputs.
  std::uint32_t collective_text(const CollectiveCall& call, const std::vector<std::vector<std::int64_t>>& groups,
                                std::uint32_t group, const Entry& entry, const std::vector<std::uint32_t>& used);

 private:
  OperationList& list_;
  TextNumbers tensors_{list_.tensors}, forms_{list_.forms}, texts_{list_.texts};
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
  std::vector<std::uint32_t> streams_;  // per thread
};

}  // namespace orrery::replay::torch
