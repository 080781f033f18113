#include <orrery/workload.h>

#include <filesystem>

#include "api/workload_data.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"

namespace orrery::api {
namespace {

// Byte positions are for people with a hex editor; they go with the message.
Error public_error(const orrery::Error& error) {
  std::string message = error.message;
  if (error.offset != orrery::Error::kNoOffset) message = "byte " + std::to_string(error.offset) + ": " + message;
  return {std::move(message), error.file, error.hint};
}

orrery::Result<workload::Workload> read(const std::string& prefix_or_file, bool is_file,
                                        const chakra::ReadOptions& options) {
  if (is_file) return chakra::read_workload({&prefix_or_file, 1}, options);
  const std::vector<chakra::RankFile> files = chakra::find_rank_files(prefix_or_file);
  if (!files.empty()) {
    orrery::Result<workload::Workload> workload = chakra::read_workload(prefix_or_file, files.back().rank + 1, options);
    if (!workload) return workload;
    if (const orrery::Status complete = chakra::check_recorded_ranks(*workload, prefix_or_file); !complete)
      return complete.error();
    return workload;
  }
  return orrery::Error{.message = "there is neither this file nor a first rank of that name",
                       .file = prefix_or_file,
                       .hint = "give a file, or the PREFIX of PREFIX.0.et, PREFIX.1.et, ..."};
}

std::string line_of(const Diagnostic& remark) {
  std::string line =
      std::string(remark.kind->code) + ": " + remark.kind->summary + " (" + std::to_string(remark.count) + ")";
  if (!remark.example.empty()) line += "; the first: " + remark.example;
  return line + "; " + remark.kind->hint;
}

}  // namespace

Result<Workload> Workload::open(const std::string& prefix_or_file, const OpenOptions& options) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(prefix_or_file, ignored);
  Diagnostics diagnostics;
  orrery::Result<workload::Workload> workload =
      read(prefix_or_file, is_file, {.diagnostics = options.lenient ? &diagnostics : nullptr});
  if (!workload) return public_error(workload.error());
  auto data = std::make_unique<WorkloadData>();
  data->workload = std::move(*workload);
  data->knows_ranks = !is_file;
  for (const workload::Program& program : data->workload.programs) data->directories.emplace_back(program.ids);
  data->lazy_successors = std::make_unique<LazySuccessors[]>(2 * data->workload.programs.size());
  for (const Diagnostic& remark : diagnostics.sorted()) data->remarks.push_back(line_of(remark));
  return Workload(std::move(data));
}

Workload::Workload(std::unique_ptr<const WorkloadData> data) : data_(std::move(data)) {}
Workload::Workload(Workload&&) noexcept = default;
Workload& Workload::operator=(Workload&&) noexcept = default;
Workload::~Workload() = default;

std::size_t Workload::rank_count() const { return data_->workload.rank_count(); }
std::size_t Workload::node_count(std::size_t rank) const { return data_->program(rank).size(); }
const std::vector<std::string>& Workload::remarks() const { return data_->remarks; }
Node Workload::node(std::size_t rank, std::size_t index) const { return data_->node(rank, index); }

std::optional<Node> Workload::find(std::size_t rank, std::uint64_t id) const {
  const std::uint32_t index = data_->find(rank, id);
  if (index == IdDirectory::kNone) return std::nullopt;
  return data_->node(rank, index);
}

}  // namespace orrery::api
