// Results of check for people: each finding with its code and a suggestion. As JSON: schema
// shapewise.check/1, one object, or one object per line.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "report/formats.h"
#include "report/printed_text.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// The longest label is "called", and two blanks follow it.
constexpr size_t kRowText = 13;
constexpr size_t kRowIndent = 4;
constexpr size_t kMostRelated = 3;

Document& Row(Document& page, std::string_view label) {
  return page.Row(kRowIndent, kRowText, label);
}

void AddHead(Severity severity, const std::string& rule, const std::string& message,
             const std::string& place, const std::string& function, Document& page) {
  AddFindingHead(severity, rule, message, page);
  page.Begin(2, 6).Add(TextStyle::kArrow, "--> ").Add(place);
  if (!function.empty()) page.Add(TextStyle::kFaint, " in " + function);
}

std::string ConfidenceText(double confidence) {
  return std::to_string(std::lround(confidence * 100)) + " %";
}

void AddConsequence(const CodeFinding& finding, Document& page) {
  std::vector<std::string> parts;
  if (!finding.breaks.empty()) {
    // One of them explains the break; JSON has all.
    std::string text =
        finding.is_error ? "raises an error, because of fullgraph=True (" : "breaks the graph (";
    text += finding.breaks.front() + ")";
    if (finding.confidence > 0 && finding.confidence < 0.895) {
      text += ", probability " + ConfidenceText(finding.confidence);
    }
    parts.push_back(std::move(text));
  }
  for (const std::string& condition : finding.conditions) parts.push_back(ConditionText(condition));
  if (!parts.empty()) Row(page, "effect").Add(llvm::join(parts, "; "));
}

void AddRelated(const CodeFinding& finding, Document& page) {
  const size_t shown = std::min(finding.related.size(), kMostRelated);
  for (size_t i = 0; i < shown; ++i) {
    const RelatedPlace& place = finding.related[i];
    Document& row = Row(page, "see").Add(CodePlaceText(place.file, place.range));
    if (!place.text.empty()) row.Add(TextStyle::kFaint, "  " + place.text);
  }
  if (shown < finding.related.size()) {
    Row(page, "").Add(TextStyle::kFaint,
                      "and " + Counted(finding.related.size() - shown, "other place"));
  }
}

void AddCodeFinding(const CodeFinding& finding, const CodeTexts& texts,
                    const ReportOptions& options, Document& page) {
  std::string message = finding.message;
  if (finding.count > 1) message += ", at " + std::to_string(finding.count) + " places";
  AddHead(finding.severity, finding.rule, message, CodePlaceText(finding.file, finding.range),
          finding.function, page);
  AddCodeFrame(texts, finding.file, finding.range, SeverityStyle(finding.severity), options.width,
               page);
  AddConsequence(finding, page);
  if (!finding.advice.empty()) Row(page, "help").Add(finding.advice);
  AddRelated(finding, page);
  if (finding.fix) {
    Row(page, "fix")
        .Add(finding.fix->title)
        .Add(TextStyle::kFaint, finding.range.cell != 0 ? "  (by hand: notebooks are not changed)"
                                : finding.fix->safe     ? "  (--fix)"
                                                        : "  (--unsafe-fixes)");
  }
}

void AddFault(const CodeFault& fault, const CodeTexts& texts, const ReportOptions& options,
              Document& page) {
  AddHead(fault.severity, fault.rule, fault.message, CodePlaceText(fault.file, fault.range), "",
          page);
  AddCodeFrame(texts, fault.file, fault.range, TextStyle::kWarning, options.width, page);
}

