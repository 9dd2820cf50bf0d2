// What rules propose, with what it would take away.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "advise/candidate.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Kinds that PolicyCandidates words by itself for recompiles.
constexpr std::string_view kPolicyKinds[] = {"mark_dynamic", "mark_unbacked", "mark_static",
                                             "dynamic_sources", "bucket"};
// Configuration that it words as well.
constexpr std::string_view kPolicyCode[] = {"use_duck_shape", "allow_unspec_int_on_nn_module",
                                            "force_parameter_static_shapes"};
// Beginnings of statements that hold for the whole process.
constexpr std::string_view kConfigCode[] = {"torch._dynamo.config.",
                                            "torch._inductor.config.",
                                            "torch._functorch.config.",
                                            "torch.fx.experimental._config.",
                                            "torch.compiler.config.",
                                            "torch.set_float32_matmul_precision",
                                            "torch.compiler.set_enable_guard_collectives"};

bool Has(std::span<const std::string_view> words, std::string_view text) {
  return std::ranges::any_of(words, [&](std::string_view word) { return HasText(text, word); });
}

/// "NAME=value": a shell assignment.
bool IsAssignment(std::string_view code) {
  ConsumeFront(code, "export ");
  size_t end = 0;
  while (end < code.size() &&
         ((code[end] >= 'A' && code[end] <= 'Z') || code[end] == '_' || IsDigit(code[end]))) {
    ++end;
  }
  return end > 2 && end < code.size() && code[end] == '=';
}

bool IsConfig(std::string_view code) {
  while (!code.empty()) {
    const std::string_view line = code.substr(0, code.find('\n'));
    const bool is_config = std::ranges::any_of(
        kConfigCode, [&](std::string_view head) { return line.starts_with(head); });
    // What names a variable of the program means nothing at its top.
    if (!is_config || HasText(line, "add(log.")) return false;
    code.remove_prefix(std::min(code.size(), line.size() + 1));
  }
  return true;
}

PasteAt PlaceOf(const Action& action) {
  const std::string& code = action.code;
  if (code.empty()) return PasteAt::kByHand;
  if (IsAssignment(code)) return PasteAt::kEnvironment;
  if (IsConfig(code)) return PasteAt::kConfig;
  if (code == "@torch.compiler.disable") return PasteAt::kDecorator;
  const std::string name = ArgumentExpr(CanonicalSource(action.source));
  const bool is_argument = !name.empty() && !HasText(name, "[") && !HasText(name, ".");
  if (action.kind == "contiguous" && is_argument && code == name + " = " + name + ".contiguous()") {
    return PasteAt::kBeforeCall;
  }
  return PasteAt::kByHand;
}

/// Kinds that compile as much as before, in other places or at other times.
bool CompilesAsMuch(const Action& action) {
  return action.kind == "isolate" || action.kind == "raise_limit" || action.kind == "cache" ||
         action.kind == "disable_region";
}

std::vector<CodeChange> ChangesOf(const Cause& cause, const Action& action) {
  std::vector<CodeChange> changes;
  if (cause.kind == CauseKind::kRecompile && cause.culprit && !CompilesAsMuch(action)) {
    CodeChange change = ChangeOf(CodeChange::Kind::kRemoveCause, cause.where,
                                 {CanonicalSource(cause.culprit->source), cause.culprit->dim});
    change.guard_class = cause.culprit->guard_class;
    if (action.kind == "contiguous") {
      change.kind = CodeChange::Kind::kContiguous;
      change.dim = -1;
    }
    changes.push_back(std::move(change));
  }
  if (cause.kind == CauseKind::kGraphBreak && cause.user.line != 0) {
    Place function;
    function.file = cause.user.file;
    changes.push_back(ChangeOf(CodeChange::Kind::kRemoveBreak, function, {}));
    changes.back().line = cause.user.line;
  }
  return changes;
}

class RuleReader {
 public:
  explicit RuleReader(const std::vector<ToldCause>& causes) : causes_(causes) {
    for (const ToldCause& told : causes) {
      const Place& user = told.cause.user;
      if (told.cause.kind == CauseKind::kSkippedFrame) skipped_[{user.file, user.line}] = &told;
    }
  }

