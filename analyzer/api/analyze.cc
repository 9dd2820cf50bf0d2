#include "shapewise/analyze.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/command_parts.h"
#include "check/fold_findings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/advise.h"
#include "pipeline/buckets.h"
#include "pipeline/check.h"
#include "pipeline/code_inputs.h"
#include "pipeline/lint.h"
#include "report/report.h"
#include "result/finding.h"
#include "shapewise/document.h"
#include "support/text_input.h"

namespace shapewise::api {

struct Document::Content {
  std::string command;
  std::vector<Diagnostic> diagnostics;
  std::vector<Action> actions;
  std::optional<BucketPlan> plan;
  Messages messages;
  bool is_complete = true;  ///< all inputs could be used
  std::optional<shapewise::Severity> worst;
  std::vector<std::string> formats;
  /// Prints the result, which it owns, in one of `formats`.
  std::function<void(std::string_view format, const ReportOptions&, llvm::raw_ostream&)> write;
};

namespace {

using Content = Document::Content;

std::vector<std::string> TextsOf(const Paths& paths) {
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) texts.push_back(path.string());
  return texts;
}

/// The document that `fill` fills in. Its error is a message; a document without formats has no
/// result.
template <typename Fill>
Document MakeDocument(std::string_view command, const Paths& paths, const Fill& fill) {
  auto content = std::make_unique<Content>();
  content->command = command;
  if (Error error = paths.empty() ? MakeError("no paths are given") : fill(*content)) {
    AddMessage(content->messages, Severity::kError, llvm::toString(std::move(error)));
  }
  return Document(std::move(content));
}

void AddUnread(const std::vector<std::string>& unread, Content& content) {
  AddMessages(content.messages, Severity::kError, unread);
  content.is_complete = content.is_complete && unread.empty();
}

template <typename Formats>
void AddFormats(const Formats& formats, Content& content) {
  for (const auto& format : formats) {
    if (std::ranges::find(content.formats, format.name) == content.formats.end()) {
      content.formats.emplace_back(format.name);
    }
  }
}

/// The format called `name` of the reports or else of the texts to paste.
template <typename Format>
const Format& FormatOf(std::span<const Format> reports, std::span<const Format> emitters,
                       std::string_view name) {
  const Format* format = FindFormat(reports, name);
  return format != nullptr ? *format : *FindFormat(emitters, name);
}

Place PublicPlace(const shapewise::Place& place) {
  return {.file = place.file, .function = place.function, .line = place.line};
}

Diagnostic PublicDiagnostic(const shapewise::Diagnostic& diagnostic) {
  Diagnostic result;
  result.rule = diagnostic.rule;
  result.name = diagnostic.name;
  result.severity = static_cast<Severity>(diagnostic.severity);
  result.message = diagnostic.message;
  result.place = {diagnostic.file,         diagnostic.function,       diagnostic.range.line,
                  diagnostic.range.column, diagnostic.range.end_line, diagnostic.range.end_column};
  result.help = diagnostic.help;
  result.details = diagnostic.details;
  result.breaks = diagnostic.breaks;
  result.confidence = diagnostic.confidence;
  if (diagnostic.fix) {
    result.fix = Fix{diagnostic.fix->safe, diagnostic.fix->title, {}};
    for (const CodeEdit& edit : diagnostic.fix->edits) {
      result.fix->edits.push_back({edit.begin, edit.end, edit.text});
    }
  }
  result.fingerprint = diagnostic.fingerprint;
  result.log = diagnostic.log;
  result.log_line = diagnostic.log_line;
  return result;
}

void AddDiagnostics(const DiagnosticReport& report, Content& content) {
  for (const shapewise::Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.silence != Silence::kNone) continue;
    content.diagnostics.push_back(PublicDiagnostic(diagnostic));
  }
}

