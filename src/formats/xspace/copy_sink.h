// A file being written, with its size and hash: what tells whether a restored file is the original.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/output_file.h"
#include "formats/xspace/contents.h"

namespace orrery::xspace {

/// The file must outlive this, and is committed by its owner.
class CopySink {
 public:
  explicit CopySink(OutputFile& file);
  CopySink(const CopySink&) = delete;
  CopySink& operator=(const CopySink&) = delete;
  ~CopySink();

  void write(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t xxh3() const;

 private:
  struct Hash;
  OutputFile& file_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<Hash> hash_;
};

/// The hash that CopySink would give for these bytes. Pages of a mapped file are given back.
std::uint64_t hash_contents(const Contents& contents);

}  // namespace orrery::xspace
