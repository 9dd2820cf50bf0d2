// One object a line: {"type": "finding"} for each finding, then {"type": "summary"}.

#include <nlohmann/json.hpp>

#include "report/builtin_writers.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

void PrintLine(const Json& object, llvm::raw_ostream& out) {
  out << object.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) << "\n";
}

class JsonlWriter final : public ReportWriter {
 public:
  std::string_view name() const override { return "jsonl"; }

  void Write(const LintResult& result, const Session&, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    for (const Finding& finding : result.findings) {
      Json object = {{"type", "finding"}};
      object.update(FindingJson(finding));
      PrintLine(object, out);
    }
    PrintLine({{"type", "summary"},
               {"schema", "shapewise.lint/1"},
               {"tool", ToolJson(options)},
               {"summary", SummaryJson(result.summary)},
               {"gaps", result.gaps}},
              out);
  }
};

}  // namespace

const ReportWriter& JsonlReport() {
  static const JsonlWriter writer;
  return writer;
}

}  // namespace shapewise