void AddSummary(const CheckResult& result, const std::string& verdict, Document& page) {
  std::string headline = verdict;
  headline.front() = llvm::toUpper(headline.front());
  page.Begin(0, 2).Add(TextStyle::kStrong, headline);
  page.Add(TextStyle::kFaint,
           "; " + Counted(result.functions, "function") + " in compiled regions");
  page.MakeHeadline();
  std::vector<std::string> held_back;
  const auto add = [&](uint64_t count, const std::string& by) {
    if (count > 0) held_back.push_back(std::to_string(count) + " " + by);
  };
  add(result.suppressed, "by comments");
  add(result.known, "by the baseline");
  add(result.outside_diff, "not introduced by the change");
  if (!held_back.empty()) page.Begin(0, 2).Add("Suppressed: " + llvm::join(held_back, ", "));
  std::vector<std::string> left_out;
  if (result.uncertain > 0) left_out.push_back(Counted(result.uncertain, "uncertain finding"));
  if (result.not_followed > 0) {
    left_out.push_back(Counted(result.not_followed, "place") + " too complex to follow");
  }
  if (!left_out.empty()) {
    page.Begin(0, 2).Add("Not shown: " + llvm::join(left_out, ", ") + " (--all)");
  }
  if (result.around > 0) {
    page.Begin(0, 2).Add(
        "Not checked: " + Counted(result.around, "function") +
        " for loading, training or drawing, or not compiled by their script (--entry)");
  }
  const uint64_t safe = CountFixes(result, true);
  const uint64_t unsafe = CountFixes(result, false);
  std::string fixes;
  if (safe > 0) fixes = Counted(safe, "fix", "fixes") + " available with --fix";
  if (unsafe > 0) {
    fixes += safe > 0 ? ", " + std::to_string(unsafe) + " more"
                      : Counted(unsafe, "fix", "fixes") + " available";
    fixes += " with --unsafe-fixes";
  }
  if (!fixes.empty()) page.Begin(0, 2).Add(fixes);
}

/// The number of findings of one rule.
struct RuleCount {
  std::string rule;
  std::string name;
  uint64_t findings = 0;
  uint64_t fixable = 0;
};

std::vector<RuleCount> CountRules(const CheckResult& result) {
  std::map<std::string, RuleCount> counts;
  for (const CodeFinding& finding : result.findings) {
    RuleCount& count = counts[finding.rule];
    count.rule = finding.rule;
    count.name = finding.name;
    ++count.findings;
    if (finding.fix) ++count.fixable;
  }
  std::vector<RuleCount> list;
  for (auto& [rule, count] : counts) list.push_back(std::move(count));
  std::ranges::stable_sort(list, std::greater(), &RuleCount::findings);
  return list;
}

/// Adds the place of `range` in `file`. In a notebook, lines count within the cell, and the line of
/// the notebook file is added.
void AddPlace(const std::string& file, const CodeRange& range, const CodeTexts& texts,
              Json& object) {
  object["file"] = file;
  object["line"] = PositionOrNull(range.line);
  object["end_line"] = PositionOrNull(range.end_line);
  object["column"] = PositionOrNull(range.column);
  object["end_column"] = PositionOrNull(range.end_column);
  if (range.cell == 0) return;
  object["cell"] = range.cell;
  object["file_line"] = PositionOrNull(texts.InFile(file, range).line);
}

Json FixJson(const CodeFix& fix) {
  const auto edit_of = [](const CodeEdit& edit) -> Json {
    const CodeRange& range = edit.range;
    return {{"line", range.line},
            {"column", range.column},
            {"end_line", range.end_line},
            {"end_column", range.end_column},
            {"text", edit.text}};
  };
  return {{"safe", fix.safe}, {"title", fix.title}, {"edits", ListJson(fix.edits, edit_of)}};
}

Json CodeFindingJson(const CodeTexts& texts, const CodeFinding& finding) {
  Json object = {{"rule", finding.rule},
                 {"name", finding.name},
                 {"severity", SeverityName(finding.severity)},
                 {"confidence", std::round(finding.confidence * 100) / 100}};
  AddPlace(finding.file, finding.range, texts, object);
  object["function"] = TextOrNull(finding.function);
  object["message"] = finding.message;
  object["advice"] = TextOrNull(finding.advice);
  object["breaks"] = finding.breaks;
  object["raises"] = finding.is_error;
  object["conditions"] = finding.conditions;
  object["count"] = finding.count;
  object["related"] = ListJson(finding.related, [&](const RelatedPlace& place) {
    Json entry = Json::object();
    AddPlace(place.file, place.range, texts, entry);
    entry["message"] = place.text;
    return entry;
  });
  object["fix"] = finding.fix ? FixJson(*finding.fix) : Json();
  object["fingerprint"] = finding.fingerprint;
  return object;
}

Json FaultJson(const CodeTexts& texts, const CodeFault& fault) {
  Json object = Json::object();
  AddPlace(fault.file, fault.range, texts, object);
  object["message"] = fault.message;
  return object;
}

