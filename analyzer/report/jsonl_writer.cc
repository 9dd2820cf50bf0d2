// Prints one object per line: {"type": "finding"} for each finding, then {"type": "summary"}.

#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void WriteLintJsonl(const LintResult& result, const Session&, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  for (const Finding& finding : result.findings) {
    Json object = {{"type", "finding"}};
    object.update(FindingJson(finding));
    out << JsonText(object) << "\n";
  }
  out << JsonText({{"type", "summary"},
                   {"schema", "shapewise.lint/1"},
                   {"tool", ToolJson(options)},
                   {"summary", SummaryJson(result.summary)},
                   {"gaps", result.gaps}})
      << "\n";
}

}  // namespace shapewise
