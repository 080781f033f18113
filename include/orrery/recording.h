// A recording of a job, and what is asked of it: where the step goes, what if, and who made others wait. Recordings are
// whatever the program reads: PyTorch's profiler, XSpace, MPI traces, execution traces.
//
//     Result<Recording> recording = Recording::open({"traces/"});
//     Result<Answer> path = recording->path();
//     Result<Answer> faster = recording->what_if({"gap:launch = 0"});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/answer.h"
#include "orrery/export.h"
#include "orrery/result.h"

namespace orrery::api {

struct RecordingOptions {
  bool salvage = false;  ///< read a damaged file up to the damage instead of refusing it
};

/// The part of a recording that a question is about.
struct Window {
  std::optional<std::int64_t> rank = {};       ///< alone; none: all
  std::optional<std::string> annotation = {};  ///< events whose name contains it; empty: all of the recording
  /// Which of them, from 0, the last included; none: a typical one, or all.
  std::optional<std::pair<std::size_t, std::size_t>> instances = {};
  bool without_profiler = false;  ///< answer for the run as it would be if nobody had recorded it
};

struct PathOptions {
  Window window = {};
  std::optional<std::string> overlay = {};  ///< write the trace again with the path marked; of several ranks a folder
};
struct WhatIfOptions {
  Window window = {};
};
struct BlameOptions {
  Window window = {};
};

/// Read once, asked any number of times. Questions may not be asked from two threads at once.
class ORRERY_API Recording {
 public:
  /// Files, folders or globs; several are several ranks. An Error names the file, and where it is damaged.
  static Result<Recording> open(const std::vector<std::string>& named, const RecordingOptions& options = {});

  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

  [[nodiscard]] std::vector<std::int64_t> ranks() const;
  [[nodiscard]] std::size_t event_count() const;  ///< of all ranks

  /// Where the step goes: the critical path.
  [[nodiscard]] Result<Answer> path(const PathOptions& options = {}) const;
  /// Changes something, solves again and compares. Edits: docs/WHATIF.md.
  [[nodiscard]] Result<Answer> what_if(const std::vector<std::string>& edits, const WhatIfOptions& options = {}) const;
  /// Who made others wait, and why. Of several ranks.
  [[nodiscard]] Result<Answer> blame(const BlameOptions& options = {}) const;

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace orrery::api
