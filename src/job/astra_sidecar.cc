#include "job/astra_sidecar.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "base/io/file_content.h"
#include "base/io/output_set.h"
#include "base/numbers.h"
#include "base/team/process.h"
#include "formats/chakra/writer.h"
#include "simulate/pricing/operations_workload.h"
#include "simulate/pricing/pricing_report.h"

// Every question is a little workload: written as Chakra files into a folder of its own, simulated by the program, and
// answered by when the last participant says that it finished. Answers are kept by a signature of all that they depend
// on, in memory and, if asked for, in files.

namespace orrery::job {
namespace {

namespace fs = std::filesystem;
using simulate::CommOp;

constexpr std::size_t kMaxOutputBytes = std::size_t{256} << 20;

/// A folder that is gone with its content when the run is over.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "orrery-astra-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    if (ok()) guard_.emplace(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] bool ok() const { return !path_.empty(); }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] std::string write(std::string_view name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

 private:
  std::string path_;
  std::optional<RemovedWhenInterrupted> guard_;
};

/// Of a program that was found in PATH, or cannot be read: that of nothing. Its name is part of the signature as well.
std::uint64_t content_hash(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  return file ? XXH3_64bits(file->bytes().data(), file->bytes().size()) : 0;
}

}  // namespace

// [2026-03-26 10:00:00.000] [workload] [info] sys[3] finished, 43014091 cycles, exposed communication 43014091 cycles.
Result<TimePs> parse_astra_output(std::string_view output, std::span<const std::uint32_t> ranks) {
  TimePs last = 0;
  for (const std::uint32_t rank : ranks) {
    const std::string mark = fmt::format("sys[{}] finished, ", rank);
    const std::size_t at = output.find(mark);
    if (at == std::string_view::npos) return Error{fmt::format("it ended without finishing rank {}", rank)};
    const std::int64_t cycles = leading_number<std::int64_t>(output.substr(at + mark.size())).value_or(-1);
    if (cycles < 0 || cycles > graph::kMaxWeightPs / kPsPerNs)
      return Error{fmt::format("its cycles for rank {} are not a number", rank)};
    // A cycle of ASTRA-sim is a nanosecond.
    last = std::max(last, cycles * kPsPerNs);
  }
  return last;
}

Result<AstraSidecar> AstraSidecar::open(const machine::Machine& machine, SidecarOptions options) {
  if (!options.files) {
    Result<machine::AstraFiles> files = machine::to_astra(machine);
    if (!files) return files.error();
    options.files = std::move(*files);
  }
  // Upstream calls its programs AstraSim_Analytical_Congestion_Aware and ..._Unaware; the aware one ends with code 255
  // for each question.
  const bool is_aware = fs::path(options.binary).filename().string().find("Congestion_Aware") != std::string::npos;
  if (is_aware && machine.network.size() > 1) {
    return Error{
        fmt::format("the congestion-aware program takes one dimension, and the machine has {}", machine.network.size()),
        options.binary, Error::kNoOffset, "ask the congestion-unaware one"};
  }
  if (!options.cache_folder.empty()) {
    std::error_code failure;
    fs::create_directories(options.cache_folder, failure);
    if (failure) return Error{"cannot be made: " + failure.message(), options.cache_folder};
  }
  machine::AstraFiles files = *options.files;
  const std::uint64_t binary_hash = content_hash(options.binary);
  return AstraSidecar(std::move(files), static_cast<std::uint32_t>(machine.devices.count), std::move(options),
                      binary_hash);
}

std::string AstraSidecar::cache_path(std::uint64_t signature) const {
  return fmt::format("{}/{:016x}.cycles", options_.cache_folder, signature);
}

std::string AstraSidecar::version() const {
  const std::string files = files_.network_yaml + files_.system_json + files_.memory_json;
  return fmt::format("{} {:016x}, files {:016x}", fs::path(options_.binary).filename().string(), binary_hash_,
                     XXH3_64bits(files.data(), files.size()));
}

std::uint64_t AstraSidecar::signature_of(const CommOp& op) const {
  // Everything that an answer depends on is in the signature, the program's bytes included: a new build is asked anew.
  std::string text = fmt::format("{}\n{:016x}\n{}\n{}\n{}\n{} {} {}\n", options_.binary, binary_hash_,
                                 files_.network_yaml, files_.system_json, files_.memory_json, static_cast<int>(op.kind),
                                 static_cast<int>(op.collective), op.bytes);
  for (const std::uint32_t rank : op.ranks) text += fmt::format("{} ", rank);
  return XXH3_64bits(text.data(), text.size());
}

