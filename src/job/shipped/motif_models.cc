#include "job/shipped/motif_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/isb_bfs/model_file.h"
#include "motif/fit/published_models.h"

namespace orrery::job {
namespace {

using motif::fit::Family;
using motif::fit::PublishedModel;

isb_bfs::ModelFile model_file(const std::vector<PublishedModel>& models, isb_bfs::Content content, Family family) {
  isb_bfs::ModelFile file{.content = content, .is_polynomial = family == Family::polynomial};
  int degree = 0;
  for (const PublishedModel& model : models) degree = std::max(degree, model.law.degree);
  if (file.is_polynomial) file.powers = motif::fit::polynomial_powers(degree);
  for (const PublishedModel& model : models) {
    isb_bfs::Model out{
        .source = model.edge.first, .destination = model.edge.second, .parameters = model.law.coefficients};
    if (file.is_polynomial) {
      out.type = isb_bfs::ModelType::polynomial;
      out.parameters.resize(file.powers.size(), 0);  // of a lower degree, where a transition is in few runs
    } else {
      out.type = model.law.family == Family::constant ? isb_bfs::ModelType::constant : isb_bfs::ModelType::exponential;
    }
    file.models.push_back(std::move(out));
  }
  return file;
}

}  // namespace

Result<std::vector<std::string>> write_published_models(const motif::fit::Observations& observations,
                                                        const std::string& prefix) {
  std::vector<std::string> names;
  for (const Family family : {Family::exponential, Family::polynomial}) {
    const auto models = motif::fit::fit_published(observations, family);
    const std::string_view ending = family == Family::exponential ? "exp" : "poly";
    for (const auto content : {isb_bfs::Content::exec, isb_bfs::Content::msg}) {
      const bool exec = content == isb_bfs::Content::exec;
      names.push_back(fmt::format("{}.{}_{}.model", prefix, exec ? "exec" : "msg", ending));
      if (auto written =
              write_model_file(model_file(exec ? models.times : models.bytes, content, family), names.back());
          !written)
        return written.error();
    }
  }
  return names;
}

}  // namespace orrery::job
