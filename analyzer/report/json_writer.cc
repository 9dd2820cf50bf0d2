// Prints the JSON result, schema shapewise.lint/1.

#include <nlohmann/json.hpp>
#include <string>

#include "report/builtin_writers.h"
#include "report/cost_json.h"
#include "report/event_json.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/rank_json.h"
#include "report/result_json.h"
#include "report/server_json.h"
#include "report/stat_json.h"
#include "report/step_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json InputJson(const Input& input) {
  Json first_unknown;
  if (input.unknown_lines > 0) {
    first_unknown = {{"line", input.first_unknown_line}, {"text", input.first_unknown}};
  }
  return {{"name", input.name},
          {"format", input.format.empty() ? Json() : Json(input.format)},
          {"bytes", input.bytes},
          {"lines", input.lines},
          {"torch_lines", input.torch_lines},
          {"unknown_lines", input.unknown_lines},
          {"first_unknown", first_unknown}};
}

}  // namespace

void WriteLintJson(const LintResult& result, const Session& session, const ReportOptions& options,
                   llvm::raw_ostream& out) {
  JsonStream object(out);
  object.Member("schema", "shapewise.lint/1");
  object.Member("tool", ToolJson(options));
  object.List("inputs", session.inputs(), InputJson);
  object.Member("summary", SummaryJson(result.summary));
  object.Member("coverage", CoverageJson(result.coverage));
  object.Member("steps", StepsJson(result.steps));
  object.List("findings", result.findings, FindingJson);
  if (result.baseline) object.Member("baseline", BaselineUseJson(*result.baseline));
  object.Member("ranks", result.ranks ? RanksJson(*result.ranks) : Json());
  object.List("server", result.server.workers, ServerWorkerJson);
  object.List("functions", result.functions, FunctionCostJson);
  object.List("gaps", result.gaps, [](const std::string& gap) { return Json(gap); });
  AddStats(session.stats(), object);
  if (options.with_events) {
    object.List("events", session.events(),
                [&](const Event& event) { return EventJson(event, session); });
  }
  object.End();
}

}  // namespace shapewise
