#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/call_record_reader.h"
#include "ingest/reader.h"
#include "pipeline/lint_passes.h"
#include "pipeline/load_run.h"
#include "pipeline/run_inputs.h"
#include "support/stats.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxNames = 3;  // maximum number of inputs named in one sentence

/// What FindGaps needs to know about the events, collected in one pass.
struct Seen {
  std::array<uint64_t, kNumEventKinds> by_kind{};
  uint64_t recompiles_without_reason = 0;
  // They hit a limit, but none of their recompiles is printed.
  uint64_t functions_with_limit_only = 0;
  uint64_t repeated_compile_ids = 0;  // recompiles that cannot belong to one process
  uint64_t explained_breaks = 0;      // implied ones in the stack of a printed break
  uint64_t explained_recompiles = 0;  // implied ones with different guards
  uint64_t cut = 0;                   // truncated records
  const Event* first_cut = nullptr;
  uint64_t folded = 0;  // events that were counted but not stored

  uint64_t count(EventKind kind) const { return by_kind[static_cast<size_t>(kind)]; }

  uint64_t total() const { return std::accumulate(by_kind.begin(), by_kind.end(), uint64_t{0}); }

  /// Whether errors of the compiler are all there is: whoever mends them needs no other record.
  bool only_errors() const { return total() > 0 && total() == count(EventKind::kCompileError); }

  /// Whether Dynamo was used at all; these gaps do not apply to a PyTorch/XLA or TorchScript log.
  bool dynamo() const {
    uint64_t others = 0;
    for (const EventKind kind : {EventKind::kXlaMetric, EventKind::kXlaCompile,
                                 EventKind::kXlaExecution, EventKind::kTorchscript}) {
      others += count(kind);
    }
    const uint64_t all = total();
    return all == 0 || all > others;
  }
};

bool HasReason(const EventDetail& detail, const Session& session) {
  return std::ranges::any_of(detail.reasons(), [&session](ReasonId id) {
    return session.reason(id).guard_class != GuardClass::kEmpty;
  });
}

Seen LookAtEvents(const Session& session) {
  using Function = std::tuple<StrId, StrId, uint32_t>;
  Seen seen;
  std::set<Function> recompiled;
  std::set<Function> at_limit;
  std::set<std::tuple<uint32_t, StrId, Function>> compile_ids;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    seen.by_kind[static_cast<size_t>(detail.kind())] += event.times();
    seen.folded += event.folded;
    if (detail.cut) {
      seen.cut += event.times();
      if (seen.first_cut == nullptr) seen.first_cut = &event;
    }
    const auto* const implied_break = detail.As<ImpliedBreakFact>();
    if (implied_break != nullptr && implied_break->trigger.file != StrId::kNone) {
      ++seen.explained_breaks;
    }
    if (detail.kind() == EventKind::kImpliedRecompile && !detail.reasons().empty()) {
      ++seen.explained_recompiles;
    }
    const Function function{detail.function, detail.file, detail.function_line};
    if (detail.kind() == EventKind::kRecompileLimit) at_limit.insert(function);
    if (detail.kind() != EventKind::kRecompile) continue;

    recompiled.insert(function);
    if (!HasReason(detail, session)) ++seen.recompiles_without_reason;
    if (event.rank == kNoRank && event.compile_id != StrId::kNone &&
        !compile_ids.insert({event.input, event.compile_id, function}).second) {
      ++seen.repeated_compile_ids;
    }
  }
  for (const Function& function : at_limit) {
    if (!recompiled.contains(function)) ++seen.functions_with_limit_only;
  }
  return seen;
}

void AddUnrecognisedInputs(const Session& session, std::vector<std::string>& gaps) {
  std::string names;
  size_t num_unrecognised = 0;
  for (const Input& input : session.inputs()) {
    if (!input.format.empty()) continue;
    if (++num_unrecognised > kMaxNames) continue;
    names += (names.empty() ? "" : ", ") + input.name;
  }
  if (num_unrecognised == 0) return;
  if (num_unrecognised > kMaxNames) {
    names += " and " + std::to_string(num_unrecognised - kMaxNames) + " more";
  }
  std::string gap = "No torch.compile output was found in ";
  if (session.inputs().size() > 1) {
    gap += std::to_string(num_unrecognised) + " of " + Counted(session.inputs().size(), "input") +
           ": ";
  }
  gaps.push_back(gap + names + ".");
}

