// Reads a text as a compressed file is read: in windows that end anywhere. Each window is a block of memory of its own
// with exactly the promised padding behind it, so that the address sanitizer sees every byte read too far, and every
// view kept too long.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "formats/kineto/document.h"
#include "formats/kineto/metadata.h"
#include "formats/kineto/rank_builder.h"
#include "rank_text.h"

namespace orrery::kineto::testing {

constexpr std::size_t kWindowPadding = 64;

/// `next_bytes()` tells how many bytes the next window brings.
template <typename NextBytes>
Reading read_in_windows(std::string_view text, NextBytes&& next_bytes) {
  Reading reading;
  reading.path = "windows";
  RankBuilder builder("windows");
  DocumentParser parser(builder, "windows");
  std::size_t done = 0;  // everything before this has been taken
  std::size_t seen = 0;  // everything before this has been handed over
  for (bool is_last = false; !is_last && !reading.error;) {
    seen = std::min(text.size(), seen + next_bytes());
    is_last = seen == text.size();
    const std::size_t size = seen - done;
    const auto memory = std::make_unique<char[]>(size + kWindowPadding);  // zeros
    std::memcpy(memory.get(), text.data() + done, size);
    const auto parsed = parser.parse(Window{memory.get(), memory.get() + size, done, is_last});
    if (!parsed) reading.error = parsed.error();
    else done += static_cast<std::size_t>(*parsed - memory.get());
  }
  if (reading.error || !parser.saw_events()) return reading;
  builder.finish();
  trace::RankTrace& rank = builder.rank();
  interpret_properties(rank.source);
  rank.rank = rank.source.rank.value_or(0);
  rank.epoch_unix_ns += rank.source.base_time_ns.value_or(0);
  reading.diagnostics = builder.diagnostics();
  reading.strings = std::move(builder.strings());
  reading.rank.emplace(std::move(rank));
  return reading;
}

}  // namespace orrery::kineto::testing
