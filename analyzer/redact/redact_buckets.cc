#include <algorithm>
#include <string>

#include "shapewise/redact/redact.h"

namespace shapewise {

void RedactBuckets(Redactor& redactor, const std::vector<std::string>& known_ladders,
                   BucketReport& report) {
  // Sentences name files as they were given: these are replaced as a whole, before their words are.
  std::vector<std::pair<std::string, std::string>> files;
  const auto rewrite_file = [&](std::string& file) {
    std::string token = redactor.Rewrite(TextKind::kPath, file);
    files.emplace_back(file, token);
    file = std::move(token);
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
    if (ladder.source != ladder.name) rewrite_file(ladder.source);
    rewrite_file(ladder.name);
  }

  const auto rewrite_sentence = [&](std::string& text) {
    for (const auto& [file, token] : files) {
      for (size_t at = text.find(file); !file.empty() && at != std::string::npos;
           at = text.find(file, at + token.size())) {
        text.replace(at, file.size(), token);
      }
    }
    text = redactor.RewriteKnown(text);
  };
  rewrite_sentence(report.cost_model);
  rewrite_sentence(report.why);
  for (PlanSimulation& simulation : report.simulations) {
    rewrite_sentence(simulation.policy);
    for (std::string& trap : simulation.traps) rewrite_sentence(trap);
  }
  for (std::vector<std::string>* sentences : {&report.assumptions, &report.gaps, &report.unread}) {
    for (std::string& sentence : *sentences) rewrite_sentence(sentence);
  }
}

}  // namespace shapewise