  std::vector<Candidate> Read() {
    for (const ToldCause& told : causes_) {
      bool has_by_hand = false;
      for (const Action& action : told.finding.advice) {
        if (IsLeftToPolicies(told.cause, action)) continue;
        const PasteAt at = PlaceOf(action);
        // The best of those that a person has to work out; the others stand in the rule's page.
        if (at == PasteAt::kByHand && std::exchange(has_by_hand, true)) continue;
        Add(told, action, at);
      }
    }
    return std::move(candidates_);
  }

 private:
  static bool IsLeftToPolicies(const Cause& cause, const Action& action) {
    if (cause.kind != CauseKind::kRecompile) return false;
    return std::ranges::find(kPolicyKinds, action.kind) != std::end(kPolicyKinds) ||
           Has(kPolicyCode, action.code);
  }

  void Add(const ToldCause& told, const Action& action, PasteAt at) {
    const bool holds_for_all = at == PasteAt::kEnvironment || at == PasteAt::kConfig;
    if (holds_for_all) {
      const auto [known, is_new] = by_code_.try_emplace(action.code, candidates_.size());
      if (!is_new) return Join(told, action, candidates_[known->second]);
    }
    Candidate candidate;
    candidate.ranked.action = action;
    candidate.ranked.at = at;
    candidate.ranked.rule = told.finding.rule;
    candidate.ranked.severity = told.finding.severity;
    // Following a performance hint can cost speed; only a run tells.
    candidate.ranked.is_experiment = told.cause.kind == CauseKind::kPerfHint;
    if (action.kind == "config" && told.cause.kind == CauseKind::kGraphBreak) {
      candidate.ranked.action.kind = "fix_break";
    }
    candidates_.push_back(std::move(candidate));
    Join(told, action, candidates_.back());
  }

  /// Adds what following `action` does about `told`.
  void Join(const ToldCause& told, const Action& action, Candidate& candidate) {
    const Cause& cause = told.cause;
    for (CodeChange& change : ChangesOf(cause, action))
      candidate.changes.push_back(std::move(change));
    if (cause.kind == CauseKind::kGraphBreak) {
      ++candidate.breaks;
      if (cause.cost_seconds) {
        candidate.seconds = candidate.seconds.value_or(0) + *cause.cost_seconds;
      }
      // A break in a loop makes the whole function run eager.
      if (const ToldCause* skip = SkippedFrameOf(cause)) {
        ++candidate.eager_functions;
        AddEvidence(skip->cause.events, candidate.ranked.action);
      }
    }
    const bool is_error = cause.fatal || cause.kind == CauseKind::kCompileError ||
                          cause.kind == CauseKind::kConstraintViolation;
    if (is_error) ++candidate.errors;
    const bool is_room_made =
        cause.limit_hit && (action.kind == "isolate" || action.kind == "raise_limit");
    if (is_room_made || (cause.kind == CauseKind::kSkippedFrame && cause.why == "loop-break")) {
      ++candidate.eager_functions;
    }
    AddEvidence(action.evidence, candidate.ranked.action);
    candidate.ranked.severity = std::max(candidate.ranked.severity, told.finding.severity);
    if (candidate.ranked.rule != told.finding.rule) candidate.ranked.action.target = {};
  }

  static void AddEvidence(const std::vector<size_t>& events, Action& action) {
    constexpr size_t kMaxBreakEvidence = 16;
    std::vector<size_t>& evidence = action.evidence;
    for (const size_t event : events) {
      if (evidence.size() >= kMaxBreakEvidence) break;
      if (std::ranges::find(evidence, event) == evidence.end()) evidence.push_back(event);
    }
    std::ranges::sort(evidence);
  }

  /// The skipped frame that was recorded for the very line of this break; null: none was.
  const ToldCause* SkippedFrameOf(const Cause& graph_break) const {
    const auto found = skipped_.find({graph_break.user.file, graph_break.user.line});
    return found == skipped_.end() ? nullptr : found->second;
  }

  const std::vector<ToldCause>& causes_;
  std::map<std::pair<std::string, uint32_t>, const ToldCause*> skipped_;  // by the user's line
  std::vector<Candidate> candidates_;
  std::map<std::string, size_t> by_code_;
};

}  // namespace

std::vector<Candidate> RuleCandidates(const std::vector<ToldCause>& causes) {
  return RuleReader(causes).Read();
}

}  // namespace shapewise
