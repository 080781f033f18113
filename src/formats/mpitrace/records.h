// Records as values. docs/formats/mpitrace.md has their layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/layout.h"

namespace orrery::mpitrace {

struct SiteFrame {
  std::uint64_t module = 0;  ///< text
  std::uint64_t offset = 0;
  std::uint64_t symbol = 0;  ///< text; 0: not known
};

struct CommunicatorRecord {
  std::uint64_t number = 0;
  std::uint8_t flags = 0;
  std::string_view name;
  std::uint64_t parent = 0;
  std::uint64_t rank = 0;
  std::vector<std::int64_t> members, remote;
  std::vector<std::int64_t> dimensions, periodic, sources, destinations;
};

struct Completion {
  std::uint64_t request = 0;
  std::uint8_t flags = 0;  ///< tracer::CompletionFlag
  std::int64_t source = 0, tag = 0, bytes = 0;
};

/// What was not recorded is 0 or empty; has() tells.
struct CallRecord {
  std::uint64_t function = 0;  ///< text
  std::uint64_t thread = 0;
  std::int64_t enter_ns = 0, exit_ns = 0;  ///< of the recorder's clock
  std::uint64_t site = 0;
  std::uint64_t fields = 0;  ///< tracer::CallField
  std::uint64_t comm = 0, request = 0, created = 0, window = 0, polls = 0;
  std::int64_t destination = 0, send_tag = 0, send_bytes = 0, source = 0, receive_tag = 0, receive_bytes = 0, root = 0;
  std::int64_t actual_source = 0, actual_tag = 0, actual_bytes = 0, polls_inside_ns = 0, error = 0, element_bytes = 0;
  std::vector<std::int64_t> send_counts, receive_counts, values;
  std::vector<std::uint64_t> started;
  std::vector<Completion> completed;

  [[nodiscard]] bool has(tracer::CallField field) const { return (fields & field) != 0; }
};

// Each is false if the body is not one. Values are within bounds that sums of a few of them keep; counts agree with the
// bytes that are there. `most_ranks` and `most_counts` bound the lists: a run of equal numbers takes few bytes however
// long it is.
bool decode_site(std::string_view body, std::uint64_t& number, std::vector<SiteFrame>& frames);
bool decode_communicator(std::string_view body, std::int64_t most_ranks, CommunicatorRecord& record);
/// `previous_ns` is the time of entry of the call before in the block, or the block's base.
bool decode_call(std::string_view body, std::int64_t previous_ns, std::int64_t most_ranks, std::size_t most_counts,
                 CallRecord& record);

}  // namespace orrery::mpitrace
