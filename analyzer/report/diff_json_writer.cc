// Prints the comparison as JSON, schema shapewise.diff/1.

#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json SideJson(const DiffResult::Side& side) {
  return {{"name", side.name},
          {"summary", side.has_totals ? SummaryJson(side.summary) : Json()},
          {"coverage", CoverageJson(side.coverage)}};
}

Json NewCauseJson(const NewCause& cause) {
  Json json = FindingJson(cause.finding);
  json["worse"] = cause.is_worse;
  json["instead_of"] = cause.instead_of.empty() ? Json() : Json(cause.instead_of);
  json["alike"] = cause.num_alike;
  return json;
}

Json CommonCauseJson(const CommonCause& cause) {
  Json changes = Json::array();
  for (const Change& change : cause.changes) {
    changes.push_back({{"what", change.what},
                       {"before", change.before.empty() ? Json() : Json(change.before)},
                       {"after", change.after.empty() ? Json() : Json(change.after)},
                       {"worse", change.is_worse}});
  }
  return {{"matched_by", MatchedByName(cause.matched_by)},
          {"worse", cause.is_worse},
          {"changes", std::move(changes)},
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
  const auto text = [](const std::string& sentence) { return Json(sentence); };
  JsonStream object(out);
  object.Member("schema", "shapewise.diff/1");
  object.Member("tool", ToolJson(options));
  object.Member("before", SideJson(result.before));
  object.Member("after", SideJson(result.after));
  object.Member("verdict", RunVerdictName(result.verdict));
  object.List("better", result.better, text);
  object.List("worse", result.worse, text);
  object.List("new", result.fresh, NewCauseJson);
  object.List("gone", result.gone, FindingJson);
  object.List("changed", result.changed, CommonCauseJson);
  object.List("same", result.same, SameCauseJson);
  object.List("incomparable", result.incomparable, IncomparableJson);
  object.List("caveats", result.caveats, text);
  object.End();
}

}  // namespace shapewise
