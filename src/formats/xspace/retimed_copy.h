// Copies an XSpace with other times. What changes is asked of a TimeChange; all else is copied byte for byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/content_hash.h"
#include "base/io/output_file.h"
#include "base/result.h"
#include "formats/xspace/alignment_record.h"
#include "formats/xspace/outline.h"

namespace orrery::xspace {

// A file being written, with its size and hash: what tells whether a restored file is the original.

/// The file must outlive this, and is committed by its owner.
class CopySink {
 public:
  explicit CopySink(OutputFile& file) : file_(file) {}

  void write(std::string_view bytes) {
    file_.write(bytes);
    hash_.add(bytes);
  }
  [[nodiscard]] std::uint64_t bytes() const { return hash_.bytes(); }
  [[nodiscard]] std::uint64_t xxh3() const { return hash_.xxh3(); }

 private:
  OutputFile& file_;
  ContentHash hash_;
};

/// The hash that CopySink would give for these bytes. Pages of a mapped file are given back.
std::uint64_t hash_contents(const Contents& contents);

/// The new times of a file, asked for in file order.
class TimeChange {
 public:
  virtual ~TimeChange() = default;
  /// Of the recording, in Unix ns.
  virtual std::int64_t start(std::int64_t unix_ns) = 0;
  virtual std::int64_t stop(std::int64_t unix_ns) = 0;
  /// A line begins. False: its events are to be copied as they are.
  virtual bool begin_line(LineTimes& times) = 0;
  /// An event of this line that has a time, and one that has none.
  virtual void change(EventTimes& times) = 0;
  virtual void pass_untimed() = 0;
};

/// Copies `part` of the file, which is made of whole fields: all of it, or all but the last ones. `space` is its
/// outline. An Error if a message is damaged, or written in a way (numbers longer than needed, a member twice) that no
/// protobuf library uses and a change and its undoing would not keep.
Status copy_with_times(const Contents& contents, const SpaceOutline& space, std::string_view part, TimeChange& change,
                       CopySink& sink);

}  // namespace orrery::xspace
