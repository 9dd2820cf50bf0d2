#include "pipeline/load_run.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "compare/compare_runs.h"
#include "dynamo/body_of_run.h"
#include "dynamo/run_function.h"
#include "ingest/graph_reader.h"
#include "ingest/reader.h"
#include "llvm/ADT/Hashing.h"
#include "model/graph_model.h"
#include "pipeline/rule_selection.h"
#include "redact/redactor.h"
#include "rules/rule_set.h"
#include "saved/saved_result.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

Error ReadBack(const SavedResultTap::Saved& text, const LintOptions& options, LoadedRun& run) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();
  Expected<SavedResult> saved = ReadSavedResult(text.text, MakePrintable(text.name));
  if (!saved) return saved.takeError();
  run.result = std::move(saved->result);
  run.is_saved = true;
  run.is_baseline = saved->is_baseline;
  std::erase_if(run.result.findings, [&](const Finding& finding) {
    return !selection->Has(finding.rule, finding.name);
  });
  return Error::success();
}

/// A dump shows sizes and shared symbols, but not what tracing asked of them.
BodyFacts BodyOfDump() {
  BodyFacts body;
  body.frames.emplace_back().unknown_because =
      "a dump of a graph does not show which sizes were compared; the trace of one run does "
      "(TORCH_TRACE)";
  return body;
}

constexpr size_t kMaxSentences = 5;

/// Properties that two readings of one log share, including ids, because texts and details are
/// interned.
struct Content {
  uint64_t events = 0;  ///< hash of all events
  bool has_times = false;
};

std::vector<Content> ContentOfInputs(const Session& session) {
  std::vector<Content> contents(session.inputs().size());
  for (const Event& event : session.events()) {
    Content& content = contents[event.input];
    content.events =
        llvm::hash_combine(content.events, event.line, event.detail, event.compile_id, event.rank,
                           event.time.month, event.time.day, event.time.micros);
    content.has_times |= event.time.known();
  }
  return contents;
}

/// "run.log" for "run.log.gz": a log and its compressed copy are equal.
std::string_view WithoutCompression(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

std::string Times(size_t count) { return count == 2 ? "twice" : std::to_string(count) + " times"; }

std::string DescribeGroup(const Session& session, const std::vector<uint32_t>& group) {
  const std::string& name = session.inputs()[group.front()].name;
  std::string sentence = name + " was read " + Times(group.size());
  for (const uint32_t index : group) {
    const std::string& other = session.inputs()[index].name;
    if (other == name) continue;
    sentence += ", also as " + other;
    break;
  }
  return sentence + ": what it holds counts " + Times(group.size()) + ".";
}

// Enough bytes for LooksSaved.
constexpr size_t kHeadBytes = 256;

/// Buffers the head of a text until its kind is known.
class TapSink final : public LineSink {
 public:
  explicit TapSink(LineSink& sink) : sink_(sink) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    if (state_ == State::kPassing) return sink_.OnLines(lines, first_line);
    Keep(lines);
    if (state_ == State::kDeciding) Decide();
  }

  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    if (state_ == State::kDeciding) {
      // A piece is longer than a head, so the kind is known.
      if (LooksSaved(text_ + std::string(piece.substr(0, kHeadBytes)))) {
        state_ = State::kKeeping;
      } else {
        Release();
      }
    }
    if (state_ == State::kPassing) return sink_.OnPiece(piece, line, is_first, is_last);
    Keep(piece);
    if (is_last) Keep("\n");
    return piece.size();
  }

  /// The text of a saved result; a head that was too short is passed on.
  bool Finish(std::string& text) {
    if (state_ == State::kDeciding) Release();
    if (state_ == State::kPassing) return false;
    text = std::move(text_);
    return true;
  }

 private:
  enum class State : uint8_t { kDeciding, kPassing, kKeeping };

  void Keep(std::string_view text) {
    const size_t room = kMaxSavedBytes + 1 - std::min(text_.size(), kMaxSavedBytes + 1);
    text_ += text.substr(0, room);
  }

  void Decide() {
    if (LooksSaved(text_)) {
      state_ = State::kKeeping;
    } else if (text_.size() >= kHeadBytes || !text_.starts_with('{')) {
      Release();
    }
  }

  // The buffer contains whole lines from the start.
  void Release() {
    state_ = State::kPassing;
    if (!text_.empty()) sink_.OnLines(text_, 1);
    text_.clear();
  }

  LineSink& sink_;
  State state_ = State::kDeciding;
  std::string text_;
};

/// Discards inputs that are not saved results.
class IgnoringSink final : public LineSink {
 public:
  void OnLines(std::string_view /*lines*/, uint64_t /*first_line*/) override {}
  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool /*is_first*/,
                 bool /*is_last*/) override {
    return piece.size();
  }
};

}  // namespace

Expected<std::unique_ptr<LoadedRun>> LoadRun(const LintOptions& options, FileSource& files) {
  auto run = std::make_unique<LoadedRun>();
  SavedResultTap tap(files);
  Expected<LintResult> result = Lint(options, tap, run->session);
  if (!result) return result.takeError();
  Error unread = Error::success();
  for (const std::string& message : result->unread) {
    unread = llvm::joinErrors(std::move(unread), MakeError(message));
  }
  if (unread) return unread;
  if (tap.saved().empty()) {
    run->result = std::move(*result);
    return run;
  }
  if (run->session.inputs().size() > 1) {
    return MakeError(MakePrintable(tap.saved().front().name) +
                     ": a saved result is a whole run and cannot be combined with other inputs");
  }
  if (Error error = ReadBack(tap.saved().front(), options, *run)) return error;
  return run;
}

