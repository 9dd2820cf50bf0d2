// A run with something for every section of its page, in which every text is the caller's.

#ifndef SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_PAGE_H_
#define SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_PAGE_H_

#include <string>

#include "model/session.h"
#include "result/finding.h"
#include "result/run_page.h"
#include "unit/report/sample_bucket_report.h"

namespace shapewise {

/// The input of a page.
struct SamplePage {
  Session session;
  LintResult result;
  RunPage page;
};

/// Fills the new `sample`: `text` stands wherever an input could have put it.
inline void FillSamplePage(const std::string& text, SamplePage& sample) {
  Session& session = sample.session;
  const StrId id = session.strings().Intern(text);
  const Place place{text, text, 7};
  const uint32_t input = session.AddInput(text);

  const EventDetail limit{
      .function = id, .file = id, .function_line = 7, .fact = LimitFact{.limit = 8}};
  const EventDetail skipped{
      .function = id, .file = id, .function_line = 8, .fact = SkippedFrameFact{.type = id}};
  for (const EventDetail& detail : {limit, skipped}) {
    Event event;
    event.line = 10 + session.events().size();
    event.input = input;
    event.compile_id = id;
    event.detail = session.InternDetail(detail);
    session.AddEvent(event);
  }
  Compilation compilation;
  compilation.input = input;
  compilation.line = 5;
  compilation.compile_id = compilation.function = compilation.file = id;
  compilation.function_line = 7;
  compilation.start = 100;
  compilation.seconds.total = 0.25;
  compilation.fail_type = id;
  session.AddCompilation(compilation);
  for (int i = 0; i < 3; ++i) {
    Span step;
    step.clock = Clock::kEpoch;
    step.input = input;
    step.begin = 100 + i;
    step.seconds = 0.5;
    step.process = id;
    session.AddSpan(step);
  }

  Action action;
  action.text = action.code = action.trap = action.torch = text;
  action.saves_seconds = 2;
  Finding finding;
  finding.rule = finding.name = finding.message = finding.fingerprint = text;
  finding.where = place;
  finding.user = {text, text, 9};
  finding.cause = Culprit{GuardClass::kInt, text, 1};
  finding.values = {text, text};
  finding.count = 3;
  finding.events = {0, 1};
  finding.advice = {action, action};
  finding.identity.kind = text;
  LintResult& result = sample.result;
  result.findings = {finding};
  result.summary.eager_functions = {{place, "", 8, {place}}};
  result.summary.torch = result.summary.torch_why = text;
  result.gaps = result.unread = {text};
  FunctionCost function;
  function.where = place;
  function.compiles = 2;
  result.functions = {function};
  SlowStep slow;
  slow.begin = 101;
  slow.seconds = 0.5;
  slow.compile_id = text;
  slow.function = place;
  Stall stall;
  stall.company = StallCompanion{text, text, 1, 1, 2, text, false};
  StepTrack track;
  track.input = input;
  track.process = text;
  track.steps = 3;
  track.slow = {slow};
  track.stall = stall;
  result.steps.tracks = {track};
  result.baseline = BaselineUse{text, {}, {}, {}};

  GuardHeat heat;
  heat.where = place;
  heat.compile_id = text;
  heat.guards = 12;
  heat.leaf_us = 0.01;
  heat.kinds = {{text, 10}};
  heat.lambdas = {{text, 2}};
  heat.families = {{text, 8, 4}};
  RunPage& page = sample.page;
  page.guards = {heat};
  page.functions_guarded = 1;
  ShapePlan plan;
  plan.where = place;
  plan.dim = text;
  plan.same = {text};
  plan.distinct = 4;
  plan.report = SampleBucketReport();
  plan.report.columns = {text};
  plan.report.gaps = plan.report.assumptions = {text};
  plan.report.ladders.front().name = text;
  page.plans = {plan};
  page.varying_dims = 1;
  PolicyOutcome own;
  own.policy = text;
  own.prediction.is_exact = true;
  own.prediction.assumed = text;
  own.prediction.totals.graphs = 4;
  PolicyOutcome other = own;
  other.prediction.totals.graphs = 1;
  PolicyOutcome unknown = own;
  unknown.prediction.is_exact = false;
  unknown.prediction.why = text;
  FunctionPrediction prediction;
  prediction.where = place;
  prediction.back_test.assumed = text;
  prediction.outcomes = {own, other, unknown};
  page.prediction.functions = {prediction};
  page.prediction.policies = {{text, 1, 0, own.prediction.totals, 0.5}};
  page.prediction.summed_functions = 1;
  page.prediction.gaps = {text};
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_REPORT_SAMPLE_PAGE_H_
