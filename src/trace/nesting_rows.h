// Rows for slices of time that may overlap: on each row slices nest, and each goes to the first row where it does.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace orrery::trace {

/// Slices come by start. O(log rows + log open) for each, however many overlap: the row is found in a tree of maxima
/// over what each row allows.
class NestingRows {
 public:
  using Row = std::uint32_t;
  /// Called for every slice once it has ended; on each row the innermost first, in order of time.
  using Ended = std::function<void(Row row, std::int64_t end)>;

  explicit NestingRows(Ended ended) : ended_(std::move(ended)) {}

  /// Ends what has ended by `start` and returns the row of the slice; rows are numbered as they are first needed.
  Row add(std::int64_t start, std::int64_t end);
  /// Ends all that are open.
  void finish();
  [[nodiscard]] std::size_t rows() const { return open_.size(); }

 private:
  void close_until(std::int64_t time);
  [[nodiscard]] Row first_that_takes(std::int64_t end) const;
  void set_room(Row row);
  void grow();

  struct Ending {
    std::int64_t end;
    Row row;
    bool operator>(const Ending& other) const { return end != other.end ? end > other.end : row > other.row; }
  };

  Ended ended_;
  std::vector<std::vector<std::int64_t>> open_;  // per row: ends of the slices that have begun, the outermost first
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  // The latest end that a row takes, which is that of its innermost slice: leaves of a binary tree whose inner nodes
  // have the larger of two.
  std::vector<std::int64_t> latest_;
  std::size_t leaves_ = 0;
};

}  // namespace orrery::trace
