// Prints the plan alone as JSON, for programs that take a list of sizes.

#include <nlohmann/json.hpp>
#include <string>

#include "report/bucket_emitters.h"

namespace shapewise {
namespace {

std::string PlanJson(const BucketReport& report) {
  nlohmann::ordered_json boundaries = nlohmann::ordered_json::array();
  for (const Sizes& sizes : report.boundaries) {
    if (report.dims <= 1) {
      boundaries.push_back(sizes[0]);
      continue;
    }
    nlohmann::ordered_json& bucket = boundaries.emplace_back(nlohmann::ordered_json::array());
    for (size_t dim = 0; dim < std::min(report.dims, sizes.size()); ++dim) {
      bucket.push_back(sizes[dim]);
    }
  }
  nlohmann::ordered_json served = nlohmann::ordered_json::array();
  for (const ServedSizes& span : report.served) {
    served.push_back(
        {{"kind", ServingKindName(span.kind)}, {"first", span.first}, {"last", span.last}});
  }
  const nlohmann::ordered_json plan = {
      {"schema", "shapewise.bucket-plan/1"}, {"columns", report.columns},
      {"mode", BucketModeName(report.mode)}, {"boundaries", std::move(boundaries)},
      {"served", std::move(served)},         {"recompile_limit", report.recompile_limit}};
  return plan.dump(-1, ' ', /*ensure_ascii=*/true,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

const BucketConsumer& PlainJsonConsumer() {
  static const BucketConsumer consumer = {"json", "json", "analyzer/docs/buckets.md", PlanJson};
  return consumer;
}

}  // namespace shapewise
