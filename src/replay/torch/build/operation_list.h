// What a rank does, operation by operation: what replay.py runs. docs/formats/operations.md has the form of the file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "replay/torch/edits/rank_edits.h"

namespace orrery::replay::torch {

struct Storage {
  bool is_on_host = false;
  bool is_given = false;  ///< it was there before the window
  bool is_pinned = false;
  bool is_written = false;  ///< by an operation of the list
  std::int64_t bytes = 0;
  std::string_view element_type = "uint8";  ///< of its first use
  std::int64_t bound = 0;                   ///< its integers lie below; 0: anything
};

struct Entry {
  enum class Kind : std::uint8_t {
    call,
    make,
    release,
    record,
    wait,
    sync,
    sync_stream,
    sync_event,
    work,
    pause,
    collective,
    complete,
    begin,
    end,
    graph,      ///< from here on it was one launch of a graph,
    graph_end,  ///< up to here
    left_out    ///< by an edit: nothing is done, and the host does not spend the time either
  };
  Kind kind = Kind::call;
  std::uint32_t thread = 0;
  std::uint32_t stream = 0;
  std::uint32_t number = 0;  ///< the form, event, stream or collective; of work how many pieces; of texts (work, begin,
                             ///< collective) see `text`
  std::uint32_t text = 0;    ///< into OperationList::texts
  std::uint32_t first =
      0;  ///< into OperationList::numbers: storages of arguments, of what is returned, and those freed
  std::uint32_t inputs = 0, outputs = 0, freed = 0;
  TimePs duration = 0;              ///< of work, or of a pause of the host
  TimePs begin_ps = 0, end_ps = 0;  ///< on the host, as recorded
  bool is_timed = false;            ///< otherwise the two say nothing
  bool is_async = false;            ///< of a collective: the host does not wait at once
};

/// Work that stands for kernels which cannot be called, by name.
struct ReplacedWork {
  std::uint64_t count = 0;
  TimePs duration = 0;  ///< as recorded, or as edited
};

/// What scaling a dimension changed.
struct ScaledCalls {
  std::int64_t size_before = 0, size_after = 0;  ///< of the dimension that was asked for; 0: nothing was scaled
  std::uint64_t calls = 0, collectives = 0, storages = 0;  ///< how many changed
};

/// Integers of a storage whose values decide the work: see integer_plans.h.
struct PlannedIntegers {
  std::uint32_t storage = 0;
  std::int64_t first = 0, count = 0;
  const char* kind = "offsets";
  std::int64_t total = 0, parts = 0;
};

struct OperationList {
  std::int64_t rank = 0;
  bool has_device = true;
  std::vector<std::int64_t> streams;
  std::uint32_t threads = 1;
  std::uint32_t steps = 1;
  bool uses_tf32 = false;
  bool has_pace = false;
  double pace_factor = 1;  ///< of the times that it keeps
  std::vector<Storage> storages;
  std::vector<std::array<std::int64_t, 4>>
      bounded_parts;  ///< storage, first element, how many, bound: where it is not that of the whole
  std::vector<PlannedIntegers> planned_integers;  ///< by storage and place
  std::vector<std::string> tensors;               ///< descriptors, as JSON
  std::vector<std::string> forms;                 ///< as JSON
  std::vector<std::string> texts;                 ///< names, and what collectives say, as JSON
  std::vector<Entry> entries;
  std::vector<std::uint32_t> numbers;

  // What there is to say about it.
  std::uint64_t calls = 0;
  std::uint64_t collectives = 0;
  TimePs device_time = 0;                        ///< of all recorded device work
  TimePs called_time = 0;                        ///< of it, what will be done by the operators that did it
  std::map<std::string, ReplacedWork> replaced;  ///< the rest, by the name of the work
  std::int64_t peak_bytes = 0;                   ///< of device storages alive at once
  std::uint64_t waits_from_data = 0;
  ScaledCalls scaled;
  EditedList edited;

  [[nodiscard]] std::span<const std::uint32_t> inputs_of(const Entry& entry) const {
    return {numbers.data() + entry.first, entry.inputs};
  }
  [[nodiscard]] std::span<const std::uint32_t> outputs_of(const Entry& entry) const {
    return {numbers.data() + entry.first + entry.inputs, entry.outputs};
  }
  [[nodiscard]] std::span<const std::uint32_t> freed_of(const Entry& entry) const {
    return {numbers.data() + entry.first + entry.inputs + entry.outputs, entry.freed};
  }
};

}  // namespace orrery::replay::torch
