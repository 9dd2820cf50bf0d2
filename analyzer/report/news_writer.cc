#include "report/report.h"

#include <nlohmann/json.hpp>
#include <string>

#include "report/json_stream.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

Json AlarmJson(const RunNews& news) {
  return {{"type", "alarm"},          {"alarm", news.alarm},
          {"count", news.count},      {"function", TextOrNull(news.function)},
          {"input", news.input_name}, {"line", news.line}};
}

Json FindingNewsJson(const RunNews& news) {
  Json object = {{"type", "finding"},
                 {"change", news.kind == RunNews::Kind::kNew ? "new" : "worse"},
                 {"input", TextOrNull(news.input_name)},
                 {"line", PositionOrNull(news.line)}};
  object.update(FindingJson(news.finding));
  return object;
}

/// "run.log:12: "
std::string PlacePrefix(const RunNews& news) {
  if (news.input_name.empty()) return {};
  return MakePrintable(news.input_name) + ":" + std::to_string(news.line) + ": ";
}

void PrintText(const RunNews& news, llvm::raw_ostream& out) {
  out << PlacePrefix(news);
  if (news.kind == RunNews::Kind::kAlarm) {
    out << "alarm: " << MakePrintable(news.alarm) << " (" << news.count << ")";
    if (!news.function.empty()) out << ", the last in " << MakePrintable(news.function);
    out << "\n";
    return;
  }
  const Finding& finding = news.finding;
  if (news.kind == RunNews::Kind::kWorse) out << "worse: ";
  out << SeverityName(finding.severity) << "[" << finding.rule
      << "]: " << MakePrintable(finding.message) << "\n";
  const std::string place = PlaceText(finding.where);
  const std::string advice = finding.advice.empty() ? std::string() : finding.advice.front().text;
  if (place.empty() && advice.empty()) return;
  out << "    " << MakePrintable(place) << (place.empty() || advice.empty() ? "" : ": ")
      << MakePrintable(advice) << "\n";
}

}  // namespace

void PrintNews(const RunNews& news, bool as_json, llvm::raw_ostream& out) {
  if (!as_json) return PrintText(news, out);
  const bool is_alarm = news.kind == RunNews::Kind::kAlarm;
  out << JsonText(is_alarm ? AlarmJson(news) : FindingNewsJson(news)) << "\n";
}

}  // namespace shapewise
