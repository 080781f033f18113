// Files as the tracer writes them, made by hand: what no program does on purpose can be tested, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracer/byte_buffer.h"
#include "tracer/layout.h"
#include "tracer/rank_list.h"

namespace orrery::testing {

inline std::string bytes_of(const tracer::ByteBuffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

class FileBuilder {
 public:
  FileBuilder(int rank, int world_size) {
    tracer::ByteBuffer head;
    head.number(static_cast<std::uint64_t>(rank));
    head.number(static_cast<std::uint64_t>(world_size));
    head.number(0);                                        // node
    head.signed_number(1'700'000'000'000'000'000 - 5000);  // Unix time minus the clock, which shows 5000 at the start
    head.number(5000);
    head.number(1);
    for (const std::string_view text : {"node0", "Some MPI", "/opt/program"}) head.text(text);
    tracer::ByteBuffer bytes;
    bytes.raw(tracer::kMagic, tracer::kMagicBytes);
    bytes.fixed(tracer::kVersion);
    bytes.fixed(static_cast<std::uint32_t>(head.size()));
    bytes.raw(head.data(), head.size());
    bytes.fixed(tracer::checksum(head.data(), head.size(), tracer::kVersion));
    file_ = bytes_of(bytes);
    std::vector<int> ranks;
    for (int i = 0; i < world_size; ++i) ranks.push_back(i);
    communicator("world", rank, ranks);
    tracer::ByteBuffer site;  // the only one, without a frame
    site.number(1);
    site.number(0);
    record(tracer::RecordKind::site, site);
  }

  std::uint64_t text(std::string_view text) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == text) return i + 1;
    }
    texts_.emplace_back(text);
    tracer::ByteBuffer body;
    body.number(texts_.size());
    body.raw(text.data(), text.size());
    record(tracer::RecordKind::text, body);
    return texts_.size();
  }

  void communicator(std::string_view name, int rank_in_it, std::vector<int> members) {
    tracer::ByteBuffer body;
    body.number(++communicators_);
    body.byte(0);
    body.text(name);
    body.number(0);
    body.number(static_cast<std::uint64_t>(rank_in_it));
    tracer::RankList(std::move(members)).encode(body);
    record(tracer::RecordKind::communicator, body);
  }

  /// Enters `since_ns` after the call before entered. `fields` say what `rest` has.
  void call(std::string_view function, std::int64_t since_ns, std::uint64_t inside_ns, std::uint32_t fields = 0,
            const tracer::ByteBuffer& rest = {}, std::uint64_t thread = 0) {
    tracer::ByteBuffer body;
    body.number(text(function));
    body.number(thread);
    body.signed_number(since_ns);
    body.number(inside_ns);
    body.number(1);
    body.number(fields);
    body.raw(rest.data(), rest.size());
    record(tracer::RecordKind::call, body);
  }

  void record(tracer::RecordKind kind, const tracer::ByteBuffer& body) {
    payload_.byte(static_cast<std::uint8_t>(kind));
    payload_.number(body.size());
    payload_.raw(body.data(), body.size());
  }

  void end_block(std::uint64_t base_ns = 5000) {
    const auto bytes = static_cast<std::uint32_t>(payload_.size());
    tracer::ByteBuffer block;
    block.fixed(tracer::block_check(bytes, base_ns));
    block.fixed(bytes);
    block.fixed(base_ns);
    block.fixed(tracer::checksum(payload_.data(), bytes, base_ns));
    block.raw(payload_.data(), bytes);
    file_ += bytes_of(block);
    payload_.clear();
  }

  /// With the mark of MPI_Finalize, if `is_finished`.
  std::string file(bool is_finished = true) {
    if (is_finished) record(tracer::RecordKind::end, {});
    end_block();
    return file_;
  }

 private:
  std::string file_;
  std::vector<std::string> texts_;
  std::uint64_t communicators_ = 0;
  tracer::ByteBuffer payload_;
};

}  // namespace orrery::testing
