// A file being written, with its size and hash: what tells whether a restored file is the original.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/content_hash.h"
#include "base/io/output_file.h"
#include "formats/xspace/contents.h"

namespace orrery::xspace {

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

}  // namespace orrery::xspace
