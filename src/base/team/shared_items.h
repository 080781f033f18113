// The items of a piece of work while processes share it: the queue that process 0 has, and its own share of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace orrery {

/// How the items of a piece of work are handed out.
struct SharedPlan {
  std::vector<std::size_t> order;                        ///< item numbers, those to be begun first in front
  std::function<std::string(std::size_t)> content = {};  ///< of an item; none: nothing to know beyond its number
  std::size_t smallest_batch = 1,
              largest_batch = 1;  ///< how many are taken at once; batches become smaller towards the end
};

/// Items of a piece of work, which the threads of process 0 take from: its own, and the one that speaks with the
/// others.
class ItemQueue {
 public:
  ItemQueue(const SharedPlan& plan, std::size_t processes) : plan_(plan), processes_(processes) {}

  std::vector<std::size_t> take_for_others() {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> batch = take();
    outside_ += batch.size();
    return batch;
  }
  /// Empty: nothing to do right now; see is_done.
  std::vector<std::size_t> take_here() {
    const std::lock_guard lock(mutex_);
    if (again_.empty()) return take();
    std::vector<std::size_t> one{again_.front()};
    again_.pop_front();
    return one;
  }
  void came_back(std::size_t item, bool is_done) {
    const std::lock_guard lock(mutex_);
    --outside_;
    if (!is_done) again_.push_back(item);
  }
  [[nodiscard]] bool is_empty() {
    const std::lock_guard lock(mutex_);
    return stopped_ || (next_ == plan_.order.size() && again_.empty() && outside_ == 0);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

 private:
  std::vector<std::size_t> take() {
    if (stopped_) return {};
    const std::size_t left = plan_.order.size() - next_;
    // Large ones first, so that few messages are needed; small ones in the end, so that all end at about the same time.
    const std::size_t fair = std::clamp(left / (4 * processes_), plan_.smallest_batch, plan_.largest_batch);
    const auto first = plan_.order.begin() + static_cast<std::ptrdiff_t>(next_);
    const std::size_t count = std::min(fair, left);
    next_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  const SharedPlan& plan_;
  const std::size_t processes_;
  std::mutex mutex_;  // guards what follows
  std::size_t next_ = 0, outside_ = 0;
  std::deque<std::size_t> again_;
  bool stopped_ = false;
};

/// The share of process 0, in a thread of its own that ends when the queue is empty.
class LocalShare {
 public:
  using Local = std::function<void(std::span<const std::size_t> items)>;
  LocalShare(ItemQueue& queue, const Local& local) : queue_(queue) {
    thread_ = std::thread([this, &local] {
      try {
        while (!queue_.is_empty()) {
          const std::vector<std::size_t> batch = queue_.take_here();
          if (batch.empty())
            std::this_thread::sleep_for(std::chrono::microseconds(500));  // what others have may come back undone
          else local(batch);
        }
      } catch (...) {
        error_ = std::current_exception();
        queue_.stop();
      }
      is_done_ = true;
    });
  }
  ~LocalShare() {
    queue_.stop();
    if (thread_.joinable()) thread_.join();
  }
  LocalShare(const LocalShare&) = delete;
  LocalShare& operator=(const LocalShare&) = delete;

  [[nodiscard]] bool is_done() const { return is_done_; }
  void finish() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  ItemQueue& queue_;
  std::exception_ptr error_;
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

}  // namespace orrery
