#include "job/read/shared_reading.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "base/packed.h"
#include "job/read/registry.h"
#include "trace/read_rank.h"

namespace orrery::job {
namespace {

constexpr std::string_view kReadRankTask = "read rank";

std::string pack_options(const formats::Format& format, const formats::TraceOptions& options) {
  return PackedWriter()
      .text(format.name)
      .number(options.salvage)
      .number(options.positions)
      .number(options.far_clocks)
      .number(options.record_functions)
      .number(options.operands)
      .number(options.launch_arrows)
      .take();
}

class RankReadingTask : public SharedTask {
 public:
  explicit RankReadingTask(std::string_view about) {
    PackedReader reader(about);
    format_ = format_called(reader.text());
    options_.salvage = reader.number() != 0;
    options_.positions = reader.number() != 0;
    options_.far_clocks = reader.number() != 0;
    options_.record_functions = reader.number() != 0;
    options_.operands = reader.number() != 0;
    options_.launch_arrows = reader.number() != 0;
  }

  std::vector<std::optional<std::string>> run(std::span<const SharedItem> items) override {
    std::vector<std::optional<std::string>> results;
    for (const SharedItem& item : items) {
      const Result<trace::ReadRank> read = format_->read_rank(std::string(item.content), options_);
      // Without a result process 0 reads the file itself, and so tells the error with all its words.
      results.push_back(read ? std::optional(trace::to_bytes(*read)) : std::nullopt);
    }
    return results;
  }

 private:
  const formats::Format* format_ = nullptr;
  formats::TraceOptions options_;
};

}  // namespace

std::uint64_t bytes_of(const std::string& file) {
  std::error_code failed;
  // Missing files have no size; opening them tells the error.
  const auto size = std::filesystem::file_size(file, failed);
  return failed ? 0 : size;
}

std::vector<std::size_t> largest_first(const std::vector<std::string>& files) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(files.size());
  for (const std::string& file : files) sizes.push_back(bytes_of(file));
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), 0);
  // Longest work first keeps everybody busy to the end; stable, so that equal files keep their order.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

Result<trace::Trace> read_traces(const formats::Format& format, const std::vector<std::string>& files,
                                 Diagnostics& diagnostics, const formats::TraceOptions& options) {
  ProcessTeam* const team = process_team();
  // In a sweep everybody reads everything: each of them needs it.
  if (team == nullptr || !team->is_idle() || files.size() < 2 || format.read_rank == nullptr)
    return format.read_traces(files, diagnostics, options);
  std::vector<trace::ReadRank> ranks(files.size());
  std::vector<std::optional<Error>> errors(files.size());
  const auto read_here = [&](std::span<const std::size_t> which) {
    for (const std::size_t i : which) {
      Result<trace::ReadRank> read = format.read_rank(files[i], options);
      if (read) ranks[i] = std::move(*read);
      else errors[i] = read.error();
    }
  };
  const auto take = [&](std::size_t i, std::string_view bytes) {
    Result<trace::ReadRank> read = trace::read_rank_from_bytes(bytes, files[i]);
    if (read) ranks[i] = std::move(*read);
    else errors[i] = read.error();
    if (options.on_progress) options.on_progress(bytes_of(files[i]));
  };
  ProcessTeam::Work work(*team, kReadRankTask, pack_options(format, options));
  work.run({.order = largest_first(files), .content = [&](std::size_t i) { return files[i]; }}, read_here, take);
  // In the order of files, so that the same error is told however many read.
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return format.join_ranks(files, std::move(ranks), diagnostics, options);
}

SharedTaskKind rank_reading_task() {
  return {kReadRankTask, [](std::string_view about) { return std::make_unique<RankReadingTask>(about); }};
}

}  // namespace orrery::job