/// Adds a sentence for each counter of grade data loss: what it counts, how often, and where first.
void AddDamage(const Session& session, std::vector<std::string>& gaps) {
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    const StatInfo& info = kStatInfos[stat];
    const Stats::Count& count = session.stats().count(stat);
    if (info.grade != StatGrade::kDataLoss || count.times == 0) continue;
    std::string sentence(info.sentence.substr(0, info.sentence.size() - 1));
    sentence += ": " + std::to_string(count.times);
    if (count.first_input < session.inputs().size()) {
      sentence += ", first at " + session.inputs()[count.first_input].name;
      if (count.first_line != 0) sentence += ':' + std::to_string(count.first_line);
    }
    gaps.push_back(sentence + ".");
  }
}

void AddUnknownLines(const Session& session, uint64_t count, std::vector<std::string>& gaps) {
  const auto first = std::ranges::find_if(
      session.inputs(), [](const Input& input) { return input.unknown_lines > 0; });
  if (first == session.inputs().end()) return;
  gaps.push_back(Counted(count, "line") + " of torch.compile output " +
                 (count == 1 ? "was" : "were") + " not understood, " +
                 (count == 1 ? "" : "first: ") + first->name + ":" +
                 std::to_string(first->first_unknown_line) + ": " + first->first_unknown);
}

void AddCut(const Seen& seen, const Session& session, std::vector<std::string>& gaps) {
  if (seen.first_cut == nullptr) return;
  gaps.push_back(Counted(seen.cut, "record is", "records are") + " not complete, " +
                 (seen.cut == 1 ? "" : "first ") + session.inputs()[seen.first_cut->input].name +
                 ":" + std::to_string(seen.first_cut->line) +
                 ": the log is cut there, or lines are missing.");
}

void AddFolded(const Seen& seen, std::vector<std::string>& gaps) {
  if (seen.folded == 0) return;
  const std::string often = " that came more than " + std::to_string(kRepeatsKeptWhole) + " times ";
  gaps.push_back(Counted(seen.folded, "repeat of a message" + often + "is",
                         "repeats of messages" + often + "are") +
                 " counted, but not listed one by one.");
}

void AddUnfinished(const Session& session, std::vector<std::string>& gaps) {
  const Compilation* first = nullptr;
  uint64_t count = 0;
  for (const Compilation& compilation : session.compilations()) {
    if (compilation.is_finished) continue;
    if (count++ == 0) first = &compilation;
  }
  if (first == nullptr) return;
  const std::string_view function = session.text(first->function);
  gaps.push_back(Counted(count, "compilation has", "compilations have") + " no end, " +
                 (count == 1 ? "" : "first ") +
                 (function.empty() ? "" : std::string(function) + " ") + "[" +
                 std::string(session.text(first->compile_id)) + "] at " +
                 session.inputs()[first->input].name + ":" + std::to_string(first->line) +
                 ": the process died or hung there, or the trace is cut. "
                 "Its time is not included in any total.");
}

/// One sentence on what the log does not contain, each with the setting that records it.
class NotContained {
 public:
  /// `what`: "compile times"; `setting`: "TORCH_TRACE=DIR".
  void Add(std::string_view what, std::string_view setting) {
    text_ += text_.empty() ? "Not in this log: " : ", ";
    text_.append(what).append(" (").append(setting) += ")";
  }

  /// The same for what does not occur in every run.
  void AddRare(std::string_view what, std::string_view setting) {
    Add(what, "none, or " + std::string(setting) + " was not set");
  }

  void AddTo(std::vector<std::string>& gaps) const {
    if (!text_.empty()) gaps.push_back(text_ + ".");
  }

 private:
  std::string text_;
};

/// Adds the kinds that are printed only on request, none of which was seen: whether any occurred is
/// not known, because the log does not show whether they were requested.
void AddSilentArtifacts(const Seen& seen, NotContained& missing) {
  const bool no_recompiles = seen.count(EventKind::kRecompile) == 0 &&
                             seen.count(EventKind::kRecompileLimit) == 0 &&
                             seen.count(EventKind::kImpliedRecompile) == 0;
  const bool no_breaks =
      seen.count(EventKind::kGraphBreak) == 0 && seen.count(EventKind::kImpliedBreak) == 0;
  if (no_recompiles && no_breaks) {
    missing.AddRare("recompiles and graph breaks", "TORCH_LOGS=recompiles,graph_breaks");
  } else if (no_recompiles) {
    missing.AddRare("recompiles", "TORCH_LOGS=recompiles");
  } else if (no_breaks) {
    missing.AddRare("graph breaks", "TORCH_LOGS=graph_breaks");
  }
}

