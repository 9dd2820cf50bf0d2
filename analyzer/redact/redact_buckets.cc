#include <algorithm>
#include <string>

#include "redact/redact.h"

namespace shapewise {

void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report) {
  const auto is_own = [](const std::string& source) {
    return source.empty() || source == "told" || source == "assumed";
  };
  redactor.Redact(TextKind::kExpression, report.columns);
  redactor.Redact(TextKind::kPath, report.inputs);
  for (std::optional<CompilePrice>* price : {&report.static_compile, &report.dynamic_compile}) {
    if (*price && !is_own((*price)->source)) redactor.Redact(TextKind::kPath, (*price)->source);
  }
  for (LadderComparison& ladder : report.ladders) {
    const bool is_known = std::ranges::find(known_ladders, ladder.name) != known_ladders.end();
    if (is_known) continue;
    if (ladder.source != ladder.name) redactor.Redact(TextKind::kProse, ladder.source);
    redactor.Redact(TextKind::kPath, ladder.name);
  }
}

}  // namespace shapewise