std::optional<TimePs> AstraSidecar::cached(std::uint64_t signature) {
  if (const auto found = answers_.find(signature); found != answers_.end()) return found->second;
  if (options_.cache_folder.empty()) return std::nullopt;
  std::ifstream file(cache_path(signature));
  TimePs answer = 0;
  if (!(file >> answer) || answer < 0) return std::nullopt;
  answers_.emplace(signature, answer);
  return answer;
}

void AstraSidecar::keep(std::uint64_t signature, TimePs answer) {
  answers_.emplace(signature, answer);
  if (options_.cache_folder.empty()) return;
  const std::string path = cache_path(signature);
  std::error_code ignored;  // a cache that cannot be written costs time, not truth
  // Under another name first: another process may read the folder while this one writes.
  std::ofstream(path + ".part") << answer << "\n";
  fs::rename(path + ".part", path, ignored);
}

Result<simulate::Price> AstraSidecar::ask(const CommOp& op) {
  if (op.ranks.size() < 2 || op.bytes == 0) return simulate::Price{};
  if (!simulate::astra_simulates(op))
    return Error{fmt::format("ASTRA-sim does not simulate {}", workload::to_string(op.collective))};
  const std::uint64_t signature = signature_of(op);
  const auto price = [](TimePs total) { return simulate::Price{total, 0, total}; };
  if (const std::optional<TimePs> answer = cached(signature)) {
    ++known_;
    return price(*answer);
  }
  if (const auto failed = failures_.find(signature); failed != failures_.end()) {
    ++known_;
    return failed->second;
  }
  if (Status worth = check_worth_asking(); !worth) return worth.error();
  const Result<std::vector<TimePs>> ends = run(simulate::workload_of(std::span(&op, 1), devices_), op.ranks);
  if (!ends) {
    failures_.emplace(signature, ends.error());
    return ends.error();
  }
  const TimePs answer = *std::max_element(ends->begin(), ends->end());
  keep(signature, answer);
  return price(answer);
}

/// What is wrong with the program or the machine is wrong for every question.
Status AstraSidecar::check_worth_asking() const {
  if (!answers_.empty() || failures_.size() < kFailuresInVain) return {};
  return Error{fmt::format("is not asked again, after {} failures and no answer", failures_.size()), options_.binary};
}

Result<std::vector<TimePs>> AstraSidecar::ask_together(std::span<const CommOp> ops) {
  if (Status worth = check_worth_asking(); !worth) return worth.error();
  std::vector<std::uint32_t> operations_of(devices_), ranks;
  for (const CommOp& op : ops) {
    if (!simulate::astra_simulates(op))
      return Error{fmt::format("ASTRA-sim does not simulate {}", workload::to_string(op.collective))};
    for (const std::uint32_t rank : op.ranks) {
      if (operations_of[rank]++ == 0) ranks.push_back(rank);
    }
  }
  const Result<std::vector<TimePs>> ends = run(simulate::workload_of(ops, devices_), ranks);
  if (!ends) return ends.error();
  std::vector<TimePs> end_of_rank(devices_), prices;
  for (std::size_t i = 0; i < ranks.size(); ++i) end_of_rank[ranks[i]] = (*ends)[i];
  for (const CommOp& op : ops) {
    TimePs own = 0, any = 0;
    for (const std::uint32_t rank : op.ranks) {
      any = std::max(any, end_of_rank[rank]);
      // A rank with one operation says when that ended. Of ranks with several the last one is known only.
      if (operations_of[rank] == 1) own = std::max(own, end_of_rank[rank]);
    }
    prices.push_back(own > 0 ? own : any);
  }
  return prices;
}