Action PublicAction(const RankedAction& ranked, bool is_planned) {
  const shapewise::Action& action = ranked.action;
  Action result;
  result.kind = action.kind;
  result.text = action.text;
  result.code = action.code;
  result.trap = action.trap;
  result.target = PublicPlace(action.target);
  result.rule = ranked.rule;
  result.is_planned = is_planned;
  result.saved_compiles = action.saves_compiles;
  result.saved_seconds = action.saves_seconds;
  result.confidence = action.confidence;
  return result;
}

BucketPlan PublicPlan(const BucketReport& report) {
  BucketPlan plan;
  plan.mode = BucketModeName(report.mode);
  plan.why = report.why;
  plan.dims = report.columns;
  for (const Sizes& sizes : report.boundaries) {
    plan.buckets.emplace_back(sizes.begin(),
                              sizes.begin() + static_cast<std::ptrdiff_t>(report.dims));
  }
  plan.padding = report.padding.train;
  plan.cost_overhead = report.cost_overhead;
  plan.held_out_padding = report.padding.holdout;
  plan.out_of_range = report.out_of_range;
  return plan;
}

shapewise::CodeMode ModeOf(CheckMode mode) {
  switch (mode) {
    case CheckMode::kTrain:
      return CodeMode::kTraining;
    case CheckMode::kEval:
      return CodeMode::kEvaluation;
    case CheckMode::kBoth:
      break;
  }
  return CodeMode::kBoth;
}

template <typename Number>
Error CheckBetween(std::string_view name, std::optional<Number> value, Number least, Number most) {
  if (!value || (*value >= least && *value <= most)) return Error::success();
  return MakeError(std::string(name) + " " + std::to_string(*value) + " is not a number from " +
                   std::to_string(least) + " to " + std::to_string(most));
}

/// Error: a value that the command line does not accept either.
Error CheckValues(const BucketOptions& options) {
  for (const auto& [name, count] :
       {std::pair("buckets", options.buckets), std::pair("max_buckets", options.max_buckets)}) {
    if (Error error = CheckBetween(name, count, size_t{1}, kMostPlannedBuckets)) return error;
  }
  if (options.buckets && options.max_buckets) {
    return MakeError("buckets and max_buckets cannot be combined");
  }
  if (!options.cost_file.empty() && !options.cost_model.empty()) {
    return MakeError("cost_file and cost_model cannot be combined");
  }
  for (const auto& [name, sizes, least] :
       {std::tuple("align", &options.align, int64_t{1}),
        std::tuple("min", &options.min, int64_t{0}), std::tuple("max", &options.max, int64_t{1}),
        std::tuple("force", &options.force, int64_t{1}),
        std::tuple("forbid", &options.forbid, int64_t{1})}) {
    for (const int64_t size : *sizes) {
      if (Error error = CheckBetween(name, std::optional(size), least, kMaxSize)) return error;
    }
  }
  for (const auto& [name, seconds] :
       {std::pair("compile_seconds", options.compile_seconds),
        std::pair("dynamic_compile_seconds", options.dynamic_compile_seconds)}) {
    if (seconds && !(*seconds >= 0)) return MakeError(std::string(name) + " is below zero");
  }
  return CheckBetween("steps", options.steps, uint64_t{1}, kMostPlannedSteps);
}

Expected<shapewise::BucketOptions> EngineOptions(const BucketOptions& options) {
  if (Error error = CheckValues(options)) return error;
  shapewise::BucketOptions engine;
  engine.paths = TextsOf(options.paths);
  engine.query = {options.columns, options.count_column, options.sources, options.function};
  engine.cost_file = options.cost_file.string();
  engine.ladders = options.compare;
  engine.plan.buckets = options.buckets;
  engine.plan.max_buckets = options.max_buckets;
  engine.plan.steps = options.steps;
  engine.plan.prices.compile_seconds = options.compile_seconds;
  engine.plan.prices.dynamic_compile_seconds = options.dynamic_compile_seconds;
  if (!options.cost_model.empty()) {
    Expected<CostModel> model = CostModel::Parse(options.cost_model);
    if (!model) return model.takeError();
    engine.plan.cost = std::move(*model);
  }
  if (Error error = SetBucketLimits(
          {options.align, options.min, options.max, options.force, options.forbid}, engine)) {
    return error;
  }
  return engine;
}