Json CheckSummaryJson(const CheckResult& result) {
  std::array<size_t, 3> counts{};
  for (const CodeFinding& finding : result.findings) {
    ++counts[static_cast<size_t>(finding.severity)];
  }
  return {{"files", result.files},
          {"functions", result.functions},
          {"errors", counts[static_cast<size_t>(Severity::kError)]},
          {"warnings", counts[static_cast<size_t>(Severity::kWarning)]},
          {"notes", counts[static_cast<size_t>(Severity::kNote)]},
          {"faults", result.faults.size()},
          {"suppressed", result.suppressed},
          {"known", result.known},
          {"outside_diff", result.outside_diff},
          {"uncertain", result.uncertain},
          {"not_followed", result.not_followed},
          {"around", result.around},
          {"safe_fixes", CountFixes(result, true)},
          {"unsafe_fixes", CountFixes(result, false)}};
}

constexpr uint32_t kMostLines = 4;
constexpr size_t kTabColumns = 4;
/// Longer lines are unreadable, and many findings on one would take quadratic space.
constexpr size_t kLongestLine = 4096;

/// The printed form of part of a line: tabs become blanks, one entry per character of code.
struct Glyphs {
  std::vector<std::string> texts;
  std::vector<size_t> columns;
};

Glyphs GlyphsOf(std::string_view line) {
  Glyphs glyphs;
  for (size_t i = 0; i < line.size();) {
    size_t length = 1;
    while (i + length < line.size() &&
           (static_cast<unsigned char>(line[i + length]) & 0xC0) == 0x80) {
      ++length;
    }
    const std::string_view character = line.substr(i, length);
    std::string text = character == "\t" ? std::string(kTabColumns, ' ') : MakePrintable(character);
    glyphs.columns.push_back(TextColumns(text));
    glyphs.texts.push_back(std::move(text));
    i += length;
  }
  return glyphs;
}

/// Adds lines of code with marks below characters [begin, end).
class FrameLines {
 public:
  FrameLines(Document& page, size_t gutter, size_t width, TextStyle style)
      : page_(page), gutter_(gutter), width_(width), style_(style) {}

  void Add(uint32_t number, std::string_view line, size_t begin, size_t end) {
    const Glyphs glyphs = GlyphsOf(line);
    begin = std::min(begin, glyphs.texts.size());
    end = std::clamp(end, begin, glyphs.texts.size());
    const size_t room = std::max<size_t>(width_ > gutter_ + 4 ? width_ - gutter_ - 4 : 0, 20);
    size_t first = FirstShown(glyphs, begin, room);
    std::string code = first == 0 ? "" : "...";
    size_t used = code.size();
    std::string marks(used, ' ');
    size_t at = first;
    for (; at < glyphs.texts.size() && used + glyphs.columns[at] <= room; ++at) {
      const bool is_marked = at >= begin && at < end;
      code += glyphs.texts[at];
      marks.append(glyphs.columns[at], is_marked ? '^' : ' ');
      used += glyphs.columns[at];
    }
    if (at < glyphs.texts.size()) code += "...";
    // An empty range, such as something missing at the end of a line, still gets a mark.
    if (begin == end && begin == at) marks += '^';
    marks.erase(marks.find_last_not_of(' ') + 1);
    AddRow(std::to_string(number), TextStyle::kPlain, code);
    if (!marks.empty()) AddRow("", style_, marks);
  }

  void AddRow(const std::string& head, TextStyle style, const std::string& text) {
    std::string row = std::string(gutter_ - head.size(), ' ') + head + " |";
    page_.AddLine({{TextStyle::kFaint, row + " "}, {style, text}});
  }

 private:
  /// The first character to show, so that `begin` is visible with some context before it.
  static size_t FirstShown(const Glyphs& glyphs, size_t begin, size_t room) {
    size_t columns = 0;
    for (size_t i = 0; i < begin; ++i) columns += glyphs.columns[i];
    if (columns < room * 2 / 3) return 0;
    size_t first = begin;
    size_t before = 0;
    while (first > 0 && before < room / 4) before += glyphs.columns[--first];
    return first;
  }

  Document& page_;
  size_t gutter_;
  size_t width_;
  TextStyle style_;
};

}  // namespace

uint64_t CountFixes(const CheckResult& result, bool safe) {
  uint64_t count = 0;
  for (const CodeFinding& finding : result.findings) {
    if (finding.range.cell != 0) continue;
    count += safe ? finding.folded_safe_fixes : finding.folded_unsafe_fixes;
    if (finding.fix && finding.fix->safe == safe) ++count;
  }
  return count;
}