/// Whether a structured trace is among the inputs: it always records every recompile, break and
/// compile time.
bool HasTrace(const Session& session) {
  return std::any_of(session.inputs().begin(), session.inputs().end(),
                     [](const Input& input) { return input.format == "torch-trace"; });
}

/// A process that wrote a structured trace without a compilation provides no other information.
void AddTracesWithoutCompile(const Session& session, std::vector<std::string>& gaps) {
  std::set<uint32_t> compiled;
  for (const Compilation& compilation : session.compilations()) compiled.insert(compilation.input);
  for (const Event& event : session.events()) compiled.insert(event.input);
  for (uint32_t input = 0; input < session.inputs().size(); ++input) {
    if (session.inputs()[input].format != "torch-trace" || compiled.contains(input)) continue;
    gaps.push_back("Nothing was compiled in the process that wrote " +
                   session.inputs()[input].name +
                   ". If it uses torch.compile, an active dispatch mode, such as FlopCounterMode, "
                   "or TORCHDYNAMO_DISABLE may disable Dynamo silently: make the first "
                   "compiled call outside the mode.");
  }
}

void AddDynamoGaps(const Seen& seen, const Session& session, const RunSummary& summary,
                   bool has_calls, std::vector<std::string>& gaps) {
  const bool has_trace = HasTrace(session);
  // Lines that were not understood may be the missing records.
  const bool may_be_silent = !has_trace && summary.unknown_lines == 0 && !seen.only_errors();
  NotContained missing;
  if (may_be_silent) AddSilentArtifacts(seen, missing);
  if (seen.functions_with_limit_only > 0) {
    missing.Add("reasons of earlier recompiles", "TORCH_LOGS=recompiles");
  }
  const uint64_t implied_breaks = seen.count(EventKind::kImpliedBreak) - seen.explained_breaks;
  if (implied_breaks > 0) {
    missing.Add("reasons for " + Counted(implied_breaks, "graph break") +
                    " known from names of resume functions",
                "TORCH_LOGS=graph_breaks");
  }
  const uint64_t implied_recompiles =
      seen.count(EventKind::kImpliedRecompile) - seen.explained_recompiles;
  if (implied_recompiles > 0) {
    missing.Add(
        "reasons for " + Counted(implied_recompiles, "recompile") + " known from compile ids",
        "TORCH_LOGS=recompiles");
  }
  if (has_trace) AddTracesWithoutCompile(session, gaps);
  if (seen.recompiles_without_reason > 0) {
    gaps.push_back("The log gives no reason for " +
                   Counted(seen.recompiles_without_reason, "recompile") + ".");
  }
  has_calls |= std::ranges::any_of(
      session.inputs(), [](const Input& input) { return input.format == kCallRecordsFormat; });
  if (seen.repeated_compile_ids > 0) {
    gaps.push_back(
        "The same compile ids occur again and no rank is printed: several processes wrote into "
        "one log, or torch._dynamo.reset() ran; counts are of all of them together. One log a "
        "rank (torchrun --log-dir DIR --redirects 3) separates them.");
  }
  if (!summary.compile_seconds && !has_trace && session.server_lines().empty() &&
      !seen.only_errors()) {
    missing.Add("compile times", "TORCH_TRACE=DIR");
  }
  // Other values may have occurred, and how often each did is not known.
  if (seen.count(EventKind::kRecompile) > 0 && !has_calls) {
    missing.Add("calls that hit the cache", "shapewise run");
  }
  missing.AddTo(gaps);
}