shapewise::Severity InternalSeverity(Severity severity) {
  return static_cast<shapewise::Severity>(severity);
}
static_assert(static_cast<int>(Severity::kNote) == static_cast<int>(shapewise::Severity::kNote));
static_assert(static_cast<int>(Severity::kError) == static_cast<int>(shapewise::Severity::kError));

}  // namespace

std::string_view SeverityName(Severity severity) {
  return shapewise::SeverityName(InternalSeverity(severity));
}

Document::Document(std::unique_ptr<const Content> content) : content_(std::move(content)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string_view Document::command() const { return content_->command; }

const std::vector<Diagnostic>& Document::diagnostics() const { return content_->diagnostics; }

const std::vector<Action>& Document::actions() const { return content_->actions; }

const BucketPlan* Document::plan() const { return content_->plan ? &*content_->plan : nullptr; }

const std::vector<Message>& Document::messages() const { return content_->messages; }

Status Document::status(Severity fail_on) const {
  if (!content_->is_complete || content_->formats.empty()) return Status::kTrouble;
  const bool fails = content_->worst && *content_->worst >= InternalSeverity(fail_on);
  return fails ? Status::kFindings : Status::kClean;
}

const std::vector<std::string>& Document::formats() const { return content_->formats; }

std::optional<std::string> Document::Render(std::string_view format,
                                            const RenderOptions& options) const {
  if (std::ranges::find(content_->formats, format) == content_->formats.end()) return std::nullopt;
  ReportOptions report;
  report.tool_version = SHAPEWISE_VERSION;
  report.with_events = options.events;
  report.all = options.all;
  report.color = options.color;
  report.width = options.width;
  report.ascii = options.ascii;
  std::string text;
  llvm::raw_string_ostream out(text);
  content_->write(format, report, out);
  out.flush();
  return text;
}

std::string_view Version() { return SHAPEWISE_VERSION; }

Document Lint(const LintOptions& options) {
  return MakeDocument("lint", options.paths, [&](Content& content) -> Error {
    shapewise::LintOptions engine{TextsOf(options.paths), options.select, options.ignore, {}, {}};
    std::vector<std::string> notes;
    engine.read.notes = &notes;
    engine.read.step_prints = options.step_prints;
    engine.read.keep_phases = engine.read.guard_texts = options.keep_details;
    engine.read.jobs = options.jobs;
    struct Run {
      Session session;
      LintResult result;
    };
    const auto run = std::make_shared<Run>();
    Expected<LintResult> result = shapewise::Lint(engine, *NewDiskFileSource(), run->session);
    AddMessages(content.messages, Severity::kNote, notes);
    if (!result) return result.takeError();
    run->result = std::move(*result);
    const bool is_all_read = run->result.unread.empty();
    AddUnread(run->result.unread, content);
    if (!FindUnrecognised(run->session, EmptyInputsFor(options.expect_output, is_all_read),
                          content.messages)) {
      return Error::success();
    }
    AddDiagnostics(LintDiagnostics(run->result, run->session), content);
    content.worst = WorstOf(run->result.findings);
    AddFormats(LintFormats(), content);
    content.write = [run](std::string_view format, const ReportOptions& report,
                          llvm::raw_ostream& out) {
      WriteLint(run->result, run->session, format, report, out);
    };
    return Error::success();
  });
}

Document Check(const CheckOptions& options) {
  return MakeDocument("check", options.paths, [&](Content& content) -> Error {
    const CodeSelection selection{TextsOf(options.paths), options.exclude, false, "stdin.py"};
    Expected<CodeInputs> inputs = ReadCode(selection, *NewDiskFileSource());
    if (!inputs) return inputs.takeError();
    shapewise::CheckOptions engine;
    engine.mode = ModeOf(options.mode);
    engine.select = options.select;
    engine.ignore = options.ignore;
    engine.entries = options.entries;
    engine.jobs = options.jobs;
    Expected<CodeAnalysis> analysis = AnalyzeCode(engine, *inputs);
    if (!analysis) return analysis.takeError();
    CheckResult& result = analysis->result;
    AddUnread(result.unread, content);
    if (Error error = CheckIsPython(selection.paths, result)) {
      return error;
    }
    for (const std::string& pattern : analysis->unmatched_entries) {
      AddMessage(content.messages, Severity::kWarning, NoEntryText(pattern));
    }
    if (inputs->num_files == 0) {
      AddMessage(content.messages, Severity::kWarning, NoPythonText(selection.paths));
    }
    if (!options.all) LeaveOutUncertain(result);
    FoldFindings(result.findings);
    struct Run {
      CheckResult result;
      CodeTexts texts;
    };
    const auto run = std::make_shared<Run>();
    run->texts = shapewise::TextsOf(result, *inputs);
    run->result = std::move(result);
    AddDiagnostics(CheckDiagnostics(run->result, run->texts), content);
    content.worst = WorstOf(run->result);
    AddFormats(CheckFormats(), content);
    content.write = [run](std::string_view format, const ReportOptions& report,
                          llvm::raw_ostream& out) {
      WriteCheck(run->result, run->texts, format, report, out);
    };
    return Error::success();
  });
}

Document Advise(const AdviseOptions& options) {
  return MakeDocument("advise", options.paths, [&](Content& content) -> Error {
    shapewise::AdviseOptions engine;
    engine.paths = TextsOf(options.paths);
    engine.calls = TextsOf(options.calls);
    engine.select = options.select;
    engine.ignore = options.ignore;
    engine.patch = options.patch;
    engine.source_root = options.source_root.string();
    struct Run {
      Session session;
      Advice advice;
    };
    const auto run = std::make_shared<Run>();
    Expected<Advice> advice = AdviseOnRun(engine, *NewDiskFileSource(), run->session);
    if (!advice) return advice.takeError();
    run->advice = std::move(*advice);
    const bool is_all_read = run->advice.unread.empty();
    AddUnread(run->advice.unread, content);
    if (!FindUnrecognised(run->session, EmptyInputsFor(options.expect_output, is_all_read),
                          content.messages)) {
      return Error::success();
    }
    const std::vector<size_t>& plan = run->advice.plan;
    for (size_t i = 0; i < run->advice.actions.size(); ++i) {
      const RankedAction& ranked = run->advice.actions[i];
      content.actions.push_back(PublicAction(ranked, std::ranges::binary_search(plan, i)));
    }
    content.worst = WorstOf(run->advice);
    AddFormats(AdviceFormats(), content);
    AddFormats(AdviceEmitters(), content);
    if (!options.patch) std::erase(content.formats, "patch");
    content.write = [run](std::string_view format, const ReportOptions& report,
                          llvm::raw_ostream& out) {
      FormatOf(AdviceFormats(), AdviceEmitters(), format)
          .write(run->advice, run->session, report, out);
    };
    return Error::success();
  });
}

Document Buckets(const BucketOptions& options) {
  return MakeDocument("buckets", options.paths, [&](Content& content) -> Error {
    Expected<shapewise::BucketOptions> engine = EngineOptions(options);
    if (!engine) return engine.takeError();
    const auto run = std::make_shared<BucketRun>();
    Error error = PlanBucketsOfRun(*engine, *NewDiskFileSource(), *run);
    AddUnread(run->report.unread, content);
    const bool is_usable = FindDamage(run->files, kExpectedSizes, content.messages);
    content.is_complete = content.is_complete && is_usable;
    if (error) return error;
    if (run->report.boundaries.empty()) return Error::success();
    content.plan = PublicPlan(run->report);
    content.worst = WorstOf(run->report);
    AddFormats(BucketFormats(), content);
    AddFormats(BucketEmitters(), content);
    content.write = [run](std::string_view format, const ReportOptions& report,
                          llvm::raw_ostream& out) {
      FormatOf(BucketFormats(), BucketEmitters(), format).write(run->report, report, out);
    };
    return Error::success();
  });
}

}  // namespace shapewise::api