Document DescribeCheck(const CheckResult& result, const CodeTexts& texts,
                       const ReportOptions& options) {
  Document page("check", options.all);
  // Faults and findings together, by file and place.
  auto fault = result.faults.begin();
  const auto add_faults_before = [&](const CodeFinding* finding) {
    while (fault != result.faults.end() &&
           (finding == nullptr ||
            std::tie(fault->file, fault->range) < std::tie(finding->file, finding->range))) {
      AddFault(*fault++, texts, options, page);
      page.BlankLine();
    }
  };
  for (const CodeFinding& finding : result.findings) {
    add_faults_before(&finding);
    AddCodeFinding(finding, texts, options, page);
    page.BlankLine();
  }
  add_faults_before(nullptr);
  AddSummary(result, CheckDiagnostics(result, texts).verdict, page);
  if (!result.findings.empty()) {
    std::string about = "About a rule: shapewise explain " + result.findings.front().rule;
    const auto breaking = std::ranges::find_if(
        result.findings, [](const CodeFinding& finding) { return !finding.breaks.empty(); });
    if (breaking != result.findings.end()) {
      about += "; about a graph break: shapewise explain " + breaking->breaks.front();
    }
    page.Begin(0).Add(TextStyle::kFaint, about);
  }
  return page;
}

void WriteCheckStatistics(const CheckResult& result, bool as_json, const ReportOptions& options,
                          llvm::raw_ostream& out) {
  const std::vector<RuleCount> counts = CountRules(result);
  if (as_json) {
    JsonStream object("shapewise.check-statistics/1", options, out);
    object.List("rules", counts, [](const RuleCount& count) {
      return Json{{"rule", count.rule},
                  {"name", count.name},
                  {"findings", count.findings},
                  {"fixable", count.fixable}};
    });
    return;
  }
  using Align = Document::Table::Align;
  Document page("check", options.all);
  if (counts.empty()) page.Begin(0).Add("No findings");
  Document::Table table({{"findings"}, {"fixable"}, {"rule", Align::kLeft}, {"", Align::kLeft}});
  for (const RuleCount& count : counts) {
    table.Row(
        {std::to_string(count.findings), std::to_string(count.fixable), count.rule, count.name});
  }
  page.AddTable(std::move(table), 0);
  RenderText(page, options, out);
}

void WriteCheckJson(const CheckResult& result, const CodeTexts& texts, const ReportOptions& options,
                    llvm::raw_ostream& out) {
  JsonStream object("shapewise.check/1", options, out);
  object.Member("summary", CheckSummaryJson(result));
  object.List("findings", result.findings, CodeFindingJson, texts);
  object.List("faults", result.faults, FaultJson, texts);
  object.List("unread", result.unread);
}

void WriteCheckJsonl(const CheckResult& result, const CodeTexts& texts,
                     const ReportOptions& options, llvm::raw_ostream& out) {
  const auto print = [&](const char* type, const Json& members) {
    Json object = {{"type", type}};
    object.update(members);
    out << JsonText(object) << "\n";
  };
  for (const CodeFinding& finding : result.findings)
    print("finding", CodeFindingJson(texts, finding));
  for (const CodeFault& fault : result.faults) print("fault", FaultJson(texts, fault));
  print("summary", {{"schema", "shapewise.check/1"},
                    {"tool", ToolJson(options)},
                    {"summary", CheckSummaryJson(result)},
                    {"unread", result.unread}});
}

void AddCodeFrame(const CodeTexts& texts, const std::string& file, const CodeRange& range,
                  TextStyle style, size_t width, Document& page) {
  if (!texts.Has(file) || range.line == 0) return;
  const uint32_t end_line = std::max(range.end_line, range.line);
  const uint32_t last = std::min(end_line, range.line + kMostLines - 1);
  const size_t gutter = std::max<size_t>(std::to_string(last).size() + 1, 3);
  FrameLines lines(page, gutter, width, style);
  lines.AddRow("", TextStyle::kPlain, "");
  for (uint32_t line = range.line; line <= last; ++line) {
    const std::string_view text = texts.Line(file, range, line);
    if (text.size() > kLongestLine) {
      const std::string bytes = std::to_string(text.size());
      lines.AddRow(std::to_string(line), TextStyle::kFaint,
                   "(a line of " + bytes + " bytes is not shown)");
      continue;
    }
    const size_t indent = text.find_first_not_of(" \t");
    const bool is_first = line == range.line;
    const size_t begin = is_first && range.column != 0      ? range.column - 1
                         : indent == std::string_view::npos ? text.size()
                                                            : indent;
    const size_t end =
        line == end_line && range.end_column != 0 ? range.end_column - 1 : text.size();
    lines.Add(line, text, begin, end);
  }
  if (last < end_line) lines.AddRow("...", TextStyle::kPlain, "");
}

}  // namespace shapewise