/// Adds sentences on steps that could not be compared with compilations, and profiles without
/// steps.
void AddStepGaps(const Session& session, const StepReport& steps, std::vector<std::string>& gaps) {
  std::set<uint32_t> with_steps;
  for (const StepTrack& track : steps.tracks) {
    with_steps.insert(track.input);
    const std::string& name = session.inputs()[track.input].name;
    if (track.comparison == StepComparison::kNoClock) {
      gaps.push_back("The steps of " + name +
                     " share no clock with the compilations of the other inputs; write "
                     "the time of each step (time.time()) next to its duration.");
    } else if (track.comparison == StepComparison::kNothing) {
      gaps.push_back("No input says what was compiled during the steps of " + name +
                     "; add the log of the same run.");
    }
  }
  // Spans during a stall are known only on the clock of the steps.
  std::set<uint32_t> apart;
  for (const Span& span : session.spans()) {
    if (span.kind == SpanKind::kOtherProcess && span.clock == Clock::kRelative &&
        !with_steps.contains(span.input)) {
      apart.insert(span.input);
    }
  }
  for (const uint32_t input : apart) {
    if (with_steps.empty()) break;
    gaps.push_back(
        "The other processes in " + session.inputs()[input].name +
        " have a clock of their own, so it is not known whether they ran in slow steps.");
  }
  for (uint32_t i = 0; i < session.inputs().size() && steps.tracks.empty(); ++i) {
    const Input& input = session.inputs()[i];
    if (input.format != "chrome-trace" || with_steps.contains(i)) continue;
    gaps.push_back("The profile " + input.name +
                   " shows no steps; torch.profiler marks them when the program calls "
                   "prof.step().");
  }
}

constexpr size_t kMaxMessage = 120;

/// Lines that torch appends to the messages of its exceptions.
bool ContinuesMessage(std::string_view line) {
  return line.empty() || IsBlankChar(line.front()) || line.starts_with("from user code") ||
         line.starts_with("Set TORCH") || line.starts_with("You can suppress") ||
         line.starts_with("For more details about") || line.starts_with("Traceback (most recent");
}

/// "torch._dynamo.exc.Unsupported: ..." or "KeyboardInterrupt"
bool IsException(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool is_dotted =
      !name.empty() && std::ranges::all_of(name, [](char c) { return IsWordChar(c) || c == '.'; });
  const bool ends_name = name.size() == line.size() || line.substr(name.size()).starts_with(": ");
  return is_dotted && !IsDigit(name.front()) && ends_name;
}

std::string OfEnd(std::string_view text, Redactor* redactor) {
  const std::string_view exception = LastException(text);
  if (exception.empty()) return {};
  std::string message = MakePrintable(exception.substr(0, kMaxMessage));
  if (exception.size() > kMaxMessage) message += "...";
  return redactor == nullptr ? message : redactor->Rewrite(TextKind::kProse, message);
}

}  // namespace

std::vector<std::string> FindGaps(const Session& session, const RunSummary& summary,
                                  const StepReport& steps, bool has_calls) {
  std::vector<std::string> gaps;
  AddUnrecognisedInputs(session, gaps);
  AddUnknownLines(session, summary.unknown_lines, gaps);
  AddDamage(session, gaps);
  for (std::string& sentence : DescribeRepeatedInputs(session)) gaps.push_back(std::move(sentence));
  const bool has_recognised = std::any_of(session.inputs().begin(), session.inputs().end(),
                                          [](const Input& input) { return !input.format.empty(); });
  if (!has_recognised) return gaps;

  AddStepGaps(session, steps, gaps);
  // Profiles, tables of step times and call records never contain messages.
  const bool has_log = std::any_of(session.inputs().begin(), session.inputs().end(),
                                   [](const Input& input) { return HoldsMessages(input.format); });
  if (!has_log) return gaps;

  const Seen seen = LookAtEvents(session);
  AddCut(seen, session, gaps);
  AddFolded(seen, gaps);
  AddUnfinished(session, gaps);
  if (seen.dynamo()) AddDynamoGaps(seen, session, summary, has_calls, gaps);
  return gaps;
}

std::string_view LastException(std::string_view text) {
  const size_t begin = text.rfind("Traceback (most recent call last):\n");
  if (begin == kNotFound) return {};
  std::string_view rest = text.substr(begin);
  rest.remove_prefix(rest.find('\n') + 1);
  std::string_view exception;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = TrimRight(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (ContinuesMessage(line)) continue;
    if (!exception.empty() || !IsException(line)) return {};
    exception = line;
  }
  return exception;
}

std::string FindFailure(const std::vector<std::string>& paths, FileSource& files,
                        const InputEnds& ends, Redactor* redactor) {
  for (const std::string& path : paths) {
    if (const std::optional<int> status = ReadRunEnd(path)) {
      if (*status != 0) return "exit status " + std::to_string(*status);
      continue;
    }
    Expected<std::vector<std::string>> expanded = files.Expand(path);
    if (!expanded) {
      llvm::consumeError(expanded.takeError());
      continue;
    }
    for (const std::string& file : *expanded) {
      std::string failure = OfEnd(ends.Of(file), redactor);
      if (!failure.empty()) return failure;
    }
  }
  return {};
}

}  // namespace shapewise
