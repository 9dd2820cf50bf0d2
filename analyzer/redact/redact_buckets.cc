#include <algorithm>
#include <string>

#include "redact/redact.h"

namespace shapewise {

void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report) {
  const auto rewrite_file = [&](std::string& file) {
    file = redactor.Rewrite(TextKind::kPath, file);
  };
  const auto is_own = [](const std::string& source) {
    return source.empty() || source == "told" || source == "assumed";
  };
  for (std::string& column : report.columns) {
    column = redactor.Rewrite(TextKind::kExpression, column);
  }
  for (std::string& input : report.inputs) rewrite_file(input);
  for (std::optional<CompilePrice>* price : {&report.static_compile, &report.dynamic_compile}) {
    if (*price && !is_own((*price)->source)) rewrite_file((*price)->source);
  }
  for (LadderComparison& ladder : report.ladders) {
    const bool is_known = std::ranges::find(known_ladders, ladder.name) != known_ladders.end();
    if (is_known) continue;
    if (ladder.source != ladder.name)
      ladder.source = redactor.Rewrite(TextKind::kProse, ladder.source);
    rewrite_file(ladder.name);
  }
}

}  // namespace shapewise