Expected<BodyFacts> LoadBody(const std::vector<std::string>& paths, FileSource& files,
                             const std::string& function, Redactor* redactor) {
  Session session;
  ReadOptions options;
  options.guard_texts = true;
  options.redactor = redactor;
  const std::vector<std::string> unread = ReadInputs(paths, files, session, options);
  if (!unread.empty()) return MakeError(unread.front());
  const bool is_recognised = std::ranges::any_of(
      session.inputs(), [](const Input& input) { return !input.format.empty(); });
  if (!is_recognised) {
    GraphSet graphs;
    if (ReadGraphs(paths, files, graphs).empty() && !graphs.graphs.empty()) return BodyOfDump();
    const std::string& path = paths.front();
    return MakeError((redactor != nullptr ? redactor->Rewrite(TextKind::kPath, path) : path) +
                     ": nothing of torch.compile recognised; --body takes a trace "
                     "(TORCH_TRACE) of one run of the function");
  }
  // Dynamo calls "Mixer.forward" "forward".
  const Place where{.function = function.substr(function.rfind('.') + 1), .file = {}, .line = 0};
  BodyFacts body = BodyOfRun(session, /*frame=*/{}, where);
  return body.frames.empty() ? BodyOfRun(session, /*frame=*/{}, /*where=*/{}) : std::move(body);
}

void UseBody(const BodyFacts& body, const std::vector<std::unique_ptr<RunFunction>>& functions) {
  for (const std::unique_ptr<RunFunction>& function : functions) {
    const std::vector<BodyFrame>& frames = function->body.frames;
    const bool is_reported = !frames.empty() && frames.front().knowledge != BodyKnowledge::kUnknown;
    if (!is_reported) function->body = body;
  }
}

std::vector<std::string> DescribeRepeatedInputs(const Session& session) {
  const std::vector<Content> contents = ContentOfInputs(session);
  // Logs without times may be equal on different ranks; then the name must be the same, too.
  using Key = std::tuple<std::string, uint64_t, uint64_t, uint64_t>;
  std::map<Key, std::vector<uint32_t>> groups;
  for (uint32_t index = 0; index < session.inputs().size(); ++index) {
    const Input& input = session.inputs()[index];
    if (input.bytes == 0) continue;
    const Content& content = contents[index];
    const std::string name(content.has_times ? "" : WithoutCompression(input.name));
    groups[{name, input.bytes, input.lines, content.events}].push_back(index);
  }
  std::vector<std::vector<uint32_t>> repeated;
  for (auto& [key, group] : groups) {
    if (group.size() > 1) repeated.push_back(std::move(group));
  }
  std::sort(repeated.begin(), repeated.end());
  std::vector<std::string> sentences;
  for (const std::vector<uint32_t>& group : repeated) {
    if (sentences.size() == kMaxSentences) {
      sentences.push_back(std::to_string(repeated.size() - kMaxSentences) +
                          " more inputs were read more than once.");
      break;
    }
    sentences.push_back(DescribeGroup(session, group));
  }
  return sentences;
}

Error SavedResultTap::Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
                           TextTotals& totals) {
  TapSink tap(sink);
  Error error = files_.Read(path, tap, stats, input, totals);
  std::string text;
  if (!tap.Finish(text)) return error;
  const std::scoped_lock lock(mutex_);
  const auto place = std::ranges::upper_bound(saved_, path, {}, &Saved::name);
  saved_.insert(place, {path, std::move(text)});
  return error;
}

Expected<std::vector<Finding>> LoadBaseline(const std::string& path, FileSource& files) {
  SavedResultTap tap(files);
  IgnoringSink sink;
  Stats stats;
  TextTotals totals;
  if (Error error = tap.Read(path, sink, stats, 0, totals)) return error;
  const std::string name = MakePrintable(path);
  if (tap.saved().empty()) {
    return MakeError(name + ": expected a baseline, which begins with {\"schema\": " +
                     "\"shapewise.baseline/1\"");
  }
  Expected<SavedResult> saved = ReadSavedResult(tap.saved().front().text, name);
  if (!saved) return saved.takeError();
  return std::move(saved->result.findings);
}

Error SuppressKnown(const std::vector<Finding>& known, const std::string& file,
                    const LintOptions& options, LintResult& result) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  BaselineUse use;
  use.file = file;
  std::vector<const Finding*> known_as(result.findings.size());
  std::vector<bool> occurs(known.size());
  for (const FindingMatch& match : MatchFindings(known, result.findings)) {
    known_as[match.after] = &known[match.before];
    occurs[match.before] = true;
  }

  std::vector<Finding> remaining;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    Finding& finding = result.findings[i];
    const bool is_held_back = known_as[i] != nullptr && !IsWorse(*known_as[i], finding);
    if (known_as[i] != nullptr && !is_held_back) use.worse.push_back(finding.fingerprint);
    (is_held_back ? use.held_back : remaining).push_back(std::move(finding));
  }
  result.findings = std::move(remaining);

  for (size_t i = 0; i < known.size(); ++i) {
    if (occurs[i] || !WouldShow(result.coverage, known[i])) continue;
    const Rule* rule = RuleSet::Builtin().Find(known[i].rule);
    const bool is_asked_for = rule == nullptr || selection->Has(rule->code, rule->name);
    if (is_asked_for) use.stale.push_back(known[i]);
  }
  result.baseline = std::move(use);
  return Error::success();
}

}  // namespace shapewise
