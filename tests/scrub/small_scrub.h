// A job of files written by a test, scrubbed with a fixed key.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/io/file_content.h"
#include "job/read/registry.h"
#include "scrub/scrub.h"
#include "support/temp_dir.h"

namespace orrery::scrub::testing {

inline Key fixed_key(std::uint8_t first = 0) {
  Key key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(first + i);
  return key;
}

inline std::string inflated(const std::string& path) {
  const auto content = read_whole_file(path, std::size_t{1} << 30);
  REQUIRE_MESSAGE(content.ok(), path);
  return *content;
}

/// As `orrery scrub` finds out what a file is.
inline Input input(const std::string& path) {
  const auto format = job::detect(path);
  REQUIRE_MESSAGE(format.ok(), (format.ok() ? "" : format.error().to_string()));
  return {path, *format};
}

struct Scrubbed {
  std::vector<std::string> outputs;  ///< inflated
  std::vector<std::string> paths;
  Outcome outcome;
  Diagnostics diagnostics;
};

inline Scrubbed scrub_files(const std::vector<std::string>& inputs, const std::string& folder,
                            Settings settings = {.key = fixed_key()}) {
  Scrubbed result;
  Request request;
  for (const std::string& path : inputs) request.inputs.push_back(input(path));
  request.output_folder = folder;
  request.settings = settings;
  auto outcome = scrub_job(request, result.diagnostics);
  REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error().to_string()));
  result.outcome = std::move(*outcome);
  for (const FileOutcome& file : result.outcome.files) {
    result.paths.push_back(file.output);
    result.outputs.push_back(inflated(file.output));
  }
  return result;
}

/// One file with this text, scrubbed.
inline std::string scrub_text(const std::string& text, Settings settings = {.key = fixed_key()}) {
  const orrery::testing::TempDir folder;
  return scrub_files({folder.write("in/trace.json", text)}, folder.path("out"), settings).outputs.front();
}

/// The same of a text that may mean nothing: empty if no reader takes it, and so nothing was written.
inline std::string scrub_if_sound(const std::string& bytes, Settings settings = {.key = fixed_key()},
                                  const std::string& name = "trace.json") {
  const orrery::testing::TempDir folder;
  Request request;
  request.inputs = {input(folder.write("in/" + name, bytes))};
  request.output_folder = folder.path("out");
  request.settings = settings;
  Diagnostics diagnostics;
  const auto outcome = scrub_job(request, diagnostics);
  if (outcome) return inflated(outcome->files.front().output);
  CHECK_FALSE(std::filesystem::exists(folder.path("out")));
  return {};
}

/// What refuses it; empty if nothing does.
inline std::string refusal(const std::string& bytes, const std::string& name = "trace") {
  const orrery::testing::TempDir folder;
  Request request;
  const std::string path = folder.write("in/" + name, bytes);
  const auto format = job::detect(path);
  if (!format) return format.error().message;
  request.inputs = {{path, *format}};
  request.output_folder = folder.path("out");
  Diagnostics diagnostics;
  const auto outcome = scrub_job(request, diagnostics);
  if (outcome) return {};
  CHECK_FALSE(std::filesystem::exists(folder.path("out")));  // nothing was written, not even the folder
  return outcome.error().message;
}

}  // namespace orrery::scrub::testing
