// A small answer of check, made by hand, for the tests of the report writers.

#ifndef SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_CHECK_H_
#define SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_CHECK_H_

#include <string>

#include "report/report.h"

namespace shapewise {

inline constexpr const char* kSampleFile = "src/my model.py";

inline CodeTexts SampleTexts() {
  CodeTexts texts;
  texts.AddFile(kSampleFile,
                "import torch\r\n"
                "class Encoder(torch.nn.Module):\r\n"
                "    def forward(self, x):\r\n"
                "\tname = '\u00fc\u6f22'; n = x.sum().item()\r\n"
                "        return x * n\r\n");
  texts.AddCell("nb.ipynb", 3, "y = model(x)\nprint(y.item())\n", {41, 42});
  return texts;
}

/// A warning with a fix in a file, a note in a notebook.
inline CheckResult SampleCheck() {
  CodeFinding finding;
  finding.rule = "SWP001";
  finding.name = "item-call";
  finding.message = "x.sum() is read as a Python number: 50%, a|b";
  finding.advice = "Keep it a tensor.";
  finding.confidence = 0.95;
  finding.file = kSampleFile;
  // Behind a tab, and characters of two and three bytes.
  finding.range = {.line = 4, .column = 19, .end_line = 4, .end_column = 33};
  finding.function = "Encoder.forward";
  finding.breaks = {"GB0124"};
  finding.conditions = {"training"};
  finding.related = {
      {kSampleFile, {.line = 3, .column = 9, .end_line = 3, .end_column = 16}, "called from here"}};
  finding.fingerprint = "0123456789abcdef";
  CodeFix fix;
  fix.safe = true;
  fix.title = "leave out .item()";
  fix.edits = {{{.line = 4, .column = 26, .end_line = 4, .end_column = 33}, 90, 97, ""}};
  finding.fix = fix;

  CodeFinding note = finding;
  note.rule = "SWP002";
  note.name = "number-printed";
  note.severity = Severity::kNote;
  note.message = "y is printed";
  note.file = "nb.ipynb";
  note.range = {.line = 2, .column = 1, .end_line = 2, .end_column = 16, .cell = 3};
  note.function.clear();
  note.confidence = 0.4;
  note.fingerprint = "fedcba9876543210";
  note.related.clear();

  CheckResult result;
  result.findings = {note, finding};
  result.files = 2;
  result.functions = 1;
  result.known_findings = {finding};
  result.known_findings.front().range.line = 5;
  result.known = 1;
  return result;
}

inline std::string CheckText(std::string_view format, const CheckResult& result) {
  std::string text;
  llvm::raw_string_ostream out(text);
  ReportOptions options;
  options.tool_version = "1.2.3";
  options.rules = {{"SWP001", "item-call", Severity::kWarning, "A number is read out of a tensor.",
                    "# item-call\n\nA number is read."}};
  FindFormat(CheckFormats(), format)->write(result, SampleTexts(), options, out);
  return out.str();
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_CHECK_H_
