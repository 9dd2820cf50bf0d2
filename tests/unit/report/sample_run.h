// A small run with its result, made by hand, for the tests of the report writers.

#ifndef SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_RUN_H_
#define SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_RUN_H_

#include <string>

#include "model/session.h"
#include "report/report.h"
#include "result/finding.h"

namespace shapewise {

/// A session of one input, "run.log", with three recompiles and a limit.
inline void FillSampleSession(Session& session) {
  StringPool& strings = session.strings();
  const uint32_t input = session.AddInput("run.log");
  session.input(input).format = "torch-log";
  session.input(input).bytes = 4096;
  session.input(input).lines = 120;
  session.input(input).torch_lines = 40;

  Reason reason;
  reason.entry = strings.Intern("0/0");
  reason.guard = strings.Intern("L['step'] == 1");
  reason.guard_class = GuardClass::kInt;
  reason.source = strings.Intern("L['step']");
  reason.expected = strings.Intern("1");
  EventDetail recompile;
  recompile.function = strings.Intern("forward");
  recompile.file = strings.Intern("/app/train.py");
  recompile.function_line = 6;
  const std::vector<ReasonId> reasons = {session.InternReason(reason)};
  recompile.fact = RecompileFact{reasons};
  EventDetail limit = recompile;
  limit.fact = LimitFact{8, LimitName::kRecompileLimit, reasons};
  for (const uint64_t line : {10, 20, 30}) {
    Event event;
    event.line = line;
    event.input = input;
    event.compile_id = strings.Intern("0/1");
    event.detail = session.InternDetail(recompile);
    session.AddEvent(event);
  }
  Event event;
  event.line = 40;
  event.input = input;
  event.rank = 0;
  event.detail = session.InternDetail(limit);
  session.AddEvent(event);
}

/// What the engines might say of it.
inline LintResult SampleResult() {
  Finding finding;
  finding.rule = "SWG001";
  finding.name = "int-argument";
  finding.severity = Severity::kError;
  finding.message = "step takes another value in each call, and forward is compiled for each";
  finding.where = {"forward", "/app/train.py", 6};
  finding.user = {"", "pp/train.py", 9};
  finding.cause = Culprit{GuardClass::kInt, "step", -1};
  finding.values = {"1", "2", "3", "4"};
  finding.pattern = "counter";
  finding.count = 3;
  finding.ranks = {0, 1, 2, 5};
  finding.events = {0, 1, 2, 3};
  finding.fingerprint = "0123456789abcdef";
  Action action;
  action.kind = "tensorize";
  action.text = "Pass step as a tensor.";
  action.code = "step = torch.tensor(step)\nmodel(x, step)";
  action.trap = "A tensor on another device costs a copy.";
  action.torch = ">=2.1";
  finding.advice = {action, action};

  Finding note;
  note.rule = "SWL001";
  note.name = "cut-record";
  note.severity = Severity::kNote;
  note.message = "a record is cut";
  note.count = 1;

  LintResult result;
  result.summary.recompiles = 3;
  result.summary.recompile_limit_hits = 1;
  result.summary.eager_functions = {{{"forward", "/app/train.py", 6}, "", 8, {}}};
  result.summary.torch = "2.5 to 2.6";
  result.summary.torch_why = "limit lines name the option";
  result.summary.lines = 120;
  result.findings = {finding, note};
  result.gaps = {"Something is not known."};
  return result;
}

inline std::string WrittenBy(std::string_view format, const LintResult& result,
                             const Session& session, const ReportOptions& options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  FindFormat(LintFormats(), format)->write(result, session, options, out);
  return out.str();
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_RUN_H_
