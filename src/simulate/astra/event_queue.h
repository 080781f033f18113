// Events in order of time, and among equal times in order of insertion.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace orrery::simulate::astra {

/// One bucket per distinct time: a linked list of events. Buckets are found by a hash of the time and ordered by a
/// heap. Simulated ranks move in lockstep, so that one bucket holds thousands of events and the heap is hardly touched;
/// with all times distinct an event still costs one insertion into each.
template <typename Event>
class EventQueue {
 public:
  EventQueue() : table_(64, kNone) {}

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint64_t processed() const { return processed_; }

  /// `time` >= now().
  void push(std::int64_t time, const Event& event) {
    const std::uint32_t node = allocate(event);
    Bucket& bucket = buckets_[find_or_add(time)];
    if (bucket.head == kNone) bucket.head = node;
    else nodes_[bucket.tail].next = node;
    bucket.tail = node;
    ++count_;
  }

  /// Must not be empty. What is pushed for the time that this sets comes after everything already there.
  Event pop() {
    if (current_ == kNone || buckets_[current_].head == kNone) next_bucket();
    Bucket& bucket = buckets_[current_];
    const std::uint32_t node = bucket.head;
    bucket.head = nodes_[node].next;
    const Event event = nodes_[node].event;
    nodes_[node].next = free_node_;
    free_node_ = node;
    --count_;
    ++processed_;
    return event;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  struct Node {
    Event event;
    std::uint32_t next;
  };
  struct Bucket {
    std::int64_t time;
    std::uint32_t head;
    std::uint32_t tail;
  };
  struct Later {
    bool operator()(const std::pair<std::int64_t, std::uint32_t>& a,
                    const std::pair<std::int64_t, std::uint32_t>& b) const {
      return a.first > b.first;
    }
  };

  std::uint32_t allocate(const Event& event) {
    if (free_node_ == kNone) {
      nodes_.push_back({event, kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t node = free_node_;
    free_node_ = nodes_[node].next;
    nodes_[node] = {event, kNone};
    return node;
  }

  [[nodiscard]] std::size_t slot_of(std::int64_t time) const {
    return (static_cast<std::uint64_t>(time) * 0x9E3779B97F4A7C15u) >> (64 - std::countr_zero(table_.size()));
  }

  std::uint32_t find_or_add(std::int64_t time) {
    if (last_ != kNone && buckets_[last_].time == time) return last_;
    std::size_t slot = slot_of(time);
    for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
      if (buckets_[table_[slot]].time == time) return last_ = table_[slot];
    }
    if (live_ * 2 >= table_.size()) {
      grow();
      return find_or_add(time);
    }
    std::uint32_t bucket = 0;
    if (free_buckets_.empty()) {
      bucket = static_cast<std::uint32_t>(buckets_.size());
      buckets_.push_back({});
    } else {
      bucket = free_buckets_.back();
      free_buckets_.pop_back();
    }
    buckets_[bucket] = {time, kNone, kNone};
    table_[slot] = bucket;
    ++live_;
    heap_.emplace_back(time, bucket);
    std::push_heap(heap_.begin(), heap_.end(), Later());
    return last_ = bucket;
  }

  void next_bucket() {
    if (current_ != kNone) remove(current_);
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    now_ = heap_.back().first;
    current_ = heap_.back().second;
    heap_.pop_back();
  }

  // Open addressing with linear probing: later entries of the run move up, so that no search ends early.
  void remove(std::uint32_t bucket) {
    const std::size_t mask = table_.size() - 1;
    std::size_t hole = slot_of(buckets_[bucket].time);
    while (table_[hole] != bucket) hole = (hole + 1) & mask;
    for (std::size_t at = (hole + 1) & mask; table_[at] != kNone; at = (at + 1) & mask) {
      const std::size_t home = slot_of(buckets_[table_[at]].time);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        table_[hole] = table_[at];
        hole = at;
      }
    }
    table_[hole] = kNone;
    buckets_[bucket].time = -1;
    if (last_ == bucket) last_ = kNone;
    free_buckets_.push_back(bucket);
    --live_;
  }

  void grow() {
    std::vector<std::uint32_t> old(table_.size() * 2, kNone);
    old.swap(table_);
    for (const std::uint32_t bucket : old) {
      if (bucket == kNone) continue;
      std::size_t slot = slot_of(buckets_[bucket].time);
      while (table_[slot] != kNone) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = bucket;
    }
  }

  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_buckets_;
  std::vector<std::uint32_t> table_;  // open addressing: bucket numbers
  std::vector<std::pair<std::int64_t, std::uint32_t>> heap_;
  std::size_t live_ = 0;
  std::uint32_t current_ = kNone;  // the bucket of now()
  std::uint32_t last_ = kNone;     // the bucket of the last push
  std::int64_t now_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t processed_ = 0;
};

}  // namespace orrery::simulate::astra
