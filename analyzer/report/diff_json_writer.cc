// Prints the comparison as JSON, schema shapewise.diff/1.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

Json SideJson(const DiffResult::Side& side) {
  return {{"name", side.name},
          {"summary", side.has_totals ? SummaryJson(side.summary) : Json()},
          {"coverage", CoverageJson(side.coverage)}};
}

Json NewCauseJson(const NewCause& cause) {
  Json json = FindingJson(cause.finding);
  json["worse"] = cause.is_worse;
  json["instead_of"] = TextOrNull(cause.instead_of);
  json["alike"] = cause.num_alike;
  return json;
}

Json CommonCauseJson(const CommonCause& cause) {
  const auto change_of = [](const Change& change) -> Json {
    return {{"what", change.what},
            {"before", TextOrNull(change.before)},
            {"after", TextOrNull(change.after)},
            {"worse", change.is_worse}};
  };
  return {{"matched_by", MatchedByName(cause.matched_by)},
          {"worse", cause.is_worse},
          {"changes", ListJson(cause.changes, change_of)},
          {"before", FindingJson(cause.before)},
          {"after", FindingJson(cause.after)}};
}

Json SameCauseJson(const CommonCause& cause) {
  return {{"matched_by", MatchedByName(cause.matched_by)},
          {"rule", cause.after.rule},
          {"identity", IdentityJson(cause.after.identity)},
          {"fingerprint", cause.after.fingerprint}};
}

Json IncomparableJson(const Incomparable& cause) {
  Json json = FindingJson(cause.finding);
  json["run"] = cause.is_new ? "after" : "before";
  return json;
}

}  // namespace

void WriteDiffJson(const DiffResult& result, const DiffEvidence& /*evidence*/,
                   const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.diff/1", options, out);
  object.Member("before", SideJson(result.before));
  object.Member("after", SideJson(result.after));
  object.Member("verdict", RunVerdictName(result.verdict));
  object.List("better", result.better);
  object.List("worse", result.worse);
  object.List("price", result.price);
  object.List("new", result.fresh, NewCauseJson);
  object.List("gone", result.gone, FindingJson);
  object.List("changed", result.changed, CommonCauseJson);
  object.List("same", result.same, SameCauseJson);
  object.List("incomparable", result.incomparable, IncomparableJson);
  object.List("caveats", result.caveats);
}

}  // namespace shapewise