Result<std::vector<TimePs>> AstraSidecar::run(const workload::Workload& workload,
                                              std::span<const std::uint32_t> ranks) {
  const ScratchFolder folder;
  if (!folder.ok()) return Error{"no temporary folder can be made for ASTRA-sim's files"};
  {
    OutputSet files(OutputSet::Publishing::at_once);  // ASTRA-sim reads them before this run has ended
    if (const Status written = chakra::write_workload(workload, folder.file("op")); !written) return written.error();
    if (const Status published = files.publish(); !published) return published.error();
  }
  std::vector<std::string> command = {
      options_.binary,
      "--workload-configuration=" + folder.file("op"),
      "--system-configuration=" + folder.write("system.json", files_.system_json),
      "--network-configuration=" + folder.write("network.yml", files_.network_yaml),
      "--remote-memory-configuration=" + folder.write("memory.json", files_.memory_json),
      "--logging-folder=" + folder.file("log")};
  if (!workload.groups.empty())
    command.push_back("--comm-group-configuration=" + folder.write("groups.json", chakra::groups_json(workload)));
  ++runs_;
  const Result<ProcessOutcome> outcome = run_process(command, folder.file("output"), options_.timeout);
  if (!outcome) return outcome.error();
  if (outcome->timed_out)
    return Error{fmt::format("took longer than {} s", options_.timeout.count() / 1000), options_.binary};
  const Result<std::string> output = read_whole_file(folder.file("output"), kMaxOutputBytes);
  if (!output) return output.error();
  std::vector<TimePs> ends;
  std::optional<Error> incomplete;
  for (std::size_t i = 0; i < ranks.size() && !incomplete; ++i) {
    const Result<TimePs> end = parse_astra_output(*output, ranks.subspan(i, 1));
    if (end) ends.push_back(*end);
    else incomplete = end.error();
  }
  // Once every participant has said when it finished, the answer is whole, however the program ends after that.
  if (incomplete && outcome->exit_code != 0)
    return Error{fmt::format("ended with exit code {}", outcome->exit_code), options_.binary};
  if (incomplete) {
    incomplete->file = options_.binary;
    return *incomplete;
  }
  if (outcome->exit_code != 0) ++crashed_after_answer_;
  return ends;
}

namespace {

/// Somebody who can be asked while the run lasts.
Result<std::shared_ptr<AstraSidecar>> open_shared(const machine::Machine& machine, SidecarOptions options,
                                                  Diagnostics& diagnostics) {
  Result<AstraSidecar> program = AstraSidecar::open(machine, std::move(options));
  if (!program) return program.error();
  if (program->files().raised_endpoint_delay) diagnostics.add(simulate::kRaisedDelay, [&] { return machine.name; });
  return std::make_shared<AstraSidecar>(std::move(*program));
}

Result<std::vector<TimePs>> ask_alone(AstraSidecar& program, const CommOp& op) {
  const Result<simulate::Price> price = program.ask(op);
  if (!price) return price.error();
  return std::vector<TimePs>{price->total_ps};
}

void count_crashes(const AstraSidecar& program, const std::string& binary, Diagnostics& diagnostics) {
  if (program.crashed_after_answer() > 0)
    diagnostics.add_many(kCrashedAfterAnswer, program.crashed_after_answer(), binary);
}

}  // namespace

Result<simulate::PriceOracle> open_astra_sim(const simulate::PricingOptions& options, const machine::Machine& machine,
                                             Diagnostics& diagnostics) {
  const std::chrono::milliseconds timeout(static_cast<std::int64_t>(options.astra_sim->timeout_s * 1000));
  const std::string binary = options.astra_sim->binary;
  const auto program = open_shared(machine, {.binary = binary, .timeout = timeout}, diagnostics);
  if (!program) return program.error();
  simulate::PriceOracle oracle;
  oracle.version = (*program)->version();
  oracle.ask = [asked = *program](std::span<const CommOp> ops) {
    return ops.size() > 1 ? asked->ask_together(ops) : ask_alone(*asked, ops[0]);
  };
  oracle.finish = [asked = *program, binary](Diagnostics& counted) { count_crashes(*asked, binary, counted); };
  return oracle;
}

simulate::Pricing sidecar_pricing(SidecarOptions options, SidecarUse& use) {
  simulate::Pricing pricing = simulate::pricing_of(machine::NetworkModelKind::astra_sidecar);
  pricing.open_oracle = [options = std::move(options), &use](
                            const simulate::PricingOptions&, const machine::Machine& machine,
                            Diagnostics& diagnostics) -> Result<simulate::PriceOracle> {
    const auto program = open_shared(machine, options, diagnostics);
    if (!program) return program.error();
    // Operations of one rank or of no bytes cost nothing without being asked: a run of only those is none that went
    // unanswered.
    const auto asks = std::make_shared<std::uint64_t>(0);
    simulate::PriceOracle oracle;
    oracle.version = (*program)->version();
    oracle.ask = [asked = *program, asks](std::span<const CommOp> ops) {
      if (ops[0].ranks.size() > 1 && ops[0].bytes > 0) ++*asks;
      return ask_alone(*asked, ops[0]);
    };
    oracle.finish = [asked = *program, asks, binary = options.binary, &use](Diagnostics& counted) {
      count_crashes(*asked, binary, counted);
      use = {*asks == 0 || asked->answered() > 0, asked->runs(), asked->known()};
    };
    return oracle;
  };
  return pricing;
}

}  // namespace orrery::job
