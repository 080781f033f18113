// The model and trace files of the ISB-BFS motif (Sandia's a-sst): what a transition between call sites takes, or what
// a call sends, as a function of nodes and problem size. One text line per model; docs/formats/isb_bfs.md describes
// them.
//
//     1 2 1 EXPONENTIAL -0.0050 0.0799 0.3816 -2.7159        exec: source, destination, threads, type, parameters
//     28 1 TRACE 0.0 148.0 4.0                               msg: call site, threads, type, parameters
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace orrery::isb_bfs {

enum class Content : std::uint8_t { exec, msg };
enum class ModelType : std::uint8_t { constant, bilinear, exponential, trace, polynomial };

struct Model {
  std::uint32_t source = 0;       ///< the call site, of msg
  std::uint32_t destination = 0;  ///< of exec
  std::uint32_t threads = 1;
  ModelType type = ModelType::constant;
  std::vector<double> parameters = {};  ///< A B C D; the values of a trace; the coefficients of a polynomial

  bool operator==(const Model&) const = default;
};

struct ModelFile {
  Content content = Content::exec;
  bool is_polynomial = false;
  std::vector<std::pair<int, int>> powers = {};  ///< of polynomials: coefficient i multiplies size^first nodes^second
  std::vector<Model> models = {};

  bool operator==(const ModelFile&) const = default;
};

/// Whether a file holds polynomials is told by its name alone, as the motif does it: "poly" occurs in it.
Result<ModelFile> read_model_file(const std::string& path, Content content);
Result<ModelFile> parse_model_file(std::string_view text, const std::string& path, Content content);

/// Numbers in the shortest form that reads back to the same bits. A polynomial file whose name does not say so would be
/// misread: refused.
Status write_model_file(const ModelFile& file, const std::string& path);
std::string to_text(const ModelFile& file);

/// What the model says: microseconds or bytes. Only polynomials are never negative. A trace answers with the value of
/// the `call`-th call, and begins again at its end.
double evaluate(const ModelFile& file, const Model& model, double nodes, double size, std::uint64_t call = 0);

/// The same as the motif uses it: nanoseconds of compute, or bytes, rounded to even (constants and traces of messages
/// are not rounded).
double evaluate_scaled(const ModelFile& file, const Model& model, double nodes, double size, std::uint64_t call = 0);

}  // namespace orrery::isb_bfs
